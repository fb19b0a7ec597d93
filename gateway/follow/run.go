package follow

import (
	"context"
	"errors"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// Run writes the events of a run that another request began: from the hub if it has them all, or
// else made from what is stored; and live until its done event if it still runs. If the run died,
// the events of the run that took over its turn follow. sink may be nil. The zero Result means that
// ctx ended, or the client left, before the run's end was seen.
func (r *Reader) Run(ctx context.Context, of chat.Conversation, fence int64, sink stream.Sink) chat.Result {
	w := r.watch(of.Ref, of.ID)
	defer w.close()
	w.at = at(chat.EventID{Fence: fence})
	head, _, err := r.Store.Conversation(ctx, of.Ref)
	if err != nil {
		return chat.Result{}
	}
	if !w.hubReaches(ctx, w.at.last, head.LastEvent) {
		w.at.behind = true
	}
	for {
		batch, err := w.next(ctx)
		if err != nil || sink != nil && sink.Write(batch.Events) != nil {
			return chat.Result{}
		}
		if batch.End && batch.Last.Fence >= fence {
			return r.Result(ctx, of, fence, batch.Last.Fence)
		}
	}
}

// Queued waits until a queued message has begun a run, and then does the same as Run. The zero
// Result may also mean that it never will, because the chat was deleted or the message taken back.
func (r *Reader) Queued(ctx context.Context, of chat.Conversation, messageID string, sink stream.Sink) chat.Result {
	fence, begun := r.begun(ctx, of, messageID, sink)
	if !begun {
		return chat.Result{}
	}
	return r.Run(ctx, of, fence, sink)
}

// begun returns the fence of the run that a queued message has begun. It returns false if it never
// will, ctx has ended, or the client has left.
func (r *Reader) begun(ctx context.Context, of chat.Conversation, messageID string, sink stream.Sink) (int64, bool) {
	f := r.Hub.Follow(of.ID)
	defer f.Close()
	if sink != nil && sink.Write(stream.Events{}) != nil { // shows that the message was accepted, even if nothing happens for long
		return 0, false
	}
	for {
		queued, err := r.Store.IsQueued(ctx, of.ID, messageID) // ask this first: the message may begin its run meanwhile
		if err != nil {
			return 0, false
		}
		m, err := r.Store.Message(ctx, of.ID, messageID)
		switch {
		case err == nil:
			return m.Fence, true
		case !errors.Is(err, store.ErrNotFound), !queued:
			return 0, false // the chat was deleted, or the message taken back
		}
		if err := r.untilRunBegins(ctx, f); err != nil {
			return 0, false
		}
	}
}

// untilRunBegins waits until the hub shows a new run, or it is time to read the store.
func (r *Reader) untilRunBegins(ctx context.Context, f stream.Follower) error {
	wait := lookSeldom // no event says that the message was taken back
	if !r.Hub.Complete() {
		wait = lookEvery
	}
	ctx, cancel := context.WithTimeoutCause(ctx, wait, errLook)
	defer cancel()
	for {
		batch, err := f.Next(ctx)
		switch {
		case err == nil && batch.Transient:
			continue
		case errors.Is(err, errLook):
			return nil
		case errors.Is(err, stream.ErrGap), errors.Is(err, stream.ErrLagged):
			f.SeekOldest() // the store has what was missed
			return nil
		case err != nil:
			return err
		case batch.First.Seq == 1:
			return nil
		}
	}
}

// Result returns the outcome of a run as the store has it; with several runs, where later ones took
// over the turn of earlier ones, that of all of them. The zero Result means that the store does not
// know.
func (r *Reader) Result(ctx context.Context, of chat.Conversation, from, to int64) chat.Result {
	view, err := r.Store.ViewRuns(ctx, of.Ref, from-1, to, maxReplay)
	if err != nil {
		return chat.Result{}
	}
	record, err := r.Store.Run(ctx, of.ID, to)
	if err != nil {
		return chat.Result{}
	}
	res := chat.Result{
		TurnID: record.TurnID, FinishReason: record.FinishReason, Usage: record.Usage,
		Status: chat.StatusOf(view.Turn), Failure: record.Failure,
	}
	if record.TurnID == "" {
		res.Status = view.Status() // a question that waits is among its clarifications
	}
	for _, m := range view.Messages {
		if m.Fence >= from && m.Fence <= to && m.Role == chat.RoleAssistant && m.AskedBy == nil {
			res.Text += m.Content
		}
	}
	if record.FinishReason == chat.FinishClarification {
		res.Clarification = askedBy(view, to)
	}
	return res
}

// askedBy returns the first question with which the run ended: its own or, if the run was one answer
// of several, the first that is still open.
func askedBy(view *store.View, fence int64) *chat.Asked {
	list := slices.DeleteFunc(slices.Clone(view.Clarifications), func(c chat.Clarification) bool { return c.AskedFence != fence })
	if list = append(list, view.Pending()...); len(list) == 0 {
		return nil
	}
	asked := chat.NewAsked(&list[0])
	return &asked
}
