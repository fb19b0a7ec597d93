package reuse

import (
	"bytes"
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Withdraw removes from a question the offers of an earlier answer, that of the clarification of. It
// reports whether there were any.
func Withdraw(q *tools.Question, of *chat.Clarification) (changed bool) {
	for i := range q.Parts {
		e := q.Parts[i].Earlier
		if e == nil || !time.Time(e.AnsweredAt).Equal(of.AnsweredAt) {
			continue
		}
		for part := range of.Question.Parts {
			if says(q.Parts[i].InputType, of.Question.AnswerTo(of.Answer, part), &tools.Answer{Value: e.Value, Values: e.Values, Other: e.Other}) {
				q.Parts[i].Earlier, changed = nil, true
				break
			}
		}
	}
	return changed
}

// Offered returns the questions of this chat and of those before a fork whose answers a question offers.
func (a *Answers) Offered(q *tools.Question) (list []*chat.Clarification) {
	if !slices.ContainsFunc(q.Parts, func(p tools.Part) bool { return p.Earlier != nil && !p.Earlier.Memory }) {
		return nil
	}
	for _, questions := range append([][]chat.Clarification{a.History.Questions}, a.Past.chats...) {
		for i := range questions {
			without := tools.Question{Parts: slices.Clone(q.Parts)}
			if Withdraw(&without, &questions[i]) {
				list = append(list, &questions[i])
			}
		}
	}
	return list
}

// Lapse takes from the outcome of a call, before it is stored, what memory no longer has: the offers of
// its question, or its answer, so that the question is asked.
func (a *Answers) Lapse(tool string, out *tools.Outcome) {
	q := out.Question
	if q == nil {
		return
	}
	if out.Answer != nil {
		if _, ok := a.silently(tool, q); !ok {
			out.Answer = nil
			a.markKept(tool, q)
		}
	}
	for i := range q.Parts {
		if e := q.Parts[i].Earlier; e != nil && e.Memory {
			if s, _, ok := a.rememberedPart(tool, q, i); !ok || !s.at.Equal(time.Time(e.AnsweredAt)) {
				q.Parts[i].Earlier = nil
			}
		}
	}
}

// Silently reports whether a question was answered without asking, with what the person had answered
// to the clarification of.
func Silently(c, of *chat.Clarification) bool {
	if c.State != tools.StateRemembered || c.IsForm() || c.AskedAt.Before(of.AnsweredAt) {
		return false
	}
	for i := range c.Question.Parts {
		for part := range of.Question.Parts {
			p, was := &c.Question.Parts[i], &of.Question.Parts[part]
			same := p.Key != "" && p.Key == was.Key || p.Template != "" && p.Template == was.Template && filled(&c.Question, i) == filled(&of.Question, part)
			if same && says(p.InputType, c.Question.AnswerTo(c.Answer, i), of.Question.AnswerTo(of.Answer, part)) {
				return true
			}
		}
	}
	return false
}

// says reports whether two answers to questions of one type say the same, apart from notes; nil says
// nothing. The values of a multiselect have the order of its options, which differs between questions.
func says(kind tools.InputType, a, b *tools.Answer) bool {
	if a == nil || b == nil || !bytes.Equal(a.Value, b.Value) || a.Other != b.Other {
		return false
	}
	if kind == tools.Multiselect {
		return slices.Equal(slices.Sorted(slices.Values(a.Values)), slices.Sorted(slices.Values(b.Values)))
	}
	return slices.Equal(a.Values, b.Values)
}

// Keys returns the keys under which answers to the parts of a question may be remembered.
func Keys(q *tools.Question) (keys []string) {
	for i := range q.Parts {
		for _, key := range []string{q.Parts[i].Key, q.Parts[i].Template} {
			if key != "" && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
