package turn_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
)

// news returns the store's news, each with the object that it is about.
func (h *house) news() string {
	h.t.Helper()
	news, later, err := h.store.Feed().AllNews(h.t.Context(), 0, 1000)
	if err != nil || later {
		h.t.Fatal(later, err)
	}
	var words []string
	for _, n := range news {
		if n.Ref != h.ref || n.At.IsZero() || n.TurnID == "" {
			h.t.Errorf("%+v", n)
		}
		word := string(n.Type)
		switch n.Type {
		case chat.EventDone:
			word += ":" + string(n.FinishReason)
		default:
			c, err := h.store.Clarification(h.t.Context(), n.ClarificationID)
			if err != nil {
				h.t.Fatal(err)
			}
			word += ":" + c.ToolCallID
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestQuestionsAnswersAndEndsAreTold(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1", "call_2"), says("Thanks."), says("Again."))
	h.drive(h.message("hi"))
	want := "clarification:call_1 clarification:call_2 done:clarification"
	if got := h.news(); got != want {
		t.Fatalf("after two questions: %s", got)
	}
	h.drive(h.answer("call_2", "yes"))
	want += " clarification.resolved:call_2 done:clarification"
	if got := h.news(); got != want {
		t.Fatalf("after one answer: %s", got)
	}
	h.drive(h.answer("call_1", "yes"))
	want += " clarification.resolved:call_1 done:stop"
	if got := h.news(); got != want {
		t.Fatalf("after the other: %s", got)
	}
	h.drive(h.message("more"))
	if got := h.news(); got != want+" done:stop" {
		t.Errorf("after a turn without a question: %s", got)
	}
}

func TestWhatIsRefusedIsNotTold(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"))
	h.drive(h.message("hi"))
	before := h.news()
	answer := h.answer("call_1", "")
	if _, err := h.engine.Submit(t.Context(), answer); err == nil {
		t.Fatal("an empty answer was accepted")
	}
	if got := h.news(); got != before {
		t.Error(got)
	}
}
