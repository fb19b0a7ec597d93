package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// form is a request with these properties, as JSON; those in required are required.
func form(message, properties string, required ...string) *mcp.ElicitParams {
	schema := map[string]any{"type": "object", "properties": json.RawMessage(properties)}
	if required != nil {
		schema["required"] = required
	}
	return &mcp.ElicitParams{Message: message, RequestedSchema: schema}
}

func value(raw string) tools.Answer { return tools.Answer{Value: json.RawMessage(raw)} }

// asks is a tool that asks for these, and then repeats the answers it got.
func asks(requests mcp.InputRequestMap) mcp.ToolHandler {
	return func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.Params.InputResponses == nil {
			return &mcp.CallToolResult{InputRequests: requests, RequestState: "st\u00e4te"}, nil
		}
		told, err := json.Marshal(r.Params.InputResponses)
		return text(r.Params.RequestState + " " + string(told)), err
	}
}

func one(p *mcp.ElicitParams) mcp.InputRequestMap { return mcp.InputRequestMap{"q": p} }

func serving(t testing.TB, requests mcp.InputRequestMap) *bench {
	return use(t, mcptool.Options{URL: serve(t, newServer(map[string]mcp.ToolHandler{"a": asks(requests)}), false)})
}

var call = tools.Call{ID: "c", Name: "s__a", Language: "en"}

func TestAnswersAreTypedAndReachTheServer(t *testing.T) {
	for name, c := range map[string]struct {
		properties string
		required   []string
		answer     tools.Answer
		told       string
	}{
		"text":          {`{"a":{"type":"string"}}`, []string{"a"}, value(`" <b>{{x}}\n "`), `{"action":"accept","content":{"a":" \u003cb\u003e{{x}}\n "}}`},
		"integer":       {`{"a":{"type":"integer"}}`, []string{"a"}, value(`7`), `{"action":"accept","content":{"a":7}}`},
		"number":        {`{"a":{"type":"number"}}`, []string{"a"}, value(`0.5`), `{"action":"accept","content":{"a":0.5}}`},
		"boolean":       {`{"a":{"type":"boolean"}}`, []string{"a"}, value(`false`), `{"action":"accept","content":{"a":false}}`},
		"date":          {`{"a":{"type":"string","format":"date"}}`, []string{"a"}, value(`"2026-12-01"`), `{"action":"accept","content":{"a":"2026-12-01"}}`},
		"enum":          {`{"a":{"type":"string","enum":["x","y"],"enumNames":["Ex","Why"]}}`, []string{"a"}, value(`"y"`), `{"action":"accept","content":{"a":"y"}}`},
		"titled":        {`{"a":{"type":"string","oneOf":[{"const":"x","title":"Same"},{"const":"y","title":"Same"}]}}`, []string{"a"}, value(`"y"`), `{"action":"accept","content":{"a":"y"}}`},
		"several":       {`{"a":{"type":"array","items":{"type":"string","enum":["x","y","z"]},"minItems":1}}`, []string{"a"}, tools.Answer{Values: []string{"z", "x"}}, `{"action":"accept","content":{"a":["x","z"]}}`},
		"titled, many":  {`{"a":{"type":"array","items":{"anyOf":[{"const":"x","title":"Ex"}]}}}`, []string{"a"}, tools.Answer{Values: []string{"x"}}, `{"action":"accept","content":{"a":["x"]}}`},
		"none of them":  {`{"a":{"type":"array","items":{"type":"string","enum":["x","y"]}}}`, []string{"a"}, tools.Answer{Skipped: true}, `{"action":"accept","content":{"a":[]}}`},
		"not there":     {`{"a":{"type":"string"}}`, []string{"a", "b"}, value(`"x"`), `{"action":"accept","content":{"a":"x"}}`},
		"skipped":       {`{"a":{"type":"string"}}`, nil, tools.Answer{Skipped: true}, `{"action":"accept"}`},
		"declined":      {`{"a":{"type":"string"}}`, []string{"a"}, tools.Answer{Declined: true}, `{"action":"decline"}`},
		"agreed":        {`{}`, nil, value(`true`), `{"action":"accept"}`},
		"not agreed":    {`{}`, nil, value(`false`), `{"action":"decline"}`},
		"two":           {`{"b":{"type":"boolean"},"a":{"type":"string"}}`, []string{"b", "a"}, tools.Answer{Answers: []tools.Answer{value(`true`), value(`"x"`)}}, `{"action":"accept","content":{"a":"x","b":true}}`},
		"one of two":    {`{"b":{"type":"boolean"},"a":{"type":"string"}}`, []string{"b"}, tools.Answer{Answers: []tools.Answer{value(`true`), {Skipped: true}}}, `{"action":"accept","content":{"b":true}}`},
		"part declined": {`{"b":{"type":"boolean"},"a":{"type":"string"}}`, nil, tools.Answer{Answers: []tools.Answer{value(`true`), {Declined: true}}}, `{"action":"decline"}`},
	} {
		t.Run(name, func(t *testing.T) {
			b := serving(t, one(form("Well?", c.properties, c.required...)))
			out := b.call(t, call)
			if out.Question == nil || *out.Question.AskedBy != (tools.Asker{Kind: tools.AskerServer, Title: "The server"}) || out.Question.Warning != "Not me, The server" || out.Question.State == nil || out.Question.Kind != tools.KindQuestion {
				t.Fatalf("%+v", out)
			}
			if out = b.answer(t, call, out.Question, c.answer); out.Result != `stäte {"q":`+c.told+`}` {
				t.Errorf("%s%v", out.Result, out.Error)
			}
		})
	}
}

// A note is the person's, and not part of the server's text.
func TestANoteIsHandedOnBesideTheResult(t *testing.T) {
	b := serving(t, one(form("Well?", `{"a":{"type":"string"}}`, "a")))
	a := value(`"x"`)
	a.Note = "quickly"
	if out := b.answer(t, call, b.call(t, call).Question, a); out.Note != "quickly" || strings.Contains(out.Result, "quickly") {
		t.Errorf("%+v", out)
	}
}

func TestAnswersThatDoNotFitAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ properties, answer, code string }{
		"mail":                   {`{"a":{"type":"string","format":"email"}}`, `"x"`, "format_email"},
		"address":                {`{"a":{"type":"string","format":"uri"}}`, `"not an address"`, "format_uri"},
		"address of a host only": {`{"a":{"type":"string","format":"uri"}}`, `"https://exa mple.org"`, "format_uri"},
		"time":                   {`{"a":{"type":"string","format":"date-time"}}`, `"2026-12-01"`, "type_datetime"},
		"pattern":                {`{"a":{"type":"string","pattern":"^[A-Z]{2}$"}}`, `"ab"`, "pattern"},
		"pattern within":         {`{"a":{"type":"string","pattern":"[0-9]"}}`, `"ab"`, "pattern"},
		"exploding pattern":      {`{"a":{"type":"string","pattern":"^(a+)+$"}}`, `"ab"`, "pattern"},
		"bounds":                 {`{"a":{"type":"integer","maximum":3}}`, `4`, "max"},
		"whole":                  {`{"a":{"type":"integer"}}`, `1.5`, "integer"},
		"length":                 {`{"a":{"type":"string","minLength":3}}`, `"ab"`, "too_short"},
		"option":                 {`{"a":{"type":"string","enum":["x"]}}`, `"y"`, "option"},
	} {
		t.Run(name, func(t *testing.T) {
			b := serving(t, one(form("Well?", c.properties, "a")))
			out := b.call(t, call)
			if out.Question == nil {
				t.Fatalf("%+v", out.Error)
			}
			_, err := b.Check(*out.Question, value(c.answer))
			var refused *tools.AnswerError
			if !errors.As(err, &refused) || refused.Fields[0].Code != c.code {
				t.Errorf("%v", err)
			}
			if _, ok := b.Read(*out.Question, strings.Trim(c.answer, `"`), "en"); ok {
				t.Error("it reads as an answer")
			}
			if v := out.Question.Parts[0].Validation; v != nil && strings.Contains(v.Pattern, "+)+") {
				t.Error("a browser would see the pattern")
			}
		})
	}
}

func TestTextsOfTheQuestion(t *testing.T) {
	b := serving(t, one(form("Where\u202e to?", `{"z":{"type":"string","title":"City","description":"of arrival","default":"Lisbon"},"y":{"type":"number"}}`, "z")))
	q := b.call(t, call).Question
	if q == nil || len(q.Parts) != 2 {
		t.Fatalf("%+v", q)
	}
	if p := q.Parts[0]; p.Question != "City" || p.Context != "Where to?\nof arrival" || p.Placeholder != "" || string(p.Default) != `"Lisbon"` || p.AllowSkip {
		t.Errorf("%+v", p)
	}
	if p := q.Parts[1]; p.Question != "y" || p.Context != "" || !p.AllowSkip {
		t.Errorf("%+v", p)
	}
	b = serving(t, one(form("Where to?", `{"z":{"type":"string","title":"City"}}`)))
	if p := b.call(t, call).Question.Parts[0]; p.Question != "Where to?" || p.Header != "City" {
		t.Errorf("%+v", p)
	}
}

// A question has its property's name, so that a program can fill in the form; others q1 to qn.
func TestIDsAreTheNamesOfProperties(t *testing.T) {
	long := strings.Repeat("n", 65)
	for name, c := range map[string]struct {
		asked mcp.InputRequestMap
		ids   string
	}{
		"one":         {one(form("Well?", `{"home city":{"type":"string"}}`)), "home city"},
		"some do not": {one(form("Well?", `{"a":{"type":"string"},"`+long+`":{"type":"string"},"b\u200b":{"type":"string"},"c":{"type":"number"}}`)), "a q2 q3 c"},
		"white space": {one(form("Well?", `{" a":{"type":"string"},"a":{"type":"string"}}`)), "q1 a"},
		"a yes":       {one(form("Well?", `{}`)), "q1"},
		"a page":      {one(&mcp.ElicitParams{Mode: "url", URL: "https://x.example/", ElicitationID: "e"}), "q1"},
		"several":     {mcp.InputRequestMap{"b": form("Sure?", `{}`), "a": form("Who?", `{"n":{"type":"string"},"q3":{"type":"string"}}`), "c": form("Who?", `{"n":{"type":"string"}}`)}, "n q3 q1 q4"},
		"a long one":  {one(form("Well?", `{"`+strings.Repeat("n", 10_000)+`":{"type":"string"}}`)), "q1"},
	} {
		t.Run(name, func(t *testing.T) {
			q := serving(t, c.asked).call(t, call).Question
			if q == nil {
				t.Fatal("not asked")
			}
			var ids []string
			for _, p := range q.Parts {
				ids = append(ids, p.ID)
			}
			if got := strings.Join(ids, " "); got != c.ids {
				t.Errorf("%q, want %q", got, c.ids)
			}
		})
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	const secret = "hunter2hunter2"
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "a", Description: "Token " + secret, InputSchema: map[string]any{"type": "object", "description": secret}},
		asks(one(form("Is it "+secret+"?", `{"a":{"type":"string","title":"`+secret+`","description":"`+secret+`"},"b":{"type":"string"}}`))))
	server.AddTool(&mcp.Tool{Name: "b", InputSchema: nothing}, asks(one(&mcp.ElicitParams{Mode: "url", URL: "https://x.example/" + secret, ElicitationID: "e"})))
	b := use(t, mcptool.Options{URL: serve(t, server, false), Secrets: []string{secret}})
	shown, err := json.Marshal([]any{b.members(t), b.call(t, call).Question, b.call(t, tools.Call{Name: "s__b"})})
	if err != nil || strings.Contains(string(shown), secret) || !strings.Contains(string(shown), "Is it [secret]?") {
		t.Errorf("%s %v", shown, err)
	}
}

func TestSeveralRequestsAreOneForm(t *testing.T) {
	b := serving(t, mcp.InputRequestMap{"b": form("Sure?", `{}`), "a": form("Who?", `{"n":{"type":"string"},"m":{"type":"string"}}`, "n")})
	out := b.call(t, call)
	if out.Question == nil || len(out.Question.Parts) != 3 {
		t.Fatalf("%+v", out)
	}
	out = b.answer(t, call, out.Question, tools.Answer{Answers: []tools.Answer{value(`"x"`), {Skipped: true}, value(`false`)}})
	if out.Result != `stäte {"a":{"action":"accept","content":{"n":"x"}},"b":{"action":"decline"}}` {
		t.Errorf("%+v", out)
	}
}

func TestWhatCannotBeAskedIsTold(t *testing.T) {
	fields, options := []string{}, []string{}
	for i := range 101 {
		fields = append(fields, fmt.Sprintf(`"f%d":{"type":"string"}`, i))
		options = append(options, fmt.Sprintf(`"v%d"`, i))
	}
	url := func(u string) *mcp.ElicitParams { return &mcp.ElicitParams{Mode: "url", URL: u, ElicitationID: "e"} }
	for name, p := range map[string]mcp.InputRequest{
		"fields":     form("m", "{"+strings.Join(fields, ",")+"}"),
		"options":    form("m", `{"a":{"type":"string","enum":[`+strings.Join(options, ",")+`]}}`),
		"nested":     form("m", `{"a":{"type":"object","properties":{}}}`),
		"list":       form("m", `{"a":{"type":"array","items":{"type":"string"}}}`),
		"range":      form("m", `{"a":{"type":"number","minimum":2,"maximum":1}}`),
		"value":      form("m", `{"a":{"type":"string","enum":["`+strings.Repeat("x", 101)+`"]}}`),
		"wrong type": form("m", `{"a":{"type":"string","enum":[1]}}`),
		"state":      form("m", `{"`+strings.Repeat("x", 70<<10)+`":{"type":"string"}}`),
		"password":   form("What is your password?", `{"a":{"type":"string"}}`),
		"script":     url("javascript:alert(1)"),
		"file":       url("file:///etc/passwd"),
		"user":       url("https://paypal.com@evil.example/"),
		"lookalike":  url("https://p\u0430ypal.example/"),
		"long":       url("https://x.example/" + strings.Repeat("x", 3000)),
		"sampling":   &mcp.CreateMessageWithToolsParams{MaxTokens: 1}, //nolint:staticcheck // servers still send it
		"roots":      &mcp.ListRootsParams{},                          //nolint:staticcheck // servers still send it
	} {
		t.Run(name, func(t *testing.T) {
			out := serving(t, mcp.InputRequestMap{"q": p}).call(t, call)
			if out.Error == nil || out.Error.Code != tools.CodeToolFailed || out.Error.Reason != "elicitation" {
				t.Errorf("%+v %v", out, out.Error)
			}
		})
	}
}

func TestPagesAreShownNotOpened(t *testing.T) {
	b := serving(t, one(&mcp.ElicitParams{Mode: "url", Message: "Log in.", URL: "https://auth.example/x?y=1", ElicitationID: "e"}))
	out := b.call(t, call)
	if out.Question == nil {
		t.Fatalf("%+v", out)
	}
	p := out.Question.Parts[0]
	if p.Question != "The server wants you on auth.example" || p.Link != "https://auth.example/x?y=1" || p.Context != "Log in." || p.InputType != tools.Confirm {
		t.Errorf("%+v", p)
	}
	if out = b.answer(t, call, out.Question, value(`"yes"`)); !strings.Contains(out.Result, `{"action":"accept"}`) {
		t.Errorf("%+v", out)
	}
}

func TestAServerAsksOnlySoOften(t *testing.T) {
	b := use(t, mcptool.Options{URL: serve(t, newServer(map[string]mcp.ToolHandler{"a": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{InputRequests: one(form("Again?", `{}`))}, nil
	}}), false)})
	out := b.call(t, call)
	asked := 0
	for ; out.Question != nil; asked++ {
		out = b.answer(t, call, out.Question, value(`true`))
	}
	if asked != 8 || out.Error == nil || out.Error.Reason != "elicitation" {
		t.Errorf("asked %d times, then %+v", asked, out)
	}
}

func TestAnswersAreTakenByAnotherProcess(t *testing.T) {
	url := serve(t, newServer(map[string]mcp.ToolHandler{"a": asks(one(form("Well?", `{"a":{"type":"string"}}`, "a")))}), false)
	asked := use(t, mcptool.Options{URL: url}).call(t, call)
	stored, err := json.Marshal(asked.Question)
	if err != nil {
		t.Fatal(err)
	}
	q := &tools.Question{}
	if err := json.Unmarshal(stored, q); err != nil {
		t.Fatal(err)
	}
	if out := use(t, mcptool.Options{URL: url}).answer(t, call, q, value(`"x"`)); out.Result != `stäte {"q":{"action":"accept","content":{"a":"x"}}}` {
		t.Errorf("%+v", out)
	}
}

// inside is a tool of a server with an older protocol, which asks in the middle of its call.
func inside(requests ...*mcp.ElicitParams) *mcp.Server {
	return newServer(map[string]mcp.ToolHandler{"a": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		told := ""
		for _, p := range requests {
			answer, err := r.Session.Elicit(ctx, p)
			if err != nil {
				return nil, err
			}
			content, _ := json.Marshal(answer.Content)
			told += answer.Action + string(content) + ";"
		}
		return text(told), nil
	}})
}

func TestQuestionsInsideACallAreCancelledAndTheModelIsTold(t *testing.T) {
	b := use(t, mcptool.Options{URL: serve(t, inside(form("Well?", `{"a":{"type":"string"}}`)), true)})
	if out := b.call(t, call); !strings.HasPrefix(out.Result, "cancelnull;\n[The server wanted to ask the user") {
		t.Errorf("%+v %v", out, out.Error)
	}
}

func TestCallsAreParkedWhereTheAdminSays(t *testing.T) {
	server := inside(form("First?", `{"a":{"type":"integer"}}`, "a"), form("Second?", `{}`))
	b := use(t, mcptool.Options{URL: serve(t, server, true), Park: time.Minute})
	out := b.call(t, call)
	if out.Question == nil || out.Question.Parts[0].Question != "First?" || out.Question.ExpiresIn != time.Minute {
		t.Fatalf("%+v %v", out, out.Error)
	}
	if out = b.answer(t, call, out.Question, value(`3`)); out.Question == nil || out.Question.Parts[0].Question != "Second?" || out.Question.ExpiresIn != time.Minute {
		t.Fatalf("%+v %v", out, out.Error)
	}
	if out = b.answer(t, call, out.Question, value(`true`)); out.Result != `accept{"a":3};acceptnull;` {
		t.Errorf("%+v %v", out, out.Error)
	}
}

func TestParkedCallsAreLostWithTheirProcess(t *testing.T) {
	url := serve(t, inside(form("Well?", `{}`)), true)
	out := use(t, mcptool.Options{URL: url, Park: time.Minute}).call(t, call)
	if out.Question == nil {
		t.Fatalf("%+v %v", out, out.Error)
	}
	out = use(t, mcptool.Options{URL: url, Park: time.Minute}).answer(t, call, out.Question, value(`true`))
	if out.Error == nil || out.Error.Code != tools.CodeInterrupted {
		t.Errorf("%+v", out)
	}
}

func TestParkedCallsAreLostWithTime(t *testing.T) {
	told := make(chan string, 1)
	server := newServer(map[string]mcp.ToolHandler{"a": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := r.Session.Elicit(ctx, form("Well?", `{}`))
		if err != nil {
			answer = &mcp.ElicitResult{Action: err.Error()}
		}
		told <- answer.Action
		return text(answer.Action), err
	}})
	b := use(t, mcptool.Options{URL: serve(t, server, true), Park: time.Millisecond})
	out := b.call(t, call)
	if out.Question == nil {
		t.Fatalf("%+v %v", out, out.Error)
	}
	if action := <-told; action != "cancel" {
		t.Errorf("the server gets %s", action)
	}
	if out = b.answer(t, call, out.Question, value(`true`)); out.Error == nil || out.Error.Code != tools.CodeInterrupted {
		t.Errorf("%+v", out)
	}
}

// A server that continues after its question was cancelled is notified that the call is cancelled,
// before its session ends: until then it may hold the end of the session as well.
func TestADroppedCallThatGoesOnIsCancelled(t *testing.T) {
	ended := make(chan error, 1)
	server := newServer(map[string]mcp.ToolHandler{"a": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for range 2 {
			if answer, err := r.Session.Elicit(ctx, form("Well?", `{}`)); err != nil || answer.Action != "cancel" {
				t.Errorf("the server gets %+v %v", answer, err)
			}
		}
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}})
	b := use(t, mcptool.Options{URL: serve(t, server, true), Park: time.Minute})
	if out := b.call(t, call); out.Question == nil {
		t.Fatalf("%+v %v", out, out.Error)
	}
	b.Close()
	if err := <-ended; err == nil {
		t.Error("the call continues")
	}
}

func TestParkedCallsEndWithTheirQuestion(t *testing.T) {
	b := use(t, mcptool.Options{URL: serve(t, inside(form("Well?", `{}`)), true), Park: time.Minute})
	asked := b.call(t, call)
	out, err := b.Resume(t.Context(), call, *asked.Question, tools.Closing{State: tools.StateSuperseded})
	if err != nil || !strings.Contains(out.Result, `"superseded":true`) {
		t.Errorf("%+v %v", out, err)
	}
	if out := b.answer(t, call, asked.Question, value(`true`)); out.Error == nil || out.Error.Code != tools.CodeInterrupted {
		t.Errorf("%+v", out)
	}
}

func TestPagesToVisitBeforeACall(t *testing.T) {
	visited := false
	b := use(t, mcptool.Options{URL: serve(t, newServer(map[string]mcp.ToolHandler{"a": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if visited {
			return text("welcome"), nil
		}
		return nil, mcp.URLElicitationRequiredError([]*mcp.ElicitParams{{Mode: "url", URL: "https://auth.example/", ElicitationID: "e"}})
	}}), true)})
	out := b.call(t, call)
	if out.Question == nil || out.Question.Parts[0].Link != "https://auth.example/" {
		t.Fatalf("%+v %v", out, out.Error)
	}
	if no := b.answer(t, call, out.Question, value(`false`)); no.Error == nil || !strings.Contains(no.Error.Message, "the call was not made") {
		t.Errorf("%+v", no)
	}
	visited = true
	if yes := b.answer(t, call, out.Question, value(`true`)); yes.Result != "welcome" {
		t.Errorf("%+v %v", yes, yes.Error)
	}
}

func TestBusyServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	busy := 2
	b := use(t, mcptool.Options{URL: serve(t, newServer(map[string]mcp.ToolHandler{"a": func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if busy--; busy >= 0 {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{}, RequestState: r.Params.RequestState + "x"}, nil
		}
		return text(r.Params.RequestState), nil
	}}), false)})
	if out := b.call(t, call); out.Result != "xx" {
		t.Errorf("%+v %v", out, out.Error)
	}
}

func TestPagesToVisitBeforeAParkedCall(t *testing.T) {
	visited := false
	b := use(t, mcptool.Options{Park: time.Minute, URL: serve(t, newServer(map[string]mcp.ToolHandler{"a": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if visited {
			return text("welcome"), nil
		}
		return nil, mcp.URLElicitationRequiredError([]*mcp.ElicitParams{{Mode: "url", URL: "https://auth.example/", ElicitationID: "e"}})
	}}), true)})
	out := b.call(t, call)
	if out.Question == nil || out.Question.Parts[0].Link != "https://auth.example/" {
		t.Fatalf("%+v %v", out, out.Error)
	}
	first := out.Question
	for asked := 1; ; asked++ { // a server that keeps asking is stopped
		again := b.answer(t, call, out.Question, value(`true`))
		if again.Question == nil {
			if asked != 8 || again.Error == nil || again.Error.Reason != "elicitation" {
				t.Errorf("asked %d times, then %+v", asked, again)
			}
			break
		}
		out.Question = again.Question
	}
	visited = true
	if yes := b.answer(t, call, first, value(`true`)); yes.Result != "welcome" {
		t.Errorf("%+v %v", yes, yes.Error)
	}
}

// unsorted are properties in non-alphabetical order, of which the last is required.
const unsorted = `{"zip":{"type":"string"},"city":{"type":"string"},"a":{"type":"string","description":"\u007b\"requestedSchema\": <&>"},"m":{"type":"string"}}`

func TestFieldsStandInTheOrderOfTheSchema(t *testing.T) {
	asked := func(t *testing.T, out tools.Outcome) {
		t.Helper()
		if out.Question == nil {
			t.Fatalf("%+v %v", out, out.Error)
		}
		var names []string
		for _, p := range out.Question.Parts {
			names = append(names, p.Question)
		}
		if got := strings.Join(names, " "); got != "zip city a m" || !out.Question.Parts[0].AllowSkip || out.Question.Parts[3].AllowSkip {
			t.Errorf("asked in the order %s, %+v", got, out.Question.Parts)
		}
		if got := out.Question.Parts[2].Context; got != `{"requestedSchema": <&>` {
			t.Errorf("the description is %s", got)
		}
	}
	p := form("Well?", unsorted, "m")
	t.Run("HTTP", func(t *testing.T) { asked(t, serving(t, one(p)).call(t, call)) })
	t.Run("HTTP, as JSON", func(t *testing.T) {
		server := newServer(map[string]mcp.ToolHandler{"a": asks(one(p))})
		url := listen(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
		asked(t, use(t, mcptool.Options{URL: url}).call(t, call))
	})
	t.Run("HTTP, parked", func(t *testing.T) {
		asked(t, use(t, mcptool.Options{Park: time.Minute, URL: serve(t, inside(p), true)}).call(t, call))
	})
	t.Run("a program", func(t *testing.T) { asked(t, stdio(t).call(t, tools.Call{Name: "s__unsorted", Language: "en"})) })
}
