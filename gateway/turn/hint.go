package turn

import (
	"fmt"

	"github.com/askgate/askgate/tools"
)

// hintWith is the single question of a turn behind whose answer the model is told to ask the
// rest at once: one alone may be all that it needs.
const hintWith = 2

// hints are what the model is told that asks one question after another, by call id: like
// what it may still ask (see told), made again from what is stored.
func (r *Run) hints() map[string]string {
	caps := &r.app.Clarifications
	if !caps.Hint || caps.MaxQuestions < 2 {
		return nil
	}
	hinted := r.history.oneByOne(caps.PerConversation, caps.PerTurn)
	if len(hinted) == 0 {
		return nil
	}
	hints, steps := map[string]string{}, r.history.steps()
	for i := range steps {
		for _, call := range steps[i].ToolCalls {
			if hinted[call.ID] && r.followed(steps, i) {
				hints[call.ID] = fmt.Sprintf("You have asked one question after another. "+
					"If you need to know more, ask for all of it at once: one call of %s, with \"questions\"", call.Name)
			}
		}
	}
	return hints
}

// oneByOne are the calls that asked the hintWith-th single question of their turns, and after
// which the model could ask more. A question is single where its step asked no other: each
// step that asks is a run's last.
func (h *history) oneByOne(perConversation, perTurn int) map[string]bool {
	if len(h.questions) < hintWith {
		return nil
	}
	parts := map[int64]int{} // by run
	for i := range h.questions {
		if c := &h.questions[i]; c.State != tools.StateRemembered { // else nobody was asked
			parts[c.AskedFence] += len(c.Question.Parts)
		}
	}
	asked, inTurn, single, hinted := 0, map[string]int{}, map[string]int{}, map[string]bool{}
	for i := range h.questions {
		c := &h.questions[i]
		if c.State == tools.StateRemembered {
			continue
		}
		asked++
		inTurn[c.TurnID]++
		if by := c.Question.AskedBy; parts[c.AskedFence] != 1 || by == nil || by.Kind != tools.AskerModel {
			continue
		}
		single[c.TurnID]++
		if single[c.TurnID] == hintWith && asked < perConversation && inTurn[c.TurnID] < perTurn {
			hinted[c.ToolCallID] = true
		}
	}
	return hinted
}
