package turn

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// maxQueue is how many messages of a chat may wait. Who types more while one turn runs
// is told to wait, as without a queue.
const maxQueue = 20

// mustWait queues a message that comes while a turn runs, or while others wait, where
// the app says so.
func (s *submission) mustWait() (bool, error) {
	if s.cmd.Message == nil || s.app.Clarifications.OnMessageWhileRunning != config.RunningQueue {
		return false, nil
	}
	turn := s.tx.Turn()
	if turn == nil || turn.State == chat.TurnPaused {
		return false, nil // the first, or one that onMessageWhilePending is about
	}
	queue, err := s.tx.Queue()
	if err != nil || turn.State == chat.TurnEnded && len(queue) == 0 {
		return false, err
	}
	if len(queue) >= maxQueue {
		return false, &chat.Error{Code: chat.CodeTurnInProgress}
	}
	q := chat.Queued{
		ID: chat.NewID("msg"), Content: *s.cmd.Message, Language: s.cmd.Language, Interactive: s.cmd.Interactive,
		IdempotencyKey: s.cmd.IdempotencyKey, CreatedAt: s.now,
	}
	if err := s.tx.Enqueue(q); err != nil {
		return false, err
	}
	if q.IdempotencyKey != "" {
		if err := s.remember(0, q.ID); err != nil {
			return false, err
		}
	}
	s.queued, s.head = q.ID, *s.tx.Conversation()
	return true, nil
}

// takeQueued begins a turn with the message that has waited longest.
func (s *submission) takeQueued() error {
	if turn := s.tx.Turn(); turn != nil && turn.State != chat.TurnEnded {
		return errNothing
	}
	queue, err := s.tx.Queue()
	if err != nil {
		return err
	}
	if len(queue) == 0 {
		return errNothing
	}
	q := queue[0]
	if err := s.tx.Dequeue(q.ID); err != nil {
		return err
	}
	s.cmd = &Command{
		Ref: s.cmd.Ref, Message: &q.Content, Language: q.Language, Interactive: q.Interactive, messageID: q.ID,
	}
	if q.IdempotencyKey != "" {
		known, err := s.tx.Idempotency(q.IdempotencyKey, time.Time{})
		switch {
		case err == nil && known.MessageID == q.ID: // not forgotten, nor used again
			s.cmd.IdempotencyKey, s.cmd.Hash = known.Key, known.Hash
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return err
		}
	}
	s.open()
	if err := s.afford(); err != nil && !errors.As(err, &s.spent) {
		return err
	}
	return s.beginTurn()
}

// goOnWithQueue begins the next turn of a chat whose turn has ended.
func (e *Engine) goOnWithQueue(ref chat.Ref) {
	r, err := e.begin(ref, (*submission).takeQueued)
	if err != nil {
		e.Log.Warn("queued message not taken up", "app", ref.App, "error", err)
	} else if r != nil {
		e.drive(r)
	}
}

// waiting is the run that a queued message will start, to be shown when it does.
func (e *Engine) waiting(head chat.Conversation, messageID string) *Run {
	return &Run{engine: e, conversation: head, queued: messageID}
}

// await returns when the queued message has started a run, which r then shows. False:
// it never will, or ctx has ended.
func (r *Run) await(ctx context.Context, sink stream.Sink) bool {
	e := r.engine
	f := e.Hub.Follow(r.conversation.ID)
	defer f.Close()
	if sink != nil && sink.Write(nil) != nil { // the message is taken, even if nothing happens for long
		return false
	}
	for {
		view, err := e.Store.View(ctx, r.conversation.Ref)
		if err != nil {
			return false
		}
		for i := len(view.Messages) - 1; i >= 0; i-- {
			if m := &view.Messages[i]; m.ID == r.queued {
				r.record.Fence = m.Fence
				return true
			}
		}
		if !waits(view.Queue, r.queued) {
			return false // the chat was deleted, and perhaps begun anew
		}
		if err := e.untilRunBegins(ctx, f); err != nil {
			return false
		}
	}
}

func waits(queue []chat.Queued, messageID string) bool {
	for _, q := range queue {
		if q.ID == messageID {
			return true
		}
	}
	return false
}

// untilRunBegins waits until the hub tells of a new run, or it is time to look into
// the store.
func (e *Engine) untilRunBegins(ctx context.Context, f stream.Follower) error {
	for {
		batch, err := e.listen(ctx, f, false)
		switch {
		case errors.Is(err, errLook), errors.Is(err, stream.ErrGap), errors.Is(err, stream.ErrLagged):
			return nil
		case err != nil:
			return err
		case batch.First.Seq == 1:
			return nil
		}
	}
}
