package run

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/tools"
)

// clarification is a question as it is stored.
func (r *Run) clarification(c tools.Call, q tools.Question, number int) chat.Clarification {
	now := r.node.Store.Now()
	if q.AskedBy == nil {
		q.AskedBy = &tools.Asker{Kind: tools.AskerModel, Name: cmp.Or(r.draft.model, r.App.Model)}
	}
	clr := chat.Clarification{
		ID: chat.NewID("clr"), ConversationID: r.Conversation.ID, Ref: r.Conversation.Ref, TurnID: r.Turn.ID,
		ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments, Question: q, For: q.For,
		Number: number, Max: r.App.Clarifications.PerConversation,
		State: tools.StatePending, AskedFence: r.Record.Fence, AskedAt: now, Model: cmp.Or(r.draft.model, r.App.Model),
	}
	d := r.App.Clarifications.ExpiresIn.Std()
	if q.ExpiresIn > 0 && (d == 0 || q.ExpiresIn < d) {
		d = q.ExpiresIn
	}
	if d > 0 {
		clr.ExpiresAt = now.Add(d)
	}
	return clr
}

// asker is who asks a question, for the audit.
func (r *Run) asker(c *chat.Clarification) chat.Actor {
	if c.IsForm() {
		return chat.Actor{Kind: chat.ActorGateway}
	}
	return chat.Actor{Kind: chat.ActorModel, Model: r.draft.model}
}

// endAsking stores questions behind what change stores, and ends the run with them. If it cannot,
// nothing from mark on is published.
func (r *Run) endAsking(questions []chat.Clarification, mark stream.Mark, change func(store.RunTx) error) error {
	before := r.result.Clarification
	for i := range questions {
		r.askEvent(&questions[i])
	}
	err := r.end(chat.FinishClarification, func(tx store.RunTx) error {
		if err := budget.Asked(tx, &r.App.Clarifications, r.Conversation.Ref, questions, r.node.Store.Now()); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		for i := range questions {
			if err := tx.AddClarification(questions[i]); err != nil {
				return err
			}
			if err := r.node.Others.Asked(tx, &r.Setup.Config.Gateway, &questions[i], r.asker(&questions[i])); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, errDone) {
		r.rec.Rewind(mark)
		r.result.Clarification = before
		return err
	}
	for i := range questions {
		r.node.Metrics.Requested.WithLabelValues(r.App.ID, questions[i].Question.InputType()).Inc()
		r.node.Executor.Asked(r.Setup.Catalog, r.App.ID, questions[i].ToolName)
		r.Trace.Asked(&questions[i])
	}
	return errDone
}

// inOrder gives the ids that were minted to the questions in the order of their calls: it
// is that of the store among those that have one number, since only some count.
func inOrder(questions []chat.Clarification) {
	ids := make([]string, len(questions))
	for i := range questions {
		ids[i] = questions[i].ID
	}
	slices.Sort(ids)
	for i := range questions {
		questions[i].ID = ids[i]
	}
}

// askEvent records a question, and that it is the run's result if it is the first.
func (r *Run) askEvent(c *chat.Clarification) {
	asked := chat.NewAsked(c)
	r.rec.Event(chat.Event{Type: chat.EventClarification, Data: asked})
	if r.result.Clarification == nil {
		r.result.Clarification = &asked
	}
}

// Questions that nobody is asked are stored, and told, as closed.

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
