package run

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// made notes who made a step, and what goes back to them with it. State that is too large, or of
// calls that the step does not have, is not kept. Their client then does without, also without the
// state of the steps before: servers take a gap for a change.
func (d *draft) made(m *chat.Message, a *answer) {
	m.MadeBy = a.made.By
	large := len(a.made.State) > chat.MaxStepState
	if large {
		d.tellState("a step's", int64(len(a.made.State)), chat.MaxStepState)
	}
	switch {
	case a.made.State == nil:
	case large || len(m.ToolCalls) != len(a.calls):
		d.run.prompt.LeavesGap(d.model)
	default:
		m.State = a.made.State
	}
}

// overState makes room for the state of a step where its chat would have more than
// chat.MaxState: of all turns but the newest, or, where that alone has too much, of all. It
// returns the turn whose state stays, "" for none; nil: all of it does.
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
	d.tellState("a chat's", all+size, chat.MaxState)
	return but
}

// tellState tells the log once a run that state of a model is not kept.
func (d *draft) tellState(whose string, bytes, most int64) {
	if !d.tooMuch {
		d.tooMuch = true
		d.run.Log.Warn("state that a model handed out is over a limit, and is dropped", "limit", whose, "model", d.model, "bytes", bytes, "most", most)
	}
}

// dropState makes the room that a step needs; but is what overState says.
func dropState(but *string) func(store.RunTx) error {
	if but == nil {
		return nil
	}
	return func(tx store.RunTx) error { return tx.DropState(*but) }
}
