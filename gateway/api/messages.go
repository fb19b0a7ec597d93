package api

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/smallstack"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/tools"
)

// outcome is the body of JSON mode.
type outcome struct {
	ChatID        string            `json:"chatId"`
	TurnID        string            `json:"turnId,omitempty"` // left out where there was no turn
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
// see package smallstack.
func (a *API) command(r *request, decode func([]byte) (*body, error)) error {
	var begun begun
	var err error
	smallstack.Run(func() { begun, err = a.submit(r, decode) })
	if err != nil {
		return err
	}
	if !begun.asJSON {
		return a.stream(r, begun, nil)
	}
	defer begun.release()
	return a.driveToEnd(r, begun.run)
}

// begun is a run that a request has started.
type begun struct {
	run     Run
	asJSON  bool
	release func() // of its place among the concurrent turns
}

// submit reads the request and starts its run, or refuses it.
func (a *API) submit(r *request, decode func([]byte) (*body, error)) (begun, error) {
	var b *body
	taken, err := a.prepare(r, func(data []byte) (_ *body, err error) {
		b, err = decode(data)
		return b, err
	})
	if err != nil {
		return begun{}, err
	}
	return a.begin(r, turn.Command{
		Message: b.Message, Files: b.Files, Answer: b.Answer, Answers: b.Answers, Resume: b.Resume,
		IdempotencyKey: taken.key, Hash: b.hash(), LastEventID: b.LastEventID, ClarificationID: b.ClarificationID,
		Interactive: b.Interactive == nil || *b.Interactive,
	}, taken.asJSON)
}

// prepared is what a request says of itself beside its command.
type prepared struct {
	key    string // of idempotency, "" for none
	asJSON bool
}

// prepare finds who sends a command to which chat, and has decode read the body, or refuses the
// request.
func (a *API) prepare(r *request, decode func([]byte) (*body, error)) (p prepared, err error) {
	if err := a.inChat(r); err != nil {
		return p, err
	}
	if err := r.wantsOnce(); err != nil {
		return p, err
	}
	if err := a.admit(r); err != nil {
		return p, err
	}
	if p.asJSON, err = wantsJSON(r.c.Request.Header.Values("Accept")); err != nil {
		return p, err
	}
	data, read, err := a.bodyOf(r)
	defer read()
	if err != nil {
		return p, err
	}
	b, err := decode(data)
	r.locale = a.localeFor(r.app, b.Locale)
	if err != nil {
		return p, err
	}
	p.key, err = r.idempotencyKey(b.IdempotencyKey)
	return p, err
}

// admit refuses what comes while the gateway ends, or beyond the limits of requests.
func (a *API) admit(r *request) error {
	if a.isDraining() {
		return &fault{code: chat.CodeDraining}
	}
	return a.allowed(r)
}

// allowed refuses what comes beyond the limits of requests.
func (a *API) allowed(r *request) error {
	if err := a.counted(r, scopeRequests); err != nil {
		return err
	}
	perTenant := r.conf().Limits.RequestsPerMinutePerTenant
	return a.allow(r, limit.Rule{Scope: scopeTenant, Key: r.caller.Tenant, PerMinute: perTenant})
}

// bodyOf reads the request's JSON. What it takes is given back by read, which is never nil.
func (a *API) bodyOf(r *request) (data []byte, read func(), err error) { return a.bodyUpTo(r, maxBody) }

// bodyUpTo is bodyOf for a body of up to most bytes.
func (a *API) bodyUpTo(r *request, most int64) (data []byte, read func(), err error) {
	size := r.c.Request.ContentLength
	if size < 0 || size > most {
		size = most
	}
	if read, err = a.take(r, costOfBody*min(size, maxBody)+costOfFiles*max(size-maxBody, 0)); err != nil {
		return nil, read, err
	}
	r.bodyRead = true
	data, err = readBody(r.response(), r.c.Request, most)
	return data, read, err
}

// begin has a command taken, whose sender, chat and language are the request's.
func (a *API) begin(r *request, cmd turn.Command, asJSON bool) (begun, error) {
	return a.beginWith(r, cmd, asJSON, nil)
}

// beginWith is begin for a message with files that came in the request's body.
func (a *API) beginWith(r *request, cmd turn.Command, asJSON bool, files []front.File) (begun, error) {
	limits := r.app.Limits
	if cmd.Message != nil || cmd.Fork != nil {
		if err := a.allow(r, limit.Rule{Scope: scopeTurns, Key: r.app.ID, PerMinute: limits.TurnsPerMinutePerApp}); err != nil {
			return begun{}, err
		}
	}
	release, d := a.Limiter.Acquire(r.ctx(), scopeConcurrent, r.owner(), limits.ConcurrentTurns)
	if err := a.decided(r, d); err != nil {
		release()
		return begun{}, err
	}
	r.chatKnown = true
	cmd.Setup, cmd.Ref, cmd.Language = r.setup(), r.ref, r.wanted()
	cmd.Interactive = cmd.Interactive && !r.caller.nobody
	cmd.By, cmd.RequestID, cmd.TraceParent = a.actor(r, chat.ActorCaller), r.id(), r.c.Request.Header.Get("Traceparent")
	run, err := a.submitWith(r, cmd, files)
	if err != nil {
		release()
		return begun{}, a.notTaken(r, err)
	}
	a.metrics.commands.WithLabelValues(r.app.ID, r.frontName(), commandOf(&cmd)).Inc()
	r.noteTurn(run)
	a.tellBudgets(r, run)
	if run.Watches() {
		release() // the place is for those who run
	}
	return begun{run, asJSON, release}, nil
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

// outlet is a run's way to its client: the events as they are, or as a front tells them.
type outlet struct {
	w      *sse.Writer
	native stream.Sink
	told   *front.Told
}

func (a *API) outlet(r *request, t front.Teller) outlet {
	r.asStream()
	w := sse.NewWriter(r.response(), a.Stream)
	o := outlet{w: w, native: r.native(w)}
	if t != nil {
		o.told = front.NewTold(o.w, t, r.classes())
	}
	return o
}

func (o outlet) sink() stream.Sink {
	if o.told != nil {
		return o.told
	}
	return o.native
}

// left ends a stream whose run goes on elsewhere.
func (o outlet) left(message string) {
	if o.told != nil {
		_ = o.told.Left(message) // the client's loss only
		return
	}
	_ = o.w.Retry(comeBack())
}

// whole keeps that a front's client has the whole run, if it has.
func (o outlet) whole(a *API, r *request) {
	if o.told != nil {
		a.delivered(r, o.told)
	}
}

// stream streams the run to its end, to a caller whose credential expires only until then:
// the run goes on without it.
func (a *API) stream(r *request, begun begun, t front.Teller) error {
	a.metrics.streams.WithLabelValues(r.app.ID).Inc()
	defer a.metrics.streams.WithLabelValues(r.app.ID).Dec()
	out := a.outlet(r, t)
	defer out.w.Close()
	goesOn := func() string { return a.Catalog.Text(r.readable(a), "detail.goes_on", nil) }
	if !r.caller.expires.IsZero() {
		if !a.driveUntil(r, begun, out.sink(), r.caller.expires) {
			out.left(goesOn())
		}
		out.whole(a, r)
		return nil
	}
	defer begun.release()
	ctx, stop := a.whileHere(r, begun.run)
	defer stop()
	result := begun.run.Drive(ctx, out.sink())
	r.turnOf(result.TurnID)
	if result.FinishReason == "" { // handed over: the run continues elsewhere
		out.left(goesOn())
	}
	out.whole(a, r)
	return nil
}

// driveUntil drives a run, and says whether its end came before its caller's credential
// expired.
func (a *API) driveUntil(r *request, begun begun, sink stream.Sink, expires time.Time) bool {
	expired, cancel := context.WithDeadline(context.WithoutCancel(r.ctx()), expires)
	defer cancel()
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
		result = begun.run.Drive(ctx, sink)
	}()
	select {
	case <-ended:
		return result.FinishReason != ""
	case <-expired.Done():
		return false
	}
}

// driveToEnd is JSON mode: one response when the run is over.
func (a *API) driveToEnd(r *request, run Run) error {
	res, err := a.toEnd(r, run, nil)
	if err != nil {
		return err
	}
	return r.json(outcome{
		ChatID: r.ref.ChatID, TurnID: res.TurnID, Status: res.Status, FinishReason: res.FinishReason,
		Text: res.Text, Clarification: res.Clarification, Usage: res.Usage,
	})
}

// toEnd drives a run whose response is written when it is over. A run that failed, or whose
// end is not seen, is the error.
func (a *API) toEnd(r *request, run Run, sink stream.Sink) (chat.Result, error) {
	ctx, stop := a.whileHere(r, run)
	defer stop()
	res := run.Drive(ctx, sink)
	r.turnOf(res.TurnID)
	switch {
	case res.FinishReason == "":
		return res, a.goesOn(r)
	case res.Failure != nil || res.FinishReason == chat.FinishError:
		return res, &fault{code: codeModelError, failed: &res}
	}
	return res, nil
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

// detailGoesOn is the text which says that what was sent is taken, and its end not seen.
const detailGoesOn = "goes_on"

// goesOn is the response in JSON mode where what was sent is taken, and its end is not
// seen: the gateway leaves, the chat was deleted meanwhile, or the store cannot be read.
func (a *API) goesOn(r *request) error {
	if a.isDraining() {
		return &fault{code: chat.CodeDraining, detail: detailGoesOn}
	}
	if _, _, err := a.Store.Conversation(r.ctx(), r.ref); chat.CodeOf(err) == chat.CodeNotFound {
		return err
	}
	return &fault{code: chat.CodeStoreUnavailable, detail: detailGoesOn}
}

// notTaken counts refusals of the engine that are about an answer, or a budget, and hands
// them on.
func (a *API) notTaken(r *request, err error) error {
	if spent, ok := errors.AsType[*budget.SpentError](err); ok {
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
