package turn

import (
	"context"
	"encoding/json"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// Snapshot is the whole chat as its owner sees it; not_found for anybody else.
func (e *Engine) Snapshot(ctx context.Context, ref chat.Ref, app *config.App) (*chat.Snapshot, error) {
	view, err := e.Store.View(ctx, ref)
	if err != nil {
		return nil, notFound(err)
	}
	return snapshot(view, app), nil
}

func status(t *chat.Turn) chat.Status {
	switch {
	case t == nil || t.State == chat.TurnEnded:
		return chat.StatusIdle
	case t.State == chat.TurnPaused:
		return chat.StatusAwaitingInput
	default:
		return chat.StatusRunning
	}
}

func snapshot(view *store.View, app *config.App) *chat.Snapshot {
	s := &chat.Snapshot{
		ChatID: view.Conversation.ChatID, Status: status(view.Turn),
		Messages: []chat.SnapshotMessage{}, Pending: []chat.Asked{},
		LastEventID: view.Conversation.LastEvent.String(),
	}
	for i := range view.Messages {
		s.Messages = append(s.Messages, snapshotMessage(&view.Messages[i]))
	}
	for _, c := range view.Pending() {
		s.Pending = append(s.Pending, chat.NewAsked(&c))
	}
	if len(s.Pending) > 0 {
		s.Clarification = &s.Pending[0]
	}
	for _, q := range view.Queue {
		s.Queued = append(s.Queued, chat.SnapshotQueued{ID: q.ID, Content: q.Content, CreatedAt: chat.Time(q.CreatedAt)})
	}
	s.Approvals = approvals(view.Clarifications)
	s.Clarifications.Max = app.Clarifications.PerConversation
	for _, c := range view.Clarifications {
		if c.Question.Kind == tools.KindQuestion {
			s.Clarifications.Used++
		}
	}
	return s
}

func snapshotMessage(m *chat.Message) chat.SnapshotMessage {
	w := chat.SnapshotMessage{ID: m.ID, Role: m.Role, Content: m.Content, CreatedAt: chat.Time(m.CreatedAt)}
	for _, c := range m.ToolCalls {
		call := chat.SnapshotToolCall{ToolCallID: c.ID, ToolName: c.Name, Arguments: json.RawMessage(c.Arguments)}
		if c.Result != nil {
			call.Result = &c.Result.Content
		}
		w.ToolCalls = append(w.ToolCalls, call)
	}
	return w
}

// Following is one viewer of a chat.
type Following struct {
	watcher  watcher
	snapshot []byte // the frame to begin with, nil where the replay is complete
}

// Follow opens a view of the chat: after the event with that id, or, where none
// is given or the history after it is gone, with a snapshot first. It must be closed.
func (e *Engine) Follow(ctx context.Context, ref chat.Ref, app *config.App, after string) (*Following, error) {
	head, _, err := e.Store.Conversation(ctx, ref)
	if err != nil {
		return nil, notFound(err)
	}
	// The hub keeps everything from here on, so that nothing falls between the
	// picture read below and the live events.
	f := &Following{watcher: watcher{engine: e, ref: ref, follower: e.Hub.Follow(head.ID)}}
	view, err := e.Store.View(ctx, ref)
	if err != nil {
		f.Close()
		return nil, notFound(err)
	}
	w, last := &f.watcher, view.Conversation.LastEvent
	id, err := chat.ParseEventID(after)
	if err == nil && id != last && e.reaches(ctx, w.follower, id, last) {
		w.at = id
		return f, nil
	}
	w.follower.Seek(last)
	w.at, w.told = last, &told{through: last.Fence, view: view}
	if status(view.Turn) == chat.StatusRunning {
		w.told.through--
	}
	if err == nil && id == last {
		return f, nil
	}
	data, err := json.Marshal(snapshot(view, app))
	if err != nil {
		f.Close()
		return nil, err
	}
	f.snapshot = sse.AppendEvent(nil, last.String(), string(chat.EventSnapshot), data)
	return f, nil
}

// Stream writes what happened and what happens, until ctx ends, the sink fails,
// the chat is erased, the viewer was too slow, or events are missing that only a
// snapshot can tell: the viewer comes back for it.
func (f *Following) Stream(ctx context.Context, sink stream.Sink) error {
	if f.snapshot != nil {
		if err := sink.Write(f.snapshot); err != nil {
			return err
		}
		f.snapshot = nil
	}
	for {
		batch, err := f.watcher.next(ctx)
		if err != nil {
			return err
		}
		if err := sink.Write(batch.Frames); err != nil {
			return err
		}
	}
}

// Close ends the view.
func (f *Following) Close() { f.watcher.follower.Close() }
