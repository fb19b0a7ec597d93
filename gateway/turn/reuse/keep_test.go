package reuse_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/reuse"
	"github.com/askgate/askgate/tools"
)

// update is a transaction that records what it is asked to remember.
type update struct {
	store.Tx
	chat chat.Conversation
	kept []chat.Memory
}

func (u *update) Conversation() *chat.Conversation { return &u.chat }

func (u *update) Remember(m chat.Memory) error {
	u.kept = append(u.kept, m)
	return nil
}

// Each rule about what is never remembered of a person (docs/configuration.md, Memory) is an
// independent reason: even if nothing else excludes it, the answer is not remembered.
func TestWhatIsNeverKept(t *testing.T) {
	app := &config.App{ID: "a"}
	app.Clarifications.Keys = map[string]config.QuestionKey{"format": {Remember: config.Remember{Remember: config.RememberUser, For: config.Duration(time.Hour)}}}
	now := time.UnixMilli(1_000_000)
	for name, test := range map[string]struct {
		change func(c *chat.Clarification, u *update)
		kept   bool
	}{
		"an answer":                          {func(*chat.Clarification, *update) {}, true},
		"skipped":                            {func(c *chat.Clarification, _ *update) { c.Answer.Skipped = true }, false},
		"declined":                           {func(c *chat.Clarification, _ *update) { c.Answer.Declined = true }, false},
		"a part skipped":                     {func(c *chat.Clarification, _ *update) { form(c, tools.Answer{Skipped: true, Value: c.Answer.Value}) }, false},
		"a part declined":                    {func(c *chat.Clarification, _ *update) { form(c, tools.Answer{Declined: true, Value: c.Answer.Value}) }, false},
		"a part answered":                    {func(c *chat.Clarification, _ *update) { form(c, tools.Answer{Value: c.Answer.Value}) }, true},
		"closed as skipped":                  {func(c *chat.Clarification, _ *update) { c.State = tools.StateSkipped }, false},
		"closed as declined":                 {func(c *chat.Clarification, _ *update) { c.State = tools.StateDeclined }, false},
		"an approval":                        {func(c *chat.Clarification, _ *update) { c.Question.Kind = tools.KindApproval }, false},
		"what the caller runs":               {func(c *chat.Clarification, _ *update) { c.Question.Kind = tools.KindInput }, false},
		"a server's, midway":                 {func(c *chat.Clarification, _ *update) { c.Question.State = json.RawMessage(`{}`) }, false},
		"marked as a secret":                 {func(c *chat.Clarification, _ *update) { c.Question.Parts[0].Secret = "password" }, false},
		"a secret that is not marked as one": {func(c *chat.Clarification, _ *update) { c.Question.Parts[0].Question = "What is your password?" }, false},
		"a file":                             {func(c *chat.Clarification, _ *update) { c.Question.Parts[0].InputType = tools.File }, false},
		"a program's":                        {func(c *chat.Clarification, _ *update) { c.Asker = "ci" }, false},
		"what a role decides":                {func(c *chat.Clarification, _ *update) { c.For = "oncall" }, false},
		"a chat that is not stored":          {func(_ *chat.Clarification, u *update) { u.chat.Ephemeral = true }, false},
		"another key":                        {func(c *chat.Clarification, _ *update) { c.Question.Parts[0].Key = "size" }, false},
		"nothing chosen":                     {func(c *chat.Clarification, _ *update) { c.Answer.Value = nil }, false},
	} {
		c := &chat.Clarification{
			State: tools.StateAnswered, Answer: &tools.Answer{Value: json.RawMessage(`"csv"`)},
			Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{Question: "Which format?", InputType: tools.Text, Key: "format"}}},
		}
		u := &update{}
		test.change(c, u)
		if err := reuse.Keep(u, app, nil, c, now); err != nil {
			t.Fatal(err)
		}
		if len(u.kept) > 0 != test.kept {
			t.Errorf("%s: kept %+v", name, u.kept)
		}
		for _, m := range u.kept {
			if m.Text != "csv" || !m.ExpiresAt.Equal(now.Add(time.Hour)) {
				t.Errorf("%s: kept as %+v", name, m)
			}
		}
	}
}

// form makes a question one of two, of which the first got that answer, and the second none.
func form(c *chat.Clarification, first tools.Answer) {
	c.Question.Parts = append(c.Question.Parts, tools.Part{Question: "Which size?", InputType: tools.Text, Key: "size"})
	c.Answer = &tools.Answer{Answers: []tools.Answer{first, {Skipped: true}}}
}
