package host

import (
	"errors"
	"log/slog"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// delivered stores that a run, whose number is not 0, reached its client whole. If storing fails,
// delivery counts as unknown.
func delivered(r *Request, fence int64) {
	if fence == 0 || r.Context().Err() != nil { // the client left
		return
	}
	if err := r.Host.Engine.Delivered(r.Context(), r.Ref, fence); err != nil {
		r.Logger().LogAttrs(r.Context(), slog.LevelDebug, "cannot store that a response was delivered completely", slog.Any("error", err))
	}
}

// Begins notes that a response of a front begins to stream a run of the chat; the function ends
// it.
func Begins(r *Request) (end func()) { return r.Host.endings.begin(r.Ref) }

// Delivered reports whether the newest run of a chat's newest turn is known to have reached a
// client whole, when it ran or when it was streamed again.
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
