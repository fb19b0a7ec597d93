package host

import (
	"context"
	"log/slog"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
)

// endings are the responses of fronts that are being written, one of each chat: whether it reached
// its client is known when it is closed. A client may have read the last byte before that is stored.
type endings struct{ open sync.Map } // chat.Ref to chan struct{}

// Begin notes that a run of a chat is told; the function ends it.
func (e *endings) Begin(of chat.Ref) (end func()) {
	done := make(chan struct{})
	e.open.Store(of, done)
	return sync.OnceFunc(func() {
		e.open.CompareAndDelete(of, done)
		close(done)
	})
}

// Wait waits until no response of the chat is about to end.
func (e *endings) Wait(ctx context.Context, of chat.Ref) {
	if done, ok := e.open.Load(of); ok {
		select {
		case <-done.(chan struct{}): //nolint:forcetypeassert // see begin
		case <-ctx.Done():
		}
	}
}

// Delivered stores that a run, whose number is not 0, was told to its client whole. Where that fails, it counts as not known.
func Delivered(r *Request, fence int64) {
	if fence == 0 || r.Context().Err() != nil { // the client left
		return
	}
	if err := r.Host.Engine.Delivered(r.Context(), r.Ref, fence); err != nil {
		r.Logger().LogAttrs(r.Context(), slog.LevelDebug, "could not store that a response was delivered whole", slog.Any("error", err))
	}
}
