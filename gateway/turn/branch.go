package turn

import (
	"cmp"
	"context"

	"github.com/askgate/askgate/gateway/chat"
)

// DeleteBranches erases a chat and all others of its family (see store.BranchReader), each as Delete
// does. The chat itself is erased last, so that a failed call can be repeated. The error is
// not_found if the family has no chat.
func (e *Engine) DeleteBranches(ctx context.Context, ref chat.Ref) error {
	name, some := ref, false
	for {
		family, err := e.Store.Family(ctx, name) // until none is left: more may have begun
		if err != nil {
			return err
		}
		erased := false
		for i := range family {
			b := &family[i]
			name.ChatID = cmp.Or(b.Root, b.ChatID)
			if b.ChatID == ref.ChatID && len(family) > 1 {
				continue
			}
			switch err := e.Delete(ctx, b.Ref); {
			case err == nil:
				erased = true
			case chat.CodeOf(err) != chat.CodeNotFound: // else deleted meanwhile
				return err
			}
		}
		if some = some || erased; !erased {
			break
		}
	}
	if !some {
		return &chat.Error{Code: chat.CodeNotFound}
	}
	return nil
}

// RenameBranches gives a chat and all others of its family, up to store.MaxBranches, a title. The
// error is not_found if there is no such chat.
func (e *Engine) RenameBranches(ctx context.Context, ref chat.Ref, title string) (chat.Conversation, error) {
	renamed, err := e.Rename(ctx, ref, title)
	if err != nil {
		return renamed, err
	}
	family, err := e.Store.Family(ctx, ref)
	if err != nil {
		return renamed, err
	}
	for i := range family {
		if family[i].ChatID == ref.ChatID {
			continue
		}
		if _, err := e.Rename(ctx, family[i].Ref, title); err != nil && chat.CodeOf(err) != chat.CodeNotFound {
			return renamed, err
		}
	}
	return renamed, nil
}
