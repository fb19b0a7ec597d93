package host

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
)

// viewerTimeout is how far a viewer may lag: nothing waits for it, and a snapshot may be large.
const viewerTimeout = 30 * time.Second

// viewLife is how long an /events stream lasts at most, give or take a tenth: reconnecting
// viewers spread over all nodes, new ones included.
const viewLife = time.Hour

// maxEventID bounds an event id, in bytes; an unknown id is treated as one whose history is gone.
const maxEventID = 64

// Follow opens a view after an event id and streams it to a viewer, unless the caller already has
// most streams.
func Follow(r *Request, most int, as func(stream.Writer) stream.Sink, open func(ctx context.Context, after string) (Following, error)) error {
	if r.Host.IsDraining() {
		return &Fault{Code: chat.CodeDraining}
	}
	if err := DropBody(r.Response(), r.HTTP()); err != nil {
		return err
	}
	// A browser's EventSource reconnects with the old URL and its old lastEventId; the header has
	// the newest id that it received.
	after := r.HTTP().Header.Get("Last-Event-ID")
	if after == "" {
		after = r.QueryOr("lastEventId", "")
	}
	if len(after) > maxEventID {
		after = after[:maxEventID]
	}
	leave, d := r.Host.Limiter.Acquire(r.Context(), scopeStreams, r.Principal(), most)
	defer leave()
	if err := Decided(r, d); err != nil {
		return err
	}
	reading, begun := Reading(r, CostOfReply)
	defer begun()
	f, err := open(reading, after)
	if err != nil {
		return err
	}
	defer f.Close()
	r.Host.Metrics.streams.WithLabelValues(appID(r)).Inc()
	defer r.Host.Metrics.streams.WithLabelValues(appID(r)).Dec()

	ctx, cancel := context.WithTimeout(r.Context(), viewLife-viewLife/10+rand.N(viewLife/5))
	defer cancel()
	defer context.AfterFunc(r.Host.Draining, cancel)()
	if !r.Caller.expires.IsZero() {
		var expire context.CancelFunc
		ctx, expire = context.WithDeadline(ctx, r.Caller.expires)
		defer expire()
	}
	defer whileKnown(ctx, r, cancel)()
	options := r.Host.Stream
	options.WriteTimeout = viewerTimeout
	r.AsStream()
	w := sse.NewWriter(r.Response(), options)
	defer w.Close()
	_ = w.Write(nil) // shows the viewer that it is connected, even if nothing happens for long
	if err = f.Begin(as(w)); err == nil {
		begun()
		err = f.Stream(ctx, as(w))
	}
	if !errors.Is(err, stream.ErrErased) {
		_ = w.Retry(ComeBack()) // another node, or this one, can continue it
	}
	return nil
}

// ComeBack spreads the reconnects of a restarting node's viewers over some seconds, so that they
// do not all reach its successor at once.
func ComeBack() time.Duration { return time.Second + rand.N(4*time.Second) }
