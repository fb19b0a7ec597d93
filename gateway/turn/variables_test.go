package turn_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// filled is a house whose app asks for the values of its prompt, and the call of its first
// question.
func filled(t testing.TB, caps string, steps ...answer) *house {
	t.Helper()
	return buildApp(t, `"prompt": "Into {{language}} ({{tone}}): {{content}} {{content}}", "variables": [{"name": "language", "required": true}, {"name": "tone", "defaultValue": "friendly"}],
		"clarifications": `+caps, nil, steps...)
}

// fills answers the open form.
func (h *house) fills(value string) turn.Command {
	h.t.Helper()
	return h.answer(h.snapshot().Pending[0].ToolCallID, value)
}

func (h *house) wantSent(what, want string) {
	h.t.Helper()
	if got := h.model.last().Content; got != want {
		h.t.Errorf("%s: the model was sent %q, want %q", what, got, want)
	}
}

// TestAFormThatACapRefusesLeavesNothingBehind: the turn continues without it, also for later
// readers, and it is asked when there is room again.
func TestAFormThatACapRefusesLeavesNothingBehind(t *testing.T) {
	for name, caps := range map[string]string{"of a day": `{"perPrincipalPerDay": 1}`, "of an app": `{"perAppPerMinute": 1}`, "over nodes": `{"perPrincipalPerDay": 1}`} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := filled(t, caps, says("Hallo"), says("Servus"))
				h.drive(h.message("hi"))
				over := h.in("c2")
				if name == "over nodes" {
					over = h.node(stream.NewPartial()).in("c2")
				}
				if got := over.drive(over.message("hello")).names(t); got != "turn.start user.message chunk done" {
					t.Errorf("over the cap: %s", got)
				}
				over.wantSent("over the cap", "Into  (friendly): hello hello")
				if s := over.snapshot(); len(s.Messages) != 2 || len(s.Pending) != 0 || s.Clarifications.Used != 0 {
					t.Errorf("%+v", s)
				}
				time.Sleep(25 * time.Hour)
				if got := over.drive(over.message("again")).names(t); got != "turn.start user.message tool.call.start clarification done" {
					t.Errorf("later: %s", got)
				}
				over.drive(over.fills("German"))
				over.wantSent("later", "Into German (friendly): again again")
			})
		})
	}
}

// TestAnotherNodeGoesOnWithAForm: the questions, and the answers, are stored.
func TestAnotherNodeGoesOnWithAForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := filled(t, `{}`, says("Hallo"), says("Welt"))
		h.drive(h.message("{{language}}"))
		other := h.node(stream.NewPartial())
		other.drive(other.fills("{{content}} {{tone}}"))
		other.wantSent("on another node", "Into {{content}} {{tone}} (friendly): {{language}} {{language}}")
		if got := h.drive(h.message("world")).names(t); got != "turn.start user.message chunk done" {
			t.Errorf("once more: %s", got)
		}
		h.wantSent("on the first", "Into {{content}} {{tone}} (friendly): world world")
	})
}

// TestAFormThatNobodyFillsIn expires like any question, and is asked with the next message; a
// declined one is not.
func TestAFormThatNobodyFillsIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := filled(t, `{"expiresIn": "1h"}`, says("Without."), says("Without, too."), says("And still."))
		ctx, stop := context.WithCancel(t.Context())
		go h.engine.Sweep(ctx)
		h.drive(h.message("hi"))
		c := h.follow(ctx, "")
		time.Sleep(time.Hour + 10*time.Second)
		synctest.Wait()
		stop()
		synctest.Wait()
		if !strings.Contains(c.names(t), "clarification.resolved tool.call.end chunk done") {
			t.Errorf("expired: %s", c.names(t))
		}
		h.wantSent("expired", "Into  (friendly): hi hi")
		if got := h.drive(h.message("more")).names(t); !strings.Contains(got, "clarification") {
			t.Errorf("after that: %s", got)
		}
		h.drive(h.replies(h.snapshot().Pending[0].ToolCallID, tools.Answer{Declined: true}))
		h.wantSent("declined", "Into  (friendly): more more")
		if got := h.drive(h.message("last")).names(t); got != "turn.start user.message chunk done" {
			t.Errorf("after it was declined: %s", got)
		}
		if s := h.snapshot(); s.Status != chat.StatusIdle {
			t.Errorf("%+v", s)
		}
	})
}

// TestAnAppThatSendsNoHistory: the model is sent each turn without those before it, while the chat keeps
// them. Calls and answers of the same turn stay.
func TestAnAppThatSendsNoHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := buildApp(t, `"sendChatHistory": false`, nil, asks("q1"), says("Red it is."), says("Fine."), says("Again."))
		h.drive(h.message("message-1. Paint it"))
		h.drive(h.answer("q1", "red"))
		if got := h.sent(-1); len(got.Messages) != 3 || got.Messages[0].Content != "message-1. Paint it" {
			t.Errorf("with an answer: %+v", got.Messages)
		}
		h.drive(h.message("message-2. Now what?"))
		other := h.node(stream.NewPartial())
		other.drive(other.message("message-3. And now?"))
		for i, want := range map[int]string{-2: "message-2. Now what?", -1: "message-3. And now?"} {
			if got := h.sent(i); len(got.Messages) != 1 || got.Messages[0].Content != want {
				t.Errorf("%q: %+v", want, got.Messages)
			}
		}
		if s := h.snapshot(); len(s.Messages) < 6 {
			t.Errorf("the chat has %d messages", len(s.Messages))
		}
	})
}

// TestAStarterPromptFillsInTheForm: its values are the defaults of the form, also for variables that are
// not asked otherwise. What the person answers counts.
func TestAStarterPromptFillsInTheForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := buildApp(t, `"prompt": "{{language}}, {{tone}}: {{content}}", "variables": [{"name": "language", "required": true}, {"name": "tone", "defaultValue": "friendly"}],
			"starterPrompts": [{"message": "Go", "variables": {"language": "German", "tone": "dry"}}, {"message": "Set", "variables": {"tone": "dry"}}]`, nil, says("Los."), says("Fertig."), says("Gut."))
		h.drive(h.message("Go"))
		c := h.snapshot().Pending[0]
		if q := c.Questions; len(q) != 2 || string(q[0].Default) != `"German"` || string(q[1].Default) != `"dry"` {
			t.Fatalf("%+v", q)
		}
		h.drive(h.replies(c.ToolCallID, tools.Answer{Answers: []tools.Answer{{Value: []byte(`"French"`)}, {Value: []byte(`"dry"`)}}}))
		h.wantSent("answered", "French, dry: Go")
		h.drive(h.message("More"))
		h.wantSent("once a chat", "French, dry: More")
		other := h.in("c2")
		other.drive(other.message("Get ready"))
		if q := other.snapshot().Pending[0]; len(q.Questions) != 1 || q.Questions[0].Default != nil {
			t.Errorf("without a starter prompt: %+v", q)
		}
	})
}
