package turn

import (
	"context"
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Submit takes a command. If it returns a Begun, that run must be driven. A refusal is a
// *chat.Error, a *tools.AnswerError, an *AnswersError for several answers, a *budget.SpentError or
// an error of the store; nothing has changed then. The client may leave at any moment: the command
// is still taken.
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
		if err := e.readable.look(ctx, from); err != nil {
			return nil, err
		}
	}
	known, err := e.sources.verify(ctx, app, &cmd)
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
	take := func() (Accepted, error) {
		return matching(func(matches matches) (Accepted, error) {
			return e.readable.looked(ctx, cmd.Ref, func(look bool) (Accepted, error) {
				return e.apply(point, lazy, update{setup: cmd.Setup, app: app, cmd: &cmd}, func(t *transition) error {
					in := &incoming{t.update, t, judge{update: t.update, verified: known, matches: matches}, look}
					return in.take()
				})
			})
		})
	}
	accepted, err := take()
	var runs *stillRuns
	if errors.As(err, &runs) {
		if err := e.stopFor(ctx, &cmd, runs.turnID); err != nil {
			return nil, err
		}
		return take()
	}
	return accepted, err
}

// take decides how to handle the command.
func (in *incoming) take() error {
	if head := in.tx.Conversation(); head.Unreadable {
		return &chat.Error{Code: chat.CodeNotReadable}
	} else if in.look && !in.engine.readable.knows(head) {
		return errUnlooked
	}
	if err := in.repeated(); err != nil || in.next.instead != nil {
		return err
	}
	if head := in.tx.Conversation(); head.UsedWith == "" {
		head.UsedWith = in.cmd.UsedWith
	}
	if in.cmd.Fork != nil {
		if err := in.next.afford(); err != nil {
			return err
		}
		return in.takeFork()
	}
	if taken, err := in.takeAsync(); err != nil || taken {
		return err
	}
	if err := in.pass(); err != nil {
		return err
	}
	if err := in.next.afford(); err != nil {
		return err
	}
	if err := in.tooLate(); err != nil {
		return err
	}
	if err := in.enqueue(); err != nil || in.next.instead != nil {
		return err
	}
	if in.cmd.Resume {
		return in.takeResume()
	}
	in.next.openRun()
	if in.cmd.Message != nil {
		return in.takeMessage()
	}
	if in.cmd.Answer == nil {
		return in.takeAnswers(in.cmd.Answers)
	}
	return in.takeAnswer(in.cmd.Answer)
}

// repeated looks up the idempotency key, and repeats the result of a command that is known.
func (in *incoming) repeated() error {
	if in.cmd.IdempotencyKey == "" {
		return nil
	}
	known, err := in.tx.Keys().Find(in.cmd.IdempotencyKey, in.now.Add(-idempotencyLife))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	case known.Hash != in.cmd.Hash:
		return &chat.Error{Code: chat.CodeIdempotencyConflict}
	case known.Fence == 0 && isClarification(known.Of):
		return in.repeatedAsync(known.Of)
	case known.Fence == 0:
		if _, err := waiting(in.tx, known.Of); errors.Is(err, store.ErrNotFound) {
			return &chat.Error{Code: chat.CodeTakenBack}
		} else if err != nil {
			return err
		}
		in.next.instead = Queued{*in.tx.Conversation(), known.Of}
	default:
		in.next.instead = Repeated{*in.tx.Conversation(), known.Fence}
	}
	return nil
}
