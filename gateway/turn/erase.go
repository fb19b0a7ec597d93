package turn

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// Delete erases the chat and everything about it; a running turn is stopped first.
func (e *Engine) Delete(ctx context.Context, ref chat.Ref) error {
	if err := e.Cancel(ctx, ref); err != nil {
		return err
	}
	_, err := e.erase(ctx, ref, time.Time{}, e.node.Others.Erased(ref)...)
	return err
}

// erase deletes the chat, unless it was changed since before (zero: in any case). The
// records stay. It says how many questions were open.
func (e *Engine) erase(ctx context.Context, ref chat.Ref, before time.Time, records ...chat.AuditRecord) (open int, err error) {
	lane := e.node.Lane(ref)
	lane.Lock()
	defer lane.Unlock()
	view, err := e.Store.View(ctx, ref)
	if err != nil {
		return 0, err
	}
	if err := e.Store.Delete(ctx, ref, before, records...); err != nil {
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
