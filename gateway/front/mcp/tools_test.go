package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/tools"
)

var yesNo = map[string]any{"question": "Deploy now?", "input_type": "select", "options": []string{"yes", "no"}}

// Clients of each version ask, wait, and get the answer that arrived elsewhere.
func TestEachVersionAsksAndIsAnswered(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			d := newDesk(t)
			s := connect(t, d.url, version, nil)
			if got := s.InitializeResult().ProtocolVersion; got != version {
				t.Fatalf("speaks %s", got)
			}
			go func() {
				<-d.waits
				d.answer(t, d.only(t).ID, tools.Answer{Value: json.RawMessage(`"yes"`)})
			}()
			res := callTool(t, s, "ask_user", yesNo)
			want := got{Status: "answered", Answers: map[string]any{"q1": "yes"}, Text: "yes"}
			if g := read(t, res); !reflect.DeepEqual(g, want) {
				t.Errorf("%+v", g)
			}
			if by := d.asked[0].By; by.Name != "claude-code" || by.Kind != tools.AskerProgram {
				t.Errorf("%+v", by)
			}
		})
	}
}

// A question that was not answered in time is continued with get_answer, and an unknown question is
// reported as such.
func TestPendingGoesOnByGetAnswer(t *testing.T) {
	d := newDesk(t)
	s := connect(t, d.url, "2025-11-25", nil)
	res := callTool(t, s, "ask_user", map[string]any{"question": "Why?", "wait": 0, "title": "CI #1", "withdrawWhenGone": "10m",
		"to": "role:oncall", "escalate": []any{map[string]any{"after": "1d", "to": "role:lead"}}})
	g := read(t, res)
	id := d.only(t).ID
	if want := (got{Status: "pending", ClarificationID: id}); !reflect.DeepEqual(g, want) {
		t.Fatalf("%+v", g)
	}
	if next := res.Content[1].(*sdk.TextContent).Text; !strings.Contains(next, "get_answer") || !strings.Contains(next, id) {
		t.Errorf("how to continue: %s", next)
	}
	if a := d.asked[0]; a.By.Title != "CI #1" || a.Withdraw != 10*time.Minute || !reflect.DeepEqual(a.Escalate, []tools.Escalation{{After: 24 * time.Hour, Role: "lead"}}) || strings.Contains(a.Arguments, "withdraw") || strings.Contains(a.Arguments, "escalate") {
		t.Errorf("%+v", a)
	}
	if g := read(t, callTool(t, s, "get_answer", map[string]any{"clarificationId": id, "wait": "0"})); g.Status != "pending" {
		t.Errorf("%+v", g)
	}
	d.answer(t, id, tools.Answer{Declined: true})
	g = read(t, callTool(t, s, "get_answer", map[string]any{"clarificationId": id}))
	if g.Status != "declined" || g.Answers["q1"] != nil || len(g.Answers) != 1 || !strings.Contains(g.Text, `"declined":true`) {
		t.Errorf("%+v", g)
	}
	for _, bad := range []map[string]any{{}, {"clarificationId": ""}, {"clarificationId": 7}, {"clarificationId": "clr_no"}, {"clarificationId": id, "wait": -1}, {"clarificationId": id, "wait": "soon"}} {
		res := callTool(t, s, "get_answer", bad)
		if !res.IsError || !strings.HasPrefix(text(res), `{"error":{"code":"`) {
			t.Errorf("%v: %s", bad, text(res))
		}
	}
}

func TestWaits(t *testing.T) {
	d := newDesk(t)
	s := connect(t, d.url, "2025-11-25", nil)
	id := read(t, callTool(t, s, "ask_user", map[string]any{"question": "Why?", "wait": 0})).ClarificationID
	const short, long = 50 * time.Second, 300 * time.Second
	for _, w := range []struct {
		given    any
		follows  bool // sends a progressToken
		want     time.Duration
		accepted string // types of the response
	}{
		{nil, false, short, ""}, {7, false, 7 * time.Second, ""}, {"20", false, 20 * time.Second, ""}, {2.9, false, 2 * time.Second, ""},
		{300, false, short, ""}, {1e9, false, short, ""},
		{nil, true, short, ""}, {7, true, 7 * time.Second, ""}, {"200", true, 200 * time.Second, ""}, {300, true, long, ""}, {1e9, true, long, ""},
		{300, true, short, "application/json"}, // nothing can be sent
	} {
		meta := ""
		if w.follows {
			meta = `,"_meta":{"progressToken":"tok"}`
		}
		wait, _ := json.Marshal(w.given)
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_answer","arguments":{"clarificationId":%q,"wait":%s}%s}}`, id, wait, meta)
		done := make(chan struct{})
		go func() {
			defer close(done)
			post(t, d.url, call, "Accept", w.accepted)
		}()
		if got := <-d.waits; got != w.want {
			t.Errorf("%+v waits %v", w, got)
		}
		d.mu.Lock() // it gave up
		c := d.closed[id]
		d.closed[id] = make(chan struct{})
		d.mu.Unlock()
		close(c)
		<-done
	}
}

// A client that sent a token is notified at once that its call is in progress.
func TestProgressIsTold(t *testing.T) {
	for _, version := range versions {
		d := newDesk(t)
		told := make(chan *sdk.ProgressNotificationParams, 10)
		s := connect(t, d.url, version, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { told <- r.Params }})
		go func() {
			p := <-told
			if p.ProgressToken != "tok" || p.Total != 50 {
				t.Errorf("%+v", p)
			}
			d.answer(t, d.only(t).ID, tools.Answer{Value: json.RawMessage(`"for fun"`)})
		}()
		params := &sdk.CallToolParams{Name: "ask_user", Arguments: map[string]any{"question": "Why?"}}
		params.SetProgressToken("tok")
		res, err := s.CallTool(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		if g := read(t, res); g.Text != "for fun" {
			t.Errorf("%+v", g)
		}
	}
}

// A badly phrased question is refused with how to fix it, as for a model; nothing is asked.
func TestFaultsNameTheFix(t *testing.T) {
	d := newDesk(t)
	s := connect(t, d.url, "2025-06-18", nil)
	for _, bad := range []struct {
		tool      string
		arguments any
		code, say string
	}{
		{"ask_user", map[string]any{}, "INVALID_CLARIFICATION_PARAMS", "question"},
		{"ask_user", map[string]any{"question": "Q", "input_type": "select"}, "INVALID_CLARIFICATION_PARAMS", "options"},
		{"ask_user", map[string]any{"question": strings.Repeat("x", 501)}, "INVALID_CLARIFICATION_PARAMS", "500"},
		{"ask_user", []int{1}, "INVALID_ARGUMENTS", "object"},
		{"ask_user", map[string]any{"question": "Q", "title": 1}, "INVALID_ARGUMENTS", "title"},
		{"ask_user", map[string]any{"question": "Q", "to": 7}, "INVALID_REQUEST", "No"},
		{"ask_user", map[string]any{"question": "Q", "withdrawWhenGone": "soon"}, "INVALID_REQUEST", "No"},
		{"ask_user", map[string]any{"question": "Q", "escalate": "soon"}, "INVALID_REQUEST", "No"},
		{"notify", map[string]any{"message": "M", "to": 7}, "INVALID_REQUEST", "No"},
		{"ask_user", map[string]any{"question": "Q", "wait": []int{}}, "INVALID_ARGUMENTS", "wait"},
		{"notify", map[string]any{"message": " \u200b"}, "INVALID_ARGUMENTS", "message"},
		{"notify", map[string]any{"message": strings.Repeat("x", 4001)}, "INVALID_ARGUMENTS", "4000"},
	} {
		res := callTool(t, s, bad.tool, bad.arguments)
		var e struct {
			Error struct{ Code, Message string }
		}
		if !res.IsError || json.Unmarshal([]byte(text(res)), &e) != nil || e.Error.Code != bad.code || !strings.Contains(e.Error.Message, bad.say) {
			t.Errorf("%s %.60v: %s", bad.tool, bad.arguments, text(res))
		}
	}
	if len(d.stored) != 0 || len(d.said) != 0 {
		t.Error("something was asked")
	}
	if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "nosuch"}); err == nil {
		t.Error("a tool that does not exist")
	}
	d.panics = true
	if res := callTool(t, s, "ask_user", yesNo); !res.IsError || !strings.Contains(text(res), "INTERNAL") || strings.Contains(text(res), "broken") {
		t.Errorf("after a panic: %s", text(res))
	}
}

// The tool that asks has the name that the client needs, in every text, and is accepted under each
// name.
func TestNamesOfTheToolThatAsks(t *testing.T) {
	for _, version := range versions {
		for _, named := range []struct{ client, want string }{
			{"claude-code", "ask_user"}, {"gemini-cli-mcp-client-askgate", "ask_person"},
		} {
			d := newDesk(t)
			d.offer.Templates = []front.Template{{Name: "pick_city", Description: "Not by ask_user."}}
			s := connectAs(t, d.url, version, named.client, nil)
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			all, _ := json.Marshal(list)
			said := string(all) + s.InitializeResult().Instructions
			if !strings.Contains(said, named.want) || named.want != "ask_user" && strings.Contains(said, "ask_user") {
				t.Errorf("%s %+v: %s", version, named, said)
			}
			for i, name := range []string{"ask_user", "ask_person", named.want} {
				if g := read(t, callTool(t, s, name, map[string]any{"question": fmt.Sprint(i), "wait": 0})); g.Status != "pending" {
					t.Errorf("%s %s: %+v", version, name, g)
				}
			}
		}
	}
}

// A template is called by its own name, even if that is one of the names of the tool that asks.
func TestATemplateCalledAskPerson(t *testing.T) {
	d := newDesk(t)
	d.offer.Templates = []front.Template{{Name: "ask_person"}}
	s := connect(t, d.url, "2025-11-25", nil)
	if res := callTool(t, s, "ask_person", map[string]any{"question": "Q", "wait": 0}); !res.IsError || len(d.asked) != 0 {
		t.Errorf("%s", text(res)) // the desk knows no templates
	}
}

// Agents that load tools on demand are asked to load all but notify, and no schema has a list of
// types, because some agents warn their users of those.
func TestToolsAsAgentsWantThem(t *testing.T) {
	d := newDesk(t)
	d.offer.Others = true
	d.offer.Templates = []front.Template{{Name: "pick_city", Values: []string{"country"}}}
	for _, version := range versions {
		list, err := connect(t, d.url, version, nil).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			if asks := tool.Name != "notify"; asks != (tool.Meta["anthropic/alwaysLoad"] == true) {
				t.Errorf("%s: %v", tool.Name, tool.Meta)
			}
			for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
				if data, _ := json.Marshal(schema); strings.Contains(string(data), `"type":[`) {
					t.Errorf("%s: %s", tool.Name, data)
				}
			}
		}
	}
}

// A role is given as a text, as the schema describes, or as an object.
func TestWhoIsAskedByText(t *testing.T) {
	d := newDesk(t)
	s := connect(t, d.url, "2025-11-25", nil)
	for i, to := range []any{"alice", "role:oncall", map[string]any{"role": "oncall"}} {
		callTool(t, s, "ask_user", map[string]any{"question": fmt.Sprint(i), "to": to, "wait": 0})
	}
	if want := []host.Whom{{Subject: "alice"}, {Role: "oncall"}, {Role: "oncall"}}; len(d.asked) != 3 || d.asked[0].To != want[0] || d.asked[1].To != want[1] || d.asked[2].To != want[2] {
		t.Errorf("%+v", d.asked)
	}
}

// Two windows of one program are two sessions; a call without a session is reported as such.
func TestSessions(t *testing.T) {
	for _, version := range versions {
		d := newDesk(t)
		for range 2 {
			s := connect(t, d.url, version, nil)
			callTool(t, s, "ask_user", map[string]any{"question": "Q", "wait": 0})
			callTool(t, s, "ask_user", map[string]any{"question": "Q2", "wait": 0})
		}
		a, b := d.asked[0].Session, d.asked[2].Session
		if d.asked[1].Session != a || (a == b) != (version >= "2026") || (a == "") != (version >= "2026") {
			t.Errorf("%s: %+v", version, d.asked)
		}
	}
}

func TestNotify(t *testing.T) {
	d := newDesk(t)
	s := connect(t, d.url, "2026-07-28", nil)
	if res := callTool(t, s, "notify", map[string]any{"message": "The build is green."}); res.IsError {
		t.Fatal(text(res))
	}
	if !slices.Equal(d.said, []string{"claude-code: The build is green."}) {
		t.Errorf("%q", d.said)
	}
}

// The list shows what may be asked: the limits, the app's templates, and other people only to
// callers that may ask them.
func TestTools(t *testing.T) {
	d := newDesk(t)
	d.offer.Templates = []front.Template{{Name: "pick_city", Description: "Which city.", Values: []string{"country", "wait"}}, {Name: "notify"}}
	for _, others := range []bool{false, true} {
		d.offer.Others = others
		for _, version := range versions {
			s := connect(t, d.url, version, nil)
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			names := map[string]*sdk.Tool{}
			for _, tool := range list.Tools {
				names[tool.Name] = tool
			}
			if len(list.Tools) != 4 || len(names) != 4 {
				t.Fatalf("%v", names)
			}
			properties := func(name string) map[string]any {
				return names[name].InputSchema.(map[string]any)["properties"].(map[string]any)
			}
			ask := properties("ask_user")
			if _, ok := ask["to"]; ok != others {
				t.Errorf("to: %t", ok)
			}
			if _, ok := ask["escalate"]; ok != others {
				t.Errorf("escalate: %t", ok)
			}
			if ask["questions"].(map[string]any)["maxItems"] != 5.0 || ask["wait"] == nil || ask["title"] == nil || ask["withdrawWhenGone"] == nil {
				t.Errorf("%v", ask)
			}
			if city := names["pick_city"].InputSchema.(map[string]any); len(properties("pick_city")) != 2 ||
				!reflect.DeepEqual(city["required"], []any{"country", "wait"}) || properties("pick_city")["wait"].(map[string]any)["type"] != "string" {
				t.Errorf("%v", city)
			}
			if !strings.HasPrefix(names["pick_city"].Description, "Which city.") || len(properties("get_answer")) != 2 {
				t.Errorf("%+v", names["pick_city"])
			}
		}
	}
}

// A template's tool asks the template's question, with its placeholders filled in.
func TestTemplatesAreTools(t *testing.T) {
	d := newDesk(t)
	d.offer.Templates = []front.Template{{Name: "pick_city", Values: []string{"country"}}}
	s := connect(t, d.url, "2026-07-28", nil)
	_ = callTool(t, s, "pick_city", map[string]any{"country": "Peru", "wait": 0, "else": 1}) // the desk has no templates
	res := callTool(t, s, "ask_user", map[string]any{"question": "Q", "to": map[string]any{"role": "oncall"}, "wait": 0})
	if res.IsError || len(d.asked) != 1 || d.asked[0].To.Role != "oncall" || strings.Contains(d.asked[0].Arguments, "oncall") {
		t.Errorf("%+v", d.asked)
	}
}

// post sends a message as curl would.
func post(t *testing.T, url, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data), res.Header
}

func TestMalformed(t *testing.T) {
	d := newDesk(t)
	for body, status := range map[string]int{
		``: 400, `[]`: 400, `7`: 400, `{`: 400, `{"jsonrpc":"2.0"}`: 400, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`: 400,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                                                             202,
		`{"jsonrpc":"2.0","id":"elicit.clr_x.1","result":{"action":"accept","content":{"q1":"yes"}}}`:                      202,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:                                                           202,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                                                                         200,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}`:                                                        200,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_answer","arguments":{"clarificationId":""}}}`: 200,
	} {
		if got, said, _ := post(t, d.url, body); got != status {
			t.Errorf("%s: %d %s", body, got, said)
		}
	}
	for _, method := range []string{"resources/list", "prompts/list", "logging/setLevel", "completion/complete"} {
		if _, said, _ := post(t, d.url, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`); !strings.Contains(said, "error") {
			t.Errorf("%s: %s", method, said)
		}
	}
	// An invalid session id, a long one, and none at all are treated the same.
	for _, session := range []string{"x", strings.Repeat("A", 3000), "e30", "bnVsbA", "eyJuIjo3fQ"} {
		id := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Q","wait":0}}}`
		if _, said, _ := post(t, d.url, id, "Mcp-Session-Id", session); !strings.Contains(said, "pending") {
			t.Errorf("%.20s: %s", session, said)
		}
	}
	for _, q := range d.asked {
		if q.By.Name != "mcp" {
			t.Errorf("%+v", q.By)
		}
	}
}

// A client whose name has a line break or a direction mark is shown on one line without it.
func TestClientsNames(t *testing.T) {
	d := newDesk(t)
	_, _, header := post(t, d.url, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},
		"clientInfo":{"name":"a\n\u202eb `+strings.Repeat("n", 500)+`","version":"1"}}}`)
	id := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Q","wait":0}}}`
	post(t, d.url, id, "Mcp-Session-Id", header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version", "2025-11-25")
	if name := d.asked[0].By.Name; !strings.HasPrefix(name, "a b n") || len([]rune(name)) > 100 {
		t.Errorf("%q", name)
	}
}

// A client that does not accept a stream gets none.
func TestPlainJSON(t *testing.T) {
	d := newDesk(t)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Q","wait":0}}}`
	for accept, want := range map[string]string{"application/json": "application/json", "*/*": "text/event-stream", "application/json, text/event-stream": "text/event-stream"} {
		if _, said, header := post(t, d.url, body, "Accept", accept); header.Get("Content-Type") != want || !strings.Contains(said, "pending") {
			t.Errorf("%s: %s %s", accept, header.Get("Content-Type"), said)
		}
	}
}
