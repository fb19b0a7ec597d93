package reuse

import (
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// The values of how in askgate_clarification_repeats_total.
const (
	repeatReturned = "returned" // the result of a question of the turn
	repeatWaited   = "waited"   // for the result of one of the same step
	repeatAgain    = "again"    // asked, since the call says so
)

// Step is what is known of answers while the calls of a step are carried out.
type Step struct {
	Waits map[string][]string // calls that wait for the result of another, by its id

	answers *Answers
	calls   []tools.Call
	known   tools.Question // the last that Known was asked about
	asking  []asking
}

var _ toolexec.Answers = (*Step)(nil)

// Step begins a step of these calls.
func (a *Answers) Step(calls []tools.Call) *Step {
	return &Step{Waits: map[string][]string{}, answers: a, calls: calls}
}

// asking is a question of the step at hand.
type asking struct {
	call string // its id
	as   tools.Question
}

// Known implements toolexec.Answers: a question that repeats one of the turn. One that is asked
// in this step has no result yet; the call waits for it.
func (s *Step) Known(i int, q tools.Question) (tools.Outcome, bool) {
	s.known = q
	s.known.Parts = slices.Clone(q.Parts) // options that are listed go into those of q
	of, here := s.sameStep(q)
	earlier := s.sameTurn(q)
	repeats := here || earlier != nil
	var how string
	switch {
	case !repeats && !q.Again:
		given, ok := s.answers.silently(s.calls[i].Name, &q)
		if !ok {
			return tools.Outcome{}, false
		}
		return tools.Outcome{Question: &q, Answer: &given}, true
	case !repeats:
		return tools.Outcome{}, false
	case q.Again:
		how = repeatAgain
	case here:
		how = repeatWaited
	default:
		how = repeatReturned
	}
	s.answers.Repeated(how)
	switch how {
	case repeatWaited:
		s.Waits[of] = append(s.Waits[of], s.calls[i].ID)
		return tools.Outcome{}, true
	case repeatReturned:
		result := Repeated(s.answers.History.Calls[earlier.ToolCallID].Result, earlier.ToolCallID)
		return tools.Outcome{Result: result.Content, Error: result.Error}, true
	}
	return tools.Outcome{}, false
}

// Asking implements toolexec.Answers.
func (s *Step) Asking(i int, q *tools.Question) {
	a, tool := s.answers, s.calls[i].Name
	s.asking = append(s.asking, asking{s.calls[i].ID, s.known})
	a.offer(tool, q, a.lastTimes())
	a.markKept(tool, q)
	a.offer(tool, q, a.rememberedFor(tool, q))
}

// sameStep is the call that asks the same in this step, the latest.
func (s *Step) sameStep(q tools.Question) (call string, ok bool) {
	for i := len(s.asking) - 1; i >= 0; i-- {
		if q.Repeats(s.asking[i].as) {
			return s.asking[i].call, true
		}
	}
	return "", false
}

// sameTurn is the question of the turn that a person has closed last and that q repeats; nil if
// there is none. An answer counts only if it is one to q, whose rules may be others; what a tool
// lists was checked when it was answered.
func (s *Step) sameTurn(q tools.Question) *chat.Clarification {
	h := s.answers.History
	for _, c := range slices.Backward(h.All()) { // what was asked last, for what was not is told at once
		if c.TurnID != s.answers.Turn.ID || c.Question.State != nil || !c.State.Replied() || !q.Repeats(c.Question) {
			continue
		}
		if call := h.Calls[c.ToolCallID]; call == nil || call.Result == nil {
			continue
		}
		if c.Answer != nil && !c.Answer.Skipped && !c.Answer.Declined && len(q.Sources) == 0 {
			if _, err := s.answers.check(c.ToolName, q, *c.Answer); err != nil {
				return nil
			}
		}
		return c
	}
	return nil
}

// Repeated is the result of a call that asks what another one has asked.
func Repeated(result *chat.ToolResult, call string) chat.ToolResult {
	r := *result
	r.Shown = nil
	if r.Error == nil {
		r.Content += "\n\n" + tools.GatewayMark + " This is the result of the call " + call + ", which asked the same; the user was not asked twice. To ask again nevertheless, set \"again\": true."
	}
	return r
}
