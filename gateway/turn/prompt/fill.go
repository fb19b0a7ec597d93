package prompt

import (
	"encoding/json"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
)

// values are what the app's prompts are filled with: defaults, and what the person answered.
func (b *Builder) values() map[string]string {
	if len(b.App.Variables) == 0 {
		return nil
	}
	values := map[string]string{}
	for i := range b.App.Variables {
		v := &b.App.Variables[i]
		values[v.Name] = v.Default.In(b.Turn.Language)
	}
	for _, c := range b.history.Forms() {
		if !c.State.Replied() || c.Answer == nil {
			continue
		}
		for part := range c.Question.Parts {
			a := c.Question.AnswerTo(c.Answer, part)
			at := slices.IndexFunc(b.App.Variables, func(v config.Variable) bool { return v.Name == c.Question.Parts[part].ID })
			if at >= 0 && a != nil && !a.Skipped && !a.Declined {
				values[b.App.Variables[at].Name] = answerOf(&b.App.Variables[at], a)
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

// fillIn has the messages worded as the app's prompts say, once per run.
func (b *Builder) fillIn() {
	if b.filled != nil || len(b.App.Variables) == 0 && b.App.Prompt.IsZero() {
		return
	}
	b.filled = b.values()
	if b.filled == nil {
		b.filled = map[string]string{}
	}
	b.shown.forms = map[string]bool{}
	for _, c := range b.history.Forms() {
		b.shown.forms[c.ToolCallID] = true
	}
	if !b.App.Prompt.IsZero() {
		b.shown.word = func(message string) string { return b.App.Worded(message, b.Turn.Language, b.filled) }
	}
}

// system is the app's prompt, filled.
func (b *Builder) system() string {
	return config.Fill(b.App.System.In(b.Turn.Language), b.filled)
}
