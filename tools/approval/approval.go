// Package approval asks a person before a call is run: a confirm of kind approval.
// Allowed, the call itself is run by whoever asked for the approval; refused, the
// model learns it, and why.
package approval

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/askgate/askgate/tools"
)

// Tool asks for approval. It holds nothing but how to ask.
type Tool struct {
	asker    tools.Resumer
	question func(call tools.Call) string
	warning  func(call tools.Call) string
	words    func(language string) (yes, no string)
}

var _ tools.Resumer = (*Tool)(nil)

// New makes the tool. asker is ask_user, which words, checks and reads a yes or no;
// question is what the person is asked before a call, in the call's language, and warning what
// to know before answering, "" for nothing; words are yes and no in a language.
func New(asker tools.Resumer, question, warning func(call tools.Call) string, words func(language string) (yes, no string)) *Tool {
	return &Tool{asker: asker, question: question, warning: warning, words: words}
}

// Run makes the question.
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

// Check implements tools.Resumer: a yes or a no, with a note; a yes that would be remembered may
// be for once.
func (t *Tool) Check(q tools.Question, a tools.Answer) (tools.Answer, error) {
	checked, err := t.asker.Check(q, a)
	checked.Once = err == nil && a.Once && q.Remember != "" && string(checked.Value) == `"yes"`
	return checked, err
}

// Read implements tools.Resumer: nothing but a literal yes or no, in the language or as the
// question shows it, which may have been asked in another. What may stand for one elsewhere
// ("ok", "1", "true") may have been meant for another question. A yes in words is for this call
// alone: the question does not say that it could reach further.
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

// Resume implements tools.Resumer: what the model reads of a call that was not
// allowed. A no is a refusal, as is an answer that was declined.
func (t *Tool) Resume(_ context.Context, _ tools.Call, _ tools.Question, c tools.Closing) (tools.Outcome, error) {
	state, note := c.State, ""
	var message string
	if c.Answer != nil {
		note = tools.NoteBy(c.Role, c.Answer.Note)
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
	return tools.Outcome{Result: tools.Unanswered(state, message, note)}, nil
}
