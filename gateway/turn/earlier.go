package turn

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// lastTime is an answer that a person gave before, to one part of a question.
type lastTime struct {
	question tools.Question // as it was asked
	part     int            // of it
	answer   tools.Answer   // to the part
	at       time.Time
	memory   bool // from what is remembered of the person, and not from the chat
}

// lastTimes are the answers of the chat's owner to questions of the chat, the newest first.
func (r *Run) lastTimes() iter.Seq[lastTime] {
	questions := r.history.Questions
	return func(yield func(lastTime) bool) {
		for i := len(questions) - 1; i >= 0; i-- {
			c := &questions[i]
			if c.State != tools.StateAnswered || c.Answer == nil || c.For != "" {
				continue
			}
			for part := range c.Question.Parts {
				a := c.Question.AnswerTo(c.Answer, part)
				if a != nil && !yield(lastTime{question: c.Question, part: part, answer: *a, at: c.AnsweredAt}) {
					return
				}
			}
		}
	}
}

// offer adds to each part of a question that a tool asks what the person answered to the same
// before: the first of the candidates that fits. A part that has an answer already keeps it, so
// of several sources the first one wins. Nothing is offered for what seems to be a
// secret, nor a file, which answers one question.
func (r *Run) offer(tool string, q *tools.Question, candidates iter.Seq[lastTime]) {
	for i := range q.Parts {
		if q.Kind != tools.KindQuestion || q.Parts[i].Earlier != nil || q.Parts[i].Secret != "" || q.Parts[i].InputType == tools.File {
			continue
		}
		for s := range candidates {
			if !s.asksThe(q, i) {
				continue
			}
			q.Parts[i].Earlier = r.stillSaid(tool, q, i, &s)
			break // what came before the newest is not what the person said
		}
	}
}

// asksThe says that a part of q asks what s is the answer to, and s is one: by the key, by the template
// and its values, or by the words.
func (s *lastTime) asksThe(q *tools.Question, part int) bool {
	p, was := &q.Parts[part], &s.question.Parts[s.part]
	switch {
	case was.Secret != "" || s.answer.Skipped || s.answer.Declined:
		return false
	case p.Key != "" && p.Key == was.Key:
		return true
	case p.Template != "" && p.Template == was.Template && filled(q, part) == filled(&s.question, s.part):
		return true
	}
	return q.AsksPart(part, s.question, s.part)
}

// filled identifies the values that a template was filled with.
func filled(q *tools.Question, part int) string {
	if part < len(q.Values) {
		return q.Values[part]
	}
	return ""
}

// stillSaid is the answer as it is offered; nil where it is none to the part as it is now: of
// another type, an option that is gone or now called another name, against the rules. Files are
// not offered: each answers one question.
func (r *Run) stillSaid(tool string, q *tools.Question, part int, s *lastTime) *tools.Earlier {
	p, was := q.Parts[part], &s.question.Parts[s.part]
	if p.InputType != was.InputType || p.InputType == tools.File {
		return nil
	}
	a := tools.Answer{Value: s.answer.Value, Values: s.answer.Values, Other: s.answer.Other}
	if source, ok := q.Source(part); ok {
		a.Options = r.setup.Catalog.Listed(r.app.ID, tool, source, chosenValues(&a))
	}
	alone := tools.Question{Kind: q.Kind, Parts: []tools.Part{p}, MaxAnswer: q.MaxAnswer}
	alone.Parts[0].When = nil // of no part that is there
	checked, err := r.check(tool, alone, a)
	if err != nil {
		return nil
	}
	now, then := slices.Concat(a.Options, p.Options), slices.Concat(s.answer.Options, was.Options)
	labels := []string{}
	for _, v := range chosenValues(&checked) {
		label := labelOf(now, v)
		if p.InputType != tools.Confirm && tools.Fold(label) != tools.Fold(labelOf(then, v)) {
			return nil
		}
		labels = append(labels, label)
	}
	if checked.Other != "" {
		labels = append(labels, checked.Other)
	}
	return &tools.Earlier{
		Value: checked.Value, Values: checked.Values, Other: checked.Other,
		Label: tools.Shorten(strings.Join(labels, ", "), maxEarlierLabel), AnsweredAt: tools.Time(s.at), Memory: s.memory,
	}
}

// maxEarlierLabel is how many code points of an earlier answer are shown beside the part.
const maxEarlierLabel = 120

// chosenValues are the values of an answer, as texts.
func chosenValues(a *tools.Answer) []string {
	if len(a.Value) == 0 {
		return a.Values
	}
	var text string
	if json.Unmarshal(a.Value, &text) != nil {
		text = string(a.Value)
	}
	return []string{text}
}

// labelOf is what an option is called; a value that is none of an option is its own label.
func labelOf(options []tools.Option, value string) string {
	if i := slices.IndexFunc(options, func(o tools.Option) bool { return o.Value == value }); i >= 0 {
		return options[i].Label
	}
	return value
}

// check has the tool that asks check an answer to its question.
func (r *Run) check(tool string, q tools.Question, a tools.Answer) (tools.Answer, error) {
	return r.setup.Catalog.Resumer(r.app.ID, tool, tools.KindQuestion).Check(q, a)
}

// accepts says that an answer is one to a question.
func (r *Run) accepts(tool string, q tools.Question, a tools.Answer) bool {
	_, err := r.check(tool, q, a)
	return err == nil
}

// The values of how in askgate_clarification_earlier_total.
const (
	earlierKept       = "kept"
	earlierChanged    = "changed"
	earlierRemembered = "remembered" // used without asking
)

// offered counts what became of the earlier answers that an answered question offered.
func (m *metrics) offered(c *chat.Clarification) {
	for i := range c.Question.Parts {
		e := c.Question.Parts[i].Earlier
		a := c.Question.AnswerTo(c.Answer, i)
		if e == nil || a == nil || a.Skipped || a.Declined {
			continue
		}
		how := earlierChanged
		if bytes.Equal(a.Value, e.Value) && slices.Equal(a.Values, e.Values) && a.Other == e.Other {
			how = earlierKept
		}
		m.earlier.WithLabelValues(c.App, how).Inc()
	}
}
