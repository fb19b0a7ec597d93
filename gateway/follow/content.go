package follow

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// maxInline is the limit in bytes of all contents of results in one snapshot or replay. Of older
// results there are only the addresses.
const maxInline = 8 << 20

// show sets the addresses of what results show people, and reads the bytes that events and snapshots
// contain, for the results stored after a run, the newest first.
func (r *Reader) show(ctx context.Context, view *store.View, after int64) error {
	var ids []string
	var wanted []*tools.Content
	room := maxInline
	for m := len(view.Messages) - 1; m >= 0; m-- {
		calls := view.Messages[m].ToolCalls
		for c := len(calls) - 1; c >= 0; c-- {
			result := calls[c].Result
			if result == nil || result.Fence <= after || len(result.Shown) == 0 {
				continue
			}
			chat.Locate(view.Conversation.Ref, result.Shown)
			for i, in := range tools.Inline(result.Shown) {
				if p := &result.Shown[i]; in && p.Size <= room {
					room -= p.Size
					ids, wanted = append(ids, p.ID), append(wanted, p)
				}
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := r.Store.Contents(ctx, view.Conversation.Ref, ids)
	if err != nil {
		return err
	}
	for _, p := range wanted {
		if b, ok := found[p.ID]; ok {
			p.Bytes = b.Bytes
		}
	}
	return nil
}

// Content returns the content of a part of a result. For anyone but the chat's owner the error is
// store.ErrNotFound.
func (r *Reader) Content(ctx context.Context, ref chat.Ref, id string) (chat.Bytes, error) {
	found, err := r.Store.Contents(ctx, ref, []string{id})
	if err != nil {
		return chat.Bytes{}, err
	}
	b, ok := found[id]
	if !ok {
		return b, store.ErrNotFound
	}
	return b, nil
}
