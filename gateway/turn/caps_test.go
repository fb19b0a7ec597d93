package turn_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/stream"
)

func TestCapsBeyondAChat(t *testing.T) {
	for name, c := range map[string]struct {
		caps, whose string
		renewed     time.Duration // after it, there is room again
		elsewhere   func(h *house) *house
	}{
		"of a principal": {`{"perPrincipalPerDay": 2}`, "user today", 24 * time.Hour, func(h *house) *house { return h.of("t", "bob") }},
		"of an app":      {`{"perAppPerMinute": 2}`, "app at the moment", time.Minute, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := build(t, c.caps, nil,
					asks("guard_1"), asks("call_2"), asks("call_3"), asks("call_4"), says("assumed"), asks("call_5"), asks("call_6"))
				h.drive(h.message("an approval counts against no cap"))
				for _, id := range []string{"c2", "c3"} {
					if got := h.in(id).drive(h.in(id).message("ask")).names(t); got != "turn.start user.message tool.call.start clarification done" {
						t.Errorf("%s: %s", id, got)
					}
				}
				if err := h.engine.Delete(t.Context(), h.in("c2").ref); err != nil { // gives nothing back
					t.Fatal(err)
				}
				full := h.in("c4")
				if got := full.drive(full.message("ask")); got.text(t) != "assumed" || got.names(t) != "turn.start user.message tool.call.start tool.call.end chunk done" {
					t.Errorf("over the cap: %s", got.names(t))
				}
				want := `{"error":{"code":"CLARIFICATION_LIMIT_REACHED","message":"Maximum clarification limit (2) reached for this ` + c.whose +
					`. Please proceed with the available information or make reasonable assumptions."}}`
				if got := h.model.last().Content; got != want {
					t.Errorf("the model got %s", got)
				}
				if c.elsewhere != nil {
					other := c.elsewhere(h)
					if got := other.drive(other.message("ask")).names(t); !strings.Contains(got, "clarification") {
						t.Errorf("another caller: %s", got)
					}
				}
				time.Sleep(c.renewed)
				if got := full.drive(full.message("ask")).names(t); !strings.Contains(got, "clarification") {
					t.Errorf("later: %s", got)
				}
			})
		})
	}
}

func TestQuestionsOfAStepThatACapDividesAreAskedOrRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in virtual time: no window ends meanwhile
		h := build(t, `{"perPrincipalPerDay": 3, "perTurn": 5}`, nil, asks("call_0"), asks("call_1", "count_1", "call_2", "call_3", "call_4"), says("done"))
		first := h.in("before")
		first.drive(first.message("hi"))
		if got := h.drive(h.message("hi")).names(t); got != "turn.start user.message tool.call.start tool.call.start tool.call.start tool.call.start tool.call.start "+
			"tool.call.end tool.call.end tool.call.end clarification clarification done" {
			t.Errorf("events: %s", got)
		}
		s := h.snapshot()
		if s.Clarifications.Used != 2 || len(s.Pending) != 2 || s.Pending[0].ToolCallID != "call_1" || s.Pending[0].ClarificationNumber != 1 || s.Pending[1].ToolCallID != "call_2" || s.Pending[1].ClarificationNumber != 2 {
			t.Errorf("pending: %+v", s.Pending)
		}
		h.drive(h.answer("call_2", "b"))
		if got := h.drive(h.answer("call_1", "a")).text(t); got != "done" {
			t.Errorf("%q", got)
		}
		var results []string
		for _, c := range h.snapshot().Messages[1].ToolCalls {
			results = append(results, *c.Result)
		}
		for i, want := range []string{"a", "counted", "b", "user today", "user today"} {
			if !strings.Contains(results[i], want) {
				t.Errorf("result %d is %s", i, results[i])
			}
		}
		if h.calls.Load() != 1 {
			t.Errorf("the other call ran %d times", h.calls.Load())
		}
	})
}

func TestCapsBeyondAChatAreExactOverNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in virtual time: no window ends meanwhile
		const most, chats = 7, 24
		a := build(t, fmt.Sprintf(`{"perPrincipalPerDay": %d}`, most), nil)
		a.engine.Setup().Models["default"] = askOnce{}
		nodes := []*house{a, a.node(stream.NewPartial())}
		var all sync.WaitGroup
		paused := make([]bool, chats)
		for i := range chats {
			all.Go(func() {
				h := nodes[i%2].in(fmt.Sprint("c", i))
				run, err := h.take(t.Context(), h.message("hi"))
				if err != nil {
					t.Error(err)
					return
				}
				run.Drive(t.Context(), nil)
				paused[i] = run.Result().FinishReason == chat.FinishClarification
			})
		}
		all.Wait()
		asked := 0
		for _, p := range paused {
			if p {
				asked++
			}
		}
		if asked != most {
			t.Errorf("%d of %d chats asked, want %d", asked, chats, most)
		}
	})
}

// askOnce is a model that asks, and does without an answer if it must.
type askOnce struct{}

func (askOnce) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	next := asks("call_1")
	if req.Messages[len(req.Messages)-1].Role == model.RoleTool {
		next = says("assumed")
	}
	return func(yield func(model.Delta, error) bool) { next(ctx, yield) }
}
