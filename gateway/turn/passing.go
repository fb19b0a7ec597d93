package turn

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/run"
)

// pass has a chat that begins be one that is deleted when its turn is over. One that is
// kept stays so.
func (t *transition) pass() error {
	if !t.cmd.Passing || t.cmd.Message == nil {
		return nil
	}
	head := t.tx.Conversation()
	if head.Fence == 0 {
		head.Passing = true
	}
	if !head.Passing {
		return &chat.Error{Code: chat.CodeInvalidRequest, Detail: "chat_kept"}
	}
	return nil
}

// passed deletes a passing chat whose turn is over, unless the next one has begun.
func (e *Engine) passed(ref chat.Ref) {
	ctx, cancel := context.WithTimeout(context.Background(), run.StoreTimeout)
	defer cancel()
	view, err := e.Store.ViewPart(ctx, ref, store.Part{Limit: 1})
	if err == nil && (!view.Conversation.Passing || len(view.Queue) > 0 || view.Status() != chat.StatusIdle) {
		return
	}
	if err == nil {
		_, err = e.erase(ctx, ref, view.Conversation.UpdatedAt.Add(time.Millisecond)) // what it was now, and no later
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		e.Log.Warn("passing chat not deleted", "app", ref.App, "error", err) // allPassed tries again
	}
}

// allPassed deletes the passing chats whose turn ended otherwise: by a stop while a question
// waited, or on a node that died before it could.
func (e *Engine) allPassed(ctx context.Context) {
	refs, err := e.Store.Passed(ctx, sweepLimit)
	if err != nil {
		e.Log.Warn("passing chats not read", "error", err)
		return
	}
	for _, ref := range refs {
		e.passed(ref)
	}
}
