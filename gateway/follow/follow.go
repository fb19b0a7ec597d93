package follow

import (
	"context"
	"encoding/json"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// Reader shows chats. Safe for concurrent use.
type Reader struct {
	Store  store.Reader
	Hub    stream.Hub
	Shared bool // other nodes may work on the store
}

// Snapshot is the whole chat as its owner sees it, store.ErrNotFound for anybody else.
// maxQuestions is the cap on questions in a chat of the app.
func (r *Reader) Snapshot(ctx context.Context, ref chat.Ref, maxQuestions int) (*chat.Snapshot, error) {
	view, err := r.Store.View(ctx, ref)
	if err != nil {
		return nil, err
	}
	return snapshot(view, maxQuestions), nil
}

// Following is one viewer of a chat, for one goroutine.
type Following struct {
	watch    watch
	snapshot []byte // the frame to begin with, nil where the replay is complete
}

// Follow opens a view of the chat: after the event with that id, or, where none
// is given or the history after it is gone, with a snapshot first. It must be closed.
func (r *Reader) Follow(ctx context.Context, ref chat.Ref, maxQuestions int, after string) (*Following, error) {
	head, _, err := r.Store.Conversation(ctx, ref)
	if err != nil {
		return nil, err
	}
	// The follower is opened before the chat is read, so that no event falls between.
	f := &Following{watch: watch{reader: r, ref: ref, follower: r.Hub.Follow(head.ID)}}
	view, err := r.Store.View(ctx, ref)
	if err != nil {
		f.Close()
		return nil, err
	}
	w, last := &f.watch, view.Conversation.LastEvent
	id, err := chat.ParseEventID(after)
	if err == nil && id != last && w.hubReaches(ctx, id, last) {
		w.at = position{last: id}
		return f, nil
	}
	w.follower.Seek(last)
	w.at = position{last: last, whole: true, runs: last.Fence, known: view}
	if chat.StatusOf(view.Turn) == chat.StatusRunning {
		w.at.runs--
	}
	if err == nil && id == last {
		return f, nil
	}
	data, err := json.Marshal(snapshot(view, maxQuestions))
	if err != nil {
		f.Close()
		return nil, err
	}
	f.snapshot = sse.AppendEvent(nil, last.String(), string(chat.EventSnapshot), data)
	return f, nil
}

// Stream writes what happened and what happens, until ctx ends, the sink fails,
// the chat is erased, the viewer was too slow, or events are missing that only a
// snapshot can make up for: the viewer comes back for it.
func (f *Following) Stream(ctx context.Context, sink stream.Sink) error {
	if f.snapshot != nil {
		if err := sink.Write(f.snapshot); err != nil {
			return err
		}
		f.snapshot = nil
	}
	for {
		batch, err := f.watch.next(ctx)
		if err != nil {
			return err
		}
		if err := sink.Write(batch.Frames); err != nil {
			return err
		}
	}
}

// Close ends the view.
func (f *Following) Close() { f.watch.follower.Close() }
