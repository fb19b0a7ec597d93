package prompt

import (
	"encoding/json"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/unfounded"
)

// Said is what somebody other than the model of this turn said: the person, in messages and
// answers, also such as are remembered from other chats; tools, in results; the admin, in the
// app's prompt; and the assistant in earlier turns, which the person has read since. What the
// model is not sent any more is left out.
func (b *Builder) Said() *unfounded.Said {
	texts := []unfounded.Text{{Content: b.system()}}
	for i := range b.history.View.Messages {
		m := &b.history.View.Messages[i]
		if m.AskedBy == nil && (m.Role == chat.RoleUser || m.TurnID != b.Turn.ID) {
			texts = append(texts, unfounded.Text{Content: m.Content + m.Attached, At: m.CreatedAt})
		}
		for j := range m.ToolCalls {
			c := &m.ToolCalls[j]
			// Of ask_user the answers count, and not the questions beside them.
			if c.Result != nil && c.Result.Error == nil && !b.Catalog.AsksUser(b.App.ID, c.Name) {
				texts = append(texts, unfounded.Text{Content: c.Result.Content, At: m.CreatedAt})
			}
		}
	}
	for _, c := range b.history.All() {
		texts = append(texts, answered(c)...)
		if text := ofFiles(c, b.history.Calls[c.ToolCallID]); text != "" {
			texts = append(texts, unfounded.Text{Content: text, At: c.AnsweredAt})
		}
	}
	if b.App.Memory {
		for _, kept := range b.Memories() { // but for what this turn's model made of it
			if kept.Answer == nil && kept.UpdatedAt.Before(b.Turn.StartedAt) {
				texts = append(texts, unfounded.Text{Content: kept.Text, At: kept.UpdatedAt})
			}
		}
	}
	for _, c := range b.history.Allowed {
		arguments := c.Arguments
		if c.Answer.Arguments != nil {
			arguments = string(c.Answer.Arguments)
		}
		texts = append(texts, unfounded.Text{Content: arguments, At: c.AnsweredAt}, unfounded.Text{Content: c.Answer.Note, At: c.AnsweredAt})
	}
	return unfounded.Read(texts)
}

// ofFiles is what the files say that a person answered with: the end of the call's result.
// Their names are not known before they are sent, so no question ends like it.
func ofFiles(c *chat.Clarification, call *chat.ToolCall) string {
	if call == nil || call.Result == nil || call.Result.Error != nil {
		return ""
	}
	begins := len(call.Result.Content)
	for _, f := range uploads.Answering(c) {
		if i := strings.Index(call.Result.Content, fileTextBegins+f.Name); i >= 0 {
			begins = min(begins, i)
		}
	}
	return call.Result.Content[begins:]
}

// answered is what a person said with an answer.
func answered(c *chat.Clarification) []unfounded.Text {
	if c.Answer == nil {
		return nil
	}
	var b strings.Builder
	line := func(words string) { b.WriteString(words); b.WriteByte('\n') }
	answers := c.Answer.Answers
	if len(c.Question.Parts) == 1 && len(answers) == 0 {
		answers = []tools.Answer{*c.Answer}
	} else {
		line(c.Answer.Note)
	}
	for i := range answers[:min(len(answers), len(c.Question.Parts))] {
		part(line, &c.Question.Parts[i], &answers[i])
	}
	return []unfounded.Text{{Content: b.String(), At: c.AnsweredAt}}
}

// part is what the answer to one question says: the person's own words, the options that were
// chosen, and by a yes what the question named.
func part(line func(string), p *tools.Part, a *tools.Answer) {
	line(a.Other)
	line(a.Note)
	chosen := a.Values
	if len(a.Value) > 0 {
		value := string(a.Value)
		_ = json.Unmarshal(a.Value, &value) // a number stays as it is written
		chosen = append([]string{value}, chosen...)
	}
	for _, value := range chosen {
		if p.InputType != tools.Confirm {
			line(value)
		} else if value == "yes" {
			line(p.Question)
			line(p.Context)
		}
		for _, options := range [][]tools.Option{a.Options, p.Options} {
			for i := range options {
				if options[i].Value == value && p.InputType != tools.Confirm {
					line(options[i].Label)
					line(options[i].Description)
				}
			}
		}
	}
}
