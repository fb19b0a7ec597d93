package host

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
	r       *Request
	run     Run
	Release func() // frees its place among the concurrent turns
}

// Again returns the newest run of the chat, to be streamed again.
func Again(r *Request) (Begun, error) {
	defer r.Release()
	if err := pay(r); err != nil {
		return Begun{}, err
	}
	r.ChatKnown = true
	run, err := r.Host.Engine.Again(r.Context(), r.Ref)
	if err != nil {
		return Begun{}, err
	}
	return join(r, run)
}

// Running returns the run that is under way in the chat, or false if there is none.
func Running(r *Request) (b Begun, goesOn bool, err error) {
	run, err := r.Host.Engine.Running(r.Context(), r.Ref)
	if err != nil || run == nil {
		return b, false, err
	}
	b, err = join(r, run)
	return b, true, err
}

// join returns a run that goes on without the request, whose client takes a place among the
// streams.
func join(r *Request, run Run) (Begun, error) {
	leave, d := r.Host.Limiter.Acquire(r.Context(), scopeStreams, r.Principal(), r.App.Limits.Streams)
	if err := Decided(r, d); err != nil {
		leave()
		return Begun{}, err
	}
	return Begun{r, run, leave}, nil
}

// Stream streams the run to its end. If the caller's credential expires earlier, the stream ends
// then, and the run goes on without it.
func (b Begun) Stream(open func(w *sse.Writer) Outlet) error {
	r := b.r
	r.Host.Metrics.streams.WithLabelValues(r.App.ID).Inc()
	defer r.Host.Metrics.streams.WithLabelValues(r.App.ID).Dec()
	r.AsStream()
	w := sse.NewWriter(r.Response(), r.Host.Stream)
	defer w.Close()
	out := open(w)
	if !b.drive(out) { // the run continues elsewhere
		_ = out.Left(r.Text("detail."+detailGoesOn, nil)) // only the client loses by it
	}
	delivered(r, out.Whole())
	return nil
}

// drive drives the run, and reports whether its end was seen.
func (b Begun) drive(sink stream.Sink) bool {
	if !b.r.Caller.expires.IsZero() {
		return b.driveUntil(sink, b.r.Caller.expires)
	}
	defer b.Release()
	ctx, stop := b.whileHere()
	defer stop()
	result := b.run.Drive(ctx, sink)
	b.r.Response().About.ran(result.TurnID)
	return result.FinishReason != ""
}

// driveUntil drives a run, and reports whether it ended before its caller's credential expired.
func (b Begun) driveUntil(sink stream.Sink, expires time.Time) bool {
	expired, cancel := context.WithDeadline(context.WithoutCancel(b.r.Context()), expires)
	defer cancel()
	result := &chat.Result{} // read when ended is closed
	ended := make(chan struct{})
	ctx, log := b.r.Context(), b.r.Logger() // gin takes r.c back when this returns
	go func() {
		defer close(ended)
		defer b.Release()
		defer func() {
			if p := recover(); p != nil { // Observe does the same for the request's own goroutine
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

// Collect is ToEnd for a response that shows the run: once it is written, the run is known to
// have been delivered whole.
func (b Begun) Collect(told Outlet) error {
	defer b.Release()
	b.r.told = told
	b.r.atEnd(b.r.Host.endings.begin(b.r.Ref))
	_, err := b.ToEnd(told)
	return err
}

// ToEnd drives a run whose response is written when it is over. It returns an error if the run
// failed, or its end was not seen.
func (b Begun) ToEnd(sink stream.Sink) (chat.Result, error) {
	ctx, stop := b.whileHere()
	defer stop()
	res := b.run.Drive(ctx, sink)
	b.r.Response().About.ran(res.TurnID)
	switch {
	case res.FinishReason == "":
		return *res, goesOn(b.r)
	case res.Failure != nil || res.FinishReason == chat.FinishError:
		return *res, &Fault{Code: codeModelError, failed: res}
	}
	return *res, nil
}

// whileHere returns the request's context. If the run is only watched, the context also ends when
// the gateway shuts down: the run goes on without it.
func (b Begun) whileHere() (context.Context, context.CancelFunc) {
	if !b.run.Watches() {
		return b.r.Context(), func() {}
	}
	ctx, cancel := context.WithCancel(b.r.Context())
	stop := context.AfterFunc(b.r.Host.Draining, cancel)
	return ctx, func() { stop(); cancel() }
}

// goesOn returns the response in JSON mode when what was sent was taken but its end was not seen:
// the gateway is shutting down, the chat was deleted meanwhile, or the store cannot be read.
func goesOn(r *Request) error {
	if r.Host.IsDraining() {
		return &Fault{Code: chat.CodeDraining, Detail: detailGoesOn}
	}
	if _, _, err := r.Host.Store.Conversation(r.Context(), r.Ref); chat.CodeOf(err) == chat.CodeNotFound {
		return err
	}
	return &Fault{Code: chat.CodeStoreUnavailable, Detail: detailGoesOn}
}
