package turn_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// curious is a tool that asks twice in the middle of its call.
type curious struct{ runs *atomic.Int64 }

func (c curious) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	c.runs.Add(1)
	text := ""
	if a := call.Asked; a != nil {
		text = string(a.Question.State)
		if a.Closing.State != tools.StateAnswered {
			return tools.Outcome{Result: string(a.Closing.State)}, nil
		}
		text += string(a.Closing.Answer.Value)
		if strings.Count(text, `"`) >= 4 {
			return tools.Outcome{Result: text}, nil
		}
	}
	state, _ := json.Marshal(strings.Trim(text, `"`) + ";")
	return tools.Outcome{Question: &tools.Question{
		Kind: tools.KindQuestion, AskedBy: &tools.Asker{Kind: tools.AskerServer, Name: "curious"}, State: state, Parts: []tools.Part{{Question: "And?", InputType: tools.Text}},
	}}, nil
}

func TestACallThatAsksInItsMiddleGoesOnWithTheAnswer(t *testing.T) {
	h := build(t, `{}`, nil, asks("count_1"), says("Done."))
	runs := &atomic.Int64{}
	h.tool = curious{runs}
	if got := h.drive(h.message("hi")).names(t); got != "turn.start user.message tool.call.start clarification done" {
		t.Fatalf("asked: %s", got)
	}
	if c := h.snapshot().Clarification; c == nil || *c.AskedBy != (tools.Asker{Kind: tools.AskerServer, Name: "curious"}) || c.ToolName != "calculator" || c.ClarificationNumber != 1 {
		t.Fatalf("%+v", c)
	}
	other := h.node(stream.NewLocal()) // another process receives the answer
	if got := other.drive(other.answer("count_1", "one")).names(t); got != "turn.start clarification.resolved tool.call.end chunk done" {
		t.Fatalf("answered: %s", got)
	}
	if got := h.results()[0]; got != `";""one"` || runs.Load() != 2 {
		t.Errorf("%d runs, %s", runs.Load(), got)
	}
}

func TestACallThatIsDeclinedInItsMiddleIsToldSo(t *testing.T) {
	h := build(t, `{}`, nil, asks("count_1"), says("Done."))
	h.tool = curious{&atomic.Int64{}}
	h.drive(h.message("hi"))
	h.drive(h.replies("count_1", tools.Answer{Declined: true}))
	if got := h.results()[0]; got != "declined" {
		t.Errorf("%s", got)
	}
}

// Of two calls that ask, one is answered; then a message arrives instead of the other answer:
// neither continues, and each has a result.
func TestSupersededCallsDoNotGoOn(t *testing.T) {
	h := build(t, `{"onMessageWhilePending": "supersede"}`, nil, asks("count_1", "guard_2", "count_3"), says("Done."))
	runs := &atomic.Int64{}
	h.tool = curious{runs}
	h.drive(h.message("hi"))
	h.drive(h.answer("count_1", "one"))
	h.drive(h.allows("guard_2"))
	before := runs.Load()
	h.drive(h.message("something else"))
	for i, got := range h.results() {
		if !strings.Contains(got, `"superseded":true`) {
			t.Errorf("call %d: %s", i+1, got)
		}
	}
	if runs.Load() != before {
		t.Errorf("%d calls continued", runs.Load()-before)
	}
}

func TestQuestionsInsideCallsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"expiresIn": "1h"}`, nil, asks("count_1"), says("Done."))
		runs := &atomic.Int64{}
		h.tool = curious{runs}
		h.drive(h.message("hi"))
		ctx, cancel := context.WithCancel(t.Context())
		go h.engine.Sweep(ctx)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		cancel()
		synctest.Wait()
		if got := h.results()[0]; !strings.Contains(got, `"timedOut":true`) || runs.Load() != 1 {
			t.Errorf("%d runs, %s", runs.Load(), got)
		}
	})
}
