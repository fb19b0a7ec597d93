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
