package host

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Find finds the caller and the clarification, which must concern them: as its asker, as the
// owner of its chat, or as a person who may answer. For others it does not exist.
func Find(r *Request) (c chat.Clarification, err error) {
	if err := r.SignIn(); err != nil {
		return c, err
	}
	return Concerning(r, r.Param("clarificationId"))
}

// Concerning finds a clarification that concerns the caller, who is known.
func Concerning(r *Request, id string) (c chat.Clarification, err error) {
	if c, err = r.Host.Store.Clarification(r.Context(), id); err != nil {
		return c, err
	}
	app, ok := r.Setup().Config.App(c.App)
	if !ok || !r.Caller.MayUse(app) || !concerns(r, &c) {
		return chat.Clarification{}, store.ErrNotFound
	}
	r.App, r.Ref, r.ChatKnown = app, c.Ref, c.Subject == r.Caller.Subject
	r.Response().About.App, r.Response().About.ChatID = app.ID, c.ChatID
	return c, nil
}

func concerns(r *Request, c *chat.Clarification) bool {
	return c.Tenant == r.Caller.Tenant && (c.Subject == r.Caller.Subject || Asked(r, c)) || c.MayAnswer(r.Caller.Principal)
}

// Asked reports whether the caller is the asker of a clarification.
func Asked(r *Request, c *chat.Clarification) bool {
	return c.Tenant == r.Caller.Tenant && c.Asker != "" && c.Asker == r.Caller.Subject
}

// ToAnswer finds a clarification that the caller may answer. It refuses a caller who asked it, or
// who waits for another person's decision.
func ToAnswer(r *Request) (chat.Clarification, error) {
	c, err := Find(r)
	if err == nil && !c.MayAnswer(r.Caller.Principal) {
		err = &Fault{Code: chat.CodeForbidden, Detail: "not_asked"}
	}
	return c, err
}

// ToWithdraw finds a clarification that the caller asked.
func ToWithdraw(r *Request) (chat.Clarification, error) {
	c, err := Find(r)
	if err == nil && !Asked(r, &c) {
		err = &Fault{Code: chat.CodeForbidden, Detail: "not_asker"}
	}
	return c, err
}

// ToDelete finds a clarification to which the caller gave the answer. That of a role's holder who no
// longer has the role counts, too.
func ToDelete(r *Request) (chat.Clarification, error) {
	c, err := Find(r)
	if errors.Is(err, store.ErrNotFound) {
		if c, err = r.Host.Store.Clarification(r.Context(), r.Param("clarificationId")); err != nil {
			return c, err
		}
		app, ok := r.Setup().Config.App(c.App)
		if !ok || !r.Caller.MayUse(app) || !c.AnsweredFrom(r.Caller.Principal) {
			return chat.Clarification{}, store.ErrNotFound
		}
		r.App, r.Ref = app, c.Ref
		r.Response().About.App, r.Response().About.ChatID = app.ID, c.ChatID
	}
	if gave := c.AnsweredFrom(r.Caller.Principal) || c.Answer == nil && c.MayAnswer(r.Caller.Principal); err == nil && !gave {
		err = &Fault{Code: chat.CodeForbidden, Detail: "not_answerer"}
	}
	return c, err
}

// Kept returns a clarification as the caller sees it: drafts are only for those who answer.
func Kept(r *Request, c *chat.Clarification) chat.Kept {
	k := chat.NewKept(c)
	k.Asked = chat.NewAskedTo(r.Caller.Principal, c)
	k.Draft = nil
	if c.State == tools.StatePending && c.MayAnswer(r.Caller.Principal) {
		k.Draft = c.Draft
	}
	if waits, known := c.AskerWaits(r.Host.Store.Now()); known {
		k.AskerWaiting = &waits
	}
	return k
}

// WaitsPerStream is how many calls of a principal may wait per stream that it may have: a waiting
// call holds no events.
const WaitsPerStream = 10

// Await returns a clarification as it is stored when it ends, when the time is over, when the
// gateway shuts down, or when the caller is no longer known.
func Await(r *Request, c chat.Clarification, wait time.Duration) (chat.Clarification, error) {
	if wait <= 0 || c.State != tools.StatePending {
		return c, nil
	}
	leave, d := r.Host.Limiter.Acquire(r.Context(), ScopeWaits, r.Principal(), WaitsPerStream*r.App.Limits.Streams)
	defer leave()
	if err := Decided(r, d); err != nil {
		return c, err
	}
	return Ended(r, c, wait)
}

// Ended is Await for a caller that already has a place among those that wait.
func Ended(r *Request, c chat.Clarification, wait time.Duration) (now chat.Clarification, err error) {
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	defer context.AfterFunc(r.Host.Draining, cancel)()
	if !r.Caller.expires.IsZero() {
		var expire context.CancelFunc
		ctx, expire = context.WithDeadline(ctx, r.Caller.expires)
		defer expire()
	}
	defer whileKnown(ctx, r, cancel)()
	if Asked(r, &c) {
		left := r.Host.Engine.Attend(r.Context(), &c)
		defer func() { left(now.State == tools.StatePending) }()
	}
	now, err = r.Host.Inbox.Ended(ctx, c.ID)
	if err != nil && ctx.Err() != nil { // it was not read again
		return c, nil
	}
	return now, err
}

// Answered returns a clarification that the caller, who may, has answered.
func Answered(r *Request, id string, answer turn.Answer, via chat.Channel) (chat.Clarification, error) {
	c, err := r.Host.Engine.AnswerByID(turn.WithLog(r.Context(), r.Logger()), r.Setup(), id, answer, Actor(r, chat.ActorCaller), via)
	if err != nil {
		return c, NotTaken(r, err)
	}
	r.Host.Metrics.commands.WithLabelValues(r.App.ID, r.FormatName(), "answer").Inc()
	return c, nil
}

// Unanswered counts a client's result for a clarification that was not an answer, with why as a
// label of metrics, and makes the clarification be asked in words from now on.
func Unanswered(r *Request, of *chat.Clarification, why string) error {
	r.Host.Metrics.unanswered.WithLabelValues(r.FormatName(), why).Inc()
	of.InWords = true
	return r.Host.Engine.InWords(r.Context(), *of)
}

// CallersOwn finds a clarification in a chat of the caller, who is known.
func CallersOwn(r *Request, id string) (c chat.Clarification, err error) {
	if c, err = r.Host.Store.Clarification(r.Context(), id); err != nil {
		return c, err
	}
	app, ok := r.Setup().Config.App(c.App)
	if !ok || c.Tenant != r.Caller.Tenant || c.Subject != r.Caller.Subject || !r.Caller.MayUse(app) {
		return c, store.ErrNotFound
	}
	r.App, r.Ref, r.ChatKnown = app, c.Ref, true
	return c, nil
}
