package turn

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// CancelClarification closes a pending question as cancelled, whoever it belongs to.
// If it was the last that was open, its turn goes on beside the caller, and the model
// is told that nobody answered. Errors are not_found (also where the app is gone, for
// nothing could go on), those of an answer to what is closed, without what the person
// answered, draining, and the store's.
func (e *Engine) CancelClarification(ctx context.Context, id string) error {
	if e.draining.Load() {
		return &chat.Error{Code: chat.CodeDraining}
	}
	c, err := e.Store.Clarification(ctx, id)
	if err != nil {
		return notFound(err)
	}
	setup := e.Setup()
	app, ok := setup.Config.App(c.App)
	if !ok {
		return &chat.Error{Code: chat.CodeNotFound}
	}
	lane := e.lane(c.Ref)
	lane.Lock()
	defer lane.Unlock()
	var s *submission
	err = e.update(c.Ref, false, func(tx store.Tx) error {
		s = &submission{engine: e, setup: setup, app: app, cmd: &Command{Ref: c.Ref}, tx: tx, now: time.Now()}
		s.before = tx.Conversation().LastEvent
		tx.Conversation().Fence++
		if err := s.cancel(id); err != nil {
			return err
		}
		return s.save()
	})
	if err != nil {
		return err
	}
	for i := range s.closed {
		e.metrics.closed(&s.closed[i])
	}
	r := s.run()
	if s.remaining {
		r.announce()
		return nil
	}
	e.register(r)
	go r.Drive(context.WithoutCancel(ctx), nil)
	return nil
}

// cancel closes a question that nobody is to answer any more.
func (s *submission) cancel(id string) error {
	all, err := s.tx.Clarifications()
	if err != nil {
		return err
	}
	c, err := pick(all, &Answer{ClarificationID: id})
	if err != nil {
		return err
	}
	if s.due(c) {
		c.State = tools.StateExpired
	}
	if err := closedError(c); err != nil {
		c.Answer = nil // it is no operator's business
		return err
	}
	c.State = tools.StateCancelled
	if err := s.finish(c); err != nil {
		return err
	}
	return s.goOn(s.tx.Turn())
}
