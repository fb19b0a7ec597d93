package turn_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// asksWith is a step with a question of these arguments.
func asksWith(arguments string) answer {
	return func(_ context.Context, yield func(model.Delta, error) bool) {
		yield(model.Delta{ToolCalls: []model.ToolCall{{ID: "call_1", Name: "ask_user", Arguments: arguments}}, Finish: model.FinishToolCalls}, nil)
	}
}

// A question waits as long as it specifies, but no longer than the app allows.
func TestTheShorterOfTwoExpiriesCounts(t *testing.T) {
	for _, test := range []struct {
		settings, arguments string
		want                time.Duration // 0: never
	}{
		{`{"expiresIn": "1h"}`, `{"question":"Q"}`, time.Hour},
		{`{"expiresIn": "1h"}`, `{"question":"Q","expiresIn":"10m"}`, 10 * time.Minute},
		{`{"expiresIn": "1h"}`, `{"question":"Q","expiresIn":"7d"}`, time.Hour},
		{`{}`, `{"question":"Q","expiresIn":"7d"}`, 7 * 24 * time.Hour},
		{`{}`, `{"question":"Q"}`, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := build(t, test.settings, nil, asksWith(test.arguments), says("Without you."))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			now := time.Now()
			h.drive(h.message("hi"))
			asked := h.snapshot().Pending[0]
			if expires := asked.ExpiresAt; (expires == nil) != (test.want == 0) || expires != nil && time.Time(*expires).Sub(now) != test.want {
				t.Fatalf("%s, %s: expires at %v", test.settings, test.arguments, expires)
			}
			if test.want == 0 {
				return
			}
			time.Sleep(test.want) // without days of heartbeats
			go h.engine.Sweep(ctx)
			time.Sleep(5 * time.Second)
			synctest.Wait()
			kept := h.snapshot().Messages[1].ToolCalls[0].Clarification
			if kept == nil || kept.State != tools.StateExpired || kept.AnsweredBy != nil || kept.Answer != nil || kept.AnsweredAt == nil {
				t.Errorf("%s, %s: %+v", test.settings, test.arguments, kept)
			}
		})
	}
}

// A draft is refused once the question is due, even before a sweep, and ends with it.
func TestADraftEndsWithItsQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"expiresIn": "1h"}`, nil, asks("call_1"))
		h.drive(h.message("hi"))
		c, err := h.store.Clarification(t.Context(), h.pendingID(0))
		if err != nil {
			t.Fatal(err)
		}
		if err := h.engine.SaveDraft(t.Context(), c, json.RawMessage(`{"typed":"so far"}`)); err != nil {
			t.Fatal(err)
		}
		if got := h.snapshot().Pending[0].Draft; string(got) != `{"typed":"so far"}` {
			t.Errorf("the draft is %s", got)
		}
		time.Sleep(time.Hour)
		e := wantCode(t, h.engine.SaveDraft(t.Context(), c, json.RawMessage(`1`)), chat.CodeClarificationClosed)
		if e.Clarification.State != tools.StateExpired {
			t.Errorf("state %s", e.Clarification.State)
		}
	})
	// Closed after the caller has checked.
	h := build(t, `{}`, nil, asks("call_1"), says("Thanks."))
	h.drive(h.message("hi"))
	c, err := h.store.Clarification(t.Context(), h.pendingID(0))
	if err != nil {
		t.Fatal(err)
	}
	h.drive(h.answer("call_1", "here"))
	wantCode(t, h.engine.SaveDraft(t.Context(), c, json.RawMessage(`1`)), chat.CodeAlreadyAnswered)
	if err := h.engine.Delete(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	wantCode(t, h.engine.SaveDraft(t.Context(), c, json.RawMessage(`1`)), chat.CodeNotFound)
}

// The model does not receive a person's draft.
func TestADraftIsNotInThePrompt(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1", "call_2"), says("Thanks."))
	h.drive(h.message("hi"))
	for i := range 2 {
		c, err := h.store.Clarification(t.Context(), h.pendingID(i))
		if err != nil {
			t.Fatal(err)
		}
		if err := h.engine.SaveDraft(t.Context(), c, json.RawMessage(`"a DRAFT"`)); err != nil {
			t.Fatal(err)
		}
	}
	h.drive(h.answer("call_1", "one"))
	h.drive(h.answer("call_2", "two"))
	sent, err := json.Marshal(h.model.sent)
	if err != nil || len(h.model.sent) != 2 {
		t.Fatalf("%d requests, %v", len(h.model.sent), err)
	}
	if told := string(sent); strings.Contains(told, "DRAFT") || !strings.Contains(told, "two") {
		t.Errorf("the model got %s", told)
	}
}
