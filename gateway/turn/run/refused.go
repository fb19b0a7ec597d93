package run

import (
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// A call that a person has refused stays refused for the rest of its turn. An equal call in a
// later step is not shown again: the model is told of the refusal. In the step after that, it ends
// the turn. Nothing is kept for this: what is stored of the turn's steps and approvals decides, so
// it holds on every node, after a restart, and in a fork that takes these steps along.

// errRefusedAgain ends a turn whose model makes a refused call once more, though it was told.
var errRefusedAgain = errors.New("turn: the model makes a call again that a person refused")

// alreadyRefused are the results of those open calls of a step that a person refused in an earlier
// step. The error is errRefusedAgain where the model was told of one of them before.
func (r *Run) alreadyRefused(step *chat.Message) (map[string]chat.ToolResult, error) {
	results := map[string]chat.ToolResult{}
	approvals := r.approvals()
	for i := range step.ToolCalls[:min(len(step.ToolCalls), maxCalls)] {
		c := &step.ToolCalls[i]
		if c.Spoiled || c.Result != nil || c.Started != 0 || r.history.MayRun(c.ID) {
			continue
		}
		no, told := r.refusal(step, c, approvals)
		if told {
			r.Log.Warn("the turn ends: the model makes a call again that a person refused", "model", r.draft.model, "tool", c.Name)
			return nil, errRefusedAgain
		}
		if no != nil {
			results[c.ID] = r.toResult(c.ID, toldAgain(no))
		}
	}
	for id := range results {
		r.node.Executor.Refused(r.Setup.Catalog, r.App.ID, r.history.Calls[id].Name)
	}
	return results, nil
}

// approvals are those of the turn's calls, by call id; of two, the later.
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

// refusal is the latest no to a call that equals c, in a step before the one given, nil where there
// is none or a yes lifts it; told says that the model was told of it in a step between. Of equal
// calls of one step, one yes is enough.
func (r *Run) refusal(step *chat.Message, c *chat.ToolCall, approvals map[string]*chat.Clarification) (no *chat.Clarification, told bool) {
	equal := func(other *chat.ToolCall) bool {
		return other.Name == c.Name && arguments.Equal(other.Arguments, c.Arguments)
	}
	refused := false
	for id, about := range approvals {
		refused = refused || about.Refused() && r.history.Calls[id] != nil && equal(r.history.Calls[id])
	}
	if !refused { // as nearly always: spare the steps
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
		yes, toldHere := false, false
		for i := range m.ToolCalls {
			other := &m.ToolCalls[i]
			if !equal(other) {
				continue
			}
			about := approvals[other.ID]
			switch {
			case about == nil: // it was not shown: it has the result of toldAgain, or an error
				toldHere = toldHere || other.Result != nil && other.Result.Error == nil
			case about.Approved():
				yes = true
			case about.Refused():
				here = about
			}
		}
		switch {
		case yes:
			no, told = nil, false
		case here != nil:
			no, told = here, false
		default:
			told = told || no != nil && toldHere
		}
	}
	return no, told
}

// toldAgain is what the model reads of a call that a person has refused before.
func toldAgain(no *chat.Clarification) tools.Outcome {
	note := ""
	if no.Answer != nil {
		note = tools.NoteBy(no.For, no.Answer.Note)
	}
	return tools.Outcome{Result: tools.Unanswered(tools.StateDeclined,
		"This call was already refused in this turn; it was not made, and nobody was asked again. "+
			"Go on without it: if you make it once more, the turn ends.", note)}
}
