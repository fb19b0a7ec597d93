// Package approval asks a person before a tool call runs, with a confirm of kind approval.
// If the person allows the call, the code that asked for the approval runs it. If not, the
// model gets the refusal and the person's note.
package approval

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
)

// Tool asks for approval. It has no state between calls.
type Tool struct {
	asker    tools.Resumer
	question func(call tools.Call) string
	warning  func(call tools.Call) string
	words    func(language string) (yes, no string)
}

var _ tools.Resumer = (*Tool)(nil)

// New returns the tool. asker is ask_user, which asks, checks and reads a yes or no. question
// returns the question about a call in the call's language, and warning what to know before
// answering, or "". words returns yes and no in a language.
func New(asker tools.Resumer, question, warning func(call tools.Call) string, words func(language string) (yes, no string)) *Tool {
	return &Tool{asker: asker, question: question, warning: warning, words: words}
}

// Run returns the question as an Outcome.
func (t *Tool) Run(ctx context.Context, call tools.Call) (tools.Outcome, error) {
	asked, err := json.Marshal(map[string]string{"question": t.question(call), "input_type": string(tools.Confirm)})
	if err != nil {
		return tools.Outcome{}, err
	}
	call.Arguments = string(asked)
	out, err := t.asker.Run(ctx, call)
	if err != nil {
		return tools.Outcome{}, fmt.Errorf("approval not asked for: %w", err)
	}
	if out.Question != nil {
		out.Question.Kind, out.Question.Unfounded = tools.KindApproval, call.Unfounded
		out.Question.Warning = t.warning(call)
	}
	return tools.Outcome{Question: out.Question, Error: out.Error}, nil
}

// maxResult is the maximum length of a result in place of a call, in code points.
const maxResult = 32_000

// Check implements tools.Resumer. The answer is a yes or a no, with an optional note. With a no, and if
// the question takes one, it may have a result, a text. Once is kept only in a yes that would be
// remembered.
func (t *Tool) Check(q tools.Question, a tools.Answer) (tools.Answer, error) {
	result := a.Result
	if q.Respond {
		a.Result = nil // ask_user takes none
	}
	checked, err := t.asker.Check(q, a)
	if err == nil && q.Respond && result != nil && string(result) != "null" {
		return responded(checked, result)
	}
	checked.Once = err == nil && a.Once && q.Remember != "" && string(checked.Value) == `"yes"`
	return checked, err
}

// responded returns a checked answer with a result in place of the call.
func responded(checked tools.Answer, result json.RawMessage) (tools.Answer, error) {
	var text string
	fault := tools.FieldError{Field: "result"}
	switch err := json.Unmarshal(result, &text); {
	case string(checked.Value) != `"no"`:
		fault.Code = "not_expected" // with a yes the call is made, and has a result of its own
	case err != nil:
		fault.Code = "type_text"
	case tools.Blank(text):
		fault.Code = "blank"
	case utf8.RuneCountInString(text) > maxResult:
		fault.Code, fault.Params = "too_long", map[string]any{"Count": maxResult}
	default:
		checked.Result, err = json.Marshal(text)
		return checked, err
	}
	return tools.Answer{}, &tools.AnswerError{Fields: []tools.FieldError{fault}}
}

// Read implements tools.Resumer. It accepts only a literal yes or no, in the language or in
// the labels of the question, which may be in another language. Other words for yes ("ok",
// "1", "true") could be meant for another question. A yes in a message applies to this call
// only, since the question does not mention later calls.
func (t *Tool) Read(q tools.Question, text, language string) (tools.Answer, bool) {
	yes, no := t.words(language)
	words := []tools.Option{{Label: yes, Value: "yes"}, {Label: no, Value: "no"}}
	said := strings.TrimRight(strings.TrimSpace(text), ".!")
	for _, word := range append(words, q.Parts[0].Options...) {
		if strings.EqualFold(said, word.Label) {
			a, err := t.Check(q, tools.Answer{Value: json.RawMessage(strconv.Quote(word.Value)), Once: true})
			return a, err == nil
		}
	}
	return tools.Answer{}, false
}

// Resume implements tools.Resumer. It returns the result that the model reads for a call that
// was not allowed: the person's text in its place, or why there is none. A declined question counts as
// a no.
func (t *Tool) Resume(_ context.Context, _ tools.Call, _ tools.Question, c tools.Closing) (tools.Outcome, error) {
	state := c.State
	var message string
	if state == tools.StateAnswered && c.Answer != nil && c.Answer.Result != nil {
		return inPlace(c, c.Note())
	}
	switch state {
	case tools.StateAnswered, tools.StateDeclined:
		state, message = tools.StateDeclined, tools.By(c.Role)+" did not allow this call; it was not made. Do not repeat it unless the user asks for it."
	case tools.StateExpired:
		message = tools.TimedOut
	case tools.StateSuperseded:
		message = "The user sent another message before this call was allowed; it was not made."
		if c.Answer != nil {
			message = "This call was allowed, but the user sent another message before it could be made; it was not made."
		}
	case tools.StateCancelled:
		message = "The call was cancelled before it was allowed; it was not made."
	default:
		return tools.Outcome{}, fmt.Errorf("approval: no result for the state %q", state)
	}
	return tools.Outcome{Result: tools.Unanswered(state, message, c.Note())}, nil
}

// inPlace returns a person's text as the result of the call that was not made. No line of the text can
// pass for the gateway's last one. note is as the model reads it.
func inPlace(c tools.Closing, note string) (tools.Outcome, error) {
	var text string
	if err := json.Unmarshal(c.Answer.Result, &text); err != nil {
		return tools.Outcome{}, fmt.Errorf("approval: result in place of the call: %w", err)
	}
	result := tools.Quoted(text)
	switch {
	case note == "":
	case c.Role == "":
		result += "\nNote: " + tools.Indented(note)
	default:
		result += "\n" + note
	}
	return tools.Outcome{Result: result + "\n" + tools.GatewayMark + " " + tools.By(c.Role) + " gave this result in place of the call; the call was not made."}, nil
}
