package turn

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// maxQueue is how many messages of a chat may wait. Further ones are refused, as without a queue.
const maxQueue = 20

// enqueue queues a message that comes while a turn runs or waits for a person, if the message or the app
// wants it, and one that comes while others are queued.
func (in *incoming) enqueue() error {
	turn := in.tx.Turn()
	if in.cmd.Message == nil || turn == nil {
		return nil
	}
	queue, err := in.tx.Queue()
	if err != nil {
		return err
	}
	full := &chat.Error{Code: chat.CodeTurnInProgress}
	switch policy := &in.app.Clarifications; turn.State {
	case chat.TurnEnded:
		if len(queue) == 0 {
			return nil
		}
	case chat.TurnPaused:
		if policy.OnMessageWhilePending != config.PendingQueue && (!in.cmd.Queue || policy.OnMessageWhilePending == config.PendingReject) {
			return nil
		}
		pending, err := in.tx.Clarifications().Pending()
		if err != nil || len(pending) == 0 { // no one waits for hidden questions
			return err
		}
		full = &chat.Error{Code: chat.CodeClarificationPending, Clarification: &pending[0]}
	default:
		if policy.OnMessageWhileRunning != config.RunningQueue && (!in.cmd.Queue || policy.RefusesWhileRunning) {
			return nil
		}
	}
	if len(queue) >= maxQueue {
		return full
	}
	if err := in.roomFor(int64(len(*in.cmd.Message) + len(in.cmd.Instructions))); err != nil {
		return err
	}
	q := chat.Queued{
		ID: chat.NewID("msg"), Content: *in.cmd.Message, Language: in.cmd.Language, Interactive: in.cmd.Interactive,
		IdempotencyKey: in.cmd.IdempotencyKey, CreatedAt: in.now, ClientID: in.cmd.ClientID,
	}
	if q.Files, err = in.attached(q.ID); err != nil {
		return err
	}
	if err := in.tx.Enqueue(q); err != nil {
		return err
	}
	if in.cmd.Instructions != "" {
		if err := in.tx.Instruct(q.ID, in.cmd.Instructions); err != nil {
			return err
		}
	}
	if err := in.keepClaims(q.ID, in.cmd.Ref.Subject, in.cmd.Claims); err != nil {
		return err
	}
	in.next.instead = Queued{*in.tx.Conversation(), q.ID}
	if err := in.tx.AddNews(chat.News{Type: chat.EventQueue}); err != nil {
		return err
	}
	return in.remember(0, q.ID)
}

// takeQueues begins turns with queued messages that were left behind by a node that died after the
// turn before.
func (s *sweeper) takeQueues(ctx context.Context) {
	s.beginAll(ctx, "queued messages", s.engine.Store.Due().Waiting, (*transition).takeQueued)
}

// takeQueued begins a turn with the oldest queued message.
func (t *transition) takeQueued() error {
	if turn := t.tx.Turn(); turn != nil && turn.State != chat.TurnEnded {
		return errNothing
	}
	queue, err := t.tx.Queue()
	if err != nil {
		return err
	}
	if len(queue) == 0 {
		return errNothing
	}
	if err := t.takeOut(&queue[0]); err != nil {
		return err
	}
	return t.beginTurn()
}

// takeOut takes a message out of the queue and opens the run that begins its turn.
func (t *transition) takeOut(q *chat.Queued) error {
	if err := t.tx.Dequeue(q.ID); err != nil {
		return err
	}
	t.cmd = &Command{
		Ref: t.cmd.Ref, Message: &q.Content, Language: q.Language, Interactive: q.Interactive, messageID: q.ID, sent: q.Files, ClientID: q.ClientID,
		By: t.cmd.By,
	}
	if q.IdempotencyKey != "" {
		known, err := t.tx.Keys().Find(q.IdempotencyKey, time.Time{})
		switch {
		case err == nil && known.Of == q.ID: // neither forgotten nor used again
			t.cmd.IdempotencyKey, t.cmd.Hash = known.Key, known.Hash
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return err
		}
	}
	t.openRun()
	if err := t.afford(); err != nil && !errors.As(err, &t.start.Spent) {
		return err
	}
	return nil
}
