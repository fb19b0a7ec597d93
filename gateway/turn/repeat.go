package turn

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// repeat is the run that an earlier request started, to be shown again.
func (e *Engine) repeat(head chat.Conversation, fence int64) *Run {
	return &Run{engine: e, conversation: head, record: chat.Run{Fence: fence}, repeat: true}
}

// show writes the events of the run: from the hub where it has them all, else
// made again from what is stored; live to its done if it still runs.
func (r *Run) show(ctx context.Context, sink stream.Sink) {
	f := r.engine.Hub.Follow(r.conversation.ID)
	defer f.Close()
	if !f.Seek(chat.EventID{Fence: r.record.Fence}) {
		view, err := r.engine.Store.View(ctx, r.conversation.Ref)
		if err != nil {
			return
		}
		record, err := r.engine.Store.Run(ctx, r.conversation.ID, r.record.Fence)
		if errors.Is(err, store.ErrNotFound) {
			record, err = unfinished(view, r.record.Fence), nil
		}
		if err != nil {
			return
		}
		if sink != nil && sink.Write(replay(view, record)) != nil {
			return
		}
		if record.FinishReason != "" {
			r.result = r.engine.stored(ctx, r.conversation, r.record.Fence)
			return
		}
		f.Seek(view.Conversation.LastEvent)
	}
	for {
		batch, err := f.Next(ctx)
		if err != nil {
			return
		}
		if sink != nil && sink.Write(batch.Frames) != nil {
			return
		}
		if batch.End && batch.Last.Fence >= r.record.Fence {
			r.result = r.engine.stored(ctx, r.conversation, r.record.Fence)
			return
		}
	}
}

// unfinished is a run that has no record yet: one is stored at its end.
func unfinished(view *store.View, fence int64) chat.Run {
	run := chat.Run{Fence: fence, Resumed: true}
	if view.Turn != nil {
		run.TurnID = view.Turn.ID
	}
	for _, m := range view.Messages {
		if m.Fence == fence && m.Role == chat.RoleUser {
			run.Resumed = false
		}
	}
	return run
}

// stored is the result of a run as the store has it.
func (e *Engine) stored(ctx context.Context, head chat.Conversation, fence int64) Result {
	view, err := e.Store.View(ctx, head.Ref)
	if err != nil {
		return Result{}
	}
	record, err := e.Store.Run(ctx, head.ID, fence)
	if err != nil {
		return Result{}
	}
	r := Result{TurnID: record.TurnID, FinishReason: record.FinishReason, Usage: record.Usage, Status: status(view.Turn)}
	for _, m := range view.Messages {
		if m.Fence == fence && m.Role == chat.RoleAssistant {
			r.Text += m.Content
		}
	}
	if record.FinishReason == chat.FinishClarification {
		r.Clarification = askedBy(view, fence)
	}
	r.Failure = record.Failure
	return r
}

// askedBy is the first question that the run ended with: its own, or where it was one
// answer of several, the first that is still open.
func askedBy(view *store.View, fence int64) *chat.Asked {
	list := slices.DeleteFunc(slices.Clone(view.Clarifications), func(c chat.Clarification) bool { return c.AskedFence != fence })
	if list = append(list, view.Pending()...); len(list) == 0 {
		return nil
	}
	asked := chat.NewAsked(&list[0])
	return &asked
}

// replay makes the frames of a run again from what is stored: its texts come in one
// chunk each. The first events and the last ones have the ids they had.
func replay(view *store.View, record chat.Run) []byte {
	type event struct {
		typ  chat.EventType
		data any
	}
	var events []event
	add := func(typ chat.EventType, data any) { events = append(events, event{typ, data}) }
	chatID, fence := view.Conversation.ChatID, record.Fence

	add(chat.EventTurnStart, chat.TurnStart{ChatID: chatID, TurnID: record.TurnID, Resumed: record.Resumed})
	for i := range view.Clarifications {
		if c := &view.Clarifications[i]; c.DoneFence == fence && c.State != tools.StatePending {
			add(chat.EventClarificationResolved, chat.NewResolved(c))
		}
	}
	for i := range view.Messages {
		if m := &view.Messages[i]; m.Fence == fence && m.Role == chat.RoleUser {
			add(chat.EventUserMessage, chat.UserMessage{ChatID: chatID, TurnID: m.TurnID, MessageID: m.ID, Content: m.Content})
		}
	}
	opening := len(events)
	for i := range view.Messages {
		m := &view.Messages[i]
		if m.Fence == fence && m.Role == chat.RoleAssistant && m.Content != "" {
			add(chat.EventChunk, chat.Chunk{ChatID: chatID, Content: m.Content})
		}
		for j := range m.ToolCalls {
			if c := &m.ToolCalls[j]; m.Fence == fence {
				add(chat.EventToolCallStart, chat.ToolCallStart{ChatID: chatID, ToolCallID: c.ID, ToolName: c.Name, Arguments: json.RawMessage(c.Arguments)})
			}
		}
		for j := range m.ToolCalls {
			if c := &m.ToolCalls[j]; c.Result != nil && c.Result.Fence == fence {
				add(chat.EventToolCallEnd, toolCallEnd(chatID, c, c.Result))
			}
		}
	}
	for i := range view.Clarifications {
		if c := &view.Clarifications[i]; c.AskedFence == fence {
			add(chat.EventClarification, chat.NewAsked(c))
		}
	}
	if record.Failure != nil {
		add(chat.EventError, record.Failure)
	}
	if record.FinishReason != "" {
		add(chat.EventDone, chat.Done{ChatID: chatID, TurnID: record.TurnID, FinishReason: record.FinishReason, Usage: record.Usage})
	}
	last := max(record.LastSeq, int64(len(events)))
	var frames []byte
	for i, ev := range events {
		data, err := json.Marshal(ev.data)
		if err != nil {
			continue // wire types hold nothing that cannot be written
		}
		id := chat.EventID{Fence: fence, Seq: int64(i + 1)}
		if i >= opening {
			id.Seq = last - int64(len(events)-1-i)
		}
		frames = sse.AppendEvent(frames, id.String(), string(ev.typ), data)
	}
	return frames
}
