package turn

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// expire closes the questions that are due, and goes on with their turns. All are closed in time,
// however many there are; their runs wait for a place.
func (s *sweeper) expire(ctx context.Context) {
	for ctx.Err() == nil && !s.engine.node.Draining.Load() {
		due, err := s.engine.Store.Due().Expired(ctx, s.engine.Store.Now(), sweepLimit)
		if err != nil {
			s.engine.Log.Warn("cannot list expired questions", "error", err)
			return
		}
		// Several nodes do this at the same time: let each begin elsewhere.
		rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
		closed := 0
		for _, c := range due {
			over := false // closed without a run that has to be driven
			r, err := s.engine.begin(c.Ref, func(t *transition) error {
				over = false
				err := t.expire(c.ID)
				over = err == nil && t.async != nil
				return err
			})
			if err != nil {
				s.engine.Log.Warn("cannot close an expired question", "app", c.App, "chatId", c.ChatID, "turnId", c.TurnID, "error", err)
				return
			}
			if r != nil || over {
				closed++
			}
			if r != nil {
				s.engine.runs.drive(r)
			}
		}
		if len(due) < sweepLimit || closed == 0 {
			return
		}
	}
}

// expire closes a question whose time is over. If it was the last, the turn goes on.
func (t *transition) expire(id string) error {
	c, err := t.tx.Clarifications().Find(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return errNothing
	case err != nil:
		return err
	case !t.due(&c):
		return errNothing
	}
	return t.unanswered(&c, tools.StateExpired, nil)
}
