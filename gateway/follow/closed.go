package follow

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Closed waits until a clarification is closed, or ctx ends, and returns it as stored then.
// Errors are not_found, also where it is erased meanwhile, and the store's; the end of ctx is
// none, but where nothing was read before it.
func (r *Reader) Closed(ctx context.Context, id string) (chat.Clarification, error) {
	c, err := r.Store.Clarification(ctx, id)
	for err == nil && c.State == tools.StatePending {
		select {
		case <-ctx.Done():
			return c, nil
		case <-time.After(lookEvery):
		}
		var now chat.Clarification
		if now, err = r.Store.Clarification(ctx, id); err == nil {
			c = now
		} else if ctx.Err() != nil {
			return c, nil
		}
	}
	return c, err
}
