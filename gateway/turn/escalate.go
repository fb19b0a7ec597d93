package turn

import (
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// escalate makes the steps of a question's escalation happen that are due, if it still waits, and
// announces them: from this commit on, the holders of further roles may answer, on all nodes.
func (t *transition) escalate(id string) error {
	c, err := t.tx.Clarifications().Find(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return errNothing
	case err != nil:
		return err
	case c.State != tools.StatePending || t.due(&c) || t.now.Before(c.NextStep()) || c.NextStep().IsZero():
		return errNothing
	}
	if c.Asker != "" {
		err = t.goAsync()
	} else if turn := t.tx.Turn(); turn == nil || turn.ID != c.TurnID || turn.State != chat.TurnPaused {
		return errNothing
	} else {
		t.openRun()
	}
	if err != nil {
		return err
	}
	fence, before := t.tx.Conversation().Fence, len(c.Roles())
	if t.async != nil && t.async.later { // no run announces it, but the news do
		fence = 0
	}
	c.Escalate(t.now, fence)
	if err := t.tx.Clarifications().SaveEscalated(c); err != nil {
		return err
	}
	if fence > 0 {
		t.amended = append(t.amended, chat.NewEscalated(&c, fence))
	}
	if err := t.engine.node.Recorder.Escalated(t.tx, &t.setup.Config.Gateway, &c, before); err != nil {
		return err
	}
	if t.async != nil {
		return nil
	}
	return t.goOn()
}
