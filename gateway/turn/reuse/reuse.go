// Package reuse finds what a person has answered before to what is asked now, so that nobody is
// asked twice.
//
//	in the turn       Step.Known: a question that repeats one gets its result, or waits for it
//	in the chat       Step.Asking: offered beside the question, where it still is an answer
//	in other chats    Memory: what Keep kept, as the admin says; offered likewise, or used
//	                  without asking
//
// An earlier answer is checked as any other: by the tool that asks, against the question as it is
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

// Answers are those that the owner of a chat gave before. One run has them.
type Answers struct {
	App          *config.App
	Catalog      *toolexec.Catalog
	Conversation *chat.Conversation
	Turn         *chat.Turn
	Memory       *Memory
	History      *history.History
	// Repeated counts a question that repeats one of its turn, by what became of it.
	Repeated func(how string)
}

// lastTime is an answer that a person gave before, to one part of a question.
type lastTime struct {
	question tools.Question // as it was asked
	part     int            // of it
	answer   tools.Answer   // to the part
	at       time.Time
	memory   bool // from what is remembered of the person, and not from the chat
}

// lastTimes are the answers of the chat's owner to questions of the chat, the newest first.
func (a *Answers) lastTimes() iter.Seq[lastTime] {
	questions := a.History.Questions
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

// offer adds to each part of a question that a tool asks what the person answered to the same
// before: the first of the candidates that fits. A part that has an answer already keeps it, so
// of several sources the first one wins. Nothing is offered for what seems to be a secret, nor a
// file, which answers one question.
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
	alone.Parts[0].When = nil // of no part that is there
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
func (a *Answers) check(tool string, q tools.Question, given tools.Answer) (tools.Answer, error) {
	return a.Catalog.Resumer(a.App.ID, tool, tools.KindQuestion).Check(q, given)
}

// markKept says of each part whether its answer will be kept.
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

// rememberedFor are the remembered answers to the parts of a question.
func (a *Answers) rememberedFor(tool string, q *tools.Question) iter.Seq[lastTime] {
	return func(yield func(lastTime) bool) {
		for i := range q.Parts {
			if s, _, ok := a.rememberedPart(tool, q, i); ok && !yield(s) {
				return
			}
		}
	}
}

// rememberedPart is the remembered answer to a part, and whether it may be used without asking.
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

// silently is the answer to a question that need not be asked: to each part there is a remembered
// one that fits, which the person wants used, and the admin lets. Where a tool lists options, the
// person is asked: they may be others by now.
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

// Changed says of each part of an answered question that offered an earlier answer, and got one,
// whether that is another.
func Changed(c *chat.Clarification) (changed []bool) {
	for i := range c.Question.Parts {
		e, given := c.Question.Parts[i].Earlier, c.Question.AnswerTo(c.Answer, i)
		if e != nil && given != nil && !given.Skipped && !given.Declined {
			changed = append(changed, !bytes.Equal(given.Value, e.Value) || !slices.Equal(given.Values, e.Values) || given.Other != e.Other)
		}
	}
	return changed
}
