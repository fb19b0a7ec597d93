package host

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// endings are the responses of fronts that are being written, one of each chat: whether it reached
// its client is known when it is closed. A client may have read the last byte before that is stored.
type endings struct{ open sync.Map } // chat.Ref to chan struct{}

// begin notes that a run of a chat is told; the function ends it.
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

// delivered stores that a run, whose number is not 0, was told to its client whole. Where that fails, it counts as not known.
func delivered(r *Request, fence int64) {
	if fence == 0 || r.Context().Err() != nil { // the client left
		return
	}
	if err := r.Host.Engine.Delivered(r.Context(), r.Ref, fence); err != nil {
		r.Logger().LogAttrs(r.Context(), slog.LevelDebug, "could not store that a response was delivered whole", slog.Any("error", err))
	}
}

// Begins notes that a response of a front begins to tell a run of the chat; the function ends it.
func Begins(r *Request) (end func()) { return r.Host.endings.begin(r.Ref) }

// Delivered says that the newest run of a chat's newest turn is known to have reached a client
// whole, as it began or as it was told again.
func Delivered(r *Request, of *chat.Conversation, newest *chat.Turn) (bool, error) {
	if newest == nil {
		return false, nil
	}
	r.Host.endings.wait(r.Context(), of.Ref)
	run, err := r.Host.Store.LastRun(r.Context(), of.ID, newest.ID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return run.Delivered, err
}
