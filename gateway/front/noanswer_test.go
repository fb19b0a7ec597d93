package front_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// plain reads a text by the rules of plain messages.
func plain(c *chat.Clarification) func(text string) (turn.Answer, bool) {
	return func(text string) (turn.Answer, bool) {
		a, ok := new(askuser.Tool).Read(c.Question, text, "en")
		return turn.Answer{Answer: a}, ok
	}
}

var (
	day    = tools.Part{ID: "day", Question: "Which day?", InputType: tools.Date}
	status = tools.Part{ID: "status", Question: "Which status?", InputType: tools.Select, Options: []tools.Option{{Label: "Timeout", Value: "timeout"}, {Label: "Fine", Value: "fine"}}}
)

// failures lists what clients' libraries send as the result of a tool that failed, timed out or was
// not allowed, with the place in their source.
var failures = []struct{ from, sent string }{
	// openai-node, lib/AbstractChatCompletionRunner.ts: runTools.
	{"a program that catches, String(error)", `Error: the dialog was closed`},
	{"openai-node runTools, arguments that do not parse", `Unexpected end of JSON input`},
	{"openai-node runTools, an unknown tool", `Invalid tool_call: "ask_user". Available options are: "locate". Please try again`},
	// openai-agents-js, packages/agents-core/src/tool.ts and runner/approvalRejection.ts.
	{"@openai/agents, a tool that throws", `An error occurred while running the tool. Please try again. Error: Error: no window`},
	{"@openai/agents, timeoutMs", `Tool 'ask_user' timed out after 30000ms.`},
	{"@openai/agents, a call that was not approved", `Tool execution was not approved.`},
	// openai-agents-python, src/agents/tool.py: default_tool_error_function.
	{"openai-agents-python, a tool that raises", `An error occurred while running the tool. Please try again. Error: no tty`},
	// langgraph, prebuilt/tool_node.py.
	{"LangGraph ToolNode, a tool that raises", "Error: ValueError('no window')\n Please fix your mistakes."},
	{"LangGraph ToolNode, an unknown tool", "Error: ask_user is not a valid tool, try one of [locate]."},
	// open-webui, backend/open_webui/tools/builtin.py.
	{"Open WebUI, a builtin tool", `{"error": "Request context not available"}`},
	{"a status", `{"status":"timeout","answers":{}}`},
	{"a status in words", `{"status":"timed out"}`},
	{"a status of MCP's ask_user", `{"status":"cancelled","answers":{"city":null}}`},
	{"a result of MCP", `{"content":[{"type":"text","text":"no window"}],"isError":true}`},
	{"a result of Messages", `{"type":"tool_result","is_error":true,"content":"no window"}`},
	{"an error of an API", `{"type":"error","error":{"type":"timeout_error","message":"..."}}`},
	{"success", `{"success":false,"message":"no window"}`},
	{"an error with answers", `{"error":"timeout","answers":{"city":"par"}}`},
	{"a tool that returns nothing", ``},
	{"a tool that returns white space", " \n"},
	{"a tool that returns null", `null`},
	{"a tool without a person", "This run has no live user; ``ask_user`` cannot be used."},
}

// Where libraries write results themselves, nothing that they write is taken for a person's answer,
// whatever the question, even one that accepts any text as its answer.
func TestAFailedToolAnswersNothing(t *testing.T) {
	for _, f := range failures {
		for _, of := range []*chat.Clarification{question(city), question(name), question(days), question(age), question(day), question(sure), question(name, age), approval} {
			sent := []byte(f.sent)
			if f.sent != "null" {
				sent, _ = json.Marshal(f.sent)
			}
			a, err := front.ReadResult(sent, of, plain(of))
			var none *front.NoAnswer
			if !errors.As(err, &none) {
				t.Errorf("%s: %q answers %q: %+v, %v", f.from, f.sent, of.Question.Parts[0].Question, a.Answer, err)
			}
		}
	}
}

// A result that declares itself a failure answers nothing in any front; a text that may be the
// person's own is accepted from a page that writes results itself.
func TestAnErrorIsNoAnswerInAnyFront(t *testing.T) {
	for sent, want := range map[string]front.Reason{
		`{"error":"x"}`: front.ReasonError, `"{\"error\":{\"message\":\"x\"}}"`: front.ReasonError, `{"isError":true}`: front.ReasonError,
		`{"status":"TIMED_OUT"}`: front.ReasonStatus, `{"status":"error","error":"x"}`: front.ReasonError, `""`: front.ReasonEmpty, `" "`: front.ReasonEmpty,
		`"Rome"`: "", `{"error":null,"value":"par"}`: "", `{"status":"answered","answers":{"city":"par"}}`: "", `{"action":"cancel"}`: "", `{"success":true,"value":"par"}`: "",
	} {
		_, err := front.ReadAnswer([]byte(sent), question(city), words)
		var none *front.NoAnswer
		if errors.As(err, &none) != (want != "") || none != nil && none.Reason != want {
			t.Errorf("%s: %v, want %q", sent, err, want)
		}
	}
	if a, err := front.ReadAnswer([]byte(`{"status":"timeout"}`), question(status), words); err != nil || string(a.Value) != `"timeout"` {
		t.Errorf("an answer to a question of that name: %+v, %v", a, err)
	}
}

// A bare text counts as an answer where no error could be taken for it.
func TestWhatABareTextMayAnswer(t *testing.T) {
	for _, test := range []struct {
		of         tools.Part
		sent, want string
	}{
		{city, "par", `{"value":"par"}`}, {city, "Paris, France", `{"value":"par"}`}, {city, "2", `{"value":"par"}`}, {city, `"par"`, `{"value":"par"}`}, {city, "Rome", ""},
		{days, "Monday, Tuesday", `{"values":["mo","tu"]}`}, {days, `["mo"]`, `{"values":["mo"]}`}, {days, "Monday, Someday", ""}, {days, `["mo","Someday"]`, ""},
		{age, "36", `{"value":36}`}, {age, "thirty", ""}, {age, "skip", ""},
		{day, "2027-03-01", `{"value":"2027-03-01"}`}, {day, "tomorrow", ""},
		{sure, "yes", `{"value":"yes"}`}, {sure, "No.", `{"value":"no"}`}, {sure, "No window", ""},
		{name, "Ada", ""}, {name, "36", ""}, {name, `["Ada"]`, ""}, {name, `{"answers":{"name":"Ada"}}`, `{"value":"Ada"}`}, {name, `{"value":"Error: x"}`, `{"value":"Error: x"}`},
	} {
		of := question(test.of)
		sent, _ := json.Marshal(test.sent)
		a, err := front.ReadResult(sent, of, plain(of))
		got, _ := json.Marshal(a.Answer)
		var none *front.NoAnswer
		if test.want == "" && !errors.As(err, &none) || test.want != "" && (err != nil || string(got) != test.want) {
			t.Errorf("%s to %q is read as %s (%v), want %s", test.sent, test.of.Question, got, err, test.want)
		}
	}
	// A value that has the form of an answer but is invalid is refused, not passed over.
	for _, sent := range []string{`{"answers":{"town":"par"}}`, `{"city":{"value":1,"values":2}}`} {
		_, err := front.ReadResult([]byte(sent), question(city), plain(question(city)))
		var fault *tools.AnswerError
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v", sent, err)
		}
	}
}

func FuzzReadResult(f *testing.F) {
	for _, failure := range failures {
		f.Add(failure.sent)
	}
	f.Add(`{"answers":{"city":"par"}}`)
	f.Fuzz(func(t *testing.T, sent string) {
		text, _ := json.Marshal(sent)
		for _, of := range []*chat.Clarification{question(city), question(name), question(age), question(sure), question(name, age), approval} {
			a, err := front.ReadResult(text, of, plain(of))
			// A text that is not JSON counts only if it is one of the question's own values.
			if err == nil && !strings.ContainsAny(sent, `{["`) && (a.Other != "" || a.Note != "" || len(a.Answers) > 0 || of.Question.Parts[0].InputType == tools.Text) {
				t.Errorf("%q is read as %+v", sent, a.Answer)
			}
		}
	})
}
