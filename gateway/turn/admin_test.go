package turn_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

func (h *house) pendingID(i int) string {
	h.t.Helper()
	return h.snapshot().Pending[i].ClarificationID
}

func TestCancelledQuestionGoesOnByItselfAndRefusesLateAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), says("Without you, then."))
		h.drive(h.message("hi"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		viewer := h.follow(ctx, h.snapshot().LastEventID)
		id := h.pendingID(0)
		if err := h.engine.CancelClarification(t.Context(), id, chat.Actor{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := viewer.names(t); got != "turn.start clarification.resolved tool.call.end chunk done" {
			t.Errorf("a viewer sees %s", got)
		}
		if ev := viewer.events(t)[1]; !strings.Contains(string(ev.Data), `"outcome":"cancelled"`) {
			t.Errorf("%s", ev.Data)
		}
		if m := h.model.last(); !strings.HasPrefix(m.Content, `{"userAnswer":null,"cancelled":true,`) || m.ToolCallID != "call_1" {
			t.Errorf("the model gets %+v", m)
		}
		if s := h.snapshot(); s.Status != chat.StatusIdle || s.Messages[len(s.Messages)-1].Content != "Without you, then." {
			t.Errorf("%+v", s)
		}
		_, err := h.engine.Submit(t.Context(), h.answer("call_1", "late"))
		if e := wantCode(t, err, chat.CodeClarificationClosed); e.Clarification.State != tools.StateCancelled {
			t.Errorf("%+v", e.Clarification)
		}
		wantCode(t, h.engine.CancelClarification(t.Context(), id, chat.Actor{}), chat.CodeClarificationClosed)
	})
}

func TestCancellingOneOfTwoQuestionsLeavesTheOtherOpen(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1", "call_2"), says("Thanks."))
	h.drive(h.message("hi"))
	if err := h.engine.CancelClarification(t.Context(), h.pendingID(0), chat.Actor{}); err != nil {
		t.Fatal(err)
	}
	if s := h.snapshot(); s.Status != chat.StatusAwaitingInput || len(s.Pending) != 1 || s.Pending[0].ToolCallID != "call_2" {
		t.Fatalf("%+v", s)
	}
	if got := h.drive(h.answer("call_2", "yes")).text(t); got != "Thanks." {
		t.Error(got)
	}
	m := h.model.sent[1].Messages
	if n := len(m); !strings.Contains(m[n-2].Content, `"cancelled":true`) || m[n-1].Content != "yes" {
		t.Errorf("%+v", m)
	}
}

func TestWhatCannotBeCancelled(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), says("Thanks."))
	h.drive(h.message("hi"))
	id := h.pendingID(0)
	wantCode(t, h.engine.CancelClarification(t.Context(), "clr_none", chat.Actor{}), chat.CodeNotFound)
	h.drive(h.answer("call_1", "a secret"))
	e := wantCode(t, h.engine.CancelClarification(t.Context(), id, chat.Actor{}), chat.CodeAlreadyAnswered)
	if e.Clarification.State != tools.StateAnswered || e.Clarification.Answer != nil {
		t.Errorf("%+v", e.Clarification)
	}
	h.engine.Drain()
	wantCode(t, h.engine.CancelClarification(t.Context(), id, chat.Actor{}), chat.CodeDraining)
}

func TestAnAnswerAndACancelAtTheSameTimeCloseTheQuestionOnce(t *testing.T) {
	for range 20 {
		h := build(t, `{}`, nil, asks("call_1"), says("Thanks."))
		h.drive(h.message("hi"))
		id := h.pendingID(0)
		answered, cancelled := make(chan error, 1), make(chan error, 1)
		go func() {
			run, err := h.take(context.Background(), h.answer("call_1", "yes"))
			if err == nil {
				run.Drive(context.Background(), nil)
			}
			answered <- err
		}()
		go func() { cancelled <- h.engine.CancelClarification(context.Background(), id, chat.Actor{}) }()
		a, c := <-answered, <-cancelled
		if (a == nil) == (c == nil) {
			t.Fatalf("answer: %v, cancel: %v", a, c)
		}
		closed, err := h.store.Clarification(t.Context(), id)
		want := tools.StateAnswered
		if c == nil {
			want = tools.StateCancelled
		}
		if err != nil || closed.State != want {
			t.Errorf("%+v, %v", closed, err)
		}
		h.engine.Shutdown(t.Context()) // waits for the run
		if n := len(h.model.sent); n != 2 {
			t.Errorf("the model was asked %d times", n)
		}
	}
}
