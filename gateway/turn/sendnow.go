package turn

import (
	"context"
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// SendNow is a request to begin the turn of a queued message before those of all others.
type SendNow struct {
	Ref       chat.Ref
	MessageID string
	// LastEventID is the chat's newest event that the sender says it has seen; "" if it does not say.
	LastEventID string
	By          chat.Actor // for the audit
}

// SendNow stops the running turn, or closes the questions for which the turn waits, and then begins the
// turn of a queued message. If the process dies in between, the message still comes next. A question
// that the sender may not have seen is not closed; the error is then clarification_pending. Other errors
// are those of TakeBack, and draining. The client may leave at any moment.
func (e *Engine) SendNow(ctx context.Context, now SendNow) error {
	if e.node.Draining.Load() {
		return &chat.Error{Code: chat.CodeDraining}
	}
	setup := e.Setup()
	app, err := e.usable(setup, now.Ref.App)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	stopped := "" // the turn
	for {
		runs := ""
		cmd := &Command{Ref: now.Ref, LastEventID: now.LastEventID, By: now.By}
		accepted, err := e.apply("now", false, update{setup: setup, app: app, cmd: cmd}, func(t *transition) (err error) {
			runs, err = t.takeNow(now.MessageID, stopped)
			return err
		})
		if errors.Is(err, store.ErrNotFound) {
			err = e.begunOr(ctx, now.Ref, now.MessageID, err)
		}
		switch {
		case stopped != "" && (errors.Is(err, errNothing) || chat.CodeOf(err) == chat.CodeAlreadyBegun):
			return nil // the end of the stopped turn has begun it, or another message was sent at once after it
		case err != nil:
			return err
		}
		if begun, ok := accepted.(Begun); ok {
			e.runs.drive(begun.Run)
			return nil
		}
		if err := e.cancel(ctx, now.Ref, runs); err != nil {
			return err
		}
		stopped = runs
	}
}

// takeNow begins the turn of a queued message. If another turn runs, takeNow puts the message first in
// the queue instead, and returns the id of the turn, which has to be stopped. stopped is the turn that
// was stopped for the message; once it is not the newest any more, there is nothing to do.
func (t *transition) takeNow(messageID, stopped string) (runs string, err error) {
	q, err := waiting(t.tx, messageID)
	if err != nil {
		return "", err
	}
	turn := t.tx.Turn()
	switch {
	case turn == nil:
	case stopped != "" && turn.ID != stopped, stopped != "" && turn.State == chat.TurnRunning:
		return "", errNothing
	case turn.State == chat.TurnRunning:
		t.instead = Queued{*t.tx.Conversation(), q.ID}
		return turn.ID, errors.Join(t.tx.PutFirst(q.ID), t.tx.AddNews(chat.News{Type: chat.EventQueue}))
	case turn.State == chat.TurnPaused:
		if err := t.closeFor(turn, &q); err != nil {
			return "", err
		}
		return "", t.beginTurn()
	}
	if err := t.takeOut(&q); err != nil {
		return "", err
	}
	return "", t.beginTurn()
}

// closeFor takes a message out of the queue and closes the questions for which the turn waits.
func (t *transition) closeFor(turn *chat.Turn, q *chat.Queued) error {
	pending, err := t.tx.Clarifications().Pending()
	if err != nil {
		return err
	}
	seen := judge{update: t.update}
	for i := range pending {
		if c := &pending[i]; !t.due(c) {
			if err := seen.heldBack(c); err != nil {
				return err
			}
		}
	}
	if err := t.takeOut(q); err != nil {
		return err
	}
	return t.supersede(turn, pending)
}
