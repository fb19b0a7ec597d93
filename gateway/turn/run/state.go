package run

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// made notes who made a step, and what goes back to them with it. State that is too large, or of
// calls that the step does not have, is not kept: their client then does without.
func (r *Run) made(m *chat.Message, a *answer) {
	m.MadeBy = a.made.By
	switch {
	case len(m.ToolCalls) != len(a.calls):
	case len(a.made.State) > chat.MaxStepState:
		r.tellState("a step's", int64(len(a.made.State)), chat.MaxStepState)
	default:
		m.State = a.made.State
	}
}

// overState makes room for the state of a step where its chat would have more than
// chat.MaxState: of all turns but the newest, or, where that alone has too much, of all. It
// returns the turn whose state stays, "" for none; nil: all of it does.
func (r *Run) overState(m *chat.Message) (but *string) {
	if m.State == nil {
		return nil
	}
	all, ofTurn := r.history.StateSizes(m.TurnID)
	size := int64(len(m.State))
	if all+size <= chat.MaxState {
		return nil
	}
	but = new(string)
	if ofTurn+size <= chat.MaxState {
		*but = m.TurnID
	} else {
		m.State = nil
	}
	r.tellState("a chat's", all+size, chat.MaxState)
	return but
}

// tellState tells the log once a run that state of a model is not kept.
func (r *Run) tellState(whose string, bytes, most int64) {
	if !r.tooMuch {
		r.tooMuch = true
		r.Log.Warn("state that a model handed out is over a limit, and is dropped", "limit", whose, "model", r.draft.model, "bytes", bytes, "most", most)
	}
}

// appendStep stores a step; but is what overState says.
func appendStep(tx store.RunTx, m chat.Message, but *string) error {
	if but != nil {
		if err := tx.DropState(*but); err != nil {
			return err
		}
	}
	return tx.AppendMessage(m)
}
