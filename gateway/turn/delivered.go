package turn

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
)

// Delivered keeps that a response with a run reached its client whole.
func (e *Engine) Delivered(ctx context.Context, ref chat.Ref, fence int64) error {
	return e.Store.SaveDelivered(context.WithoutCancel(ctx), ref, fence)
}
