package turn

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// CancelClarification closes a pending question as cancelled, whoever it belongs to;
// by is who wants so, for the audit.
// If it was the last that was open, its turn goes on beside the caller, and the model
// is told that nobody answered. Errors are not_found (also where the app is gone, for
// nothing could go on), those of an answer to what is closed, without what the person
// answered, draining, and the store's.
func (e *Engine) CancelClarification(ctx context.Context, id string, by chat.Actor) error {
	c, err := e.Store.Clarification(ctx, id)
	if err != nil {
		return notFound(err)
	}
	tried := false
	r, err := e.begin(c.Ref, func(s *submission) error {
		tried, s.cmd.By = true, by
		return s.cancel(id)
	})
	switch {
	case err != nil:
		return notFound(err) // or deleted in the meantime
	case !tried && e.draining.Load():
		return &chat.Error{Code: chat.CodeDraining}
	case !tried:
		return &chat.Error{Code: chat.CodeNotFound}
	case r != nil:
		e.drive(r)
	}
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
	s.open()
	c.State = tools.StateCancelled
	if err := s.finish(c); err != nil {
		return err
	}
	return s.goOn(s.tx.Turn())
}
