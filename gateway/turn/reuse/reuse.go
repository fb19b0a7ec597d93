// Package reuse finds a person's earlier answers to what is asked now, so that no one is asked
// twice.
//
//	in the turn       Step.Known: a question that repeats one gets its result, or waits for it
//	in the chat       Step.Asking: offered with the question, if it still is an answer
//	before a fork     Past: what was answered after the point of the fork; also offered
//	in other chats    Memory: what Keep remembered, as the admin allows; also offered, or used
//	                  without asking
//
// An earlier answer is checked like any other: by the tool that asks, against the question as it is
// now.
package reuse

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn/history"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// Answers are the earlier answers of a chat's owner, for one run.
type Answers struct {
	App          *config.App
	Catalog      *toolexec.Catalog
	Conversation *chat.Conversation
	Turn         *chat.Turn
	Past         *Past
	Memory       *Memory
	History      *history.History
	// Repeated counts a question that repeats another one of its turn, by what was done about it.
	Repeated func(how string)
}

// lastTime is a person's earlier answer to one part of a question.
type lastTime struct {
	question tools.Question // as asked
	part     int            // index of the part
	answer   tools.Answer   // to the part
	at       time.Time
	memory   bool // from memory, and not from the chat
}

// answersOf yields the owner's answers to the questions of a chat, the newest first.
func answersOf(questions []chat.Clarification) iter.Seq[lastTime] {
	return func(yield func(lastTime) bool) {
		for i := len(questions) - 1; i >= 0; i-- {
			c := &questions[i]
			if c.State != tools.StateAnswered || c.Answer == nil || c.For != "" {
				continue
			}
			for part := range c.Question.Parts {
				given := c.Question.AnswerTo(c.Answer, part)
				if given != nil && !yield(lastTime{question: c.Question, part: part, answer: *given, at: c.AnsweredAt}) {
					return
				}
			}
		}
	}
}

// offer adds the person's earlier answer to each part of a question that a tool asks: the first of
// the candidates that asks the same. A part that has one already keeps it, so the first of several
// sources wins. Nothing is offered for a part that seems to ask for a secret, or for a file, because
// a file answers only one question.
func (a *Answers) offer(tool string, q *tools.Question, candidates iter.Seq[lastTime]) {
	for i := range q.Parts {
		if q.Kind != tools.KindQuestion || q.Parts[i].Earlier != nil || q.Parts[i].Secret != "" || q.Parts[i].InputType == tools.File {
			continue
		}
		for s := range candidates {
			if !s.asksThe(q, i) {
				continue
			}
			q.Parts[i].Earlier = a.stillSaid(tool, q, i, &s)
			break // answers before the newest are outdated
		}
	}
}

// asksThe reports whether a part of q asks the same as s, and s is an answer: by the key, by the
// template and its values, or by the words.
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

// filled identifies the values with which a template was filled.
func filled(q *tools.Question, part int) string {
	if part < len(q.Values) {
		return q.Values[part]
	}
	return ""
}

// stillSaid returns the answer as it is offered, or nil if it does not fit the part as it is now:
// the type differs, an option is gone or renamed, or the rules reject it. Files are not offered:
// each answers one question.
func (a *Answers) stillSaid(tool string, q *tools.Question, part int, s *lastTime) *tools.Earlier {
	p, was := q.Parts[part], &s.question.Parts[s.part]
	if p.InputType != was.InputType || p.InputType == tools.File {
		return nil
	}
	given := tools.Answer{Value: s.answer.Value, Values: s.answer.Values, Other: s.answer.Other}
	if source, ok := q.Source(part); ok {
		given.Options = a.Catalog.Listed(a.App.ID, tool, source, chosenValues(&given))
	}
	alone := tools.Question{Kind: q.Kind, Parts: []tools.Part{p}, MaxAnswer: q.MaxAnswer}
	alone.Parts[0].When = nil // there is no other part for it to depend on
	checked, err := a.check(tool, alone, given)
	if err != nil {
		return nil
	}
	now, then := slices.Concat(given.Options, p.Options), slices.Concat(s.answer.Options, was.Options)
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

// maxEarlierLabel is how many code points of an earlier answer are shown with the part.
const maxEarlierLabel = 120

// chosenValues returns the values of an answer, as texts.
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

// labelOf returns the label of the option with a value. A value without an option is its own label.
func labelOf(options []tools.Option, value string) string {
	if i := slices.IndexFunc(options, func(o tools.Option) bool { return o.Value == value }); i >= 0 {
		return options[i].Label
	}
	return value
}

// check has the asking tool check an answer to its question.
func (a *Answers) check(tool string, q tools.Question, given tools.Answer) (tools.Answer, error) {
	return a.Catalog.Resumer(a.App.ID, tool, tools.KindQuestion).Check(q, given)
}

// markKept marks the parts whose answers will be remembered.
func (a *Answers) markKept(tool string, q *tools.Question) {
	for i := range q.Parts {
		how, _, _, ok := remembering(a.App, a.Catalog, tool, q, i)
		switch {
		case !ok || a.Conversation.Ephemeral:
		case how.Silent:
			q.Parts[i].Kept = tools.KeptUnasked
		default:
			q.Parts[i].Kept = tools.KeptOffered
		}
	}
}

// rememberedFor yields the remembered answers to the parts of a question.
func (a *Answers) rememberedFor(tool string, q *tools.Question) iter.Seq[lastTime] {
	return func(yield func(lastTime) bool) {
		for i := range q.Parts {
			if s, _, ok := a.rememberedPart(tool, q, i); ok && !yield(s) {
				return
			}
		}
	}
}

// rememberedPart returns the remembered answer to a part, and whether it may be used without asking.
func (a *Answers) rememberedPart(tool string, q *tools.Question, part int) (s lastTime, silent, ok bool) {
	how, key, of, ok := remembering(a.App, a.Catalog, tool, q, part)
	if !ok {
		return s, false, false
	}
	for _, m := range a.Memory.List() {
		if m.Answer != nil && m.Key == key && m.Of == of {
			was := tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{m.Answer.Part}, Values: []string{m.Answer.Filled}}
			return lastTime{question: was, answer: m.Answer.Answer, at: m.UpdatedAt, memory: true}, how.Silent && m.Silent, true
		}
	}
	return s, false, false
}

// silently returns the answer to a question that need not be asked: each part has a remembered
// answer that fits, which the person wants used and the admin allows to be used. If a tool lists
// options, the person is asked: the options may have changed.
func (a *Answers) silently(tool string, q *tools.Question) (tools.Answer, bool) {
	if len(q.Sources) > 0 {
		return tools.Answer{}, false
	}
	answers := make([]tools.Answer, len(q.Parts))
	for i := range q.Parts {
		s, silent, ok := a.rememberedPart(tool, q, i)
		if !ok || !silent {
			return tools.Answer{}, false
		}
		e := a.stillSaid(tool, q, i, &s)
		if e == nil {
			return tools.Answer{}, false
		}
		answers[i] = tools.Answer{Value: e.Value, Values: e.Values, Other: e.Other}
	}
	whole := tools.Answer{Answers: answers}
	if len(answers) == 1 {
		whole = answers[0]
	}
	checked, err := a.check(tool, *q, whole)
	return checked, err == nil
}

// Changed returns, for each part that offered an earlier answer and was answered, whether the answer
// differs from the earlier one.
func Changed(c *chat.Clarification) (changed []bool) {
	for i := range c.Question.Parts {
		e, given := c.Question.Parts[i].Earlier, c.Question.AnswerTo(c.Answer, i)
		if e != nil && given != nil && !given.Skipped && !given.Declined {
			changed = append(changed, !bytes.Equal(given.Value, e.Value) || !slices.Equal(given.Values, e.Values) || given.Other != e.Other)
		}
	}
	return changed
}
