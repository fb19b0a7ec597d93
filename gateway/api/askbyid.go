package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
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
	return concerning(r, r.c.Param("clarificationId"))
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

// maxWait bounds, in seconds, how long a call waits for the end of a question.
const maxWait = 300

// waitsPerStream is how many calls of a principal may wait for each of the streams that it
// may have: one that waits holds no events.
const waitsPerStream = 10

// showClarification shows one, at its end if the caller waits for that.
func (h Clarifications) showClarification(r *request) error {
	if s, given := r.c.GetQuery("wait"); given {
		return ownPages(func(r *request) error { return h.showEnded(r, s) })(r)
	}
	c, err := findClarification(r)
	if err != nil {
		return err
	}
	return r.json(kept(r, &c))
}

// showEnded shows a clarification when it ends, or after so many seconds.
func (h Clarifications) showEnded(r *request, wait string) error {
	c, err := findClarification(r)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseUint(wait, 10, 31)
	if err != nil || seconds > maxWait {
		return &fault{code: chat.CodeInvalidRequest, detail: "query_wait", field: "wait", params: map[string]any{"Max": maxWait}}
	}
	if err := dropBody(r.response(), r.c.Request); err != nil {
		return err
	}
	if c, err = await(r, c, time.Duration(seconds)*time.Second); err != nil {
		return err
	}
	return r.json(kept(r, &c))
}

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

// answerOne takes the answer to a clarification, in whichever chat it waits.
func (h Clarifications) answerOne(r *request) error {
	c, err := toAnswer(r)
	if err != nil {
		return err
	}
	if err := r.admit(); err != nil {
		return err
	}
	data, read, err := r.bodyOf()
	defer read()
	if err != nil {
		return err
	}
	answer, err := decodeBareAnswer(data)
	switch {
	case err != nil:
		return err
	case answer.ClarificationID != "" && answer.ClarificationID != c.ID:
		return invalid("another_question", "clarificationId")
	case answer.ToolCallID != "" && answer.ToolCallID != c.ToolCallID:
		return invalid("another_question", "toolCallId")
	}
	if c, err = answered(r, c.ID, *answer, chat.ChannelAPI); err != nil {
		return err
	}
	return r.json(kept(r, &c))
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

// withdraw closes a question of the caller's asking.
func (h Clarifications) withdraw(r *request) error {
	c, err := toWithdraw(r)
	if err != nil {
		return err
	}
	if err := r.allowed(); err != nil {
		return err
	}
	if err := h.Engine.Withdraw(turn.WithLog(r.ctx(), r.logger()), c.ID, r.whoever(chat.ActorProgram)); err != nil {
		return err
	}
	if c, err = r.host.Store.Clarification(r.ctx(), c.ID); err != nil {
		return err
	}
	return r.json(kept(r, &c))
}

// line is what a program said, as its chat keeps it.
type line struct {
	chat.AskerMessage
	App string `json:"app"`
}

// tell has the caller's program say something where its question is.
func (h Clarifications) tell(r *request) error {
	c, err := toWithdraw(r)
	if err != nil {
		return err
	}
	if err := r.admit(); err != nil {
		return err
	}
	data, read, err := r.bodyOf()
	defer read()
	if err != nil {
		return err
	}
	b, err := decodeLine(data)
	r.locale = r.localeFor(b.Locale)
	if err != nil {
		return err
	}
	by := tools.Asker{Kind: tools.AskerProgram, Name: r.caller.Subject}
	if c.Question.AskedBy != nil {
		by = *c.Question.AskedBy
	}
	m, err := h.Engine.Tell(turn.WithLog(r.ctx(), r.logger()), r.setup(), c.Ref, r.caller.Subject, by, *b.Message)
	if err != nil {
		return err
	}
	said, _ := chat.NewAskerMessage(c.ChatID, &m).Data.(chat.AskerMessage)
	_ = r.write(http.StatusCreated, typeJSON, line{said, c.App})
	return nil
}

// seen notes that a screen has shown the question to one who may answer.
func (h Clarifications) seen(r *request) error {
	c, err := toAnswer(r)
	if err != nil {
		return err
	}
	if err := r.oftenAsTyping(scopeDrafts); err != nil {
		return err
	}
	if err := h.Engine.Seen(r.ctx(), c); err != nil {
		return err
	}
	return r.noContent()
}

// oftenAsTyping limits what people's screens send as they type.
func (r *request) oftenAsTyping(scope string) error {
	return r.allow(limit.Rule{
		Scope: scope, Key: r.owner(), PerMinute: typing * r.app.Limits.RequestsPerMinute, Burst: typing * r.app.Limits.Burst,
	})
}
