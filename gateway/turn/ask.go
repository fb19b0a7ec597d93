package turn

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Asking is a program's question.
type Asking struct {
	Setup     *Setup   // nil: the one in force
	Ref       chat.Ref // whose chat: the subject is the person's, or chat.RoleSubject
	Role      string   // whose holders answer; "" for a person
	Asker     chat.Principal
	By        tools.Asker    // what the program is called
	Tool      string         // id of the tool that made the question, see toolexec.Executor.Ask
	Arguments string         // of its call, valid JSON; "" for none
	Question  tools.Question // checked, of kind question
	ExpiresAt time.Time      // zero: never
	Language  string         // of a chat that begins; "" for English
	Actor     chat.Actor     // who asks, for the audit
	// Key is the asker's idempotency key in the app, for 24 hours, "" for none; Hash identifies
	// the body.
	Key, Hash string
}

// Ask stores a program's question, without a turn. again: it was asked before with this key,
// and c is what is stored of it now. Errors are idempotency_conflict, clarification_limit
// (with RetryAfter), not_found where the app is gone, draining, and the store's; nothing is
// stored then.
func (e *Engine) Ask(_ context.Context, _ Asking) (c chat.Clarification, again bool, err error) {
	return c, false, errUnbuilt
}

// AnswerByID closes a clarification for somebody who may (chat.Clarification.MayAnswer: the
// caller sees to it). Where a turn waits for it, the turn goes on beside the caller. It returns
// the clarification as stored. Errors are those of an answer by Submit.
func (e *Engine) AnswerByID(_ context.Context, _ *Setup, _ string, _ Answer, _ chat.Actor, _ chat.Channel) (chat.Clarification, error) {
	return chat.Clarification{}, errUnbuilt
}

// Withdraw closes a program's question as cancelled, for its asker. Errors are those of an
// answer to what is closed, not_found, and the store's.
func (e *Engine) Withdraw(_ context.Context, _ string, _ chat.Actor) error { return errUnbuilt }

// Tell stores what a program says, as a message of a chat, and announces it there.
func (e *Engine) Tell(_ context.Context, _ *Setup, _ chat.Ref, _ tools.Asker, _ string) (chat.Message, error) {
	return chat.Message{}, errUnbuilt
}

// Seen keeps that a screen has shown a clarification, once.
func (e *Engine) Seen(ctx context.Context, c chat.Clarification) error {
	_, err := e.Store.SaveSeen(ctx, c.ID, time.Now())
	return err
}

var errUnbuilt = errors.New("turn: not built yet")
