package turn

import (
	"context"
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/run"
)

// Submit takes a message, an answer or a wish to resume. A Begun run that it returns must be driven. A
// refusal is a *chat.Error, a *tools.AnswerError, of several answers an *AnswersError, a
// *budget.SpentError or an error of the store, and has changed nothing. The client may leave at any moment: what it sent is then still
// taken.
func (e *Engine) Submit(ctx context.Context, cmd Command) (Accepted, error) {
	if e.node.Draining.Load() {
		return nil, &chat.Error{Code: chat.CodeDraining}
	}
	if cmd.Setup == nil {
		cmd.Setup = e.Setup()
	}
	app, err := e.usable(cmd.Setup, cmd.Ref.App)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	if cmd.Fork != nil {
		from := cmd.Ref
		from.ChatID = cmd.Fork.From.ChatID
		if err := e.look(ctx, from); err != nil {
			return nil, err
		}
	}
	known, err := e.verify(ctx, app, &cmd)
	if err != nil {
		return nil, err
	}
	point, lazy := "answer", false // worth waiting for the disk
	switch {
	case cmd.Message != nil:
		point, lazy = "message", true // the commit of its first step follows
	case cmd.Resume:
		point, lazy = "resumed", true // likewise
	case cmd.Fork != nil:
		point = "fork"
	}
	return matching(func(matches matches) (Accepted, error) {
		return e.looked(ctx, cmd.Ref, func(look bool) (Accepted, error) {
			from := transition{Start: run.Start{Setup: cmd.Setup, App: app}, cmd: &cmd, verified: known, matches: matches, look: look}
			return e.apply(point, lazy, from, (*transition).command)
		})
	})
}

// command takes what a client sent.
func (t *transition) command() error {
	if head := t.tx.Conversation(); head.Unreadable {
		return &chat.Error{Code: chat.CodeNotReadable}
	} else if t.look && !t.engine.readable.knows(head) {
		return errUnlooked
	}
	if err := t.repeated(); err != nil || t.instead != nil {
		return err
	}
	if head := t.tx.Conversation(); head.UsedWith == "" {
		head.UsedWith = t.cmd.UsedWith
	}
	if t.cmd.Fork != nil {
		if err := t.afford(); err != nil {
			return err
		}
		return t.takeFork()
	}
	if taken, err := t.takeAside(); err != nil || taken {
		return err
	}
	if err := t.pass(); err != nil {
		return err
	}
	if err := t.afford(); err != nil {
		return err
	}
	if err := t.tooLate(); err != nil {
		return err
	}
	if err := t.enqueue(); err != nil || t.instead != nil {
		return err
	}
	if t.cmd.Resume {
		return t.takeResume()
	}
	t.openRun()
	if t.cmd.Message != nil {
		return t.takeMessage()
	}
	if t.cmd.Answer == nil {
		return t.takeAnswers(t.cmd.Answers)
	}
	return t.takeAnswer(t.cmd.Answer)
}

// repeated looks the idempotency key up.
func (t *transition) repeated() error {
	if t.cmd.IdempotencyKey == "" {
		return nil
	}
	known, err := t.tx.Idempotency(t.cmd.IdempotencyKey, t.now.Add(-idempotencyLife))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	case known.Hash != t.cmd.Hash:
		return &chat.Error{Code: chat.CodeIdempotencyConflict}
	case known.Fence == 0 && isClarification(known.MessageID):
		return t.repeatedAside(known.MessageID)
	case known.Fence == 0:
		t.instead = Queued{*t.tx.Conversation(), known.MessageID}
	default:
		t.instead = Repeated{*t.tx.Conversation(), known.Fence}
	}
	return nil
}
