package reuse

import (
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// The values of how in askgate_clarification_repeats_total.
const (
	repeatReturned = "returned" // gave the result of an earlier question of the turn
	repeatWaited   = "waited"   // waited for the result of a question of the same step
	repeatAgain    = "again"    // asked again, because the call requests it
)

// Step holds what is known of answers while the calls of a step are carried out.
type Step struct {
	Waits map[string][]string            // calls that wait for the result of another, by the id of the latter
	From  map[string]*chat.Clarification // whose result calls got, by the ids of these calls

	answers *Answers
	calls   []tools.Call
	known   tools.Question // the question that Known was last called with
	asking  []asking
}

var _ toolexec.Answers = (*Step)(nil)

// Step begins a step with these calls.
func (a *Answers) Step(calls []tools.Call) *Step {
	return &Step{Waits: map[string][]string{}, From: map[string]*chat.Clarification{}, answers: a, calls: calls}
}

// asking is a question of the current step.
type asking struct {
	call string // its id
	as   tools.Question
}

// Known implements toolexec.Answers. It answers a question that repeats one of the turn, or that
// memory answers. If the repeated question is of this step, it has no result yet, and the call waits
// for it.
func (s *Step) Known(i int, q tools.Question) (tools.Outcome, bool) {
	s.known = q
	s.known.Parts = slices.Clone(q.Parts) // q's own parts will get the listed options
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
		s.From[s.calls[i].ID] = earlier
		result := Repeated(s.answers.History.Calls[earlier.ToolCallID].Result, earlier.ToolCallID)
		return tools.Outcome{Result: result.Content, Error: result.Error}, true
	}
	return tools.Outcome{}, false
}

// Asking implements toolexec.Answers.
func (s *Step) Asking(i int, q *tools.Question) {
	a, tool := s.answers, s.calls[i].Name
	s.asking = append(s.asking, asking{s.calls[i].ID, s.known})
	a.offer(tool, q, answersOf(a.History.Questions))
	a.offer(tool, q, a.pastTimes())
	a.markKept(tool, q)
	a.offer(tool, q, a.rememberedFor(tool, q))
}

// sameStep returns the latest call that asks the same in this step.
func (s *Step) sameStep(q tools.Question) (call string, ok bool) {
	for i := len(s.asking) - 1; i >= 0; i-- {
		if q.Repeats(s.asking[i].as) {
			return s.asking[i].call, true
		}
	}
	return "", false
}

// sameTurn returns the turn's last closed question that q repeats, or nil if there is none. Its
// answer counts only if it answers q, too, whose rules may differ; answers from a tool's list were
// checked when they were given.
func (s *Step) sameTurn(q tools.Question) *chat.Clarification {
	h := s.answers.History
	for _, c := range slices.Backward(h.All()) { // the question asked last comes first; those answered without asking were closed at once, and come last
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

// Repeated returns the result of a call that asks the same as another one.
func Repeated(result *chat.ToolResult, call string) chat.ToolResult {
	r := *result
	r.Shown = nil
	if r.Error == nil {
		r.Content += "\n\n" + tools.GatewayMark + " This is the result of the call " + call + ", which asked the same; the user was not asked twice. To ask again nevertheless, set \"again\": true."
	}
	return r
}
