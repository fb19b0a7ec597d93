package run

import (
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// A call that a person has refused stays refused for the rest of its turn. If the model makes an
// equal call in a later step, people do not see it: the model is informed of the refusal. If it makes
// the call once more in a step after that, the turn ends. Nothing extra is stored for this: the
// stored steps and approvals of the turn decide, so it holds on every node, after a restart, and in
// a fork that copies these steps.

// errRefusedAgain ends a turn whose model makes a refused call once more after being informed of the
// refusal.
var errRefusedAgain = errors.New("turn: the model makes a call again that a person refused")

// alreadyRefused returns the results of those open calls of a step that a person refused in an
// earlier step. The error is errRefusedAgain if the model was informed of one of these refusals before.
func (r *Run) alreadyRefused(step *chat.Message) (map[string]chat.ToolResult, error) {
	results := map[string]chat.ToolResult{}
	approvals := r.approvals()
	for i := range step.ToolCalls[:min(len(step.ToolCalls), maxCalls)] {
		c := &step.ToolCalls[i]
		if c.Spoiled || c.Result != nil || c.Started != 0 || r.history.MayRun(c.ID) {
			continue
		}
		no, informed := r.refusal(step, c, approvals)
		if informed {
			r.Log.Warn("the turn ends: the model repeated a tool call that a person had refused", "model", r.draft.model, "tool", c.Name)
			return nil, errRefusedAgain
		}
		if no != nil {
			results[c.ID] = r.toResult(c.ID, refusedBefore(no))
		}
	}
	for id := range results {
		r.node.Executor.Refused(r.Setup.Catalog, r.App.ID, r.history.Calls[id].Name)
	}
	return results, nil
}

// approvals returns the approvals of the turn's calls, by call id; the later one of two.
func (r *Run) approvals() map[string]*chat.Clarification {
	of := map[string]*chat.Clarification{}
	for i := range r.history.View.Clarifications {
		c := &r.history.View.Clarifications[i]
		if c.TurnID == r.Turn.ID && c.Question.Kind == tools.KindApproval && (of[c.ToolCallID] == nil || of[c.ToolCallID].Before(c)) {
			of[c.ToolCallID] = c
		}
	}
	return of
}

// refusal returns the latest refusal of a call that equals c in a step before the given one, or nil
// if there is none or a later approval lifts it. informed says that the model was informed of the refusal in
// a step between. Of equal calls in one step, one approval is enough.
func (r *Run) refusal(step *chat.Message, c *chat.ToolCall, approvals map[string]*chat.Clarification) (no *chat.Clarification, informed bool) {
	equal := func(other *chat.ToolCall) bool {
		return other.Name == c.Name && arguments.Equal(other.Arguments, c.Arguments)
	}
	refused := false
	for id, about := range approvals {
		refused = refused || about.Refused() && r.history.Calls[id] != nil && equal(r.history.Calls[id])
	}
	if !refused { // the usual case: skip the steps
		return nil, false
	}
	for _, m := range r.history.Steps() {
		if m.ID == step.ID {
			break
		}
		if m.TurnID != r.Turn.ID {
			continue
		}
		var here *chat.Clarification
		yes, informedHere := false, false
		for i := range m.ToolCalls {
			other := &m.ToolCalls[i]
			if !equal(other) {
				continue
			}
			about := approvals[other.ID]
			switch {
			case about == nil: // people did not see it: it has the result of refusedBefore, or an error
				informedHere = informedHere || other.Result != nil && other.Result.Error == nil
			case about.Approved():
				yes = true
			case about.Refused():
				here = about
			}
		}
		switch {
		case yes:
			no, informed = nil, false
		case here != nil:
			no, informed = here, false
		default:
			informed = informed || no != nil && informedHere
		}
	}
	return no, informed
}

// refusedBefore returns the model's result of a call that a person has refused before.
func refusedBefore(no *chat.Clarification) tools.Outcome {
	return tools.Outcome{Result: tools.Unanswered(tools.StateDeclined,
		"This call was already refused in this turn; it was not made, and no one was asked again. "+
			"Go on without it: if you make it once more, the turn ends.", no.Closing().Note())}
}
