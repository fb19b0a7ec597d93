package api

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
)

// Begun is a run that a request has started.
type Begun struct {
	r       *request
	run     Run
	release func() // of its place among the concurrent turns
}

// Outlet is how a run is told to its client. Its methods are safe for concurrent use.
type Outlet interface {
	stream.Sink
	// Left ends a stream whose run goes on elsewhere, as message says to a person.
	Left(message string) error
	// Whole is the number of the run, if its client is known to have all of it; else 0.
	Whole() int64
}

// stream streams the run to its end, to a caller whose credential expires only until then:
// the run goes on without it.
func (b Begun) stream(open func(w *sse.Writer) Outlet) error {
	r := b.r
	r.host.metrics.streams.WithLabelValues(r.app.ID).Inc()
	defer r.host.metrics.streams.WithLabelValues(r.app.ID).Dec()
	r.asStream()
	w := sse.NewWriter(r.response(), r.host.Stream)
	defer w.Close()
	out := open(w)
	if !b.drive(out) { // the run continues elsewhere
		_ = out.Left(r.text("detail."+detailGoesOn, nil)) // the client's loss only
	}
	delivered(r, out.Whole())
	return nil
}

// drive drives the run, and says whether its end was seen.
func (b Begun) drive(sink stream.Sink) bool {
	if !b.r.caller.expires.IsZero() {
		return b.driveUntil(sink, b.r.caller.expires)
	}
	defer b.release()
	ctx, stop := b.whileHere()
	defer stop()
	result := b.run.Drive(ctx, sink)
	b.r.response().about.ran(result.TurnID)
	return result.FinishReason != ""
}

// driveUntil drives a run, and says whether its end came before its caller's credential
// expired.
func (b Begun) driveUntil(sink stream.Sink, expires time.Time) bool {
	expired, cancel := context.WithDeadline(context.WithoutCancel(b.r.ctx()), expires)
	defer cancel()
	var result chat.Result // read when ended is closed
	ended := make(chan struct{})
	ctx, log := b.r.ctx(), b.r.logger() // gin takes r.c back when this returns
	go func() {
		defer close(ended)
		defer b.release()
		defer func() {
			if p := recover(); p != nil { // as observe does for the request's own goroutine
				log.LogAttrs(ctx, slog.LevelError, "panic", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			}
		}()
		result = b.run.Drive(ctx, sink)
	}()
	select {
	case <-ended:
		return result.FinishReason != ""
	case <-expired.Done():
		return false
	}
}

// toEnd drives a run whose response is written when it is over. A run that failed, or whose
// end is not seen, is the error.
func (b Begun) toEnd(sink stream.Sink) (chat.Result, error) {
	ctx, stop := b.whileHere()
	defer stop()
	res := b.run.Drive(ctx, sink)
	b.r.response().about.ran(res.TurnID)
	switch {
	case res.FinishReason == "":
		return res, goesOn(b.r)
	case res.Failure != nil || res.FinishReason == chat.FinishError:
		return res, &fault{code: codeModelError, failed: &res}
	}
	return res, nil
}

// whileHere is the request's context. Where the run is only watched, it also ends when the
// gateway leaves: the run goes on without it.
func (b Begun) whileHere() (context.Context, context.CancelFunc) {
	if !b.run.Watches() {
		return b.r.ctx(), func() {}
	}
	ctx, cancel := context.WithCancel(b.r.ctx())
	stop := context.AfterFunc(b.r.host.draining, cancel)
	return ctx, func() { stop(); cancel() }
}

// detailGoesOn is the text which says that what was sent is taken, and its end not seen.
const detailGoesOn = "goes_on"

// goesOn is the response in JSON mode where what was sent is taken, and its end is not
// seen: the gateway leaves, the chat was deleted meanwhile, or the store cannot be read.
func goesOn(r *request) error {
	if r.host.isDraining() {
		return &fault{code: chat.CodeDraining, detail: detailGoesOn}
	}
	if _, _, err := r.host.Store.Conversation(r.ctx(), r.ref); chat.CodeOf(err) == chat.CodeNotFound {
		return err
	}
	return &fault{code: chat.CodeStoreUnavailable, detail: detailGoesOn}
}
