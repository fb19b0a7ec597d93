package askuser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/tools"
)

// Resume implements tools.Resumer. The result depends only on q and closing. It returns an
// error for a closing that no question can have.
func (t *Tool) Resume(_ context.Context, _ tools.Call, q tools.Question, closing tools.Closing) (tools.Outcome, error) {
	var message, note string
	switch closing.State {
	case tools.StateAnswered, tools.StateRemembered:
		if closing.Answer == nil {
			return tools.Outcome{}, errors.New("ask_user: answered without an answer")
		}
		if closing.Answer.Deleted {
			return tools.Outcome{Result: tools.DeletedText}, nil
		}
		return tools.Outcome{Result: answerText(q, *closing.Answer)}, nil
	case tools.StateSkipped:
		message = "The user skipped the question. Go on without this information."
	case tools.StateDeclined:
		message = "The user declined to answer. Do not ask this again."
	case tools.StateSuperseded:
		message = "The user did not answer and sent another message instead."
	case tools.StateExpired:
		message = tools.TimedOut
	case tools.StateCancelled:
		message = "The question was cancelled before the user answered."
	default:
		return tools.Outcome{}, fmt.Errorf("ask_user: no result for a question in state %q", closing.State)
	}
	if closing.Answer != nil {
		note = closing.Answer.Note
	}
	return tools.Outcome{Result: tools.Unanswered(closing.State, message, note)}, nil
}

// answerText returns the plain answer to one question, or a line for each of several.
func answerText(q tools.Question, a tools.Answer) string {
	if len(q.Parts) == 1 {
		return strings.Join(blocks(q.Parts[0], only(a)), "\n")
	}
	var b strings.Builder
	applies := q.Applies(a.Answers)
	for i, p := range q.Parts {
		var answer tools.Answer
		if i < len(a.Answers) {
			answer = a.Answers[i]
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "Q%d (%s):", i+1, oneLine(p.Question))
		if !applies[i] {
			b.WriteString(" (not asked)")
			continue
		}
		texts := blocks(p, answer)
		if len(chosen(p, answer)) < 2 && len(texts) > 0 {
			b.WriteByte(' ')
			b.WriteString(tools.Indented(texts[0]))
			texts = texts[1:]
		}
		for _, text := range texts {
			b.WriteString("\n  ")
			b.WriteString(tools.Indented(text))
		}
	}
	if a.Note != "" {
		b.WriteString("\nNote: ")
		b.WriteString(tools.Indented(a.Note))
	}
	return b.String()
}

// blocks returns the pieces of one answer. Each starts on a new line.
func blocks(p tools.Part, a tools.Answer) []string {
	var texts []string
	switch options := chosen(p, a); {
	case a.Declined:
		texts = append(texts, "(declined)")
	case a.Skipped:
		texts = append(texts, "(skipped)")
	case len(options) == 1:
		texts = append(texts, named(options[0]))
	case len(options) > 1:
		for i, o := range options {
			mark := "- "
			if p.InputType == tools.Rank {
				mark = strconv.Itoa(i+1) + ". "
			}
			texts = append(texts, mark+named(o))
		}
	case p.InputType == tools.File && given(a.Value):
		texts = append(texts, fileText(a.Value, a.File))
	case given(a.Value):
		texts = append(texts, plain(a.Value))
	}
	if a.Other != "" {
		texts = append(texts, "Other: "+a.Other)
	}
	if a.Note != "" {
		texts = append(texts, "Note: "+a.Note)
	}
	return texts
}

// chosen returns the options that the answer names. It returns none for a confirm: its
// labels are in the user's language, its values (yes, no) in the model's.
func chosen(p tools.Part, a tools.Answer) []tools.Option {
	values := a.Values
	if p.InputType == tools.Select && given(a.Value) {
		values = []string{plain(a.Value)}
	}
	if !p.InputType.HasOptions() {
		return nil
	}
	var options []tools.Option
	for _, v := range values {
		option := tools.Option{Label: v, Value: v}
		for _, o := range slices.Concat(a.Options, p.Options) {
			if o.Value == v {
				option = o
			}
		}
		options = append(options, option)
	}
	return options
}

// named returns an option's label, and its value unless the label ends with it, on one line, since
// another server may have written them.
func named(o tools.Option) string {
	if o.Label == o.Value || strings.HasSuffix(strings.TrimSpace(o.Label), "("+o.Value+")") {
		return oneLine(o.Label)
	}
	return oneLine(o.Label + " (" + o.Value + ")")
}

// plain returns a value as text: the content of a string, else the JSON literal.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return strings.TrimSpace(string(raw))
}

// oneLine returns s on one line.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, tools.LineBreak), " ")
}

// fileText describes a file to the model, apart from its content.
func fileText(value json.RawMessage, f *tools.Attachment) string {
	if f == nil {
		return plain(value)
	}
	return oneLine(f.Name) + " (" + f.Type + ", " + tools.Size(f.Size) + ")"
}
