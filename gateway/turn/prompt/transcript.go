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
	forms   map[string]bool        // calls of forms of the app, which no model reads
	// word is what the model reads in place of one of the person's messages in a turn; nil: itself.
	word func(turnID, message string) string

	prompt    []model.Message
	from      int64 // position of the first message that prompt has; 0: it is made again
	stateFrom int64 // and of the first that has its state there
	done      int   // messages of the history that are in it, or before
}

// nextTurn is the position of the first turn that begins behind a position; 0: none does.
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

// bytes is how many the messages have from a position on, with the answers of before.
func (t *transcript) bytes(from int64) int64 {
	return contextwindow.BlockBytes(t.answers, max(from, t.history.First)) + t.messageBytes(from)
}

func (t *transcript) messageBytes(from int64) (n int64) {
	for i := max(from-t.history.First, 0); i < int64(len(t.history.View.Messages)); i++ {
		n += t.size(&t.history.View.Messages[i])
	}
	return n
}

// messages are the history from a position on as a model is sent it, with the state of the messages
// from another on.
func (t *transcript) messages(from, stateFrom int64) []model.Message {
	from = t.begins(from)
	if t.from != from || t.stateFrom != stateFrom {
		t.from, t.stateFrom, t.prompt, t.done = from, stateFrom, contextwindow.Block(t.answers, from), int(from-t.history.First)
	}
	t.prompt = rendered(t.prompt, t.worded(t.stateless(t.history.View.Messages[t.done:])))
	t.done = len(t.history.View.Messages)
	return answerable(t.prompt)
}

// begins is the position of the first message that is sent, where that is to be a position.
func (t *transcript) begins(from int64) int64 { return max(from, t.history.First) }

// stateless are the messages behind those that are done, without the state that is not sent.
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

// worded are messages as a model is sent them: those of the person in the app's words, and
// without forms.
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

// ownWords says that the person wrote a message.
func ownWords(m *chat.Message) bool {
	return m.Role == chat.RoleUser && m.AskedBy == nil && !tools.Blank(m.Content)
}

func (t *transcript) isForm(m *chat.Message) bool {
	return len(m.ToolCalls) == 1 && t.forms[m.ToolCalls[0].ID]
}

// size is how many bytes a message has as a model is sent it.
func (t *transcript) size(m *chat.Message) int64 {
	switch {
	case t.isForm(m):
		return 0
	case t.word != nil && ownWords(m):
		return contextwindow.Message(m) + int64(len(t.word(m.TurnID, ""))) // it holds the message once, or it is close
	}
	return contextwindow.Message(m)
}

// answers words the questions that a person has closed, for when their turns are left out.
// Those that a tool asked for itself were never told to the model.
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
