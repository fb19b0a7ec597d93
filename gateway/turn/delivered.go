package turn

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
)

// Delivered stores that the response with a run has reached its client completely.
func (e *Engine) Delivered(ctx context.Context, ref chat.Ref, fence int64) error {
	return e.Store.SaveDelivered(context.WithoutCancel(ctx), ref, fence)
}
