package turn

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/forget"
)

// DeleteAnswer deletes the answer to a clarification wherever it stands (package forget), in one
// update, and announces that in the chats where it stood: at once or, where a turn runs, when it is
// over. A turn that runs goes on with what it has read. An answer that is deleted already stays so.
// Errors are not_found, clarification_pending, not_deletable, not_readable, draining, and the store's.
func (e *Engine) DeleteAnswer(ctx context.Context, setup *Setup, id string, by chat.Actor) error {
	if e.node.Draining.Load() {
		return &chat.Error{Code: chat.CodeDraining}
	}
	c, err := e.Store.Clarification(ctx, id)
	if err != nil {
		return err
	}
	if err := forget.Refused(&c); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	chats, err := e.deleteAnswer(ctx, setup, &c, by)
	if err != nil {
		return err
	}
	if chats == nil { // deleted already, perhaps by a process that died before it announced that
		e.beginOne(c.Ref, unpublishedAsks, (*transition).takeUnpublished)
		return nil
	}
	e.Uploads.Drop(ctx)
	for _, of := range chats {
		e.Hub.Forget(of.ID)
		if of.Offered { // nothing to announce
			continue
		}
		if r := e.runs.registered(of.ID); r != nil {
			r.Unpublished.Store(true)
		}
		e.beginOne(of.Ref, unpublishedAsks, (*transition).takeUnpublished)
	}
	return nil
}

func (e *Engine) deleteAnswer(ctx context.Context, setup *Setup, c *chat.Clarification, by chat.Actor) (chats []forget.Chat, err error) {
	lane := e.node.Lane(c.Ref)
	lane.Lock()
	defer lane.Unlock()
	err = e.node.Update(c.Ref, "answer.deleted", false, func(tx store.Tx) (err error) {
		switch head := tx.Conversation(); {
		case head.Fence == 0:
			return &chat.Error{Code: chat.CodeNotFound}
		case head.Unreadable:
			return &chat.Error{Code: chat.CodeNotReadable}
		}
		f := forget.Forgetting{Tx: tx, Catalog: setup.Catalog, Recorder: &e.node.Recorder, Now: e.Store.Now(), By: by}
		chats, err = f.Answer(ctx, c.ID)
		return err
	})
	return chats, err
}
