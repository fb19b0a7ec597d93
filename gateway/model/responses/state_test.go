package responses_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/responses"
)

// requests records the bodies that were sent, and responds to each with one stream.
type requests struct {
	answer string
	sent   []string
}

func (r *requests) RoundTrip(q *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(q.Body)
	r.sent = append(r.sent, string(raw))
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(r.answer))}, err
}

// input returns the items of the request that a client sends for a history.
func input(t testing.TB, o responses.Options, history ...model.Message) []string {
	t.Helper()
	transport := &requests{answer: stream(hi, over)}
	o.Transport, o.Model = transport, "m"
	if o.BaseURL == "" {
		o.BaseURL = "http://x"
	}
	claims.Read(t, responses.New(o), model.Request{Messages: history})
	var w struct{ Input []json.RawMessage }
	if err := json.Unmarshal([]byte(transport.sent[0]), &w); err != nil {
		t.Fatal(err)
	}
	items := make([]string, len(w.Input))
	for i, raw := range w.Input {
		items[i] = string(raw)
	}
	return items
}

// sendBack sends an answer back to its maker, and returns the items between the user's message and
// the results.
func sendBack(t testing.TB, g claims.Got) []string {
	t.Helper()
	history := []model.Message{{Role: model.RoleUser, Content: "Go"}, {Role: model.RoleAssistant, Content: g.Text, ToolCalls: g.Calls, Made: *g.Made}}
	for _, c := range g.Calls {
		history = append(history, model.Message{Role: model.RoleTool, ToolCallID: c.ID, Content: "ok"})
	}
	items := input(t, responses.Options{}, history...)
	return items[1 : len(items)-len(g.Calls)]
}

// The items of an answer as OpenAI and others send them (vercel/ai, fixtures
// openai-reasoning-encrypted-content, openai-phase, issue-19493-gpt-5.1-tool-call and
// github-copilot-id-rotation), their texts shortened.
const (
	sealed     = `"type":"reasoning","encrypted_content":"gAAAAABpPDIVOKrs_IGfuJ5f8Ma-6==","summary":[{"type":"summary_text","text":"**Calculating**\n\nI'll <add>."}]`
	commentary = `"type":"message","status":"completed","content":[{"type":"output_text","annotations":[],"text":"I'm going to search for that"}],"role":"assistant","phase":"commentary"`
	final      = `"type":"message","status":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Paris. "}],"role":"assistant","phase":"final_answer"`
	calculate  = `"type":"function_call","status":"completed","arguments":"{\"a\":12,\"b\":7}","call_id":"call_AB6","name":"calculator"`
	spaced     = `"type":"function_call","status":"completed","arguments":"{\"a\": 12}","call_id":"call_AB6","name":"calculator"`
	namespaced = `"type":"function_call","status":"completed","arguments":"{}","call_id":"call_AB6","name":"calculator","namespace":"math","caller":{"type":"direct"}`
	answer     = `"type":"message","status":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Hi"}],"role":"assistant"`
)

func TestWhatTheServerHandsOutComesBackAsItWas(t *testing.T) {
	for name, c := range map[string]struct {
		items []string // in the stream, without their ids
		want  []string // nil: the same
	}{
		"reasoning and call":    {[]string{sealed, calculate}, nil},
		"two reasonings":        {[]string{sealed, calculate, sealed, calculate}, nil},
		"phases":                {[]string{sealed, commentary, calculate, final}, nil},
		"a phase alone":         {[]string{final}, nil},
		"two messages":          {[]string{answer, answer}, nil},
		"call before text":      {[]string{calculate, answer}, nil},
		"arguments with spaces": {[]string{spaced}, nil},
		"unknown members":       {[]string{namespaced}, nil},
		"white space":           {[]string{`"type" : "reasoning", "encrypted_content":"g" ,"summary":[ ]`, calculate}, []string{`{"type":"reasoning","encrypted_content":"g","summary":[]}`, "{" + calculate + "}"}},
		// null is not a value that all servers accept back.
		"null members": {[]string{`"type":"reasoning","encrypted_content":"g","summary":[],"status":null,"content":null`, calculate}, []string{`{"type":"reasoning","encrypted_content":"g","summary":[]}`, "{" + calculate + "}"}},
		// It contains nothing that could be sent back: the server requires encrypted content.
		"a summary alone": {[]string{`"content":[],"encrypted_content":null,"summary":[{"text":"**Counting**","type":"summary_text"}],"type":"reasoning"`, final}, []string{"{" + final + "}"}},
		// vLLM's item, which requires the id (openai-python, ResponseReasoningItemParam).
		"reasoning text":         {[]string{`"type":"reasoning","content":[{"type":"reasoning_text","text":"hm"}],"summary":[]`, calculate}, []string{`{"id":"rs_0","type":"reasoning","content":[{"type":"reasoning_text","text":"hm"}],"summary":[]}`, "{" + calculate + "}"}},
		"nothing behind":         {[]string{sealed, final, sealed}, []string{"{" + sealed + "}", "{" + final + "}"}},
		"an empty message":       {[]string{sealed, `"type":"message","role":"assistant","content":[]`, calculate}, []string{"{" + sealed + "}", "{" + calculate + "}"}},
		"an unknown item":        {[]string{sealed, `"type":"hologram","content":[{}]`, calculate}, []string{"{" + sealed + "}", "{" + calculate + "}"}},
		"an ordinary answer":     {[]string{answer}, []string{`{"type":"message","role":"assistant","content":"Hi"}`}},
		"an ordinary call":       {[]string{calculate}, []string{`{"type":"function_call","call_id":"call_AB6","name":"calculator","arguments":"{\"a\":12,\"b\":7}"}`}},
		"reasoning of no answer": {[]string{sealed}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			events, want := []string{created}, []string{}
			for i, item := range c.items {
				raw, err := json.Marshal(i)
				if err != nil {
					t.Fatal(err)
				}
				events = append(events, `{"type":"response.output_item.done","item":{"id":"rs_`+string(raw)+`",`+item+`},"output_index":`+string(raw)+`}`)
				want = append(want, "{"+item+"}")
			}
			if c.want != nil {
				want = c.want
			}
			g := claims.Read(t, overBody(&claims.Body{Text: stream(append(events, over)...)}), claims.Ask)
			for i := range g.Calls { // as the engine stores them
				g.Calls[i].Arguments = strings.ReplaceAll(g.Calls[i].Arguments, " ", "")
				if i > 0 && g.Calls[i].ID == g.Calls[i-1].ID {
					g.Calls[i].ID = "call_own"
					want[len(want)-1] = strings.ReplaceAll(want[len(want)-1], "call_AB6", "call_own")
				}
			}
			for i := range want { // a message without id has no status
				want[i] = strings.Replace(want[i], `"type":"message","status":"completed"`, `"type":"message"`, 1)
			}
			back := sendBack(t, g)
			if strings.Join(back, "\n") != strings.Join(want, "\n") {
				t.Errorf("sent back\n%s\nwant\n%s", strings.Join(back, "\n"), strings.Join(want, "\n"))
			}
			if ordinary := len(g.State()) == 0; ordinary != strings.Contains(name, "ordinary") && len(want) > 0 {
				t.Errorf("state %s", g.State())
			}
		})
	}
}

func TestAnAnswerThatIsNotWholeHasNoState(t *testing.T) {
	for name, end := range map[string]string{"cut": incomplete(`{"reason":"max_output_tokens"}`), "filtered": incomplete(`{"reason":"content_filter"}`)} {
		g := claims.Read(t, overBody(&claims.Body{Text: stream(`{"type":"response.output_item.done","item":{`+sealed+`},"output_index":0}`, says(1, "Hi"), use(2, "a", "f", `{"x`), end)}), claims.Ask)
		if g.State() != "" || len(g.Calls) > 0 || g.Made.By == "" {
			t.Errorf("%s: %s, %s", name, g, g.State())
		}
	}
}

func own(state string, calls ...string) model.Message {
	c := responses.Options{BaseURL: "http://x"}
	m := model.Message{Role: model.RoleAssistant, Content: "Said.", Made: model.Made{By: model.Maker("openai", "responses", c.BaseURL, "m"), State: json.RawMessage(state)}}
	for _, id := range calls {
		m.ToolCalls = append(m.ToolCalls, model.ToolCall{ID: id, Name: "f", Arguments: "{}"})
	}
	return m
}

func results(m model.Message) []model.Message {
	history := []model.Message{{Role: model.RoleUser, Content: "Go"}, m}
	for _, c := range m.ToolCalls {
		history = append(history, model.Message{Role: model.RoleTool, ToolCallID: c.ID, Content: "ok"})
	}
	return history
}

func TestStateThatDoesNotFitIsIgnored(t *testing.T) {
	whole := `[{` + sealed + `},{` + calculate + `}]`
	const generic = `{"type":"message","role":"assistant","content":"Said."}`
	if items := input(t, responses.Options{}, results(own(whole, "call_AB6"))...); items[1] != `{`+sealed+`}` || len(items) != 4 {
		t.Fatalf("state that matches: %q", items)
	}
	for name, m := range map[string]model.Message{
		"no JSON":               own(`[{`, "call_AB6"),
		"no list":               own(`{"items":[]}`, "call_AB6"),
		"no objects":            own(`["a",7]`, "call_AB6"),
		"an empty list":         own(`[]`, "call_AB6"),
		"null":                  own(`null`, "call_AB6"),
		"too few calls":         own(`[{`+sealed+`},{`+final+`}]`, "call_AB6"),
		"too many calls":        own(whole),
		"an unknown item":       own(`[{"type":"item_reference","id":"rs_1","content":[{}]},{`+calculate+`}]`, "call_AB6"),
		"reasoning at the end":  own(`[{`+calculate+`},{`+sealed+`}]`, "call_AB6"),
		"reasoning of nothing":  own(`[{"type":"reasoning","summary":[]},{`+calculate+`}]`, "call_AB6"),
		"a message of nothing":  own(`[{"type":"message","role":"assistant","content":[]},{`+calculate+`}]`, "call_AB6"),
		"a call without its id": own(`[{"type":"function_call","name":"f","arguments":"{}"}]`, "call_AB6"),
	} {
		items := input(t, responses.Options{}, results(m)...)
		if len(items) != 2+2*len(m.ToolCalls) || items[1] != generic || len(m.ToolCalls) > 0 && items[2] != `{"type":"function_call","call_id":"call_AB6","name":"f","arguments":"{}"}` {
			t.Errorf("%s: %q", name, items)
		}
	}
}

func TestTheIDOfTheEngineWins(t *testing.T) {
	items := input(t, responses.Options{}, results(own(`[{`+sealed+`},{`+calculate+`},{`+spaced+`}]`, "call_AB6", "call_own"))...)
	want := []string{
		`{` + sealed + `}`, `{` + calculate + `}`, `{` + strings.Replace(spaced, "call_AB6", "call_own", 1) + `}`,
		`{"type":"function_call_output","call_id":"call_AB6","output":"ok"}`, `{"type":"function_call_output","call_id":"call_own","output":"ok"}`,
	}
	if strings.Join(items[1:], "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", items[1:])
	}
}

// OpenAI's servers accept arguments as the model made them; others parse them, and get an object.
func TestArgumentsThatAreNotAnObjectGoBackAsTheServerTakesThem(t *testing.T) {
	for raw, want := range map[string]string{
		`{}{\"b\": 1}`:             `{\"b\":1}`,
		`{\"b\":`:                  `{}`,
		`\"{\\\"b\\\":1}\"`:        `{\"b\":1}`,
		`{\"b\": 1.0, \"b\": [2]}`: `{\"b\": 1.0, \"b\": [2]}`, // an object, as the model made it
		``:                         ``,
	} {
		spoiled := strings.Replace(calculate, `{\"a\":12,\"b\":7}`, raw, 1)
		m := own(`[{`+sealed+`},{`+spoiled+`}]`, "call_AB6")
		m.ToolCalls[0].Arguments = `{}`
		if strings.Contains(want, `\"b\":1}`) {
			m.ToolCalls[0].Arguments = `{"b":1}`
		}
		parsed := `{` + strings.Replace(spoiled, `"arguments":"`+raw, `"arguments":"`+want, 1) + `}`
		if items := input(t, responses.Options{}, results(m)...); items[1] != `{`+sealed+`}` || items[2] != parsed {
			t.Errorf("%s: another server is sent %q, want %s", raw, items[1:3], parsed)
		}
		o := responses.Options{BaseURL: "https://api.openai.com/v1"}
		m.Made.By = model.Maker("openai", "responses", o.BaseURL, "m")
		if items := input(t, o, results(m)...); items[2] != `{`+spoiled+`}` {
			t.Errorf("%s: OpenAI is sent %s", raw, items[2])
		}
	}
}

func TestStateGoesToItsMakerAlone(t *testing.T) {
	state := `[{` + sealed + `},{` + calculate + `}]`
	foreign := own(state, "call_AB6")
	for name, by := range map[string]string{
		"no maker": "", "another model": model.Maker("openai", "responses", "http://x", "n"), "another server": model.Maker("openai", "responses", "http://y", "m"),
		"the other API": model.Maker("openai", "chat", "http://x", "m"),
	} {
		foreign.Made.By = by
		items := input(t, responses.Options{}, results(foreign)...)
		id := model.WireID("call_AB6")
		want := []string{
			`{"type":"message","role":"assistant","content":"Said."}`,
			`{"type":"function_call","call_id":"` + id + `","name":"f","arguments":"{}"}`, `{"type":"function_call_output","call_id":"` + id + `","output":"ok"}`,
		}
		if strings.Join(items[1:], "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %q", name, items[1:])
		}
	}
	renewed := input(t, responses.Options{APIKey: "another"}, results(own(state, "call_AB6"))...)
	if !bytes.Contains([]byte(renewed[1]), []byte("gAAAAABpPDIV")) {
		t.Errorf("with a renewed key: %q", renewed)
	}
}

func TestAMessageThatSaysNothingIsLeftOut(t *testing.T) {
	m := own(`[{` + sealed + `},{` + final + `}]`)
	m.Content = " \n"
	items := input(t, responses.Options{}, append(results(m), model.Message{Role: model.RoleUser, Content: "More"})...)
	if len(items) != 2 {
		t.Errorf("%q", items)
	}
}
