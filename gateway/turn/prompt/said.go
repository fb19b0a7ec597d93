package prompt

import (
	"encoding/json"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/grounding"
	"github.com/askgate/askgate/tools/memory"
)

// Said returns what anyone but this turn's model said: the person, in messages and answers; tools,
// in results; files that the person sent; the admin, in the app's prompt. From memory it takes what
// the person had said or written, and from the assistant's texts in earlier turns those that the
// person answered with a plain yes. It leaves out what the model is no longer sent, and what holders
// of a role answer, note or change. Texts are read once for the run, and added to.
func (b *Builder) Said() *grounding.Said {
	texts := append([]grounding.Text{{Content: b.system()}}, b.exchanged()...)
	for _, c := range b.history.All() {
		if c.For != "" {
			continue
		}
		texts = append(texts, answered(c)...)
		if text := ofFiles(c, b.history.Calls[c.ToolCallID]); text != "" {
			texts = append(texts, grounding.Text{Content: text, At: c.AnsweredAt})
		}
	}
	if b.App.Memory {
		for _, kept := range b.Memories() { // except what this turn's model remembered
			if kept.Answer == nil && kept.UpdatedAt.Before(b.Turn.StartedAt) {
				for run := range strings.Lines(kept.Said) { // no two of these runs of words belong together
					texts = append(texts, grounding.Text{Content: run, At: kept.UpdatedAt})
				}
			}
		}
	}
	for _, c := range b.history.Allowed {
		if c.For != "" {
			continue
		}
		arguments := c.Arguments
		if c.Answer.Arguments != nil {
			arguments = string(c.Answer.Arguments)
		}
		texts = append(texts, grounding.Text{Content: arguments, At: c.AnsweredAt}, grounding.Text{Content: c.Answer.Note, At: c.AnsweredAt})
	}
	b.said = b.said.With(texts)
	return b.said
}

// exchanged returns what was said in the chat's messages and in the results of its calls.
func (b *Builder) exchanged() (texts []grounding.Text) {
	var claim *chat.Message // the assistant's last text
	for i := range b.history.View.Messages {
		m := &b.history.View.Messages[i]
		switch {
		case m.AskedBy != nil:
		case m.Role == chat.RoleUser:
			if claim != nil && grounding.Agrees(m.Content) {
				texts = append(texts, grounding.Text{Content: claim.Content, At: claim.CreatedAt})
			}
			claim = nil
			texts = append(texts, grounding.Text{Content: m.Content + m.Attached, At: m.CreatedAt})
		case m.Content != "" && m.TurnID != b.Turn.ID:
			claim = m
		}
		for j := range m.ToolCalls {
			c := &m.ToolCalls[j]
			// Of ask_user, the answers count, and not the questions. The results of remember and forget repeat
			// the key, which is the model's.
			if c.Result != nil && c.Result.Error == nil && !b.Catalog.AsksUser(b.App.ID, c.Name) && c.Name != memory.RememberID && c.Name != memory.ForgetID {
				content, _, _ := strings.Cut(c.Result.Content, "\n"+tools.Holder) // what follows is the role holder's
				texts = append(texts, grounding.Text{Content: content, At: m.CreatedAt})
			}
		}
	}
	return texts
}

// Stood returns the parts of a text that occur in the person's own messages and answers
// (grounding.Said.Stood). Contents of files, results of tools and texts of the assistant are not the
// person's own.
func (b *Builder) Stood(text string) string {
	var texts []grounding.Text
	for i := range b.history.View.Messages {
		if m := &b.history.View.Messages[i]; m.AskedBy == nil && m.Role == chat.RoleUser {
			texts = append(texts, grounding.Text{Content: m.Content, At: m.CreatedAt})
		}
	}
	for _, c := range b.history.All() {
		if c.For == "" {
			texts = append(texts, answered(c)...)
		}
	}
	return grounding.Read(texts).Stood(text)
}

// ofFiles returns the contents of the files with which a person answered: the end of the call's
// result. The names of the files are not known before they are sent, so no question can end in the
// same way.
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

// answered returns what a person said in an answer.
func answered(c *chat.Clarification) []grounding.Text {
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
		part(line, &c.Question, i, &answers[i])
	}
	return []grounding.Text{{Content: b.String(), At: c.AnsweredAt}}
}

// part passes to line what the answer to one question says: the person's own words, the chosen
// options as the person saw them and, for a yes, what the question named. The value of an option,
// which people do not see, counts only if it is not the model's, but a template's or from a list
// that a tool made.
func part(line func(string), q *tools.Question, i int, a *tools.Answer) {
	p := &q.Parts[i]
	line(a.Other)
	line(a.Note)
	chosen := a.Values
	if len(a.Value) > 0 {
		value := string(a.Value)
		_ = json.Unmarshal(a.Value, &value) // a number stays as it is written
		chosen = append([]string{value}, chosen...)
	}
	_, listed := q.Source(i)
	for _, value := range chosen {
		option := false
		for _, options := range [][]tools.Option{a.Options, p.Options} {
			for j := range options {
				if options[j].Value == value && p.InputType != tools.Confirm {
					option = true
					line(options[j].Label)
					line(options[j].Description)
				}
			}
		}
		switch {
		case p.InputType != tools.Confirm:
			if !option || listed || p.Template != "" {
				line(value)
			}
		case value == "yes":
			line(p.Question)
			line(p.Context)
		}
	}
}
