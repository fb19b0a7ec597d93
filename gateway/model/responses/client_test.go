package responses_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/responses"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// The server's own script: reasoning, text and calls, answered, and sent back.
func TestAConversation(t *testing.T) {
	s := modeltest.New(t,
		modeltest.Response{modeltest.Reasoning("Let me "), modeltest.Reasoning("ask."), modeltest.Text("One "), modeltest.Text("moment."),
			modeltest.Call(0, "call_1", "ask_user", `{"question":`), modeltest.Call(0, "", "", `"Which?"}`), modeltest.Call(1, "call_2", "clock", "{}"),
			modeltest.Finish("tool_calls"), modeltest.Tokens(10, 5), modeltest.Done()},
		modeltest.Answer("Red it is."), modeltest.Response{modeltest.Text("Then "), modeltest.Finish("length"), modeltest.Done()},
	)
	c := responses.New(responses.Options{BaseURL: s.URL, Model: "m", Effort: "low", Show: true, MaxTokens: 1000})
	req := model.Request{System: "Be brief.", Messages: []model.Message{{Role: model.RoleUser, Content: "Go"}}, Tools: []model.Definition{
		{Name: "ask_user", Description: "Asks.", Parameters: json.RawMessage(`{"type":"object","properties":{"question":{"type":"string"}}}`)}, {Name: "clock"},
	}}
	var heard []string
	for _, answers := range [][]string{{"red", "12:00"}, nil, nil} {
		g := claims.Read(t, c, req)
		heard = append(heard, g.String())
		req.Messages = append(req.Messages, model.Message{Role: model.RoleAssistant, Content: g.Text, ToolCalls: g.Calls, Made: *g.Made})
		for i, a := range answers {
			req.Messages = append(req.Messages, model.Message{Role: model.RoleTool, ToolCallID: g.Calls[i].ID, Content: a})
		}
		if answers == nil {
			req.Messages = append(req.Messages, model.Message{Role: model.RoleUser, Content: "Go on"})
		}
	}
	want := []string{
		`text="One moment." thinking="Let me ask." call=call_1/ask_user/{"question":"Which?"} call=call_2/clock/{} usage=10+5 finish=tool_calls`,
		`text="Red it is." usage=10+3 finish=stop`, `text="Then " finish=length`,
	}
	if strings.Join(heard, "\n") != strings.Join(want, "\n") {
		t.Errorf("heard\n%s", strings.Join(heard, "\n"))
	}
	last := s.Requests()[2].Responses.Input
	var types []string
	for _, item := range last {
		types = append(types, item.Type)
	}
	if got := strings.Join(types, " "); got != "message reasoning message function_call function_call function_call_output function_call_output message message" || last[1].EncryptedContent != "sealed_0" {
		t.Errorf("sent %s with %q", got, last[1].EncryptedContent)
	}
}

// addressed describes where a request went, and with which headers.
type addressed struct {
	url    string
	header http.Header
	body   string
}

func sentTo(t *testing.T, o responses.Options, req model.Request) addressed {
	t.Helper()
	var to addressed
	transport := &requests{answer: stream(hi, over)}
	o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		to.url, to.header = r.URL.String(), r.Header
		return transport.RoundTrip(r)
	})
	o.Model = "m"
	claims.Read(t, responses.New(o), req)
	to.body = transport.sent[0]
	return to
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestWhereTheKeyAndTheCacheKeyGo(t *testing.T) {
	for base, want := range map[string]struct {
		url         string
		azure, ours bool
	}{
		"https://api.openai.com/v1":                                 {"https://api.openai.com/v1/responses", false, true},
		"https://api.openai.com/v1/responses":                       {"https://api.openai.com/v1/responses", false, true},
		"https://eu.api.openai.com/v1/":                             {"https://eu.api.openai.com/v1/responses", false, true},
		"https://Me.OpenAI.Azure.com/openai/v1?api-version=preview": {"https://Me.OpenAI.Azure.com/openai/v1/responses?api-version=preview", true, true},
		"https://me.services.ai.azure.com/openai/v1":                {"https://me.services.ai.azure.com/openai/v1/responses", true, true},
		"https://me.openai.azure.com.example/v1":                    {"https://me.openai.azure.com.example/v1/responses", false, false},
		"https://example.com/api.openai.com/v1":                     {"https://example.com/api.openai.com/v1/responses", false, false},
		"https://myapi.openai.com.example/v1":                       {"https://myapi.openai.com.example/v1/responses", false, false},
		"http://localhost:8000/v1":                                  {"http://localhost:8000/v1/responses", false, false},
	} {
		o := responses.Options{BaseURL: base, APIKey: "key", Cache: true, Header: http.Header{"X-Team": {"blue"}}}
		req := claims.Ask
		req.CacheKey = "chat-hash"
		to := sentTo(t, o, req)
		header := [2]string{to.header.Get("Authorization"), to.header.Get("Api-Key")}
		if wanted := map[bool][2]string{false: {"Bearer key", ""}, true: {"", "key"}}[want.azure]; header != wanted || to.url != want.url || to.header.Get("X-Team") != "blue" {
			t.Errorf("%s: %s with %q", base, to.url, header)
		}
		if got := strings.Contains(to.body, `"prompt_cache_key":"chat-hash"`); got != want.ours {
			t.Errorf("%s: %s", base, to.body)
		}
		o.Cache = false
		if to := sentTo(t, o, req); strings.Contains(to.body, "prompt_cache_key") {
			t.Errorf("%s without cache: %s", base, to.body)
		}
	}
	if to := sentTo(t, responses.Options{BaseURL: "https://me.openai.azure.com/openai/v1", APIKey: "eyJ0eXAi.eyJhdWQi.c2ln"}, claims.Ask); to.header.Get("Authorization") != "Bearer eyJ0eXAi.eyJhdWQi.c2ln" || to.header["Api-Key"] != nil {
		t.Errorf("an Entra token: %v", to.header)
	}
	if to := sentTo(t, responses.Options{BaseURL: "https://api.openai.com/v1", Cache: true}, claims.Ask); len(to.header["Authorization"]) > 0 || strings.Contains(to.body, "prompt_cache_key") {
		t.Errorf("without keys: %v, %s", to.header, to.body)
	}
}

func TestTheRequest(t *testing.T) {
	warm, cold := 1.7, 0.0
	req := model.Request{
		System: "Be <kind> & \"short\".",
		Messages: []model.Message{
			{Role: model.RoleUser, Content: "Translate\x00: \u2028 ü"},
			{Role: model.RoleAssistant},
			{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "ask_user", Arguments: `{"question":"?"}`}}},
			{Role: model.RoleTool, ToolCallID: "a", Content: " fr\n"},
			{Role: model.RoleUser, Content: "and so on"},
		},
		Tools:       []model.Definition{{Name: "ask_user", Description: "Asks.", Parameters: json.RawMessage(`{"type":"object","properties":{"question":{"type":"string"}}}`)}, {Name: "clock"}},
		Temperature: &warm,
	}
	id := model.WireID("a")
	const least = `"input":[{"type":"message","role":"user","content":"secret words"}],"include":["reasoning.encrypted_content"],`
	for name, c := range map[string]struct {
		o    responses.Options
		req  model.Request
		want string
	}{
		"with all": {responses.Options{Effort: "high", Show: true, MaxTokens: 100, Temperature: &cold}, req,
			`{"model":"m","instructions":"Be <kind> & \"short\".","tools":[{"type":"function","name":"ask_user","description":"Asks.","parameters":{"type":"object","properties":{"question":{"type":"string"}}},"strict":false},` +
				`{"type":"function","name":"clock","parameters":{"type":"object","properties":{}},"strict":false}],"input":[{"type":"message","role":"user","content":"Translate\u0000: \u2028 ü"},` +
				`{"type":"function_call","call_id":"` + id + `","name":"ask_user","arguments":"{\"question\":\"?\"}"},{"type":"function_call_output","call_id":"` + id + `","output":" fr\n"},` +
				`{"type":"message","role":"user","content":"and so on"}],"include":["reasoning.encrypted_content"],"reasoning":{"effort":"high","summary":"auto"},"max_output_tokens":100,"temperature":1.7,"store":false,"stream":true}`},
		"the least":               {responses.Options{Show: true}, claims.Ask, `{"model":"m",` + least + `"store":false,"stream":true}`},
		"reasoning unshown":       {responses.Options{Effort: "low"}, claims.Ask, `{"model":"m",` + least + `"reasoning":{"effort":"low"},"store":false,"stream":true}`},
		"no reasoning":            {responses.Options{Effort: "none", Show: true}, claims.Ask, `{"model":"m",` + least + `"reasoning":{"effort":"none"},"store":false,"stream":true}`},
		"the model's own":         {responses.Options{Temperature: &cold, MaxTokens: 3}, claims.Ask, `{"model":"m",` + least + `"max_output_tokens":16,"temperature":0,"store":false,"stream":true}`},
		"a body set by the admin": {responses.Options{Body: map[string]json.RawMessage{"service_tier": json.RawMessage(`"flex"`)}}, claims.Ask, `{"model":"m",` + least + `"store":false,"stream":true,"service_tier":"flex"}`},
	} {
		c.o.BaseURL = "http://x"
		if got := strings.TrimSpace(sentTo(t, c.o, c.req).body); got != c.want {
			t.Errorf("%s: body\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestImagesAndPDFsAreSent(t *testing.T) {
	image, pdf := []model.Image{{Media: "image/png", Data: []byte("picture")}}, []model.PDF{{Name: "a.pdf", Data: []byte("pages")}, {Data: []byte("pages")}}
	items := input(t, responses.Options{}, []model.Message{
		{Role: model.RoleUser, Content: "Look", Images: image, PDFs: pdf},
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}},
		{Role: model.RoleTool, ToolCallID: "a", Content: "p.png", Images: image, PDFs: pdf[:1]},
		{Role: model.RoleUser, Images: image},
	}...)
	const shown, read = `{"type":"input_image","image_url":"data:image/png;base64,cGljdHVyZQ==","detail":"auto"}`, `"file_data":"data:application/pdf;base64,cGFnZXM="}`
	for i, want := range map[int]string{
		0: `{"type":"message","role":"user","content":[{"type":"input_text","text":"Look"},` + shown + `,{"type":"input_file","filename":"a.pdf",` + read + `,{"type":"input_file","filename":"document.pdf",` + read + `]}`,
		2: `{"type":"function_call_output","call_id":"` + model.WireID("a") + `","output":[{"type":"input_text","text":"p.png"},` + shown + `,{"type":"input_file","filename":"a.pdf",` + read + `]}`,
		3: `{"type":"message","role":"user","content":[` + shown + `]}`,
	} {
		if items[i] != want {
			t.Errorf("item %d:\n%s\nwant\n%s", i, items[i], want)
		}
	}
}

func TestAToolThatCannotBeSentIsLeftOut(t *testing.T) {
	huge := json.RawMessage(`{"type":"object","properties":{"x":{"type":"string","description":"` + strings.Repeat("x", 65<<10) + `"}}}`)
	o := responses.Options{BaseURL: "http://x", Notes: upstream.NewNotes(nil)}
	req := model.Request{Messages: claims.Ask.Messages, Tools: []model.Definition{{Name: "ask_user"}, {Name: "huge", Parameters: huge}, {Name: "clock"}}}
	o.Model, o.Transport = "m", &requests{answer: stream(hi, over)}
	c := responses.New(o)
	for range 2 {
		claims.Read(t, c, req)
	}
	if sent := o.Transport.(*requests).sent[1]; strings.Contains(sent, "huge") || !strings.Contains(sent, "clock") {
		t.Errorf("sent %s", sent)
	}
	if learnt, _ := o.Notes.List(); len(learnt) != 1 || learnt[0].What != "tool" || !strings.Contains(learnt[0].Detail, "huge") {
		t.Errorf("learnt %+v", learnt)
	}
	req.Tools = []model.Definition{{Name: "ask_user", Parameters: huge}}
	if g := claims.Read(t, c, req); g.Err == nil || !strings.Contains(g.Err.Error(), "ask_user") || len(o.Transport.(*requests).sent) != 2 {
		t.Errorf("without ask_user: %s (%v)", g, g.Err)
	}
}

// The same history produces the same bytes, and a longer one begins with them.
func TestRequestsBeginAlike(t *testing.T) {
	history := results(own(`[{`+sealed+`},{`+calculate+`}]`, "call_AB6"))
	first, second := input(t, responses.Options{}, history...), input(t, responses.Options{}, append(history, model.Message{Role: model.RoleUser, Content: "More"})...)
	if fmt.Sprint(first) != fmt.Sprint(second[:len(first)]) {
		t.Errorf("%q\n%q", first, second)
	}
}
