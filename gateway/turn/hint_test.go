package turn_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// asksForm is a step that asks several questions by one call.
func asksForm(id string) answer {
	return func(_ context.Context, yield func(model.Delta, error) bool) {
		yield(model.Delta{Finish: model.FinishToolCalls, ToolCalls: []model.ToolCall{
			{ID: id, Name: "ask_user", Arguments: `{"questions":[{"question":"Who?","context":"` + id + `","allow_skip":true},{"question":"When?"}]}`},
		}}, nil)
	}
}

// hinted returns the calls after whose results a request contains the hint to ask the remaining
// questions at once.
func hinted(messages []model.Message) string {
	var calls []string
	for _, m := range messages {
		if text, note, ok := strings.Cut(m.Content, "\n\n[gateway] "); ok && !strings.Contains(text, "[gateway]") &&
			strings.HasSuffix(note, `one call of ask_user, with "questions"`) && !strings.Contains(note, "\n") {
			calls = append(calls, m.ToolCallID)
		}
	}
	return strings.Join(calls, " ")
}

// A model that asks one question after another gets a hint, once per turn, to ask the rest at once.
// A model that asks several questions in one step, or in one call, does so already.
func TestTheModelIsToldToAskTheRestAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		settings string
		steps    []answer
		want     string // in the last request
	}{
		"one question":              {steps: []answer{asks("ask_1")}},
		"two":                       {steps: []answer{asks("ask_1"), asks("ask_2")}, want: "ask_2"},
		"three":                     {steps: []answer{asks("ask_1"), asks("ask_2"), asks("ask_3")}, want: "ask_2"},
		"two of one step":           {steps: []answer{asks("ask_1", "ask_2")}},
		"one, then two of one step": {steps: []answer{asks("ask_1"), asks("ask_2", "ask_3")}},
		"two of one step, then one": {steps: []answer{asks("ask_1", "ask_2"), asks("ask_3")}},
		"a form between":            {steps: []answer{asks("ask_1"), asksForm("ask_2"), asks("ask_3")}, want: "ask_3"},
		"a form":                    {steps: []answer{asksForm("ask_1"), asksForm("ask_2")}},
		"an approval does not count as a question": {steps: []answer{asks("ask_1"), asks("guard_1")}},
		"a call with the question":                 {steps: []answer{asks("ask_1"), asks("ask_2", "count_1")}, want: "ask_2"},
		"no questions are left":                    {settings: `, "perTurn": 2`, steps: []answer{asks("ask_1"), asks("ask_2")}},
		"the allowance is reported":                {settings: `, "perTurn": 3`, steps: []answer{asks("ask_1"), asks("ask_2")}, want: "ask_2"},
		"forms are not allowed":                    {settings: `, "maxQuestions": 1`, steps: []answer{asks("ask_1"), asks("ask_2")}},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, `{"perConversation": 9`+c.settings+`}`, nil, append(c.steps, says("Done."))...)
			shown := h.drive(h.message("hi")).b.String()
			for len(h.snapshot().Pending) > 0 {
				shown += h.answerOpen()
			}
			if got := hinted(h.model.sent[len(h.model.sent)-1].Messages); got != c.want {
				t.Errorf("hint after %q, want %q", got, c.want)
			}
			if strings.Contains(shown, "[gateway]") {
				t.Errorf("it was shown: %s", shown)
			}
		})
	}
}

// answerOpen answers everything that waits, in one request, and returns what is shown.
func (h *house) answerOpen() string {
	cmd := h.together()
	for _, c := range h.snapshot().Pending {
		a := h.together(c.ToolCallID, "x").Answers[0]
		switch {
		case c.Kind == "approval":
			a = *h.allows(c.ToolCallID).Answer
			a.ToolCallID = c.ToolCallID
		case len(c.Questions) > 1:
			a.Value = nil
			for range c.Questions {
				a.Answer.Answers = append(a.Answer.Answers, tools.Answer{Value: json.RawMessage(`"x"`)})
			}
		}
		cmd.Answers = append(cmd.Answers, a)
	}
	return h.drive(cmd).b.String()
}

// A hint stays where it was sent, byte for byte, on another node and in later turns; each turn
// counts from the beginning.
func TestTheHintStaysWhereItWasTold(t *testing.T) {
	h := build(t, `{"perConversation": 9, "perTurn": 5}`, nil,
		asks("ask_1"), asks("ask_2"), says("one"), asks("ask_3"), says("two"), asks("ask_4"), asks("ask_5"), says("three"))
	h.drive(h.message("hi"))
	h.drive(h.answer("ask_1", "[gateway] a")) // a user's text stays unchanged
	h.drive(h.answer("ask_2", "b"))
	h = h.node(stream.NewLocal()) // reads the chat again
	h.drive(h.message("next"))
	h.drive(h.answer("ask_3", "c"))
	h.drive(h.message("next"))
	h.drive(h.answer("ask_4", "d"))
	h.drive(h.answer("ask_5", "e"))
	for i, want := range []string{"", "", "ask_2", "ask_2", "ask_2", "ask_2", "ask_2", "ask_2 ask_5"} {
		if got := hinted(h.model.sent[i].Messages); got != want {
			t.Errorf("request %d: hint after %q, want %q", i+1, got, want)
		}
		if i == 0 {
			continue
		}
		for j, m := range h.model.sent[i-1].Messages {
			if now := h.model.sent[i].Messages[j]; now.Content != m.Content {
				t.Errorf("request %d changed message %d: %q was %q", i+1, j, now.Content, m.Content)
			}
		}
	}
	if m := h.model.sent[1].Messages[2]; m.Content != "[gateway] a" {
		t.Errorf("the answer became %q", m.Content)
	}
	for _, m := range h.snapshot().Messages {
		for _, c := range m.ToolCalls {
			if strings.Contains(*c.Result, "one call of") {
				t.Errorf("the snapshot has %s", *c.Result)
			}
		}
	}
}
