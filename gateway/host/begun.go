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
	Release func() // of its place among the concurrent turns
}

// Again is the newest run of the chat, to be told again.
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

// Running is the run that goes on in the chat; false: none does.
func Running(r *Request) (b Begun, goesOn bool, err error) {
	run, err := r.Host.Engine.Running(r.Context(), r.Ref)
	if err != nil || run == nil {
		return b, false, err
	}
	b, err = join(r, run)
	return b, true, err
}

// join is a run that goes on without the request, whose client takes a place among the streams.
func join(r *Request, run Run) (Begun, error) {
	leave, d := r.Host.Limiter.Acquire(r.Context(), scopeStreams, r.Principal(), r.App.Limits.Streams)
	if err := Decided(r, d); err != nil {
		leave()
		return Begun{}, err
	}
	return Begun{r, run, leave}, nil
}

// Stream streams the run to its end, to a caller whose credential expires only until then:
// the run goes on without it.
func (b Begun) Stream(open func(w *sse.Writer) Outlet) error {
	r := b.r
	r.Host.Metrics.streams.WithLabelValues(r.App.ID).Inc()
	defer r.Host.Metrics.streams.WithLabelValues(r.App.ID).Dec()
	r.AsStream()
	w := sse.NewWriter(r.Response(), r.Host.Stream)
	defer w.Close()
	out := open(w)
	if !b.drive(out) { // the run continues elsewhere
		_ = out.Left(r.Text("detail."+detailGoesOn, nil)) // the client's loss only
	}
	delivered(r, out.Whole())
	return nil
}

// drive drives the run, and says whether its end was seen.
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

// driveUntil drives a run, and says whether its end came before its caller's credential
// expired.
func (b Begun) driveUntil(sink stream.Sink, expires time.Time) bool {
	expired, cancel := context.WithDeadline(context.WithoutCancel(b.r.Context()), expires)
	defer cancel()
	var result chat.Result // read when ended is closed
	ended := make(chan struct{})
	ctx, log := b.r.Context(), b.r.Logger() // gin takes r.c back when this returns
	go func() {
		defer close(ended)
		defer b.Release()
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

// Collect is ToEnd for a response that tells the run: it is known to be told whole when that is written.
func (b Begun) Collect(told Outlet) error {
	defer b.Release()
	b.r.told = told
	b.r.atEnd(b.r.Host.endings.begin(b.r.Ref))
	_, err := b.ToEnd(told)
	return err
}

// ToEnd drives a run whose response is written when it is over. A run that failed, or whose
// end is not seen, is the error.
func (b Begun) ToEnd(sink stream.Sink) (chat.Result, error) {
	ctx, stop := b.whileHere()
	defer stop()
	res := b.run.Drive(ctx, sink)
	b.r.Response().About.ran(res.TurnID)
	switch {
	case res.FinishReason == "":
		return res, goesOn(b.r)
	case res.Failure != nil || res.FinishReason == chat.FinishError:
		return res, &Fault{Code: codeModelError, failed: &res}
	}
	return res, nil
}

// whileHere is the request's context. Where the run is only watched, it also ends when the
// gateway leaves: the run goes on without it.
func (b Begun) whileHere() (context.Context, context.CancelFunc) {
	if !b.run.Watches() {
		return b.r.Context(), func() {}
	}
	ctx, cancel := context.WithCancel(b.r.Context())
	stop := context.AfterFunc(b.r.Host.Draining, cancel)
	return ctx, func() { stop(); cancel() }
}

// goesOn is the response in JSON mode where what was sent is taken, and its end is not
// seen: the gateway leaves, the chat was deleted meanwhile, or the store cannot be read.
func goesOn(r *Request) error {
	if r.Host.IsDraining() {
		return &Fault{Code: chat.CodeDraining, Detail: detailGoesOn}
	}
	if _, _, err := r.Host.Store.Conversation(r.Context(), r.Ref); chat.CodeOf(err) == chat.CodeNotFound {
		return err
	}
	return &Fault{Code: chat.CodeStoreUnavailable, Detail: detailGoesOn}
}
