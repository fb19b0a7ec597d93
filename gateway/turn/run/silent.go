package run

import (
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// What becomes of questions that nobody is asked: they are stored, and told, as closed.

// fromMemory is the clarification of a question that nobody is asked.
func (r *Run) fromMemory(of tools.Call, out *tools.Outcome, number int) chat.Clarification {
	q := *out.Question
	q.ExpiresIn = 0
	c := r.clarification(of, q, number)
	c.State, c.Answer, c.DoneFence, c.AnsweredAt, c.ExpiresAt = tools.StateRemembered, out.Answer, c.AskedFence, c.AskedAt, time.Time{}
	c.AnsweredBy = &chat.By{Subject: c.Subject, Channel: chat.ChannelMemory}
	return c
}

// silentEvent records the question of a call that was answered without asking, before its result.
func (r *Run) silentEvent(silent []chat.Clarification, callID string) {
	for i := range silent {
		if silent[i].ToolCallID == callID {
			r.rec.Event(chat.Event{Type: chat.EventClarificationResolved, Data: chat.NewResolved(&silent[i])})
		}
	}
}

// addSilent stores questions that nobody is asked.
func (r *Run) addSilent(tx store.RunTx, silent []chat.Clarification) error {
	for i := range silent {
		if err := tx.AddClarification(silent[i]); err != nil {
			return err
		}
		if err := r.node.Others.Silent(tx, &r.Setup.Config.Gateway, &silent[i], r.asker(&silent[i])); err != nil {
			return err
		}
	}
	return nil
}

// wentSilently takes stored questions that nobody was asked in.
func (r *Run) wentSilently(silent []chat.Clarification) {
	r.history.Silent = append(r.history.Silent, silent...)
	for i := range silent {
		r.node.Metrics.Closed(&silent[i])
	}
}

// copiedFormEvents announce a form that a fork began with, in front of its result.
func (r *Run) copiedFormEvents(c *chat.Clarification) {
	if c.State != tools.StateRemembered {
		return
	}
	if step := r.history.LastStep(r.Turn.ID); step.Fence == r.Record.Fence { // else the run that died has
		r.rec.Event(chat.NewToolCallStart(r.Conversation.ChatID, r.history.Calls[c.ToolCallID]))
	}
	r.silentEvent([]chat.Clarification{*c}, c.ToolCallID)
}
