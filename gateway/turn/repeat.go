package turn

import (
	"context"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// repeat is the run that an earlier request started, to be shown again.
func (e *Engine) repeat(head chat.Conversation, fence int64) *Run {
	return &Run{engine: e, conversation: head, record: chat.Run{Fence: fence}, repeat: true}
}

// show writes the events of the run: from the hub where it has them all, else
// made again from what is stored; live to its done if it still runs. Where the run
// died, those of the run that took its turn over follow.
func (r *Run) show(ctx context.Context, sink stream.Sink) {
	e, fence := r.engine, r.record.Fence
	f := e.Hub.Follow(r.conversation.ID)
	defer f.Close()
	head, _, err := e.Store.Conversation(ctx, r.conversation.Ref)
	if err != nil {
		return
	}
	w := watcher{engine: e, ref: r.conversation.Ref, follower: f, at: chat.EventID{Fence: fence}}
	if !e.reaches(ctx, f, w.at, head.LastEvent) {
		w.told, w.behind = &told{through: fence - 1}, true
	}
	for {
		batch, err := w.next(ctx)
		if err != nil {
			return
		}
		if sink != nil && sink.Write(batch.Frames) != nil {
			return
		}
		if batch.End && batch.Last.Fence >= fence {
			r.result = e.stored(ctx, r.conversation, fence, batch.Last.Fence)
			return
		}
	}
}

// unfinished is a run that has no record: one is stored at its end.
func unfinished(view *store.View, fence int64) chat.Run {
	run := chat.Run{Fence: fence}
	for _, m := range view.Messages {
		if m.Fence <= fence {
			run.TurnID = m.TurnID // each turn begins with a message
		}
	}
	for _, c := range view.Clarifications {
		run.Resumed = run.Resumed || c.DoneFence == fence
	}
	if userMessage(view, fence) != nil {
		run.Resumed = false
	}
	return run
}

// userMessage is the message that began the run, nil where none did.
func userMessage(view *store.View, fence int64) *chat.Message {
	for i := range view.Messages {
		if m := &view.Messages[i]; m.Fence == fence && m.Role == chat.RoleUser {
			return m
		}
	}
	return nil
}

// stored is the result of a run as the store has it; of several, where the later took
// the turn of the earlier over.
func (e *Engine) stored(ctx context.Context, head chat.Conversation, from, to int64) Result {
	view, err := e.Store.View(ctx, head.Ref)
	if err != nil {
		return Result{}
	}
	record, err := e.Store.Run(ctx, head.ID, to)
	if err != nil {
		return Result{}
	}
	r := Result{TurnID: record.TurnID, FinishReason: record.FinishReason, Usage: record.Usage, Status: status(view.Turn)}
	for _, m := range view.Messages {
		if m.Fence >= from && m.Fence <= to && m.Role == chat.RoleAssistant {
			r.Text += m.Content
		}
	}
	if record.FinishReason == chat.FinishClarification {
		r.Clarification = askedBy(view, to)
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
