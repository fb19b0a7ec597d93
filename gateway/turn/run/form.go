package run

import (
	"errors"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
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
	caps, h := &r.App.Clarifications, r.history
	if r.formless || !r.Turn.Interactive || !r.App.Interactive || h.LastStep(r.Turn.ID) != nil || len(r.App.Asked()) == 0 {
		return false
	}
	asked := h.Batch(r.Turn.ID)
	return asked.AskedConversation < caps.PerConversation && asked.AskedTurn < caps.PerTurn &&
		!slices.ContainsFunc(h.Forms(), filledIn)
}

// askForm stores the form, with the message that has its call, and ends the run. Where it cannot
// be asked, the turn goes on without.
func (r *Run) askForm() error {
	r.formless = true
	sent := tools.Call{ID: chat.NewID("call"), Name: formTool, Language: r.Turn.Language}
	var err error
	if sent.Arguments, err = arguments.Canonical(string(config.Form(r.App.Asked(), r.Turn.Language))); err != nil {
		return err // never: it is the gateway's own JSON
	}
	out := r.node.Executor.Form(r.ctx, r.Setup.Catalog, r.App.ID, sent)
	if out.Question == nil {
		r.Log.Warn("the variables of the app cannot be asked for", "error", out.Error)
		return nil
	}
	q := *out.Question
	q.AskedBy = &tools.Asker{Kind: tools.AskerApp, Name: r.App.ID, Title: r.App.Name.In(r.Turn.Language)}
	c := r.clarification(sent, q, r.history.Batch(r.Turn.ID).AskedConversation+1)
	c.Model = "" // none asked
	step := r.assistant("", []chat.ToolCall{{ID: sent.ID, Name: sent.Name, Arguments: sent.Arguments}})
	mark := r.rec.Mark()
	r.rec.Event(chat.NewToolCallStart(r.Conversation.ChatID, &step.ToolCalls[0]))
	err = r.endAsking([]chat.Clarification{c}, mark, func(tx store.RunTx) error { return tx.AppendMessage(step) })
	if _, over := errors.AsType[budget.OverCap](err); over {
		r.Log.Info("the variables of the app are not asked for: a cap is reached")
		return nil
	}
	return err
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
