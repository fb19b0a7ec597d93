package run

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
)

// commit stores rows, if not nil, and what change changes, if this run still has the turn. It
// records the events of the rows, to be published next; what was recorded so far counts as
// published, as the chat's last event. A lazy commit does not wait for the disk. It charges the
// tokens used since the last commit. If the run cannot know whether the commit was made, it no
// longer knows the state of its chat: it has lost the turn, like a run that finds the chat changed.
func (r *Run) commit(point string, lazy bool, rows *chat.Rows, change func(tx store.RunTx) error) error {
	mark := r.rec.Mark()
	r.announce(rows)
	err := r.store.wait(context.Background(), func() error { return r.tryCommit(point, lazy, rows, change) })
	if err != nil {
		r.rec.Rewind(mark)
	}
	return err
}

// announce numbers rows and records their events. If a call ends, its last progress is recorded before
// its end.
func (r *Run) announce(rows *chat.Rows) {
	if rows == nil {
		return
	}
	rows.ChatID, rows.TurnID, rows.Fence = r.Conversation.ChatID, r.Turn.ID, r.Record.Fence
	rows.Number(r.rec.Last().Seq)
	for _, ev := range rows.After(r.rec.Last()) {
		if end, ok := ev.Data.(chat.ToolCallEnd); ok && r.progress != nil {
			r.progress.last(end.ToolCallID)
		}
		r.rec.Emit(ev)
	}
}

// save stores the steps and results of rows.
func save(tx store.RunTx, rows *chat.Rows) error {
	if rows == nil {
		return nil
	}
	for _, m := range rows.Steps {
		if err := tx.AppendMessage(*m); err != nil {
			return err
		}
	}
	for _, e := range rows.Ended {
		if err := tx.SetResult(e.Call.ID, *e.Result); err != nil {
			return err
		}
	}
	return nil
}

// tryCommit is commit for rows that are recorded already. It does not wait for a store that is away.
func (r *Run) tryCommit(point string, lazy bool, rows *chat.Rows, change func(tx store.RunTx) error) error {
	held := store.Held{
		Ref: r.Conversation.Ref, ConversationID: r.Conversation.ID, Fence: r.Record.Fence,
		Known: r.known, LastEvent: r.rec.Last(), UpdatedAt: r.node.Store.Now(), Turn: r.Turn,
		GoesOn: r.Turn.State == chat.TurnRunning && r.Turn.LeaseOwner == r.node.Name,
	}
	err := r.node.bounded(held.Ref, point, func(ctx context.Context) error {
		return r.store.UpdateAs(ctx, held, lazy, func(tx store.RunTx) error {
			if change != nil {
				if err := change(tx); err != nil {
					return err
				}
			}
			if err := save(tx, rows); err != nil {
				return err
			}
			if err := r.prompt.Save(tx); err != nil {
				return err
			}
			return budget.Charge(tx, &r.Setup.Config.Gateway.Limits.Tokens, r.Conversation.Ref, held.UpdatedAt, r.uncharged)
		})
	})
	if errors.Is(err, store.ErrUnknown) {
		r.Log.Warn("unknown whether a commit succeeded; the turn continues from the stored state", "error", err)
		return ErrLost
	}
	if errors.Is(err, store.ErrFenced) {
		return ErrLost
	}
	if err == nil {
		r.known, r.uncharged = held.LastEvent, 0
		r.prompt.Saved()
	}
	return err
}

// end commits the turn's end with its last rows and publishes their events, under the chat's lane. A
// question waits for the disk. An end does not: if a power cut loses it, the turn is still running
// and is taken up again.
func (r *Run) end(reason chat.FinishReason, rows chat.Rows, change func(tx store.RunTx) error) error {
	state, point := chat.TurnEnded, "end"
	if reason == chat.FinishClarification {
		state, point = chat.TurnPaused, "clarification"
	}
	if err := r.Turn.Move(state); err != nil {
		return err
	}
	now := r.node.Store.Now()
	r.Turn.LeaseOwner = ""
	if state == chat.TurnEnded {
		r.Turn.FinishReason, r.Turn.EndedAt = reason, now
	}
	mark, record := r.rec.Mark(), r.Record
	record.FinishReason, record.EndedAt, record.Failure = reason, now, r.result.Failure
	rows.Run = &record
	r.announce(&rows)

	lane := r.node.Lane(r.Conversation.Ref)
	err := r.store.wait(context.Background(), func() error {
		lane.Lock() // kept after a commit; not held while the store is away, because other chats share the lane
		err := r.tryCommit(point, state == chat.TurnEnded, &rows, func(tx store.RunTx) error {
			if change != nil {
				if err := change(tx); err != nil {
					return err
				}
			}
			if err := tx.SaveRun(record); err != nil {
				return err
			}
			if state == chat.TurnEnded && len(r.Setup.Config.Claims(r.App.ID)) > 0 {
				if err := tx.DropCaller(r.Turn.ID); err != nil {
					return err
				}
			}
			return r.node.Recorder.Done(tx, r.Conversation.App, &record)
		})
		if err != nil {
			lane.Unlock()
		}
		return err
	})
	if err != nil {
		r.rec.Rewind(mark)
		r.Turn.State, r.Turn.LeaseOwner = chat.TurnRunning, r.node.Name
		return err
	}
	reached("event.before")
	if r.loan != nil && r.history != nil {
		r.loan.Return(r.history.Known(r.known))
		r.loan = nil
	}
	r.rec.Publish(true)
	lane.Unlock()
	reached("event.after")
	r.ends(reason, chat.StatusOf(&r.Turn), now)
	r.rec.Flush()
	r.node.Hub.Nudge()
	return errDone
}

// ends counts the run's end, and notes it in the result.
func (r *Run) ends(reason chat.FinishReason, status chat.Status, now time.Time) {
	m := r.node.Metrics
	m.Runs.WithLabelValues(r.App.ID, string(reason)).Inc()
	m.RunSeconds.WithLabelValues(r.App.ID).Observe(now.Sub(r.At).Seconds())
	r.result.TurnID, r.result.FinishReason, r.result.Usage, r.result.Status = r.Turn.ID, reason, r.Record.Usage, status
}

// handOver gives the lease up, so that another process goes on at once.
func (r *Run) handOver() {
	r.Turn.LeaseOwner = ""
	err := r.tryCommit("handover", false, nil, nil) // does not wait for the store: the process ends
	if err != nil && !errors.Is(err, ErrLost) {
		r.Log.Warn("cannot release a turn; its lease lapses by itself", "error", err)
	}
}
