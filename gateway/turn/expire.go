package turn

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// expire closes what is due, and the turns go on. However many there are, they are
// closed in time; their runs wait for a place.
func (e *Engine) expire(ctx context.Context) {
	for ctx.Err() == nil && !e.node.Draining.Load() {
		due, err := e.Store.Expired(ctx, e.Store.Now(), sweepLimit)
		if err != nil {
			e.Log.Warn("expired questions not read", "error", err)
			return
		}
		// Several nodes do so at the same time: each begins somewhere else.
		rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
		closed := 0
		for _, c := range due {
			over := false // without a run that is driven
			r, err := e.begin(c.Ref, func(t *transition) error {
				over = false
				err := t.expire(c.ID)
				over = err == nil && t.aside != nil
				return err
			})
			if err != nil {
				e.Log.Warn("question not closed", "app", c.App, "chatId", c.ChatID, "turnId", c.TurnID, "error", err)
				return
			}
			if r != nil || over {
				closed++
			}
			if r != nil {
				e.drive(r)
			}
		}
		if len(due) < sweepLimit || closed == 0 {
			return
		}
	}
}

// expire closes a question whose time is over; the turn goes on if it was the last.
func (t *transition) expire(id string) error {
	c, err := t.tx.Clarification(id)
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
