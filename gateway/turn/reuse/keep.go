package reuse

import (
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// remembering returns how answers to a part are remembered, under which key, and what else
// identifies the question. ok is false if they are not remembered.
func remembering(app *config.App, catalog *toolexec.Catalog, tool string, q *tools.Question, part int) (how config.Remember, key, of string, ok bool) {
	p := &q.Parts[part]
	if q.Kind != tools.KindQuestion || q.State != nil || p.Secret != "" || p.InputType == tools.File {
		return how, "", "", false
	}
	if p.Template != "" {
		if t := catalog.Template(app.ID, tool, p.Template); t != nil {
			how = t.Remember
		}
	}
	if how.Remember == "" && p.Key != "" {
		how = app.Clarifications.Keys[p.Key].Remember
	}
	switch {
	case how.Remember != config.RememberUser:
		return how, "", "", false
	case askuser.WantsSecret(q.Parts, part, app.Clarifications.SecretWords): // even if the app allows the question
		return how, "", "", false
	case p.Key != "":
		return how, p.Key, "key", true
	}
	return how, p.Template, "template " + filled(q, part), true
}

// Keep remembers an answer, in the update that stores it. It does not remember answers to programs,
// answers of a role's holders, or answers in ephemeral chats.
func Keep(tx store.Tx, app *config.App, catalog *toolexec.Catalog, c *chat.Clarification, now time.Time) error {
	if c.State != tools.StateAnswered || c.Answer == nil || c.Asker != "" || c.For != "" || tx.Conversation().Ephemeral {
		return nil
	}
	ids := make([]string, len(c.Question.Parts)) // in lists, the first part comes first
	for i := range ids {
		ids[i] = chat.NewID("mem")
	}
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(b, a) })
	for i := range c.Question.Parts {
		given := c.Question.AnswerTo(c.Answer, i)
		how, key, of, ok := remembering(app, catalog, c.ToolName, &c.Question, i)
		if !ok || given == nil || given.Skipped || given.Declined || len(given.Value) == 0 && len(given.Values) == 0 && given.Other == "" {
			continue
		}
		a := *given
		m := chat.Memory{
			ID: ids[i], Key: key, Of: of, Silent: how.Silent && (c.Answer.DontAskAgain || a.DontAskAgain), UpdatedAt: now,
			Answer: &chat.RememberedAnswer{Part: c.Question.Parts[i], Filled: filled(&c.Question, i), Answer: a},
		}
		if how.For > 0 {
			m.ExpiresAt = now.Add(how.For.Std())
		}
		kept := &m.Answer.Part
		kept.Options = chosenOptions(*kept, a)
		kept.Context, kept.Placeholder, kept.Validation, kept.Default, kept.Earlier, kept.Kept = "", "", nil, nil, nil, ""
		m.Answer.Answer.Note, m.Answer.Answer.Options, m.Answer.Answer.DontAskAgain = "", nil, false
		m.Text = reads(*kept, a)
		if err := tx.Remember(m); err != nil {
			return err
		}
	}
	return nil
}

// chosenOptions returns the options of a part that an answer names.
func chosenOptions(p tools.Part, a tools.Answer) (chosen []tools.Option) {
	values := chosenValues(&a)
	for _, o := range slices.Concat(p.Options, a.Options) {
		if slices.Contains(values, o.Value) && !slices.ContainsFunc(chosen, func(c tools.Option) bool { return c.Value == o.Value }) {
			chosen = append(chosen, o)
		}
	}
	return chosen
}

// reads returns the text that people read for an answer to a part.
func reads(p tools.Part, a tools.Answer) string {
	var labels []string
	for _, v := range chosenValues(&a) {
		if v != "" {
			labels = append(labels, labelOf(p.Options, v))
		}
	}
	if a.Other != "" {
		labels = append(labels, a.Other)
	}
	return tools.Shorten(strings.Join(labels, ", "), maxEarlierLabel)
}
