package turn

import (
	"context"
	"errors"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// TakeBack removes a message from the chat's queue. Its files can be sent with another message, as if
// they had just been uploaded. Errors are already_begun once the message's turn has begun, not_found if
// nothing waits under that id, and the store's.
func (e *Engine) TakeBack(ctx context.Context, ref chat.Ref, messageID string) error {
	err := e.node.Update(ref, "unqueued", false, func(tx store.Tx) error {
		q, err := waiting(tx, messageID)
		if err != nil {
			return err
		}
		for _, f := range q.Files {
			if err := tx.Files().Release(f.ID, e.Store.Now()); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		u := update{setup: e.Setup(), cmd: &Command{Ref: ref}, tx: tx}
		return errors.Join(tx.Dequeue(q.ID), u.dropClaims(q.ID), tx.AddNews(chat.News{Type: chat.EventQueue}))
	})
	if errors.Is(err, store.ErrNotFound) {
		return e.begunOr(ctx, ref, messageID, err)
	}
	if err == nil {
		e.Hub.Nudge()
	}
	return err
}

// waiting returns a message of the chat's queue, or ErrNotFound.
func waiting(tx store.Tx, messageID string) (chat.Queued, error) {
	if head := tx.Conversation(); head.Fence == 0 { // there is no such chat, and an update must not create it
		return chat.Queued{}, store.ErrNotFound
	} else if head.Unreadable {
		return chat.Queued{}, &chat.Error{Code: chat.CodeNotReadable}
	}
	queue, err := tx.Queue()
	if err != nil {
		return chat.Queued{}, err
	}
	i := slices.IndexFunc(queue, func(q chat.Queued) bool { return q.ID == messageID })
	if i < 0 {
		return chat.Queued{}, store.ErrNotFound
	}
	return queue[i], nil
}

// begunOr returns an already_begun error if the chat has a message with that id from its user, and err
// otherwise.
func (e *Engine) begunOr(ctx context.Context, ref chat.Ref, messageID string, err error) error {
	head, _, headErr := e.Store.Conversation(ctx, ref)
	if headErr != nil {
		return headErr
	}
	m, readErr := e.Store.Message(ctx, head.ID, messageID)
	switch {
	case errors.Is(readErr, store.ErrNotFound), readErr == nil && m.Role != chat.RoleUser:
		return err
	case readErr != nil:
		return readErr
	}
	return &chat.Error{Code: chat.CodeAlreadyBegun}
}
