package turn

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/tools"
)

// Asking is a program's question.
type Asking struct {
	Setup     *Setup   // nil: the current one
	Ref       chat.Ref // the chat that is asked in: its subject is the person, or chat.RoleSubject
	Role      string   // holders of this role answer; "" for a person
	Asker     chat.Principal
	By        tools.Asker    // the program's name
	Tool      string         // id of the tool that made the question, see toolexec.Executor.Ask
	Arguments string         // of the tool's call, valid JSON; "" for none
	Question  tools.Question // checked, of kind question
	ExpiresAt time.Time      // zero: as the app's questions do; never later than those
	// WithdrawAfter is how long no one may wait until the question is withdrawn; 0: it is never withdrawn.
	WithdrawAfter time.Duration
	Language      string     // of a new chat; "" for English
	Actor         chat.Actor // the asker, for the audit; its Kind is set
	// Claims are those of the asker's token that the app's tools need.
	Claims map[string]string
	// Key is the asker's idempotency key in the app, valid for 24 hours; "" for none. Hash identifies
	// the body.
	Key, Hash string
	// Join identifies what is asked and by whom, in up to 200 characters; "" for nothing. While a
	// question with this Join waits in the chat, asking another one with it returns that question.
	Join string
}

// joinPrefix begins the keys of claims that stand for a Join. No client's key begins with it.
const joinPrefix = "\x01"

// joinLife is how long a waiting question can be joined.
const joinLife = 30 * 24 * time.Hour

// maxAsking is how many questions of programs may wait in one chat.
const maxAsking = 1000

// Ask stores a program's question, without a turn. If again is true, the question was asked before
// with this key, or was joined, and c is the stored question. Errors are idempotency_conflict,
// clarification_limit (with RetryAfter), not_found if the app is gone, draining, and the store's;
// nothing is stored then.
func (e *Engine) Ask(ctx context.Context, a Asking) (c chat.Clarification, again bool, err error) {
	from, err := e.besides(a.Setup, a.Ref)
	if err != nil {
		return chat.Clarification{}, false, err
	}
	asked, known := a.clarification(&from, e.Store.Now()), "" // known: id of the question that was asked before with the key
	_, err = e.apply("ask", false, from, func(t *transition) (err error) {
		c = asked
		known, err = a.store(t, &c)
		return err
	})
	if err == nil && known != "" {
		c, err = e.Store.Clarification(ctx, known)
		return c, err == nil, err
	}
	if err != nil {
		return chat.Clarification{}, false, err
	}
	e.node.Metrics.Requested.WithLabelValues(c.App, c.Question.InputType()).Inc()
	e.Executor.Asked(from.setup.Catalog, c.App, c.ToolName)
	return c, false, nil
}

// besides prepares a change that is made without a turn.
func (e *Engine) besides(setup *Setup, ref chat.Ref) (update, error) {
	if e.node.Draining.Load() {
		return update{}, &chat.Error{Code: chat.CodeDraining}
	}
	setup = cmp.Or(setup, e.Setup())
	app, err := e.usable(setup, ref.App)
	return update{setup: setup, app: app, cmd: &Command{Ref: ref}}, err
}

// clarification returns the question as it will be stored.
func (a *Asking) clarification(of *update, now time.Time) chat.Clarification {
	question := a.Question
	question.AskedBy = &a.By
	c := chat.Clarification{
		ID: chat.NewID("clr"), Ref: a.Ref, ToolCallID: chat.NewID("call"), ToolName: cmp.Or(a.Tool, "ask_user"),
		Arguments: cmp.Or(a.Arguments, "{}"), Question: question, Asker: a.Asker.Subject, For: a.Role,
		State: tools.StatePending, AskedAt: now, ExpiresAt: a.ExpiresAt, Attendance: chat.Attendance{WithdrawAfter: a.WithdrawAfter},
	}
	if most := of.app.Clarifications.ExpiresIn.Std(); most > 0 && (c.ExpiresAt.IsZero() || c.ExpiresAt.After(now.Add(most))) {
		c.ExpiresAt = now.Add(most)
	}
	return c
}

// store stores the question. If one was asked with the key before, or is joined, known is its id.
func (a *Asking) store(t *transition, c *chat.Clarification) (known string, err error) {
	t.cmd = &Command{Ref: a.Ref, By: a.Actor}
	head := t.tx.Conversation()
	if head.Language == "" {
		t.cmd.Language = a.Language
	}
	if a.Key != "" {
		claim, err := t.tx.Keys().Claim(chat.Key{Asker: c.Asker, Key: a.Key, Hash: a.Hash, Of: c.ID, CreatedAt: t.now}, t.now.Add(-idempotencyLife))
		switch {
		case err != nil:
			return "", err
		case claim.Hash != a.Hash:
			return "", &chat.Error{Code: chat.CodeIdempotencyConflict}
		case claim.Of != c.ID:
			t.instead = Repeated{} // nothing changes, except for what shares the commit: that may be the very question
			return claim.Of, nil
		}
	}
	if known, err = a.joined(t, c); err != nil || known != "" {
		return known, err
	}
	if head.Asking >= maxAsking {
		return "", &chat.Error{Code: chat.CodeClarificationLimit, RetryAfter: fullWait}
	}
	if err := t.roomAsync(c.Size(), c.For, c.Asker); err != nil {
		return "", err
	}
	if err := budget.Storage(t.tx, t.setup.Config.Gateway.Limits.StoredBytes, c.Asker, c.Size()); err != nil {
		return "", err
	}
	if err := budget.AskedByProgram(t.tx, &t.app.Clarifications, c, t.now); err != nil {
		return "", err
	}
	if err := t.goAsync(); err != nil {
		return "", err
	}
	c.ConversationID, c.AskedAt = head.ID, t.now // questions are announced in the order of AskedAt
	head.Asking++
	if !t.async.later {
		if err := t.async.ask(c); err != nil {
			return "", err
		}
	}
	if err := t.tx.AddClarification(*c); err != nil {
		return "", err
	}
	if len(c.Question.Sources) > 0 { // they are asked again when people search, and when they answer
		if err := t.keepClaims(c.ID, c.Asker, a.Claims); err != nil {
			return "", err
		}
	}
	by := a.Actor
	by.Kind = chat.ActorProgram
	return "", t.engine.node.Recorder.Asked(t.tx, &t.setup.Config.Gateway, c, by)
}

// joined returns the id of the waiting question that this one joins, or "" if there is none: later
// ones then join c. The asker's key then stands for the joined question.
func (a *Asking) joined(t *transition, c *chat.Clarification) (string, error) {
	if a.Join == "" {
		return "", nil
	}
	// Keys are dropped idempotencyLife after CreatedAt. This one has to live longer, so CreatedAt is in
	// the future.
	claim := chat.Key{Asker: c.Asker, Key: joinPrefix + a.Join, Of: c.ID, CreatedAt: t.now.Add(joinLife - idempotencyLife)}
	known, err := t.tx.Keys().Claim(claim, time.Time{})
	if err != nil || known.Of == c.ID {
		return "", err
	}
	of, err := t.tx.Clarifications().Find(known.Of)
	switch {
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return "", err
	case err != nil || of.State != tools.StatePending || !of.ExpiresAt.IsZero() && !t.now.Before(of.ExpiresAt):
		_, err = t.tx.Keys().Claim(claim, claim.CreatedAt.Add(joinLife))
		return "", err
	}
	if a.Key != "" {
		_, err = t.tx.Keys().Claim(chat.Key{Asker: c.Asker, Key: a.Key, Hash: a.Hash, Of: of.ID, CreatedAt: t.now}, t.now.Add(time.Second))
	}
	t.instead = Repeated{}
	return of.ID, err
}

// AnswerByID closes a clarification for someone who may answer it; the caller checks that with
// chat.Clarification.MayAnswer. If a turn waits for it, the turn goes on in the background.
// AnswerByID returns the stored clarification. Errors are those of an answer by Submit, and
// forbidden if the clarification waits for a role and the actor is the asker or the person whose
// call it is.
func (e *Engine) AnswerByID(ctx context.Context, setup *Setup, id string, a Answer, by chat.Actor, via chat.Channel) (chat.Clarification, error) {
	c, err := e.Store.Clarification(ctx, id)
	if err != nil {
		return chat.Clarification{}, err
	}
	if by.Kind == "" {
		by.Kind = chat.ActorCaller
	}
	if c.For != "" && (by.Subject == c.Subject || by.Subject == c.Asker) {
		return chat.Clarification{}, decidedBy(&c)
	}
	a.ClarificationID, a.ToolCallID = id, ""
	accepted, err := e.Submit(ctx, Command{Setup: setup, Ref: c.Ref, Answer: &a, By: by, Interactive: true, via: cmp.Or(via, chat.ChannelAPI)})
	if err != nil {
		return chat.Clarification{}, err
	}
	if r, ok := accepted.(Begun); ok {
		e.runs.drive(r.Run)
	}
	return e.Store.Clarification(context.WithoutCancel(ctx), id)
}

// Withdraw closes a program's question as cancelled, on behalf of its asker. Errors are those of an
// answer to a closed question, not_found, draining, and the store's.
func (e *Engine) Withdraw(ctx context.Context, id string, by chat.Actor) error {
	c, err := e.Store.Clarification(ctx, id)
	switch {
	case err != nil:
		return err
	case c.Asker == "":
		return &chat.Error{Code: chat.CodeNotFound}
	}
	from, err := e.besides(nil, c.Ref)
	if err != nil {
		return err
	}
	by.Kind = chat.ActorProgram
	_, err = e.apply("withdraw", false, from, func(t *transition) error {
		t.cmd = &Command{Ref: c.Ref, By: by}
		return t.cancel(id, chat.ChannelAPI)
	})
	return err
}

// PostMessage stores what a program says as a message of a chat, and announces it there; while a turn runs,
// it is announced when the turn is over. Errors are not_found if the app is gone,
// clarification_limit if too much waits to be announced, storage_full, draining, and the store's.
func (e *Engine) PostMessage(_ context.Context, setup *Setup, ref chat.Ref, asker string, by tools.Asker, text string) (chat.Message, error) {
	from, err := e.besides(setup, ref)
	if err != nil {
		return chat.Message{}, err
	}
	m := chat.Message{ID: chat.NewID("msg"), Role: chat.RoleAssistant, Content: text, CreatedAt: e.Store.Now(), AskedBy: &by}
	_, err = e.apply("tell", false, from, func(t *transition) error {
		if err := t.goAsync(); err != nil {
			return err
		}
		role, _ := chat.RoleOf(ref.Subject)
		if err := budget.Storage(t.tx, t.setup.Config.Gateway.Limits.StoredBytes, asker, int64(len(text))); err != nil {
			return err
		}
		if err := t.tx.CountSaid(asker, int64(len(text))); err != nil {
			return err
		}
		if t.async.later {
			if err := t.roomAsync(int64(len(text)), role, asker); err != nil {
				return err
			}
		}
		if err := t.tx.AddNews(chat.News{At: m.CreatedAt, Type: chat.EventAskerMessage, MessageID: m.ID, Role: role, Asker: asker}); err != nil {
			return err
		}
		if t.async.later {
			return t.tx.Defer(m)
		}
		return t.async.say(m)
	})
	if err != nil {
		return chat.Message{}, err
	}
	return m, nil
}
