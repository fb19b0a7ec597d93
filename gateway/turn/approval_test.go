package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// replies is an answer of any form.
func (h *house) replies(callID string, a tools.Answer) turn.Command {
	return turn.Command{Ref: h.ref, Answer: &turn.Answer{ToolCallID: callID, Answer: a}, Interactive: true}
}

func (h *house) allows(callID string) turn.Command {
	return h.replies(callID, tools.Answer{Value: json.RawMessage("true")})
}

// results returns those of the newest step with calls, in their order.
func (h *house) results() []string {
	h.t.Helper()
	var list []string
	for _, m := range h.snapshot().Messages {
		if len(m.ToolCalls) == 0 {
			continue
		}
		list = nil
		for _, c := range m.ToolCalls {
			if c.Result == nil {
				h.t.Fatalf("%s has no result", c.ToolCallID)
			}
			list = append(list, *c.Result)
		}
	}
	return list
}

func TestOnlyWhatIsAllowedRunsAndEachOnce(t *testing.T) {
	h := build(t, `{}`, nil, asks("guard_1", "guard_2", "count_3", "guard_4"), says("Done."))
	h.drive(h.message("hi"))
	if n := h.calls.Load(); n != 1 {
		t.Fatalf("%d calls ran before they were allowed, want the one that needs no approval", n)
	}
	h.drive(h.allows("guard_4"))
	h.drive(h.replies("guard_2", tools.Answer{Value: json.RawMessage(`"no"`), Note: "not that"}))
	if n := h.calls.Load(); n != 1 {
		t.Errorf("%d calls ran while one is undecided", n)
	}
	if got := h.drive(h.allows("guard_1")).names(t); got != "turn.start clarification.resolved tool.call.end tool.call.end tool.call.end chunk done" {
		t.Errorf("events: %s", got)
	}
	if n := h.calls.Load(); n != 3 {
		t.Errorf("%d calls ran in all, want 3", n)
	}
	got := h.results()
	if !strings.Contains(got[1], `"declined":true`) || !strings.Contains(got[1], `"note":"not that"`) {
		t.Errorf("the refused call: %s", got[1])
	}
	if got[1] = ""; !slices.Equal(got, []string{"counted", "", "counted", "counted"}) {
		t.Errorf("results %q", got)
	}
}

// Some kinds do not count, and share a number; the order is still that of the calls.
func TestPendingOfAllKindsStandInTheOrderOfTheirCalls(t *testing.T) {
	var ids []string
	for i := range 12 {
		ids = append(ids, fmt.Sprintf("%s_%d", []string{"guard", "pick", "call"}[i%3], i))
	}
	h := build(t, `{}`, nil, asks(ids...))
	h.drive(h.message("hi"))
	s := h.snapshot()
	var got []string
	for _, c := range s.Pending {
		got = append(got, c.ToolCallID)
	}
	if !slices.Equal(got, ids) {
		t.Errorf("pending %v", got)
	}
	if s.Clarifications.Used != 4 || s.Pending[11].ClarificationNumber != 4 {
		t.Errorf("%d used, the last is number %d; approvals and inputs do not count", s.Clarifications.Used, s.Pending[11].ClarificationNumber)
	}
}

func TestApprovalThatExpiresMakesNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"expiresIn": "1h"}`, nil, asks("guard_1", "pick_2"), says("Without."))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.drive(h.message("hi"))
		go h.engine.Sweep(ctx)
		time.Sleep(time.Hour + 5*time.Second)
		synctest.Wait()
		const want = `{"userAnswer":null,"timedOut":true,"message":"The user did not respond within the time limit"}`
		if got := h.results(); !slices.Equal(got, []string{want, want}) {
			t.Errorf("results %q", got)
		}
		for _, late := range []turn.Command{h.allows("guard_1"), h.replies("pick_2", tools.Answer{Result: json.RawMessage("1")})} {
			_, err := h.engine.Submit(ctx, late)
			wantCode(t, err, chat.CodeClarificationClosed)
		}
		if n := h.calls.Load(); n != 0 {
			t.Errorf("the call ran %d times", n)
		}
	})
}

// The process dies between the approval, or the result, and what follows from it.
func TestWhatWasAllowedOrSentIsNotLostWithItsNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1", "pick_2"), says("Done."))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.drive(h.message("hi"))
		h.drive(h.allows("guard_1"))
		h.submit(h.replies("pick_2", tools.Answer{Result: json.RawMessage(`{"a": 1}`)}))
		other := h.node(stream.NewLocal())
		viewer := other.follow(ctx, "")
		go other.engine.Sweep(ctx)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if got := viewer.names(t); got != "snapshot step.restart tool.call.end tool.call.end chunk done" {
			t.Errorf("events: %s", got)
		}
		if got := other.results(); !slices.Equal(got, []string{"counted", `{"a":1}`}) || h.calls.Load() != 1 {
			t.Errorf("results %q, %d calls", got, h.calls.Load())
		}
	})
}

func TestAllowedCallThatACrashHitIsNotRunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1"), says("I see."))
		reached, dead := make(chan struct{}), make(chan struct{})
		tool := once{make(chan func(context.Context) (tools.Outcome, error), 1)}
		tool.runs <- func(context.Context) (tools.Outcome, error) {
			close(reached)
			<-dead // the process never comes back from here
			return tools.Outcome{Result: "too late"}, nil
		}
		h.tool = tool
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.drive(h.message("hi"))
		_, _, ended := h.start(h.allows("guard_1"))
		<-reached
		other := h.node(stream.NewLocal())
		go other.engine.Sweep(ctx)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if got := other.results(); len(got) != 1 || !strings.Contains(got[0], tools.CodeInterrupted) {
			t.Errorf("results %q", got)
		}
		_, err := other.engine.Submit(ctx, h.allows("guard_1"))
		wantCode(t, err, chat.CodeAlreadyAnswered)
		close(dead)
		<-ended
	})
}

// A store returns an accepted answer unchanged, including null.
func TestResultsOfTheCallerReachTheModelToTheLetter(t *testing.T) {
	for sent, read := range map[string]string{
		`null`: `null`, `"  a\u003cb\n"`: "  a<b\n", `{"b": [1.50, "<é>"], "a": 1e3}`: `{"b":[1.50,"<é>"],"a":1e3}`, `""`: "", `false`: "false",
	} {
		h := build(t, `{}`, nil, asks("pick_1"), says("Done."))
		h.drive(h.message("hi"))
		h.drive(h.replies("pick_1", tools.Answer{Result: json.RawMessage(sent)}))
		if got := h.model.last().Content; got != read {
			t.Errorf("%s was read as %q", sent, got)
		}
	}
}

func TestArgumentsThatAPersonChangedAreThoseThatRun(t *testing.T) {
	h := build(t, `{}`, nil, asks("guard_1"), says("Done."))
	var ran string
	h.tool = does(func(c tools.Call) { ran = c.Arguments })
	h.drive(h.message("hi"))
	if !h.snapshot().Pending[0].Editable {
		t.Error("the event does not report it")
	}
	yes, no := json.RawMessage("true"), json.RawMessage("false")
	for name, a := range map[string]tools.Answer{
		"with a no":         {Value: no, Arguments: json.RawMessage(`{"timezone":"CET"}`)},
		"unfit":             {Value: yes, Arguments: json.RawMessage(`{"timezone":7}`)},
		"of another tool":   {Value: yes, Arguments: json.RawMessage(`{"path":"/"}`)},
		"without an answer": {Arguments: json.RawMessage(`{"timezone":"CET"}`)},
		"result as well":    {Value: yes, Arguments: json.RawMessage(`{"timezone":"CET"}`), Result: json.RawMessage("1")},
	} {
		_, err := h.engine.Submit(t.Context(), h.replies("guard_1", a))
		if refused := (*tools.AnswerError)(nil); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.drive(h.replies("guard_1", tools.Answer{Value: yes, Arguments: json.RawMessage(`{"timezone": "CET"}`), Note: "ours"}))
	if ran != `{"timezone":"CET"}` {
		t.Errorf("ran with %s", ran)
	}
	if got, want := h.model.last().Content, "did\nThe user changed the arguments of this call to {\"timezone\":\"CET\"}\nNote: ours"; got != want {
		t.Errorf("the model read %q", got)
	}
}

// does is a tool that returns how it was called.
type does func(tools.Call)

func (d does) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	d(call)
	return tools.Outcome{Result: "did"}, nil
}
