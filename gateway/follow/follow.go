package follow

import (
	"context"
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// Store is the part of a store that viewers read.
type Store interface {
	store.Reader
	store.PositionReader
}

// Reader shows chats. It is safe for concurrent use.
type Reader struct {
	Store  Store
	Hub    stream.Hub
	Shared bool // other nodes may use the store, too

	lookout lookout
}

// MaxMessages is the maximum number of messages in a snapshot, and maxText the maximum size of their
// texts in bytes, unless a single message is larger. Older messages are read in further snapshots.
const (
	MaxMessages = 200
	maxText     = 8 << 20
)

// Snapshot returns the chat as its owner sees it; for anyone else the error is store.ErrNotFound. It
// has the given number of messages: the newest ones, or those before the one with the id before if
// that is not "". If there is no such message, the error is store.ErrCursor. What ctx admits counts
// (store.WithAdmission). maxQuestions is the cap on questions in a chat of the app.
func (r *Reader) Snapshot(ctx context.Context, ref chat.Ref, maxQuestions, messages int, before string) (*chat.Snapshot, error) {
	view, err := r.Store.ViewPart(ctx, ref, store.Part{Limit: messages, Bytes: maxText, Before: before, Family: true})
	if err != nil {
		return nil, err
	}
	return r.snapshot(ctx, view, maxQuestions)
}

// snapshot returns a view as its owner sees it, with what is stored apart from the view.
func (r *Reader) snapshot(ctx context.Context, view *store.View, maxQuestions int) (*chat.Snapshot, error) {
	if err := r.show(ctx, view, 0); err != nil {
		return nil, err
	}
	s := snapshot(view, maxQuestions)
	if s.FinishReason == chat.FinishError {
		run, err := r.Store.LastRun(ctx, view.Conversation.ID, view.Turn.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrUnreadable) {
			return nil, err
		}
		s.Error = run.Failure
		s.Resumable = s.Resumable && !run.Failure.Final()
	}
	return s, nil
}

// Following is one viewer of a chat, for one goroutine.
type Following struct {
	watch    watch
	snapshot *chat.Snapshot // to begin with; nil if the replay is complete
	// awaits says that the chat does not exist yet; maxQuestions is then its app's cap.
	awaits       bool
	maxQuestions int
}

// Follow opens a view of the chat: after the event with that id or, if none is given or the history
// after it is gone, beginning with a snapshot. A chat that does not exist is awaited if no id is
// given; otherwise it was erased, and the error is store.ErrNotFound. The view must be closed.
func (r *Reader) Follow(ctx context.Context, ref chat.Ref, maxQuestions int, after string) (*Following, error) {
	head, _, err := r.Store.Conversation(ctx, ref)
	if after == "" && errors.Is(err, store.ErrNotFound) {
		return r.await(ref, maxQuestions), nil
	}
	if err != nil {
		return nil, err
	}
	// The watch is open before the chat is read, so that no event is missed in between.
	f := &Following{watch: r.watch(ref, head.ID)}
	if err := f.begin(ctx, maxQuestions, after); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// begin finds where the view begins. Messages are read only for a snapshot.
func (f *Following) begin(ctx context.Context, maxQuestions int, after string) error {
	w := &f.watch
	if id, err := chat.ParseEventID(after); err == nil {
		w.at = at(id)
		if there, err := w.reaches(ctx); there || err != nil {
			return err
		}
	}
	view, err := w.reader.Store.ViewPart(ctx, w.ref, store.Part{Limit: MaxMessages, Bytes: maxText, Family: true})
	if err != nil {
		return err
	}
	w.at = at(view.Conversation.LastEvent)
	w.follower.Seek(w.at.last)
	f.snapshot, err = w.reader.snapshot(ctx, view, maxQuestions)
	return err
}

// Begin writes the snapshot if the view begins with one, and only the first time.
func (f *Following) Begin(sink stream.Sink) error {
	s := f.snapshot
	if s == nil {
		return nil
	}
	f.snapshot = nil
	return sink.Write(stream.One(s.LastEventID, chat.Event{Type: chat.EventSnapshot, Data: s}))
}

// Stream writes what has happened since Begin, and what happens, until ctx ends, the sink fails, the
// chat is erased, the viewer is too slow, or events are missing that only a snapshot can replace,
// for which the viewer has to come back.
func (f *Following) Stream(ctx context.Context, sink stream.Sink) error {
	if f.awaits {
		if err := f.begins(ctx); err != nil {
			return err
		}
		if err := f.Begin(sink); err != nil {
			return err
		}
	}
	for {
		batch, err := f.watch.next(ctx)
		if err != nil {
			return err
		}
		if err := sink.Write(batch.Events); err != nil {
			return err
		}
	}
}

// Close ends the view.
func (f *Following) Close() { f.watch.close() }
