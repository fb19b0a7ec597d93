package turn

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// SaveDraft keeps what a person has typed so far with a question of theirs, any JSON; nil
// removes it. Nothing reads it but those who draw the question. Errors are not_found, those of
// an answer to what is closed, and the store's.
func (e *Engine) SaveDraft(ctx context.Context, c chat.Clarification, draft json.RawMessage) error {
	if err := undue(&c); err != nil {
		return err
	}
	lane := e.node.Lane(c.Ref) // an answer that is being stored counts, and is stored before this looks
	lane.Lock()
	defer lane.Unlock()
	err := e.Store.SaveDraft(ctx, c.Tenant, c.Subject, c.ID, draft)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	now, err := e.Store.Clarification(ctx, c.ID) // closed or erased meanwhile
	if err != nil {
		return err
	}
	if err := undue(&now); err != nil {
		return err
	}
	return store.ErrNotFound
}

// undue refuses what is closed, or has expired.
func undue(c *chat.Clarification) error {
	return (&transition{now: time.Now()}).closable(c)
}
