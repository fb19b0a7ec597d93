package api

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// findClarification finds the caller and the clarification, which must concern them: as its
// asker, as the owner of its chat, or as one who may answer. For others it does not exist.
func findClarification(r *request) (c chat.Clarification, err error) {
	if err := r.signedIn(); err != nil {
		return c, err
	}
	return concerning(r, r.param("clarificationId"))
}

// concerning finds a clarification that concerns the caller, who is known.
func concerning(r *request, id string) (c chat.Clarification, err error) {
	if c, err = r.host.Store.Clarification(r.ctx(), id); err != nil {
		return c, err
	}
	app, ok := r.setup().Config.App(c.App)
	if !ok || !r.caller.mayUse(app) || !concerns(r, &c) {
		return chat.Clarification{}, store.ErrNotFound
	}
	r.app, r.ref, r.chatKnown = app, c.Ref, c.Subject == r.caller.Subject
	r.response().about.app, r.response().about.chatID = app.ID, c.ChatID
	return c, nil
}

func concerns(r *request, c *chat.Clarification) bool {
	return c.Tenant == r.caller.Tenant && (c.Subject == r.caller.Subject || asked(r, c)) || c.MayAnswer(r.caller.Principal)
}

// asked says that the caller is the asker of a clarification.
func asked(r *request, c *chat.Clarification) bool {
	return c.Tenant == r.caller.Tenant && c.Asker != "" && c.Asker == r.caller.Subject
}

// toAnswer finds a clarification that the caller may answer; who asked it, or waits for
// somebody else's word, is told that they may not.
func toAnswer(r *request) (chat.Clarification, error) {
	c, err := findClarification(r)
	if err == nil && !c.MayAnswer(r.caller.Principal) {
		err = &fault{code: chat.CodeForbidden, detail: "not_asked"}
	}
	return c, err
}

// toWithdraw finds a clarification of the caller's asking.
func toWithdraw(r *request) (chat.Clarification, error) {
	c, err := findClarification(r)
	if err == nil && !asked(r, &c) {
		err = &fault{code: chat.CodeForbidden, detail: "not_asker"}
	}
	return c, err
}

// kept is a clarification as the caller sees it: what was typed so far is for those who
// answer.
func kept(r *request, c *chat.Clarification) chat.Kept {
	k := chat.NewKept(c)
	k.Asked = chat.NewAskedTo(r.caller.Principal, c)
	k.Draft = nil
	if c.State == tools.StatePending && c.MayAnswer(r.caller.Principal) {
		k.Draft = c.Draft
	}
	return k
}

// waitsPerStream is how many calls of a principal may wait for each of the streams that it
// may have: one that waits holds no events.
const waitsPerStream = 10

// await returns a clarification as it is stored when it ends, when the time is over, when
// the gateway leaves, or when the caller is no longer known.
func await(r *request, c chat.Clarification, wait time.Duration) (chat.Clarification, error) {
	if wait <= 0 || c.State != tools.StatePending {
		return c, nil
	}
	leave, d := r.host.Limiter.Acquire(r.ctx(), scopeWaits, r.principal(), waitsPerStream*r.app.Limits.Streams)
	defer leave()
	if err := r.decided(d); err != nil {
		return c, err
	}
	return ended(r, c, wait)
}

// ended is await for one whose place among those that wait is taken.
func ended(r *request, c chat.Clarification, wait time.Duration) (chat.Clarification, error) {
	ctx, cancel := context.WithTimeout(r.ctx(), wait)
	defer cancel()
	defer context.AfterFunc(r.host.draining, cancel)()
	if !r.caller.expires.IsZero() {
		var expire context.CancelFunc
		ctx, expire = context.WithDeadline(ctx, r.caller.expires)
		defer expire()
	}
	defer whileKnown(ctx, r, cancel)()
	now, err := r.host.Feed.Ended(ctx, c.ID)
	if err != nil && ctx.Err() != nil { // it was not read again
		return c, nil
	}
	return now, err
}

// answered is a clarification that the caller, who may, has answered.
func answered(r *request, id string, answer turn.Answer, via chat.Channel) (chat.Clarification, error) {
	c, err := r.host.Engine.AnswerByID(turn.WithLog(r.ctx(), r.logger()), r.setup(), id, answer, r.whoever(chat.ActorCaller), via)
	if err != nil {
		return c, notTaken(r, err)
	}
	r.host.metrics.commands.WithLabelValues(r.app.ID, r.frontName(), "answer").Inc()
	return c, nil
}

// callersOwn finds a clarification in a chat of the caller, who is known.
func callersOwn(r *request, id string) (c chat.Clarification, err error) {
	if c, err = r.host.Store.Clarification(r.ctx(), id); err != nil {
		return c, err
	}
	app, ok := r.setup().Config.App(c.App)
	if !ok || c.Tenant != r.caller.Tenant || c.Subject != r.caller.Subject || !r.caller.mayUse(app) {
		return c, store.ErrNotFound
	}
	r.app, r.ref, r.chatKnown = app, c.Ref, true
	return c, nil
}
