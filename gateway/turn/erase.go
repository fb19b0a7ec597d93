package turn

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Delete erases the chat and everything about it; a running turn is stopped first.
func (e *Engine) Delete(ctx context.Context, ref chat.Ref) error {
	if err := e.Cancel(ctx, ref); err != nil {
		return err
	}
	_, err := e.erase(ctx, ref, time.Time{}, e.node.Recorder.Erased(ref, e.Store.Now())...)
	return err
}

// erase deletes the chat if it has not changed since before (zero: in any case), and stores the
// audit records. It returns how many questions were open.
func (e *Engine) erase(ctx context.Context, ref chat.Ref, before time.Time, records ...chat.AuditRecord) (open int, err error) {
	lane := e.node.Lane(ref)
	lane.Lock()
	defer lane.Unlock()
	view, err := e.Store.ViewPart(ctx, ref, store.Part{Limit: 1})
	if err != nil {
		return 0, err
	}
	if err := e.Store.Delete(ctx, ref, before, records...); err != nil {
		if errors.Is(err, store.ErrUnknown) {
			e.node.Unseen(ref, view.Conversation.ID)
		}
		return 0, err
	}
	e.Hub.Erase(view.Conversation.ID)
	e.Uploads.Drop(ctx)
	pending := view.Pending()
	for _, c := range pending {
		e.node.Metrics.Erased(&c)
	}
	if len(pending) > 0 {
		e.Hub.Nudge()
	}
	return len(pending), nil
}

// dropEphemeral deletes an ephemeral chat whose turn is over, unless the next one has begun.
func (e *Engine) dropEphemeral(ref chat.Ref) {
	ctx, cancel := context.WithTimeout(context.Background(), store.Timeout)
	defer cancel()
	view, err := e.Store.ViewPart(ctx, ref, store.Part{Limit: 1})
	if err == nil && (!view.Conversation.Ephemeral || len(view.Queue) > 0 || view.Status() != chat.StatusIdle || lasts(&view.Conversation, e.Store.Now())) {
		return
	}
	if err == nil {
		_, err = e.erase(ctx, ref, view.Conversation.UpdatedAt.Add(time.Millisecond)) // only if it has not changed since it was read
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		e.Log.Warn("cannot delete an ephemeral chat", "app", ref.App, "error", err) // dropEndedEphemeral tries again
	}
}

// lasts reports whether an ephemeral chat is kept for its client to come back to.
func lasts(c *chat.Conversation, now time.Time) bool {
	return c.Lasting && now.Before(c.UpdatedAt.Add(chat.LastingFor))
}

// dropEndedEphemeral deletes the ephemeral chats that dropEphemeral has missed: their turn was
// stopped while a question waited, or their node died before it could delete them.
func (s *sweeper) dropEndedEphemeral(ctx context.Context) {
	refs, err := s.engine.Store.Due().EndedEphemeral(ctx, s.engine.Store.Now().Add(-chat.LastingFor), sweepLimit)
	if err != nil {
		s.engine.Log.Warn("cannot list ephemeral chats", "error", err)
		return
	}
	for _, ref := range refs {
		s.engine.dropEphemeral(ref)
	}
}
