package prompt

import (
	"context"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/contextwindow"
	"github.com/askgate/askgate/gateway/turn/history"
	"github.com/askgate/askgate/tools"
)

// transcript is the history as a model reads it.
type transcript struct {
	history *history.History
	answers []contextwindow.Answer // to questions of the chat, for when their turns are left out
	forms   map[string]bool        // calls of the app's forms, which no model reads
	// word returns what the model reads in place of a person's message in a turn; if nil, it reads the
	// message itself.
	word func(turnID, message string) string

	prompt    []model.Message
	from      int64 // position of the first message in prompt; 0: prompt has to be made
	stateFrom int64 // position of the first message that has its state in prompt
	done      int   // messages of the history that are in prompt, or before it
}

// nextTurn returns the position of the first turn that begins after a position, or 0 if there is
// none.
func (t *transcript) nextTurn(after int64) int64 {
	list := t.history.View.Messages
	turn := ""
	for i := max(after-t.history.First, 0); i < int64(len(list)); i++ {
		if list[i].AskedBy != nil { // belongs to no turn
			continue
		}
		if turn != "" && list[i].TurnID != turn {
			return t.history.First + i
		}
		turn = list[i].TurnID
	}
	return 0
}

// beginning returns the position of a turn's first message, or that of the next message if it has none.
func (t *transcript) beginning(turnID string) int64 {
	list := t.history.View.Messages
	i := slices.IndexFunc(list, func(m chat.Message) bool { return m.TurnID == turnID && m.AskedBy == nil })
	if i < 0 {
		i = len(list)
	}
	return t.history.First + int64(i)
}

// bytes returns the size of the messages from a position on, with the earlier answers.
func (t *transcript) bytes(from int64) int64 {
	return contextwindow.BlockBytes(t.answers, max(from, t.history.First)) + t.messageBytes(from)
}

func (t *transcript) messageBytes(from int64) (n int64) {
	for i := max(from-t.history.First, 0); i < int64(len(t.history.View.Messages)); i++ {
		n += t.size(&t.history.View.Messages[i])
	}
	return n
}

// messages returns the history from a position on as a model is sent it, with the state of the
// messages from stateFrom on.
func (t *transcript) messages(from, stateFrom int64) []model.Message {
	from = t.begins(from)
	if t.from != from || t.stateFrom != stateFrom {
		t.from, t.stateFrom, t.prompt, t.done = from, stateFrom, contextwindow.Block(t.answers, from), int(from-t.history.First)
	}
	t.prompt = rendered(t.prompt, t.worded(t.stateless(t.history.View.Messages[t.done:])))
	t.done = len(t.history.View.Messages)
	return answerable(t.prompt)
}

// begins returns the position of the first message that is sent if sending is to begin at from.
func (t *transcript) begins(from int64) int64 { return max(from, t.history.First) }

// stateless returns the messages that follow those that are done, without the state that is not
// sent.
func (t *transcript) stateless(messages []chat.Message) []chat.Message {
	without := min(t.stateFrom-t.history.First-int64(t.done), int64(len(messages)))
	if without <= 0 {
		return messages
	}
	messages = slices.Clone(messages)
	for i := range without {
		messages[i].State = nil
	}
	return messages
}

// worded returns messages as a model is sent them: the person's in the app's words, and without
// forms.
func (t *transcript) worded(messages []chat.Message) []chat.Message {
	if t.word == nil && len(t.forms) == 0 {
		return messages
	}
	list := make([]chat.Message, 0, len(messages))
	for i := range messages {
		m := messages[i]
		if t.isForm(&m) {
			continue
		}
		if t.word != nil && ownWords(&m) {
			m.Content = t.word(m.TurnID, m.Content)
		}
		list = append(list, m)
	}
	return list
}

// ownWords reports whether the person wrote a message.
func ownWords(m *chat.Message) bool {
	return m.Role == chat.RoleUser && m.AskedBy == nil && !tools.Blank(m.Content)
}

func (t *transcript) isForm(m *chat.Message) bool {
	return len(m.ToolCalls) == 1 && t.forms[m.ToolCalls[0].ID]
}

// size returns how many bytes a message has in what a model is sent.
func (t *transcript) size(m *chat.Message) int64 {
	switch {
	case t.isForm(m):
		return 0
	case t.word != nil && ownWords(m):
		return contextwindow.Message(m) + int64(len(t.word(m.TurnID, ""))) // the wording holds the message once, or nearly so
	}
	return contextwindow.Message(m)
}

// answers words the answers to closed questions, for when their turns are left out. Questions that a
// tool asked on its own behalf were never shown to the model.
func (b *Builder) answers(ctx context.Context, questions []chat.Clarification) []contextwindow.Answer {
	positions := map[string]int64{}
	for i := range b.history.View.Messages {
		for _, c := range b.history.View.Messages[i].ToolCalls {
			positions[c.ID] = b.history.First + int64(i)
		}
	}
	var list []contextwindow.Answer
	for i := range questions {
		c := &questions[i]
		resumer := b.Catalog.Resumer(b.App.ID, "", tools.KindQuestion)
		if !c.State.Replied() || c.Question.State != nil || resumer == nil || c.IsForm() {
			continue
		}
		out, err := resumer.Resume(ctx, tools.Call{ID: c.ToolCallID, Name: c.ToolName, Language: b.Turn.Language}, c.Question, c.Closing())
		if err == nil && out.Question == nil {
			list = append(list, contextwindow.NewAnswer(c, positions[c.ToolCallID], out.Result))
		}
	}
	return list
}
