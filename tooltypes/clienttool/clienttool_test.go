package clienttool_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/clienttool"
)

func newTool() *clienttool.Tool {
	return clienttool.New(func(call tools.Call) string { return "About " + call.Name })
}

func TestCheck(t *testing.T) {
	long := `"` + strings.Repeat("ä", 64<<10-2) + `"`
	for name, c := range map[string]struct {
		answer tools.Answer
		fault  string // field and code of the first error, "" if it is accepted
	}{
		"result":               {tools.Answer{Result: json.RawMessage(`{"a":1}`)}, ""},
		"null":                 {tools.Answer{Result: json.RawMessage(`null`)}, ""},
		"the longest":          {tools.Answer{Result: json.RawMessage(long)}, ""},
		"error":                {tools.Answer{Error: "no"}, ""},
		"declined with a note": {tools.Answer{Declined: true, Note: "busy"}, ""},
		"nothing":              {tools.Answer{}, "result required"},
		"blank error":          {tools.Answer{Error: " \n"}, "result required"},
		"both":                 {tools.Answer{Result: json.RawMessage(`1`), Error: "no"}, "error not_expected"},
		"too long":             {tools.Answer{Result: json.RawMessage(long + " ")}, "result too_long"},
		"too long an error":    {tools.Answer{Error: strings.Repeat("x", 2001)}, "error too_long"},
		"value":                {tools.Answer{Value: json.RawMessage(`"x"`)}, "value not_expected"},
		"value as well":        {tools.Answer{Value: json.RawMessage(`"x"`), Result: json.RawMessage(`1`)}, "value not_expected"},
		"values":               {tools.Answer{Values: []string{"x"}}, "values not_expected"},
		"answers":              {tools.Answer{Answers: []tools.Answer{{}}}, "answers not_expected"},
		"skipped":              {tools.Answer{Skipped: true}, "skipped skip_not_allowed"},
		"declined and result":  {tools.Answer{Declined: true, Result: json.RawMessage(`1`)}, "result not_expected"},
		"result with a note":   {tools.Answer{Result: json.RawMessage(`1`), Note: "n"}, "note not_expected"},
	} {
		_, err := newTool().Check(tools.Question{Kind: tools.KindInput}, c.answer)
		var refused *tools.AnswerError
		got := ""
		if errors.As(err, &refused) {
			got = refused.Fields[0].Field + " " + refused.Fields[0].Code
		}
		if got != c.fault {
			t.Errorf("%s: %q, want %q", name, got, c.fault)
		}
	}
}

// Every accepted input results in exactly one result or error.
func FuzzResult(f *testing.F) {
	for _, seed := range []string{`null`, `"a\nb"`, `{"a":[1.50]}`, ` "x" `, `{`, `"\ud800"`, ``} {
		f.Add([]byte(seed), "")
	}
	f.Add([]byte(nil), "no picker")
	tool := newTool()
	f.Fuzz(func(t *testing.T, result []byte, text string) {
		a := tools.Answer{Error: text}
		if json.Valid(result) { // the API accepts nothing else
			a.Result = result
		}
		checked, err := tool.Check(tools.Question{Kind: tools.KindInput}, a)
		if err != nil {
			return
		}
		out, err := tool.Resume(t.Context(), tools.Call{}, tools.Question{}, tools.Closing{State: tools.StateAnswered, Answer: &checked})
		if err != nil || out.Question != nil || (out.Error != nil) != (a.Result == nil) {
			t.Fatalf("%+v: %+v %v", a, out, err)
		}
		if again, err := tool.Check(tools.Question{}, checked); err != nil || string(again.Result) != string(checked.Result) {
			t.Errorf("checked again: %+v %v", again, err)
		}
	})
}

func TestEveryEndHasAResult(t *testing.T) {
	for state, want := range map[tools.State]string{
		tools.StateDeclined: `"declined":true`, tools.StateExpired: `"timedOut":true`,
		tools.StateSuperseded: `"superseded":true`, tools.StateCancelled: `"cancelled":true`,
	} {
		out, err := newTool().Resume(t.Context(), tools.Call{}, tools.Question{}, tools.Closing{State: state})
		if err != nil || !strings.HasPrefix(out.Result, `{"userAnswer":null,`+want) {
			t.Errorf("%s: %+v %v", state, out, err)
		}
	}
}
