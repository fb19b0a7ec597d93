package turn

import (
	"encoding/json"
	"errors"
	"iter"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model/fit"
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

// isForm says that a question is an app's form.
func isForm(c *chat.Clarification) bool {
	return c.Question.AskedBy != nil && c.Question.AskedBy.Kind == tools.AskerApp
}

// filledIn says that a person has said something to a form, be it that they will not: it is
// not asked again in the chat. One that another message, a stop or the time closed is.
func filledIn(c *chat.Clarification) bool {
	switch c.State {
	case tools.StateAnswered, tools.StateSkipped, tools.StateDeclined, tools.StateRemembered:
		return isForm(c)
	}
	return false
}

// formDue says that the app's variables are to be asked for now: before the turn's first step.
func (r *Run) formDue() bool {
	caps, h := &r.app.Clarifications, r.history
	if r.formless || !r.turn.Interactive || !r.app.Interactive || h.lastStep(r.turn.ID) != nil || len(r.app.Asked()) == 0 {
		return false
	}
	asked := h.batch(r.turn.ID)
	return asked.AskedConversation < caps.PerConversation && asked.AskedTurn < caps.PerTurn &&
		!slices.ContainsFunc(slices.Collect(h.askedForms()), filledIn)
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
	c := r.clarification(sent, q, r.history.batch(r.turn.ID).AskedConversation+1)
	c.Model = "" // none asked
	step := r.assistant("", []chat.ToolCall{{ID: sent.ID, Name: sent.Name, Arguments: sent.Arguments}})
	mark := r.rec.Mark()
	r.rec.Event(chat.NewToolCallStart(r.conversation.ChatID, &step.ToolCalls[0]))
	questions := []chat.Clarification{c}
	err := r.endAsking(questions, mark, func(tx store.RunTx) error {
		if err := tx.AppendMessage(step); err != nil {
			return err
		}
		if err := tx.AddClarification(c); err != nil {
			return err
		}
		if err := r.auditAsked(tx, &c); err != nil {
			return err
		}
		if err := r.engine.tellAsked(tx, &c); err != nil {
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

// values are what the app's prompts are filled with: defaults, and what the person answered.
func (r *Run) values() map[string]string {
	if len(r.app.Variables) == 0 {
		return nil
	}
	values := map[string]string{}
	for i := range r.app.Variables {
		v := &r.app.Variables[i]
		values[v.Name] = v.Default.In(r.turn.Language)
	}
	for c := range r.history.askedForms() {
		if !filledIn(c) || c.Answer == nil {
			continue
		}
		for part := range c.Question.Parts {
			a := c.Question.AnswerTo(c.Answer, part)
			at := slices.IndexFunc(r.app.Variables, func(v config.Variable) bool { return v.Name == c.Question.Parts[part].ID })
			if at >= 0 && a != nil && !a.Skipped && !a.Declined {
				values[r.app.Variables[at].Name] = answerOf(&r.app.Variables[at], a)
			}
		}
	}
	return values
}

// answerOf is an answer as a prompt has it.
func answerOf(v *config.Variable, a *tools.Answer) string {
	if a.Other != "" {
		return a.Other
	}
	text := string(a.Value) // a number stays as it is written
	_ = json.Unmarshal(a.Value, &text)
	if v.Type == "boolean" && len(v.Options) == 0 { // as ihub-apps has it
		text = map[string]string{"yes": "true", "no": "false"}[text]
	}
	return v.Means(text)
}

// fillIn has the history's messages worded as the app's prompts say, once per run.
func (r *Run) fillIn() {
	if r.filled != nil || len(r.app.Variables) == 0 && r.app.Prompt.IsZero() {
		return
	}
	r.filled = r.values()
	if r.filled == nil {
		r.filled = map[string]string{}
	}
	h := r.history
	h.forms = map[string]bool{}
	for c := range h.askedForms() {
		h.forms[c.ToolCallID] = true
	}
	if !r.app.Prompt.IsZero() {
		h.word = func(message string) string { return r.app.Worded(message, r.turn.Language, r.filled) }
	}
}

// system is the app's prompt, filled.
func (r *Run) system() string {
	return config.Fill(r.app.System.In(r.turn.Language), r.filled)
}

// The part of history that knows forms, and words messages.

// askedForms are the forms of the chat.
func (h *history) askedForms() iter.Seq[*chat.Clarification] {
	return func(yield func(*chat.Clarification) bool) {
		for i := range len(h.silent) + len(h.questions) {
			if c := h.of(i); isForm(c) && !yield(c) {
				return
			}
		}
	}
}

// worded are messages as a model is sent them: those of the person in the app's words, and
// without forms.
func (h *history) worded(messages []chat.Message) []chat.Message {
	if h.word == nil && len(h.forms) == 0 {
		return messages
	}
	list := make([]chat.Message, 0, len(messages))
	for i := range messages {
		m := messages[i]
		if h.isForm(&m) {
			continue
		}
		if h.word != nil && said(&m) {
			m.Content = h.word(m.Content)
		}
		list = append(list, m)
	}
	return list
}

// said says that the person wrote a message.
func said(m *chat.Message) bool {
	return m.Role == chat.RoleUser && m.AskedBy == nil && !tools.Blank(m.Content)
}

func (h *history) isForm(m *chat.Message) bool {
	return len(m.ToolCalls) == 1 && h.forms[m.ToolCalls[0].ID]
}

// size is how many bytes a message has as a model is sent it.
func (h *history) size(m *chat.Message) int64 {
	switch {
	case h.isForm(m):
		return 0
	case h.word != nil && said(m):
		return fit.Message(m) + int64(len(h.word(""))) // it holds the message once, or it is close
	}
	return fit.Message(m)
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

// copiedFormEvents announce a form that a fork began with, in front of its result.
func (r *Run) copiedFormEvents(c *chat.Clarification) {
	if c.State != tools.StateRemembered {
		return
	}
	if step := r.history.lastStep(r.turn.ID); step.Fence == r.record.Fence { // else the run that died has
		r.rec.Event(chat.NewToolCallStart(r.conversation.ChatID, r.history.calls[c.ToolCallID]))
	}
	r.silentEvent([]chat.Clarification{*c}, c.ToolCallID)
}
