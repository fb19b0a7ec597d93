package turn

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// expire closes the questions that are due, or whose asker is gone, goes on with their turns, and
// escalates others. All are closed in time, however many there are; their runs wait for a place.
func (s *sweeper) expire(ctx context.Context) {
	s.changeDue(ctx, s.engine.Store.Due().Expired, (*transition).expire)
	s.changeDue(ctx, s.engine.Store.Due().Gone, (*transition).withdrawGone)
	s.changeDue(ctx, s.engine.Store.Due().Escalating, (*transition).escalate)
}

// changeDue closes or escalates the questions that find lists, each in its own transition.
func (s *sweeper) changeDue(ctx context.Context, find func(context.Context, time.Time, int) ([]chat.Clarification, error), change func(*transition, string) error) {
	for ctx.Err() == nil && !s.engine.node.Draining.Load() {
		due, err := find(ctx, s.engine.Store.Now(), sweepLimit)
		if err != nil {
			s.engine.Log.Warn("cannot list the questions that are due", "error", err)
			return
		}
		// Several nodes do this at the same time: let each begin elsewhere.
		rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
		changed := 0
		for _, c := range due {
			over := false // changed without a run that has to be driven
			r, err := s.engine.begin(c.Ref, func(t *transition) error {
				over = false
				err := change(t, c.ID)
				over = err == nil
				return err
			})
			if err != nil {
				s.engine.Log.Warn("cannot close or escalate a question that is due", "app", c.App, "chatId", c.ChatID, "turnId", c.TurnID, "error", err)
				return
			}
			if r != nil || over {
				changed++
			}
			if r != nil {
				s.engine.runs.drive(r)
			}
		}
		if len(due) < sweepLimit || changed == 0 {
			return
		}
	}
}

// expire closes a question whose time is over. If it was the last, the turn goes on.
func (t *transition) expire(id string) error {
	return t.closeIf(id, tools.StateExpired, t.due)
}

// withdrawGone withdraws a question for which no one has waited for too long.
func (t *transition) withdrawGone(id string) error {
	return t.closeIf(id, tools.StateCancelled, func(c *chat.Clarification) bool {
		at := c.GoneAt()
		return c.State == tools.StatePending && !t.due(c) && !at.IsZero() && !t.now.Before(at)
	})
}

// closeIf closes a question that is still there, and still to be closed.
func (t *transition) closeIf(id string, state tools.State, is func(*chat.Clarification) bool) error {
	c, err := t.tx.Clarifications().Find(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return errNothing
	case err != nil:
		return err
	case !is(&c):
		return errNothing
	}
	return t.unanswered(&c, state, nil)
}
