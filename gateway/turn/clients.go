package turn

import (
	"context"
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Coded stores that a question of the chat was sent with a code.
func (e *Engine) Coded(_ context.Context, ref chat.Ref, of *chat.Clarification, code string) error {
	return e.node.Update(ref, "coded", false, func(tx store.Tx) error {
		c := tx.Conversation()
		if c.Fence == 0 {
			return &chat.Error{Code: chat.CodeNotFound}
		}
		c.AddCode(of, code)
		return nil
	})
}

// errUnchanged ends an update that only reads.
var errUnchanged = errors.New("turn: nothing to change")

// Known reports whether the chat has taken a command with the idempotency key.
func (e *Engine) Known(_ context.Context, ref chat.Ref, key string) (known bool, err error) {
	err = e.node.Update(ref, "known", false, func(tx store.Tx) error {
		_, err := tx.Keys().Find(key, e.Store.Now().Add(-idempotencyLife))
		if known = err == nil; err == nil || errors.Is(err, store.ErrNotFound) {
			return errUnchanged
		}
		return err
	})
	if errors.Is(err, errUnchanged) {
		err = nil
	}
	return known, err
}
