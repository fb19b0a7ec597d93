package client_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/client"
)

// sent is the body of the request that asks the parsed question, without its random key.
func sent(t *testing.T, asking client.Asking) (body string) {
	t.Helper()
	w := &wire{serve: func(int, *http.Request, string) (*http.Response, error) { return reply(201, pendingJSON), nil }}
	c, err := client.New(client.Options{HTTP: &http.Client{Transport: w}})
	if err != nil {
		t.Fatal(err)
	}
	asking.Key = "k"
	if _, err := c.Ask(t.Context(), "a", asking); err != nil {
		t.Fatal(err)
	}
	return w.body[0]
}

// TestQuestionsOfOtherPrograms: each known format, and the calls that use it.
func TestQuestionsOfOtherPrograms(t *testing.T) {
	const (
		claude = `{"questions":[{"question":"Which?","header":"Auth","options":[{"label":"JWT","description":"D","preview":"P"},{"label":"Cookies","description":""}],"multiSelect":false},
			{"question":"What else?","header":"More","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}],"multiSelect":true}],"answers":{},"metadata":{"source":"x"}}`
		asked = `{"idempotencyKey":"k","questions":[` +
			`{"question":"Which?","header":"Auth","input_type":"select","options":[{"label":"JWT","description":"D","preview":"P"},{"label":"Cookies"}],"allow_other":true},` +
			`{"question":"What else?","header":"More","input_type":"multiselect","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}],"allow_other":true}]}`
		codex      = `{"questions":[{"id":"db","header":"DB","question":"Which?","options":[{"label":"PG (Recommended)","description":"D"},{"label":"SQLite","description":"E"}]},{"id":"name","header":"Name","question":"Name?","options":null}]}`
		codexAsked = `{"idempotencyKey":"k","questions":[` +
			`{"id":"db","question":"Which?","header":"DB","input_type":"select","options":[{"label":"PG (Recommended)","description":"D"},{"label":"SQLite","description":"E"}],"allow_other":true},` +
			`{"id":"name","question":"Name?","header":"Name","input_type":"text"}]}`
	)
	text := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	for in, want := range map[string]string{
		// AskGate's own format.
		`{"question":"Q?","options":["a"],"input_type":"select"}`:               `{"idempotencyKey":"k","input_type":"select","options":["a"],"question":"Q?"}`,
		`{"to":"bob","questions":[{"id":"a","question":"Q?","header":"H"}]}`:    `{"idempotencyKey":"k","questions":[{"id":"a","question":"Q?","header":"H"}],"to":"bob"}`,
		`{"template":"deploy","values":{"env":"live"},"idempotencyKey":"mine"}`: `{"idempotencyKey":"k","template":"deploy","values":{"env":"live"}}`,
		`{"name":"ask_user","arguments":` + text(`{"question":"Q?"}`) + `}`:     `{"idempotencyKey":"k","question":"Q?"}`,
		`{"questions":[{"question":"Q?","context":"C","multiSelect":true}]}`:    `{"idempotencyKey":"k","questions":[{"question":"Q?","context":"C","multiSelect":true}]}`,
		claude: asked,
		`{"hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","session_id":"s","tool_input":` + claude + `}`: asked,
		`{"type":"tool_use","id":"t","name":"AskUserQuestion","input":` + claude + `}`:                                asked,
		`{"to":{"role":"oncall"},"questions":[{"question":"Q?","multiSelect":false,"options":[{"label":"A"}]}]}`:      `{"idempotencyKey":"k","questions":[{"question":"Q?","input_type":"select","options":[{"label":"A"}],"allow_other":true}],"to":{"role":"oncall"}}`,
		codex: codexAsked,
		`{"type":"function_call","name":"request_user_input","call_id":"c","arguments":` + text(codex) + `}`:               codexAsked,
		`{"autoResolutionMs":60000,"questions":[{"id":"a","header":"H","question":"Q?","isOther":true,"isSecret":false}]}`: `{"idempotencyKey":"k","questions":[{"id":"a","question":"Q?","header":"H","input_type":"text"}]}`,
		// MCP.
		`{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}`: `{"idempotencyKey":"k","input_type":"confirm","question":"Sure?"}`,
		`{"method":"elicitation/create","params":{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","title":"Name","minLength":1,"maxLength":9}},"required":["name"]}}}`: `{"idempotencyKey":"k","questions":[{"header":"Name","id":"name","input_type":"text","question":"Who?","validation":{"max":9,"min":1}}]}`,
		`{"message":"M","requestedSchema":{"properties":{"a":{"type":"string","format":"email","default":"a@b.example"},"b":{"type":"string","format":"date-time"},"c":{"type":"boolean","default":false}},"required":["a","b","c"]}}`: `{"idempotencyKey":"k","questions":[` +
			`{"context":"M","default":"a@b.example","format":"email","id":"a","input_type":"text","question":"a"},{"id":"b","input_type":"datetime","question":"b"},{"default":false,"id":"c","input_type":"confirm","question":"c"}]}`,
		`{"questions":[{"id":"a","header":"A","question":"Q","format":"email"},{"id":"b","header":"B","question":"Q","when":{"question":"a","is":["x"]}}]}`: `{"idempotencyKey":"k","questions":[{"id":"a","header":"A","question":"Q","format":"email"},{"id":"b","header":"B","question":"Q","when":{"question":"a","is":["x"]}}]}`,
		`{"message":"All of it","requestedSchema":{"properties":{
			"z":{"type":"string","enum":["a","b"],"enumNames":["A","B"],"default":"b","description":"D"},
			"y":{"type":"string","oneOf":[{"const":"c","title":"C"}]},
			"x":{"type":"array","items":{"anyOf":[{"const":"d","title":"D"}]},"minItems":1,"maxItems":2},
			"w":{"type":"array","items":{"enum":["e"]}},
			"s":{"type":"array","items":{"oneOf":[{"const":"f","title":"F"}]},"minItems":1},"r":{"type":"string","pattern":"^v[0-9]+$","maxLength":9},
			"v":{"type":"boolean"},"u":{"type":"integer","minimum":-1.50,"maximum":3},"t":{"type":"string","format":"date"}},"required":["z","y","x","w","v","u","t","s","r"]}}`: `{"idempotencyKey":"k","questions":[` +
			`{"context":"All of it\nD","default":"b","id":"z","input_type":"select","options":[{"label":"A","value":"a"},{"label":"B","recommended":true,"value":"b"}],"question":"z"},` +
			`{"id":"y","input_type":"select","options":[{"label":"C","value":"c"}],"question":"y"},` +
			`{"id":"x","input_type":"multiselect","options":[{"label":"D","value":"d"}],"question":"x","validation":{"max":2,"min":1}},` +
			`{"allow_skip":true,"id":"w","input_type":"multiselect","options":[{"label":"e","value":"e"}],"question":"w"},` +
			`{"id":"s","input_type":"multiselect","options":[{"label":"F","value":"f"}],"question":"s","validation":{"min":1}},` +
			`{"id":"r","input_type":"text","question":"r","validation":{"max":9,"pattern":"^v[0-9]+$"}},` +
			`{"id":"v","input_type":"confirm","question":"v"},` +
			`{"id":"u","input_type":"number","question":"u","validation":{"integer":true,"max":3,"min":-1.50}},` +
			`{"id":"t","input_type":"date","question":"t"}]}`,
	} {
		asking, err := client.Read([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := sent(t, asking); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

// TestWhatIsNoQuestionIsRefused, with the reason.
func TestWhatIsNoQuestionIsRefused(t *testing.T) {
	for in, want := range map[string]string{
		``:                       "JSON",
		`[]`:                     "JSON",
		`"Q?"`:                   "JSON",
		`{}`:                     `"question"`,
		`null`:                   `"question"`,
		`{"arguments":"{"}`:      "JSON",
		`{"input":{"input":{}}}`: `"question"`,
		`{"questions":[{"id":"a","header":"H","question":"Password?","isSecret":true}]}`:    "secret",
		`{"questions":[{"question":1,"multiSelect":true}]}`:                                 "form",
		`{"mode":"url","message":"Visit","url":"https://x.test"}`:                           "url",
		`{"message":"M","requestedSchema":{"properties":[]}}`:                               "elicitation",
		`{"message":1,"requestedSchema":{}}`:                                                "elicitation",
		strings.Repeat(`{"input":`, 9) + `{"question":"too deep"}` + strings.Repeat("}", 9): `"question"`,
	} {
		if asking, err := client.Read([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", in, asking, err)
		}
	}
}

// FuzzRead: what is accepted can be sent.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"question":"Q?"}`, `{"questions":[{"question":"Q?","multiSelect":true,"options":[{"label":"A"}]}]}`,
		`{"arguments":"{\"questions\":[{\"id\":\"a\",\"header\":\"h\",\"question\":\"q\"}]}"}`,
		`{"message":"M","requestedSchema":{"properties":{"a":{"type":"array","items":{"enum":["x"]},"minItems":0}},"required":["a"]}}`,
		`{"message":"M","requestedSchema":{"properties":{"a":{"default":[1],"oneOf":[{}]}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		asking, err := client.Read(data)
		if err != nil {
			return
		}
		if body := sent(t, asking); !json.Valid([]byte(body)) {
			t.Errorf("%s", body)
		}
	})
}
