// Package clienttool implements tools that the caller runs: the frontend, or any other
// program that talks to the gateway. A call pauses the turn until the caller sends its result.
package clienttool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
)

// Limits in code points. A result may be as long as other tools' results may be in bytes, an
// error as long as a note.
const (
	maxResult = 64 << 10
	maxText   = 2000
)

// Tool hands its calls to the caller. It has no state of its own.
type Tool struct {
	question func(call tools.Call) string
}

var (
	_ tools.Resumer  = (*Tool)(nil)
	_ tools.Repeater = (*Tool)(nil)
)

// New makes the tool. question words what the caller is asked for, in the call's language, for
// people who view the chat.
func New(question func(call tools.Call) string) *Tool { return &Tool{question: question} }

// Repeatable implements tools.Repeater: asking changes nothing.
func (t *Tool) Repeatable(tools.Call) bool { return true }

// Run asks for the result. The question has one part, like every question. Its input type has no
// meaning, since a program answers and not a person: only the kind says how.
func (t *Tool) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	part := tools.Part{Question: t.question(call), InputType: tools.Text}
	return tools.Outcome{Question: &tools.Question{Kind: tools.KindInput, Parts: []tools.Part{part}}}, nil
}

// Check implements tools.Resumer. An answer is a result, an error, or a refusal to give one.
func (t *Tool) Check(_ tools.Question, a tools.Answer) (tools.Answer, error) {
	c := checker{}
	c.fault(len(a.Value) > 0, "value", "not_expected", 0)
	c.fault(len(a.Values) > 0, "values", "not_expected", 0)
	c.fault(a.Other != "", "other", "not_expected", 0)
	c.fault(len(a.Answers) > 0, "answers", "not_expected", 0)
	c.fault(a.Arguments != nil, "arguments", "not_expected", 0)
	c.fault(a.Skipped, "skipped", "skip_not_allowed", 0)
	if a.Declined {
		c.fault(a.Result != nil, "result", "not_expected", 0)
		c.fault(a.Error != "", "error", "not_expected", 0)
		c.fault(utf8.RuneCountInString(a.Note) > maxText, "note", "note_too_long", maxText)
	} else {
		blank := tools.Blank(a.Error)
		c.fault(a.Note != "", "note", "not_expected", 0) // the result is the caller's, to the letter
		c.fault(a.Result == nil && blank, "result", "required", 0)
		c.fault(a.Result != nil && !blank, "error", "not_expected", 0)
		c.fault(utf8.RuneCount(a.Result) > maxResult, "result", "too_long", maxResult)
		c.fault(utf8.RuneCountInString(a.Error) > maxText, "error", "too_long", maxText)
	}
	if len(c.faults) > 0 {
		return tools.Answer{}, &tools.AnswerError{Fields: c.faults}
	}
	return a, nil
}

type checker struct{ faults []tools.FieldError }

// fault adds a fault of a field if there is one. limit is the number in its text.
func (c *checker) fault(there bool, field, code string, limit int) {
	if !there {
		return
	}
	f := tools.FieldError{Field: field, Code: code}
	if limit > 0 {
		f.Params = map[string]any{"Count": limit}
	}
	c.faults = append(c.faults, f)
}

// Read implements tools.Resumer. It reads no answer: what a person types is not a tool's result.
func (t *Tool) Read(tools.Question, string, string) (tools.Answer, bool) {
	return tools.Answer{}, false
}

// Resume implements tools.Resumer. The result of a text is the text itself, of other JSON its
// compact form.
func (t *Tool) Resume(_ context.Context, _ tools.Call, _ tools.Question, c tools.Closing) (tools.Outcome, error) {
	var note, message string
	switch c.State {
	case tools.StateAnswered:
		if c.Answer == nil {
			return tools.Outcome{}, fmt.Errorf("client tool: answered without an answer")
		}
		return result(*c.Answer)
	case tools.StateDeclined:
		message = "The user's application declined this call; it has no result."
		if c.Answer != nil {
			note = c.Answer.Note
		}
	case tools.StateExpired:
		message = tools.TimedOut
	case tools.StateSuperseded:
		message = "The user sent another message before this call had a result."
	case tools.StateCancelled:
		message = "The call was cancelled before it had a result."
	default:
		return tools.Outcome{}, fmt.Errorf("client tool: no result for the state %q", c.State)
	}
	return tools.Outcome{Result: tools.Unanswered(c.State, message, note)}, nil
}

func result(a tools.Answer) (tools.Outcome, error) {
	if a.Result == nil {
		return tools.Outcome{Error: &tools.Error{Code: tools.CodeToolFailed, Message: tools.Quoted(a.Error)}}, nil
	}
	var text string
	if bytes.HasPrefix(bytes.TrimSpace(a.Result), []byte(`"`)) {
		err := json.Unmarshal(a.Result, &text)
		return tools.Outcome{Result: tools.Quoted(text)}, err
	}
	var compact bytes.Buffer
	err := json.Compact(&compact, a.Result)
	return tools.Outcome{Result: tools.Quoted(compact.String())}, err
}
