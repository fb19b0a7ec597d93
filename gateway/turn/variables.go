package turn

import (
	"errors"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/tools"
)

// The variables of an app's prompts. Those without a default are asked from the person in one
// form, before the model is asked for the first time. The form is a step like one of the model's
// with a call of ask_user, so it waits, is answered, replayed and shown as any question is; but
// no model reads it. What is stored, and shown, is what the person wrote: the prompts are filled
// when a request is made, from the same stored answers on each node.

// formTool is what the call of the form is of.
const formTool = "ask_user"

// filledIn says that a person has said something to a form, be it that they will not: it is
// not asked again in the chat. One that another message, a stop or the time closed is.
func filledIn(c *chat.Clarification) bool { return c.IsForm() && c.State.Replied() }

// formDue says that the app's variables are to be asked for now: before the turn's first step.
func (r *Run) formDue() bool {
	caps, h := &r.app.Clarifications, r.history
	if r.formless || !r.turn.Interactive || !r.app.Interactive || h.LastStep(r.turn.ID) != nil || len(r.app.Asked()) == 0 {
		return false
	}
	asked := h.Batch(r.turn.ID)
	return asked.AskedConversation < caps.PerConversation && asked.AskedTurn < caps.PerTurn &&
		!slices.ContainsFunc(h.Forms(), filledIn)
}

// askForm stores the form, with the message that has its call, and ends the run. Where it cannot
// be asked, the turn goes on without.
func (r *Run) askForm() error {
	r.formless = true
	sent := tools.Call{
		ID: chat.NewID("call"), Name: formTool, Language: r.turn.Language,
		Arguments: stored(string(config.Form(r.app.Asked(), r.turn.Language))),
	}
	out := r.engine.Executor.Form(r.ctx, r.setup.Catalog, r.app.ID, sent)
	if out.Question == nil {
		r.log.Warn("the variables of the app cannot be asked for", "error", out.Error)
		return nil
	}
	q := *out.Question
	q.AskedBy = &tools.Asker{Kind: tools.AskerApp, Name: r.app.ID, Title: r.app.Name.In(r.turn.Language)}
	c := r.clarification(sent, q, r.history.Batch(r.turn.ID).AskedConversation+1)
	c.Model = "" // none asked
	step := r.assistant("", []chat.ToolCall{{ID: sent.ID, Name: sent.Name, Arguments: sent.Arguments}})
	mark := r.rec.Mark()
	r.rec.Event(chat.NewToolCallStart(r.conversation.ChatID, &step.ToolCalls[0]))
	questions := []chat.Clarification{c}
	err := r.endAsking(questions, mark, func(tx store.RunTx) error {
		if err := tx.AppendMessage(step); err != nil {
			return err
		}
		if err := r.addQuestion(tx, &c); err != nil {
			return err
		}
		return budget.Asked(tx, &r.app.Clarifications, r.conversation.Ref, questions)
	})
	if _, over := errors.AsType[budget.OverCap](err); over {
		r.log.Info("the variables of the app are not asked for: a cap is reached")
		return nil
	}
	return err
}

// copyForm begins a fork's first turn with the form that was filled in behind the point: a chat
// asks for it once, however often its first answer is made anew. Nobody is asked, so it is one
// that was answered before.
func (t *transition) copyForm(o *store.Origin) error {
	at := -1
	for i := range o.Asked {
		behind := slices.ContainsFunc(o.Behind, func(b chat.ToolCall) bool { return b.ID == o.Asked[i].ToolCallID })
		if filledIn(&o.Asked[i]) && behind {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	head, c := t.tx.Conversation(), o.Asked[at]
	c.ID, c.ConversationID, c.Ref, c.TurnID = chat.NewID("clr"), head.ID, head.Ref, t.tx.Turn().ID
	c.Copied, c.Draft, c.AskedFence, c.DoneFence = true, nil, head.Fence, head.Fence
	if c.State == tools.StateSkipped || c.State == tools.StateDeclined {
		c.Answer = &tools.Answer{Skipped: true}
		if n := len(c.Question.Parts); n > 1 {
			c.Answer = &tools.Answer{Answers: slices.Repeat([]tools.Answer{{Skipped: true}}, n)}
		}
	}
	c.State = tools.StateRemembered
	if err := t.tx.AppendMessage(chat.Message{
		ID: chat.NewID("msg"), TurnID: c.TurnID, Fence: head.Fence, Role: chat.RoleAssistant, CreatedAt: t.now,
		ToolCalls: []chat.ToolCall{{ID: c.ToolCallID, Name: c.ToolName, Arguments: c.Arguments}},
	}); err != nil {
		return err
	}
	return t.tx.AddClarification(c)
}
