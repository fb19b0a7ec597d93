package turn

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Revoke has the chat ask again before each call of the tool. A call that has begun goes
// on. Nothing to revoke is fine; not_found where there is no such chat.
func (e *Engine) Revoke(_ context.Context, ref chat.Ref, tool string) error {
	return e.node.Update(ref, "revoke", false, func(tx store.Tx) error {
		if tx.Conversation().Fence == 0 {
			return &chat.Error{Code: chat.CodeNotFound}
		}
		return revoke(tx, tool)
	})
}

// revoke forgets that an approval of the tool counts for later calls.
func revoke(tx store.Tx, tool string) error {
	all, err := tx.Remembered()
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.ToolName == tool {
			c.Remembered = false
			if err := tx.SaveClarification(c); err != nil {
				return err
			}
		}
	}
	return nil
}
