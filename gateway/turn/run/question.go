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

// asking makes the questions of a run, stores them and announces them.
type asking struct {
	run      *Run
	formless bool // do not ask the app's form, or not again
}

// clarification returns a question as it is stored.
func (as *asking) clarification(c tools.Call, q tools.Question, number int) chat.Clarification {
	now := as.run.node.Store.Now()
	if q.AskedBy == nil {
		q.AskedBy = &tools.Asker{Kind: tools.AskerModel, Name: cmp.Or(as.run.draft.model, as.run.App.Model)}
	}
	clr := chat.Clarification{
		ID: chat.NewID("clr"), ConversationID: as.run.Conversation.ID, Ref: as.run.Conversation.Ref, TurnID: as.run.Turn.ID,
		ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments, Question: q, For: q.For,
		Number: number, Max: as.run.App.Clarifications.PerConversation,
		State: tools.StatePending, AskedFence: as.run.Record.Fence, AskedAt: now, Model: cmp.Or(as.run.draft.model, as.run.App.Model),
	}
	d := as.run.App.Clarifications.ExpiresIn.Std()
	if q.ExpiresIn > 0 && (d == 0 || q.ExpiresIn < d) {
		d = q.ExpiresIn
	}
	if d > 0 {
		clr.ExpiresAt = now.Add(d)
	}
	return clr
}

// asker returns who asks a question, for the audit.
func (as *asking) asker(c *chat.Clarification) chat.Actor {
	if c.IsForm() {
		return chat.Actor{Kind: chat.ActorGateway}
	}
	return chat.Actor{Kind: chat.ActorModel, Model: as.run.draft.model}
}

// endAsking stores the questions of rows after what change stores, and ends the run with them. If it
// fails, nothing from mark on is published.
func (as *asking) endAsking(rows chat.Rows, mark stream.Mark, change func(store.RunTx) error) error {
	before, questions := as.run.result.Clarification, rows.Asked
	as.ask(questions)
	err := as.run.end(chat.FinishClarification, rows, func(tx store.RunTx) error {
		if err := budget.Asked(tx, &as.run.App.Clarifications, as.run.Conversation.Ref, questions, as.run.node.Store.Now()); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		for i := range questions {
			if err := tx.AddClarification(questions[i]); err != nil {
				return err
			}
			if err := as.run.node.Recorder.Asked(tx, &as.run.Setup.Config.Gateway, &questions[i], as.asker(&questions[i])); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, errDone) {
		as.run.rec.Rewind(mark)
		as.run.result.Clarification = before
		return err
	}
	for i := range questions {
		as.run.node.Metrics.Requested.WithLabelValues(as.run.App.ID, questions[i].Question.InputType()).Inc()
		as.run.node.Executor.Asked(as.run.Setup.Catalog, as.run.App.ID, questions[i].ToolName)
		as.run.Trace.Asked(&questions[i])
	}
	return errDone
}

// inOrder sorts the ids of the questions into the order of their calls. The store orders questions
// with the same number by their ids, since not all questions count.
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

// ask makes the first of the questions the run's result.
func (as *asking) ask(questions []chat.Clarification) {
	if as.run.result.Clarification == nil {
		as.run.result.Clarification = new(chat.NewAsked(&questions[0]))
	}
}

// Questions that are answered without asking are stored and announced as closed.

// fromMemory returns the clarification of a question that is answered without asking.
func (as *asking) fromMemory(of tools.Call, out *tools.Outcome, number int) chat.Clarification {
	q := *out.Question
	q.ExpiresIn = 0
	c := as.clarification(of, q, number)
	c.State, c.Answer, c.DoneFence, c.AnsweredAt, c.ExpiresAt = tools.StateRemembered, out.Answer, c.AskedFence, c.AskedAt, time.Time{}
	c.AnsweredBy = &chat.By{Subject: c.Subject, Channel: chat.ChannelMemory}
	return c
}

// addSilent stores questions that are answered without asking.
func (as *asking) addSilent(tx store.RunTx, silent []chat.Clarification) error {
	for i := range silent {
		if err := tx.AddClarification(silent[i]); err != nil {
			return err
		}
		if err := as.run.node.Recorder.Silent(tx, &as.run.Setup.Config.Gateway, &silent[i], as.asker(&silent[i])); err != nil {
			return err
		}
	}
	return nil
}

// wentSilently adds stored questions that were answered without asking to the history.
func (as *asking) wentSilently(silent []chat.Clarification) {
	as.run.history.Silent = append(as.run.history.Silent, silent...)
	for i := range silent {
		as.run.node.Metrics.Closed(&silent[i])
	}
}
