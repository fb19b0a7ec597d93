package turn

import (
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// The values of how in askgate_clarification_repeats_total.
const (
	repeatReturned = "returned" // the result of a question of the turn
	repeatWaited   = "waited"   // for the result of one of the same step
	repeatAgain    = "again"    // asked, since the call says so
	repeatAsked    = "asked"    // asked, since the app says so
)

// knownAnswers is what a run knows of answers while the calls of a step are carried out.
type knownAnswers struct {
	run    *Run
	calls  []tools.Call
	known  tools.Question // the last that Known was asked about
	asking []asking
	waits  map[string][]string // calls that wait for the result of another, by its id
}

var _ toolexec.Answers = (*knownAnswers)(nil)

// asking is a question of the step at hand.
type asking struct {
	call string // its id
	as   tools.Question
}

// Known implements toolexec.Answers: a question that repeats one of the turn. One that is asked
// in this step has no result yet; the call waits for it.
func (k *knownAnswers) Known(i int, q tools.Question) (tools.Outcome, bool) {
	k.known = q
	k.known.Parts = slices.Clone(q.Parts) // options that are listed go into those of q
	of, here := k.sameStep(q)
	earlier := k.sameTurn(q)
	var how string
	if returns := !q.Again && (here || earlier != nil) && k.run.app.Clarifications.Repeats != config.RepeatsAsk; !returns && !q.Again {
		if a, ok := k.run.silently(k.calls[i].Name, &q); ok {
			return tools.Outcome{Question: &q, Answer: &a}, true
		}
	}
	switch {
	case !here && earlier == nil:
		return tools.Outcome{}, false
	case q.Again:
		how = repeatAgain
	case k.run.app.Clarifications.Repeats == config.RepeatsAsk:
		how = repeatAsked
	case here:
		how = repeatWaited
	default:
		how = repeatReturned
	}
	k.run.engine.metrics.repeats.WithLabelValues(k.run.app.ID, how).Inc()
	switch how {
	case repeatWaited:
		k.waits[of] = append(k.waits[of], k.calls[i].ID)
		return tools.Outcome{}, true
	case repeatReturned:
		result := repeated(k.run.history.Calls[earlier.ToolCallID].Result, earlier.ToolCallID)
		return tools.Outcome{Result: result.Content, Error: result.Error}, true
	}
	return tools.Outcome{}, false
}

// Asking implements toolexec.Answers.
func (k *knownAnswers) Asking(i int, q *tools.Question) {
	k.asking = append(k.asking, asking{k.calls[i].ID, k.known})
	k.run.offer(k.calls[i].Name, q, k.run.lastTimes())
	k.run.markKept(k.calls[i].Name, q)
	k.run.offer(k.calls[i].Name, q, k.run.rememberedFor(k.calls[i].Name, q))
}

// sameStep is the call that asks the same in this step, the latest.
func (k *knownAnswers) sameStep(q tools.Question) (call string, ok bool) {
	for i := len(k.asking) - 1; i >= 0; i-- {
		if q.Repeats(k.asking[i].as) {
			return k.asking[i].call, true
		}
	}
	return "", false
}

// sameTurn is the question of the turn that a person has closed last and that q repeats; nil if
// there is none. An answer counts only if it is one to q, whose rules may be others; what a tool
// lists was checked when it was answered.
func (k *knownAnswers) sameTurn(q tools.Question) *chat.Clarification {
	h := k.run.history
	for _, c := range slices.Backward(h.All()) { // what was asked last, for what was not is told at once
		if c.TurnID != k.run.turn.ID || c.Question.State != nil || !c.State.Replied() || !q.Repeats(c.Question) {
			continue
		}
		if call := h.Calls[c.ToolCallID]; call == nil || call.Result == nil {
			continue
		}
		if c.Answer != nil && !c.Answer.Skipped && !c.Answer.Declined && len(q.Sources) == 0 && !k.run.accepts(c.ToolName, q, *c.Answer) {
			return nil
		}
		return c
	}
	return nil
}

// repeated is the result of a call that asks what another one has asked.
func repeated(result *chat.ToolResult, call string) chat.ToolResult {
	r := *result
	r.Shown = nil
	if r.Error == nil {
		r.Content += "\n\n" + tools.GatewayMark + " This is the result of the call " + call + ", which asked the same; the user was not asked twice. To ask again nevertheless, set \"again\": true."
	}
	return r
}
