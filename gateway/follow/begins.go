package follow

import (
	"context"
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// await opens a view of a chat that does not exist yet. The view begins with an empty snapshot
// without an id, and goes on with the chat's first run.
func (r *Reader) await(ref chat.Ref, maxQuestions int) *Following {
	s := &chat.Snapshot{ChatID: ref.ChatID, Status: chat.StatusIdle, Messages: []chat.SnapshotMessage{}, Pending: []chat.Kept{}}
	s.Clarifications.Max = maxQuestions
	w := watch{reader: r, ref: ref, follower: r.Hub.Follow(stream.Beginning(ref)), seat: r.sit(ref, "")}
	return &Following{watch: w, snapshot: s, awaits: true, maxQuestions: maxQuestions}
}

// begins waits until the chat has begun, and then turns the view into one of the chat: from its
// first event on or, if the hub does not have that, with a snapshot.
func (f *Following) begins(ctx context.Context) error {
	first, err := f.first(ctx)
	if err != nil {
		return err
	}
	begun, err := f.watch.reader.Follow(ctx, f.watch.ref, f.maxQuestions, first)
	if err != nil {
		return err
	}
	f.Close()
	*f = *begun
	return nil
}

// first returns the id right before the chat's first event. It returns "" if the chat exists and
// only a snapshot can show how it began.
func (f *Following) first(ctx context.Context) (string, error) {
	w := &f.watch
	for {
		head, _, err := w.reader.Store.Conversation(ctx, w.ref) // it may have begun before the follower was opened
		told := ""
		if errors.Is(err, store.ErrNotFound) {
			var batch stream.Batch
			batch, err = w.listen(ctx)
			if err == nil {
				told = chat.EventID{Fence: batch.Last.Fence}.String()
				head, _, err = w.reader.Store.Conversation(ctx, w.ref)
			}
		}
		switch {
		case err == nil && head.ForkedFrom() != nil:
			return "", nil // a fork has more than its events
		case err == nil:
			return told, nil
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case errors.Is(err, errLook), errors.Is(err, store.ErrNotFound):
		default: // the store or the hub will be back
			if err := pause(ctx, lookEvery); err != nil {
				return "", err
			}
		}
	}
}
