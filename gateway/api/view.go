package api

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
)

// viewerTimeout is how long a viewer may lag: nothing waits for it, and a snapshot may be
// large.
const viewerTimeout = 30 * time.Second

// viewLife is how long an /events stream lasts at most, give or take a tenth: reconnecting
// viewers spread over all nodes, new ones included.
const viewLife = time.Hour

// maxEventID bounds an event id, in bytes; an unknown one is treated as one whose history
// is gone.
const maxEventID = 64

// view streams to a viewer what open opens after an event id, unless the caller has that many
// streams already.
func (r *request) view(most int, as func(stream.Sink) stream.Sink, open func(ctx context.Context, after string) (Following, error)) error {
	if r.host.isDraining() {
		return &fault{code: chat.CodeDraining}
	}
	if err := dropBody(r.response(), r.http()); err != nil {
		return err
	}
	// A browser's EventSource reconnects with the old URL and its old lastEventId; the
	// header has the newest id that it received.
	after := r.http().Header.Get("Last-Event-ID")
	if after == "" {
		after = r.queryOr("lastEventId", "")
	}
	if len(after) > maxEventID {
		after = after[:maxEventID]
	}
	leave, d := r.host.Limiter.Acquire(r.ctx(), scopeStreams, r.principal(), most)
	defer leave()
	if err := r.decided(d); err != nil {
		return err
	}
	reading, begun := r.reading(costOfReply)
	defer begun()
	f, err := open(reading, after)
	if err != nil {
		return err
	}
	defer f.Close()
	r.host.metrics.streams.WithLabelValues(r.appID()).Inc()
	defer r.host.metrics.streams.WithLabelValues(r.appID()).Dec()

	ctx, cancel := context.WithTimeout(r.ctx(), viewLife-viewLife/10+rand.N(viewLife/5))
	defer cancel()
	defer context.AfterFunc(r.host.draining, cancel)()
	if !r.caller.expires.IsZero() {
		var expire context.CancelFunc
		ctx, expire = context.WithDeadline(ctx, r.caller.expires)
		defer expire()
	}
	defer whileKnown(ctx, r, cancel)()
	options := r.host.Stream
	options.WriteTimeout = viewerTimeout
	r.asStream()
	w := sse.NewWriter(r.response(), options)
	defer w.Close()
	_ = w.Write(nil) // the viewer is connected, even if nothing happens for long
	if err = f.Begin(as(w)); err == nil {
		begun()
		err = f.Stream(ctx, as(w))
	}
	if !errors.Is(err, stream.ErrErased) {
		_ = w.Retry(comeBack()) // another node, or this one, can continue it
	}
	return nil
}

// comeBack spreads the reconnects of a restarting node's viewers over some seconds, so
// that they do not reach its successor all at once.
func comeBack() time.Duration { return time.Second + rand.N(4*time.Second) }
