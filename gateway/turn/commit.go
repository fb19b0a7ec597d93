package turn

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
)

// commit changes the store as this run, if it still has the turn. What was recorded so
// far counts as published: the chat's last event. A lazy commit does not wait for the
// disk. Tokens that were used are charged with it.
func (r *Run) commit(point string, lazy bool, change func(tx store.RunTx) error) error {
	held := store.Held{
		Ref: r.conversation.Ref, ConversationID: r.conversation.ID, Fence: r.record.Fence,
		LastEvent: r.rec.Last(), UpdatedAt: time.Now(), Turn: r.turn,
	}
	err := r.engine.bounded(point, func(ctx context.Context) error {
		return r.engine.Store.UpdateAs(ctx, held, lazy, func(tx store.RunTx) error {
			if change != nil {
				if err := change(tx); err != nil {
					return err
				}
			}
			if err := r.prompt.Save(tx); err != nil {
				return err
			}
			return budget.Charge(tx, &r.setup.Config.Gateway.Limits.Tokens, r.conversation.Ref, held.UpdatedAt, r.tokens.uncharged)
		})
	})
	if errors.Is(err, store.ErrFenced) {
		return errLost
	}
	if err == nil {
		r.tokens.uncharged = 0
		r.prompt.Saved()
	}
	return err
}

// end commits the turn's end with its last events and publishes them, under the chat's
// lane. A question waits for the disk. An end does not: where a power cut takes it, the
// turn is still running and is taken up again.
func (r *Run) end(reason chat.FinishReason, change func(tx store.RunTx) error) error {
	state, point := chat.TurnEnded, "end"
	if reason == chat.FinishClarification {
		state, point = chat.TurnPaused, "clarification"
	}
	if err := r.turn.Move(state); err != nil {
		return err
	}
	now := time.Now()
	r.turn.LeaseOwner = ""
	if state == chat.TurnEnded {
		r.turn.FinishReason, r.turn.EndedAt = reason, now
	}
	mark := r.rec.Mark()
	r.recordDone(reason)
	record := r.record
	record.FinishReason, record.EndedAt, record.LastSeq, record.Failure = reason, now, r.rec.Last().Seq, r.result.Failure

	lane := r.engine.lane(r.conversation.Ref)
	lane.Lock()
	err := r.commit(point, state == chat.TurnEnded, func(tx store.RunTx) error {
		if change != nil {
			if err := change(tx); err != nil {
				return err
			}
		}
		if err := tx.SaveRun(record); err != nil {
			return err
		}
		return r.engine.others.Done(tx, r.conversation.App, &record)
	})
	if err != nil {
		lane.Unlock()
		r.rec.Rewind(mark)
		r.turn.State, r.turn.LeaseOwner = chat.TurnRunning, r.engine.Node
		return err
	}
	reached("event.before")
	r.rec.Publish(true)
	lane.Unlock()
	reached("event.after")
	r.ends(reason, chat.StatusOf(&r.turn), now)
	r.rec.Flush()
	r.engine.Hub.Nudge()
	return errDone
}

// ends counts the run's end, and keeps it as the result.
func (r *Run) ends(reason chat.FinishReason, status chat.Status, now time.Time) {
	m := r.engine.metrics
	m.turns.WithLabelValues(r.app.ID, string(reason)).Inc()
	m.turnSeconds.WithLabelValues(r.app.ID).Observe(now.Sub(r.started).Seconds())
	r.result.TurnID, r.result.FinishReason, r.result.Usage, r.result.Status = r.turn.ID, reason, r.record.Usage, status
}

// handOver gives the lease back, so that another process goes on at once.
func (r *Run) handOver() {
	r.turn.LeaseOwner = ""
	err := r.commit("handover", false, nil)
	if err != nil && !errors.Is(err, errLost) {
		r.log.Warn("turn not given back; its lease lapses by itself", "error", err)
	}
}
