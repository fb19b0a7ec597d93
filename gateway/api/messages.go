package api

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/aside"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// outcome is the body of JSON mode.
type outcome struct {
	ChatID        string            `json:"chatId"`
	TurnID        string            `json:"turnId"`
	Status        chat.Status       `json:"status"`
	FinishReason  chat.FinishReason `json:"finishReason"`
	Text          string            `json:"text"`
	Clarification *chat.Asked       `json:"clarification"`
	Usage         chat.Usage        `json:"usage"`
}

// messages takes a message or an answer and drives the run it starts.
func (a *API) messages(r *request) error { return a.command(r, decode) }

// resume takes the wish that the newest turn goes on, and drives the run it starts.
func (a *API) resume(r *request) error { return a.command(r, decodeResume) }

// command takes what decode reads of the body, and drives the run it starts. Small stack:
// see package aside.
func (a *API) command(r *request, decode func([]byte) (*body, error)) error {
	var begun begun
	var err error
	aside.Run(func() { begun, err = a.submit(r, decode) })
	if err != nil {
		return err
	}
	if !begun.asJSON && !r.caller.expires.IsZero() {
		return a.driveUntil(r, begun, r.caller.expires)
	}
	defer begun.release()
	if begun.asJSON {
		return a.driveToEnd(r, begun.run)
	}
	return a.drive(r, begun.run)
}

// begun is a run that a request has started.
type begun struct {
	run     Run
	asJSON  bool
	release func() // of its place among the concurrent turns
}

// submit reads the request and starts its run, or refuses it.
func (a *API) submit(r *request, decode func([]byte) (*body, error)) (begun, error) {
	if err := a.inChat(r); err != nil {
		return begun{}, err
	}
	if a.isDraining() {
		return begun{}, &fault{code: chat.CodeDraining}
	}
	owner := r.owner()
	limits := r.app.Limits
	if err := a.allow(r, limit.Rule{Scope: scopeRequests, Key: owner, PerMinute: limits.RequestsPerMinute, Burst: limits.Burst}); err != nil {
		return begun{}, err
	}
	perTenant := r.conf().Limits.RequestsPerMinutePerTenant
	if err := a.allow(r, limit.Rule{Scope: scopeTenant, Key: r.ref.Tenant, PerMinute: perTenant}); err != nil {
		return begun{}, err
	}
	asJSON, err := wantsJSON(r.c.Request.Header.Values("Accept"))
	if err != nil {
		return begun{}, err
	}
	size := r.c.Request.ContentLength
	if size < 0 || size > maxBody {
		size = maxBody
	}
	read, err := a.take(r, costOfBody*size)
	defer read()
	if err != nil {
		return begun{}, err
	}
	data, err := readBody(r.response(), r.c.Request)
	if err != nil {
		return begun{}, err
	}
	b, err := decode(data)
	r.locale = a.localeFor(r.app, b.Locale)
	if err != nil {
		return begun{}, err
	}
	key, err := r.idempotencyKey(b.IdempotencyKey)
	if err != nil {
		return begun{}, err
	}
	if b.Message != nil {
		if err := a.allow(r, limit.Rule{Scope: scopeTurns, Key: r.app.ID, PerMinute: limits.TurnsPerMinutePerApp}); err != nil {
			return begun{}, err
		}
	}
	release, d := a.Limiter.Acquire(r.ctx(), scopeConcurrent, owner, limits.ConcurrentTurns)
	if err := a.decided(r, d); err != nil {
		release()
		return begun{}, err
	}
	r.chatKnown = true
	run, err := a.Engine.Submit(turn.WithLog(r.ctx(), a.logger(r)), turn.Command{
		Setup: r.setup(), Ref: r.ref, Message: b.Message, Answer: b.Answer, Resume: b.Resume,
		IdempotencyKey: key, Hash: b.hash(), LastEventID: b.LastEventID, ClarificationID: b.ClarificationID,
		Language: r.wanted(), Interactive: !r.caller.nobody && (b.Interactive == nil || *b.Interactive),
		By: a.actor(r, chat.ActorCaller), RequestID: r.id(), TraceParent: r.c.Request.Header.Get("Traceparent"),
	})
	if err != nil {
		release()
		return begun{}, a.notTaken(r, err)
	}
	r.noteTurn(run)
	a.tellBudgets(r, run)
	if run.Watches() {
		release() // the place is for those who run
	}
	return begun{run, asJSON, release}, nil
}

// drive streams the run to its end.
func (a *API) drive(r *request, run Run) error {
	a.metrics.streams.WithLabelValues(r.app.ID).Inc()
	defer a.metrics.streams.WithLabelValues(r.app.ID).Dec()
	r.asStream()
	w := sse.NewWriter(r.response(), a.Stream)
	defer w.Close()
	ctx, stop := a.whileHere(r, run)
	defer stop()
	result := run.Drive(ctx, w)
	r.turnOf(result.TurnID)
	if result.FinishReason == "" { // handed over: the run continues elsewhere
		_ = w.Retry(comeBack())
	}
	return nil
}

// driveUntil is drive for a caller whose credential expires: then the stream ends with a
// time to come back at, and the run goes on without it.
func (a *API) driveUntil(r *request, begun begun, expires time.Time) error {
	expired, cancel := context.WithDeadline(context.WithoutCancel(r.ctx()), expires)
	defer cancel()
	a.metrics.streams.WithLabelValues(r.app.ID).Inc()
	defer a.metrics.streams.WithLabelValues(r.app.ID).Dec()
	r.asStream()
	w := sse.NewWriter(r.response(), a.Stream)
	defer w.Close()
	var result chat.Result // read when ended is closed
	ended := make(chan struct{})
	ctx, log := r.ctx(), a.logger(r) // gin takes r.c back when this returns
	go func() {
		defer close(ended)
		defer begun.release()
		defer func() {
			if p := recover(); p != nil { // as observe does for the request's own goroutine
				log.LogAttrs(ctx, slog.LevelError, "panic", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			}
		}()
		result = begun.run.Drive(ctx, w)
	}()
	select {
	case <-ended:
		if result.FinishReason != "" {
			return nil
		}
	case <-expired.Done():
	}
	_ = w.Retry(comeBack())
	return nil
}

// driveToEnd is JSON mode: one response when the run is over.
func (a *API) driveToEnd(r *request, run Run) error {
	ctx, stop := a.whileHere(r, run)
	defer stop()
	res := run.Drive(ctx, nil)
	r.turnOf(res.TurnID)
	if res.FinishReason == "" {
		return a.goesOn(r)
	}
	if res.Failure != nil || res.FinishReason == chat.FinishError {
		return &fault{code: codeModelError, failed: &res}
	}
	return r.json(outcome{
		ChatID: r.ref.ChatID, TurnID: res.TurnID, Status: res.Status, FinishReason: res.FinishReason,
		Text: res.Text, Clarification: res.Clarification, Usage: res.Usage,
	})
}

// whileHere is the request's context. Where the run is only watched, it also ends when the
// gateway leaves: the run goes on without it.
func (a *API) whileHere(r *request, run Run) (context.Context, context.CancelFunc) {
	if !run.Watches() {
		return r.ctx(), func() {}
	}
	ctx, cancel := context.WithCancel(r.ctx())
	stop := context.AfterFunc(a.draining, cancel)
	return ctx, func() { stop(); cancel() }
}

// goesOn is the response in JSON mode where what was sent is taken, and its end is not
// seen: the gateway leaves, the chat was deleted meanwhile, or the store cannot be read.
func (a *API) goesOn(r *request) error {
	if a.isDraining() {
		return &fault{code: chat.CodeDraining, detail: "goes_on"}
	}
	if _, _, err := a.Engine.Snapshot(r.ctx(), r.ref, r.app.Clarifications.PerConversation, 1, ""); chat.CodeOf(err) == chat.CodeNotFound {
		return err
	}
	return &fault{code: chat.CodeStoreUnavailable, detail: "goes_on"}
}

// notTaken counts refusals of the engine that are about an answer, or a budget, and hands
// them on.
func (a *API) notTaken(r *request, err error) error {
	if spent, ok := errors.AsType[*turn.SpentError](err); ok {
		return a.overspent(r, spent)
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
		a.metrics.rejected.WithLabelValues(r.app.ID, reason).Inc()
	}
	return err
}

// localeFor is the language that the body asks for, where there are texts: the
// gateway's own, or the app's in a language that the gateway does not speak.
func (a *API) localeFor(app *config.App, tag string) string {
	if tag == "" {
		return ""
	}
	if _, ok := a.Catalog.Match(tag); ok || speaks(app, tag) {
		return tag
	}
	return ""
}
