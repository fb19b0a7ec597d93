package api

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/tools"
)

// admit refuses what comes while the gateway ends, or beyond the limits of requests.
func (r *request) admit() error {
	if r.host.isDraining() {
		return &fault{code: chat.CodeDraining}
	}
	return r.allowed()
}

// allowed refuses what comes beyond the limits of requests.
func (r *request) allowed() error {
	if err := r.counted(scopeRequests); err != nil {
		return err
	}
	perTenant := r.conf().Limits.RequestsPerMinutePerTenant
	return r.allow(limit.Rule{Scope: scopeTenant, Key: r.caller.Tenant, PerMinute: perTenant})
}

// bodyOf reads the request's JSON. What it takes is given back by read, which is never nil.
func (r *request) bodyOf() (data []byte, read func(), err error) { return r.bodyUpTo(maxBody) }

// bodyUpTo is bodyOf for a body of up to most bytes.
func (r *request) bodyUpTo(most int64) (data []byte, read func(), err error) {
	size := r.c.Request.ContentLength
	if size < 0 || size > most {
		size = most
	}
	if read, err = r.take(costOfBody*min(size, maxBody) + costOfFiles*max(size-maxBody, 0)); err != nil {
		return nil, read, err
	}
	r.bodyRead = true
	data, err = readBody(r.response(), r.c.Request, most)
	return data, read, err
}

// begin has a command taken, whose sender, chat and language are the request's, with the files
// that came in its body.
func (r *request) begin(cmd turn.Command, files []front.File) (Begun, error) {
	limits := r.app.Limits
	if cmd.Message != nil || cmd.Fork != nil {
		if err := r.allow(limit.Rule{Scope: scopeTurns, Key: r.app.ID, PerMinute: limits.TurnsPerMinutePerApp}); err != nil {
			return Begun{}, err
		}
	}
	release, d := r.host.Limiter.Acquire(r.ctx(), scopeConcurrent, r.owner(), limits.ConcurrentTurns)
	if err := r.decided(d); err != nil {
		release()
		return Begun{}, err
	}
	r.chatKnown = true
	cmd.Setup, cmd.Ref, cmd.Language = r.setup(), r.ref, r.wanted()
	cmd.Interactive = cmd.Interactive && !r.caller.nobody
	cmd.By, cmd.RequestID, cmd.TraceParent = r.actor(chat.ActorCaller), r.id(), r.c.Request.Header.Get("Traceparent")
	run, err := submitWith(r, cmd, files)
	if err != nil {
		release()
		return Begun{}, notTaken(r, err)
	}
	r.host.metrics.commands.WithLabelValues(r.app.ID, r.frontName(), commandOf(&cmd)).Inc()
	if known, ok := run.(interface{ TurnID() string }); ok {
		r.response().about.turnID = known.TurnID()
	}
	tellBudgets(r, run)
	if run.Watches() {
		release() // the place is for those who run
	}
	return Begun{r, run, release}, nil
}

// commandOf is what a command is, for metrics.
func commandOf(cmd *turn.Command) string {
	switch {
	case cmd.Answer != nil, cmd.Answers != nil:
		return "answer"
	case cmd.Resume:
		return "resume"
	case cmd.Fork != nil:
		return "fork"
	}
	return "message"
}

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

// notTaken counts refusals of the engine that are about an answer, or a budget, and hands
// them on.
func notTaken(r *request, err error) error {
	if spent, ok := errors.AsType[*budget.SpentError](err); ok {
		return overspent(r, spent)
	}
	reason := ""
	if e, ok := errors.AsType[*tools.AnswerError](err); ok {
		reason = "invalid"
		if len(e.Fields) > 0 {
			reason = e.Fields[0].Code
		}
	} else if code := chat.CodeOf(err); code == chat.CodeAlreadyAnswered || code == chat.CodeClarificationClosed || code == chat.CodeStaleOption || code == chat.CodeOptionsUnavailable {
		reason = string(code)
	}
	if reason != "" {
		r.host.metrics.rejected.WithLabelValues(r.app.ID, reason).Inc()
	}
	return err
}
