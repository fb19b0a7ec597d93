package turn_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// large makes a question one of some 200 KB.
func large(a turn.Asking) turn.Asking {
	a.Question.Parts = append([]tools.Part(nil), a.Question.Parts...)
	a.Question.Parts[0].Context = strings.Repeat("x", 200<<10)
	return a
}

// fillUp asks until the limit refuses, and returns the questions.
func (h *house) fillUp(a turn.Asking) (asked []chat.Clarification) {
	h.t.Helper()
	for {
		c, _, err := h.engine.Ask(h.t.Context(), large(a))
		if limited, ok := errors.AsType[*chat.Error](err); ok && limited.Code == chat.CodeClarificationLimit && limited.RetryAfter > 0 {
			return asked
		} else if err != nil {
			h.t.Fatal(err)
		}
		if asked = append(asked, c); len(asked) > 2*store.MaxOpen/(200<<10) {
			h.t.Fatal("waiting questions are not limited")
		}
	}
}

// The bytes of waiting questions are bounded per chat, and per asker and person in all chats
// together. An answer makes room.
func TestWhatWaitsInAChatIsBoundedInBytes(t *testing.T) {
	h := build(t, `{}`, nil)
	asked := h.fillUp(h.asking(""))
	if n := len(asked); n < 15 || n > 21 {
		t.Errorf("%d questions of 200 KiB wait", n)
	}
	elsewhere := large(h.asking(""))
	elsewhere.Ref.ChatID = "another"
	if _, _, err := h.engine.Ask(t.Context(), elsewhere); chat.CodeOf(err) != chat.CodeClarificationLimit {
		t.Errorf("the asker continues to ask in another chat of the person: %v", err)
	}
	elsewhere.Asker.Subject, elsewhere.Actor.Subject = "another program", "another program"
	h.ask(elsewhere)
	role := large(h.asking(""))
	role.Ref.Subject, role.Role = chat.RoleSubject("staff"), "staff"
	h.ask(role)
	h.drive(h.named(asked[0].ID, "yes"))
	h.ask(large(h.asking("")))
}

// The holders of a role are asked by many chats of one asker; these are bounded together.
func TestWhatAnAskerHasWaitForARoleIsBoundedInBytes(t *testing.T) {
	h := build(t, `{}`, nil)
	a := large(h.asking(""))
	a.Ref.Subject, a.Role = chat.RoleSubject("staff"), "staff"
	for i := range 2 * store.MaxOpen / (200 << 10) {
		a.Ref.ChatID = fmt.Sprint("chat", i)
		if _, _, err := h.engine.Ask(t.Context(), a); err != nil {
			if chat.CodeOf(err) != chat.CodeClarificationLimit || i < 15 {
				t.Fatalf("question %d: %v", i, err)
			}
			return
		}
	}
	t.Error("waiting questions of a role are not limited")
}

// If the limit is reached, the model gets an error in place of an answer, and continues.
func TestAModelIsToldThatTooMuchWaits(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1", "guard_2"), says("Without, then."))
	a := h.asking("")
	h.fillUp(a)
	var open int64
	if err := h.store.Update(t.Context(), h.ref, func(tx store.Tx) (err error) {
		open, err = tx.OpenBytes()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	a.Question.Parts[0].Context = strings.Repeat("y", int(store.MaxOpen-open)-100) // and its JSON as well
	h.ask(a)
	if got := h.drive(h.message("hi")).text(t); got != "Without, then." {
		t.Errorf("the turn's text is %q", got)
	}
	results := 0
	for _, m := range h.model.sent[1].Messages {
		if m.Role == model.RoleTool {
			if results++; !strings.Contains(m.Content, tools.CodeLimitReached) {
				t.Errorf("call %s: %s", m.ToolCallID, m.Content)
			}
		}
	}
	if results != 2 {
		t.Errorf("%d results", results)
	}
}

// While a turn runs, a withdrawn question counts until its end is announced, and so do messages of
// programs: they are read when the turn is over.
func TestWhatIsToldLaterIsBoundedInBytes(t *testing.T) {
	reached := make(chan struct{})
	h := build(t, `{}`, nil, hangs("Well", reached))
	_, _, ended := h.start(h.message("hi"))
	<-reached
	asked := h.fillUp(h.asking(""))
	for _, c := range asked {
		if err := h.engine.Withdraw(t.Context(), c.ID, chat.Actor{Tenant: "t", Subject: "ci"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := h.engine.Ask(t.Context(), large(h.asking(""))); chat.CodeOf(err) != chat.CodeClarificationLimit {
		t.Errorf("an unannounced withdrawal does not count: %v", err)
	}
	_, err := h.engine.PostMessage(t.Context(), nil, h.ref, "ci", tools.Asker{Kind: tools.AskerProgram, Name: "ci"}, strings.Repeat("z", 300<<10))
	if chat.CodeOf(err) != chat.CodeClarificationLimit {
		t.Errorf("an unannounced message does not count: %v", err)
	}
	if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	<-ended
}
