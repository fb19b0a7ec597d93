package run

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// made records which model made a step, and the state that goes back to it with the step. State that
// is too large, or belongs to calls that the step does not have, is not kept. The model's client
// then leaves out the state of earlier steps as well, because servers take a gap for a change.
func (d *draft) made(m *chat.Message, a *answer) {
	m.MadeBy = a.made.By
	large := len(a.made.State) > chat.MaxStepState
	if large {
		d.logState("a step's", int64(len(a.made.State)), chat.MaxStepState)
	}
	switch {
	case a.made.State == nil:
	case large || len(m.ToolCalls) != len(a.calls):
		d.run.prompt.LeavesGap(d.model)
	default:
		m.State = a.made.State
	}
}

// overState makes room for the state of a step that would take its chat beyond chat.MaxState: by
// dropping the state of all turns but the newest or, if that alone is too large, of all turns. It
// returns the id of the turn whose state stays, "" for none, or nil if all state stays.
func (d *draft) overState(m *chat.Message) (but *string) {
	if m.State == nil {
		return nil
	}
	all, ofTurn := d.run.history.StateSizes(m.TurnID)
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
	d.logState("a chat's", all+size, chat.MaxState)
	return but
}

// logState logs, once in a run, that state of a model is not kept.
func (d *draft) logState(whose string, bytes, most int64) {
	if !d.tooMuch {
		d.tooMuch = true
		d.run.Log.Warn("state returned by the model exceeds a limit and is dropped", "limit", whose, "model", d.model, "bytes", bytes, "most", most)
	}
}

// dropState returns a change that makes the room that a step needs; but is the result of overState.
func dropState(but *string) func(store.RunTx) error {
	if but == nil {
		return nil
	}
	return func(tx store.RunTx) error { return tx.DropState(*but) }
}
