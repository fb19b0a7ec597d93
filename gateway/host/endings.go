package host

import (
	"context"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
)

// endings are the fronts' responses that are being written, one per chat. Only when a response is
// closed is it known whether it reached its client, and a client may have read the last byte
// before that is stored.
type endings struct{ open sync.Map } // chat.Ref to chan struct{}

// begin notes that a run of a chat is being streamed; the function ends it.
func (e *endings) begin(of chat.Ref) (end func()) {
	done := make(chan struct{})
	e.open.Store(of, done)
	return sync.OnceFunc(func() {
		e.open.CompareAndDelete(of, done)
		close(done)
	})
}

// wait waits until no response of the chat is about to end.
func (e *endings) wait(ctx context.Context, of chat.Ref) {
	if done, ok := e.open.Load(of); ok {
		select {
		case <-done.(chan struct{}): //nolint:forcetypeassert // see begin
		case <-ctx.Done():
		}
	}
}
