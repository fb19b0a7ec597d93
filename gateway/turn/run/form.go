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

// An app's prompts may have variables. Those without a default are asked in one form before the
// model is asked for the first time. The form is a step like one of the model's with a call of
// ask_user, so it waits, is answered, replayed and shown like any question, but no model reads it.
// The message is stored and shown as the user wrote it. Prompts are filled in when a request is made,
// from the same stored answers on each node.

// formTool is the tool that the form's call names.
const formTool = "ask_user"

// filledIn reports whether a person has responded to a form, if only by declining: it is then not
// asked again in the chat. A form that another message, a stop or its expiry closed is asked again.
func filledIn(c *chat.Clarification) bool { return c.IsForm() && c.State.Replied() }

// formDue reports whether to ask for the app's variables now, before the turn's first step.
func (as *asking) formDue() bool {
	caps, h := &as.run.App.Clarifications, as.run.history
	if as.formless || !as.run.Turn.Interactive || !as.run.App.Interactive || h.LastStep(as.run.Turn.ID) != nil || len(as.run.App.Asked(as.started())) == 0 {
		return false
	}
	asked := h.Batch(as.run.Turn.ID)
	return asked.AskedConversation < caps.PerConversation && asked.AskedTurn < caps.PerTurn &&
		!slices.ContainsFunc(h.Forms(), filledIn)
}

// started returns the values that come with the turn's message, if it is a starter prompt of the app.
func (as *asking) started() map[string]string {
	if len(as.run.App.Starters) == 0 {
		return nil
	}
	for _, m := range as.run.history.Steps() {
		if m.Role == chat.RoleUser && m.TurnID == as.run.Turn.ID {
			return as.run.App.Started(m.Content)
		}
	}
	return nil
}

// askForm stores the form, with the message that has its call, and ends the run. If the form cannot
// be asked, the turn goes on without it.
func (as *asking) askForm() error {
	as.formless = true
	started := as.started()
	sent := tools.Call{ID: chat.NewID("call"), Name: formTool, Language: as.run.Turn.Language}
	var err error
	if sent.Arguments, err = arguments.Canonical(string(config.Form(as.run.App.Asked(started), as.run.Turn.Language, started))); err != nil {
		return err // never happens: it is the gateway's own JSON
	}
	out := as.run.node.Executor.Form(as.run.ctx, as.run.Setup.Catalog, as.run.App.ID, sent)
	if out.Question == nil {
		as.run.Log.Warn("cannot ask for the values of the app's variables", "error", out.Error)
		return nil
	}
	q := *out.Question
	q.AskedBy = &tools.Asker{Kind: tools.AskerApp, Name: as.run.App.ID, Title: as.run.App.Name.In(as.run.Turn.Language)}
	c := as.clarification(sent, q, as.run.history.Batch(as.run.Turn.ID).AskedConversation+1)
	c.Model = "" // no model asked
	step := as.run.assistant("", []chat.ToolCall{{ID: sent.ID, Name: sent.Name, Arguments: sent.Arguments}})
	rows := chat.Rows{Steps: []*chat.Message{&step}, Asked: []chat.Clarification{c}}
	err = as.endAsking(rows, as.run.rec.Mark(), func(store.RunTx) error { return nil })
	if _, over := errors.AsType[budget.OverCap](err); over {
		as.run.Log.Info("the app's variables are not asked for: a limit on questions is reached")
		return nil
	}
	return err
}
