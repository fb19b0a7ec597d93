package turn

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn/run"
	"github.com/askgate/askgate/tools"
)

// CancelClarification closes a pending question as cancelled, regardless of its owner; the audit
// names by as the actor. If it was the last open question, its turn goes on in the background, and
// the model is informed that no one answered. Errors are not_found (also if the app is gone, since
// nothing could go on), those of an answer to a closed question, without what the person answered,
// draining, and the store's.
func (e *Engine) CancelClarification(ctx context.Context, id string, by chat.Actor) error {
	c, err := e.Store.Clarification(ctx, id)
	if err != nil {
		return err
	}
	tried := false
	r, err := e.begin(c.Ref, func(t *transition) error {
		tried, t.cmd.By = true, by
		return t.cancel(id, chat.ChannelAdmin)
	})
	switch {
	case err != nil:
		return err
	case !tried && e.node.Draining.Load():
		return &chat.Error{Code: chat.CodeDraining}
	case !tried:
		return &chat.Error{Code: chat.CodeNotFound}
	case r != nil:
		e.runs.drive(r)
	}
	return nil
}

// cancel closes a question without an answer.
func (t *transition) cancel(id string, channel chat.Channel) error {
	found, err := t.tx.Clarifications().Find(id)
	if err != nil {
		return err
	}
	c := &found
	if err := t.closable(c); err != nil {
		if channel == chat.ChannelAdmin {
			c.Answer = nil // operators do not see what people answered
		}
		return err
	}
	return t.unanswered(c, tools.StateCancelled, t.by(channel))
}

// Cancel stops the chat's running turn, on whatever node it runs, and waits until it has ended. If
// nothing runs, Cancel returns nil. A pending question can still be answered.
func (e *Engine) Cancel(ctx context.Context, ref chat.Ref) error { return e.cancel(ctx, ref, "") }

// cancel is Cancel for the turn with that id; "" is any.
func (e *Engine) cancel(ctx context.Context, ref chat.Ref, turnID string) error {
	head, turn, err := e.Store.Conversation(ctx, ref)
	if err != nil {
		return err
	}
	if turn == nil || turn.State != chat.TurnRunning || turnID != "" && turn.ID != turnID {
		return nil
	}
	if r := e.here(ref, head.ID); r != nil {
		if turnID != "" && r.Record.TurnID != turnID {
			return nil
		}
		return stop(ctx, r)
	}
	e.Hub.Stop(head.ID)
	for deadline := time.Now().Add(stopWait); time.Now().Before(deadline); {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(stopPoll):
		}
		last, now, err := e.Store.Conversation(ctx, ref)
		if err != nil {
			return err
		}
		if now.ID != turn.ID || now.State != chat.TurnRunning {
			return nil
		}
		head = last
	}
	left := e.streamed(head)
	// Its node is dead, or out of reach.
	r, err := e.begin(ref, func(t *transition) error {
		if err := t.takeFrom(turn.ID); err != nil {
			return err
		}
		t.start.Streamed = left
		return nil
	})
	if err != nil {
		return err
	}
	if r == nil { // it has ended, or was taken over here meanwhile
		if r = e.here(ref, head.ID); r == nil {
			return nil
		}
		return stop(ctx, r)
	}
	r.Cancel(run.ErrStopped)
	e.runs.drive(r)
	return stop(ctx, r)
}

// here returns the chat's run that this process drives, or nil if there is none. Because of the
// lane, each run whose beginning is stored is registered.
func (e *Engine) here(ref chat.Ref, conversationID string) *run.Run {
	lane := e.node.Lane(ref)
	lane.Lock()
	defer lane.Unlock()
	return e.runs.registered(conversationID)
}

// stop ends the run and waits for its end, at most cancelWait.
func stop(ctx context.Context, r *run.Run) error {
	r.Cancel(run.ErrStopped)
	ctx, cancel := context.WithTimeout(ctx, cancelWait)
	defer cancel()
	select {
	case <-r.Done():
	case <-ctx.Done():
	}
	return nil
}
