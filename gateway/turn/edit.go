package turn

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// SaveDraft stores what a person has typed so far in answer to a question of theirs, as any JSON;
// nil removes it. Only programs that draw the question read it. Errors are not_found, those of an
// answer to a closed question, and the store's.
func (e *Engine) SaveDraft(ctx context.Context, c chat.Clarification, draft json.RawMessage) error {
	if err := e.undue(&c); err != nil {
		return err
	}
	lane := e.node.Lane(c.Ref) // an answer that is being stored takes precedence: wait until it is
	lane.Lock()
	defer lane.Unlock()
	err := e.Store.SaveDraft(ctx, c.Tenant, c.Subject, c.ID, draft)
	switch {
	case errors.Is(err, store.ErrFull):
		return &chat.Error{Code: chat.CodeTooLarge, Detail: "drafts_full"}
	case !errors.Is(err, store.ErrNotFound):
		return err
	}
	now, err := e.Store.Clarification(ctx, c.ID) // closed or erased meanwhile
	if err != nil {
		return err
	}
	if err := e.undue(&now); err != nil {
		return err
	}
	return store.ErrNotFound
}

// undue refuses a question that is closed or has expired.
func (e *Engine) undue(c *chat.Clarification) error {
	return (&update{now: e.Store.Now()}).closable(c)
}

// InWords stores that a client's result for a clarification was not an answer.
func (e *Engine) InWords(ctx context.Context, c chat.Clarification) error {
	return e.Store.SaveInWords(ctx, c.ID)
}

// Rename gives a chat a title that no model's title replaces.
func (e *Engine) Rename(_ context.Context, ref chat.Ref, title string) (renamed chat.Conversation, err error) {
	err = e.node.Update(ref, "title", false, func(tx store.Tx) error {
		c := tx.Conversation()
		if c.Fence == 0 {
			return &chat.Error{Code: chat.CodeNotFound}
		}
		c.Title, c.TitleBy = title, chat.TitleByPerson
		renamed = *c
		return tx.AddNews(chat.News{Type: chat.EventTitle})
	})
	if err == nil {
		e.Hub.Nudge()
	}
	return renamed, err
}

// Revoke has the chat ask again before each call of the tool. A call that has begun goes on. It is
// no error if there is nothing to revoke; the error is not_found if there is no such chat.
func (e *Engine) Revoke(_ context.Context, ref chat.Ref, tool string) error {
	return e.node.Update(ref, "revoke", false, func(tx store.Tx) error {
		if tx.Conversation().Fence == 0 {
			return &chat.Error{Code: chat.CodeNotFound}
		}
		return revoke(tx, tool)
	})
}

// revoke ends the effect of the tool's approvals on later calls.
func revoke(tx store.Tx, tool string) error {
	all, err := tx.Remembered()
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.ToolName == tool {
			c.Remembered = false
			if err := tx.Clarifications().Save(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// Seen stores that a screen has shown a clarification. Only the first time counts.
func (e *Engine) Seen(ctx context.Context, c chat.Clarification) error {
	_, err := e.Store.SaveSeen(ctx, c.ID, e.Store.Now())
	return err
}
