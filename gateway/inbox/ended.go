package inbox

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// lookAgain is how often a caller that waits for one question looks by itself: for an erased
// question, there is no news.
const lookAgain = 30 * time.Second

// Ended waits until a clarification is closed, or ctx ends, and returns it as it is stored then.
// Errors are not_found, also if the clarification is erased meanwhile, and those of the store when
// the wait begins. Later on, a store that is away is waited for. The end of ctx is not an error,
// unless nothing was read before it.
func (f *Inbox) Ended(ctx context.Context, id string) (c chat.Clarification, err error) {
	told := &Stream{inbox: f, keys: []key{{as: asQuestion, name: id}}, behind: true, ready: make(chan struct{}, 1)}
	if err := f.join(ctx, told); err != nil {
		return c, err
	}
	defer told.Close()
	if c, err = f.Store.Clarification(ctx, id); err != nil {
		return c, err
	}
	wait := lookAgain
	for c.State == tools.StatePending && rest(ctx, wait, told.ready) {
		now, err := f.Store.Clarification(ctx, id)
		switch {
		case err == nil:
			c, wait = now, lookAgain
		case errors.Is(err, store.ErrUnavailable), ctx.Err() != nil:
			wait = lookEvery
		default:
			return now, err
		}
	}
	return c, nil
}
