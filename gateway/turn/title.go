package turn

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Rename gives a chat a title, which stays whatever a model would call it.
func (e *Engine) Rename(_ context.Context, ref chat.Ref, title string) (renamed chat.Conversation, err error) {
	err = e.node.Update(ref, "title", false, func(tx store.Tx) error {
		c := tx.Conversation()
		if c.Fence == 0 {
			return &chat.Error{Code: chat.CodeNotFound}
		}
		c.Title, c.TitleBy = title, chat.TitleByPerson
		renamed = *c
		return tx.Tell(chat.News{Type: chat.EventTitle})
	})
	if err == nil {
		e.Hub.Nudge()
	}
	return renamed, err
}
