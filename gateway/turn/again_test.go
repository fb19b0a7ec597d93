package turn_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

func (h *house) refuses(callID string) turn.Command {
	return h.replies(callID, tools.Answer{Value: json.RawMessage("false"), Note: "not that"})
}

const (
	alreadyRefused = `"declined":true,"message":"This call was already refused in this turn`
	utc            = `{"timezone":"UTC"}`
)

// wantRefusedAgain requires that the chat's turn has ended because a refused call was made again.
func (h *house) wantRefusedAgain(got *collector) {
	h.t.Helper()
	var f chat.Failure
	for _, ev := range got.events(h.t.(*testing.T)) {
		if ev.Name == "error" {
			if err := json.Unmarshal(ev.Data, &f); err != nil {
				h.t.Fatal(err)
			}
		}
	}
	if f.Code != "model_error" || f.Retryable || !f.Final() || f.Message != "problem.model_asks_again" {
		h.t.Errorf("the error is %+v", f)
	}
	s := h.snapshot()
	if s.FinishReason != chat.FinishError || s.Resumable || !s.Error.Final() || s.Status != chat.StatusIdle {
		h.t.Errorf("the snapshot says %q, resumable %v, error %+v, %s", s.FinishReason, s.Resumable, s.Error, s.Status)
	}
	for i, result := range h.results() {
		if !strings.Contains(result, tools.CodeCancelled) {
			h.t.Errorf("call %d of the last step: %s", i, result)
		}
	}
	_, err := h.engine.Submit(h.t.Context(), turn.Command{Ref: h.ref, Resume: true})
	wantCode(h.t.(*testing.T), err, chat.CodeNothingToResume)
}

// The first call is shown and refused, the second is answered with the refusal, and the third ends
// the turn. Nothing else is begun or asked with it. A new message may ask again.
func TestARefusedCallIsShownOnceToldOnceAndThenEndsTheTurn(t *testing.T) {
	for name, no := range map[string]func(h *house) turn.Command{
		"a no": func(h *house) turn.Command { return h.refuses("guard_1") },
		"declined": func(h *house) turn.Command {
			return h.replies("guard_1", tools.Answer{Declined: true, Note: "not that"})
		},
		"a plain word": func(h *house) turn.Command { m := h.message("No."); m.LastEventID = h.snapshot().LastEventID; return m },
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, `{}`, nil, asks("guard_1"), asks("guard_2"), asks("count_3", "guard_4", "pick_5", "guard_6", "call_7"), asks("guard_8"))
			h.drive(h.message("hi"))
			got := h.drive(no(h))
			if names := got.names(t); names != "turn.start clarification.resolved tool.call.end tool.call.start tool.call.end "+
				"tool.call.start tool.call.start tool.call.start tool.call.start tool.call.start "+
				"tool.call.end tool.call.end tool.call.end tool.call.end tool.call.end turn.error error done" {
				t.Errorf("events: %s", names)
			}
			told := h.model.last().Content
			if !strings.Contains(told, alreadyRefused) || strings.Contains(told, `"note":"not that"`) != (name != "a plain word") {
				t.Errorf("the model got %s", told)
			}
			h.wantRefusedAgain(got)
			if n := h.calls.Load(); n != 0 {
				t.Errorf("%d calls ran", n)
			}
			if names := h.drive(h.message("again, please")).names(t); names != "turn.start user.message tool.call.start clarification done" {
				t.Errorf("a new message: %s", names)
			}
		})
	}
}

// A call is the refused one if its tool and arguments are the same, however the arguments are
// written.
func TestWhichCallsCountAsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		first, second string
		shown         bool
	}{
		"members in another order": {`{"timezone":"UTC","expression":"1"}`, `{"expression":"1", "timezone":"\u0055TC"}`, false},
		"another value":            {utc, `{"timezone":"CET"}`, true},
		"one member more":          {utc, `{"timezone":"UTC","expression":"1"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, `{}`, nil, step("guard_1", c.first), step("guard_2", c.second), says("Done."))
			h.drive(h.message("hi"))
			h.drive(h.refuses("guard_1"))
			if pending := len(h.snapshot().Pending) == 1; pending != c.shown {
				t.Errorf("shown %v, want %v", pending, c.shown)
			}
		})
	}
	h := build(t, `{}`, nil, asks("guard_1"), asks("keep_2"))
	h.drive(h.message("hi"))
	h.drive(h.refuses("guard_1"))
	h.wantPending("another tool", "keep_2")

	h = build(t, `{}`, nil, step("guard_1", "{}"), step("guard_2", "{{"), step("guard_3", "{{"), says("Done."))
	h.drive(h.message("hi"))
	h.drive(h.refuses("guard_1"))
	if got := h.results(); !strings.Contains(got[0], tools.CodeInvalidArguments) || h.snapshot().FinishReason != chat.FinishStop {
		t.Errorf("what is not JSON is stored as {}, and is not the refused {}: %s", got)
	}
}

// A yes to one of several equal calls of a step lifts the refusal, whatever arguments it ran with.
func TestAYesInTheSameStepLiftsARefusal(t *testing.T) {
	edited := tools.Answer{Value: json.RawMessage("true"), Arguments: json.RawMessage(`{"timezone":"CET"}`)}
	for _, order := range [][]string{{"guard_1", "guard_2"}, {"guard_2", "guard_1"}} {
		h := build(t, `{}`, nil, asks("guard_1", "guard_2"), asks("guard_3"), asks("guard_4"), asks("guard_5"))
		h.drive(h.message("hi"))
		h.drive(h.refuses(order[0]))
		h.drive(h.replies(order[1], edited))
		h.wantPending("lifted", "guard_3")
		h.wantRefusedAgain(h.drive(h.refuses("guard_3"))) // the latest step with a decision counts
	}
	h := build(t, `{}`, nil, asks("guard_1"), step("guard_2", `{"timezone":"CET"}`), asks("guard_3"), says("Done."))
	h.drive(h.message("hi"))
	h.drive(h.replies("guard_1", edited))
	h.drive(h.refuses("guard_2")) // the arguments that guard_1 ran with, but not those that the model sent
	h.wantPending("an edited yes", "guard_3")
}

// Calls that were not refused are shown again: after an expired question, and after one that the
// user replaced.
func TestOnlyANoIsARefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"expiresIn": "1h"}`, nil, asks("guard_1"), asks("guard_2"), asks("guard_3"), says("Done."))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.drive(h.message("hi"))
		go h.engine.Sweep(ctx)
		time.Sleep(time.Hour + 5*time.Second)
		synctest.Wait()
		h.wantPending("expired", "guard_2")
		h.drive(h.allows("guard_2"))
		h.wantPending("allowed before", "guard_3")
	})
}

// Equal calls of one step all get the refusal, while the step's questions are asked; the results are
// stored together with these.
func TestARefusedCallIsToldBesideWhatIsAsked(t *testing.T) {
	h := build(t, `{}`, nil, asks("guard_1"), asks("guard_2", "count_3", "keep_4", "guard_5"), asks("guard_6", "keep_7"))
	h.drive(h.message("hi"))
	if names := h.drive(h.refuses("guard_1")).names(t); names != "turn.start clarification.resolved tool.call.end tool.call.start tool.call.start tool.call.start tool.call.start "+
		"tool.call.end tool.call.end tool.call.end clarification done" {
		t.Errorf("events: %s", names)
	}
	h.wantPending("the other tool", "keep_4")
	other := h.node(stream.NewLocal()) // another process decides from the stored state
	got := other.drive(other.allows("keep_4"))
	other.wantRefusedAgain(got)
	if n := h.calls.Load(); n != 2 {
		t.Errorf("%d calls ran, want count_3 and keep_4", n)
	}
}

// The model reads the refusal even after the turn was stopped and resumed.
func TestWhatIsToldBesideACallThatAStopHitCounts(t *testing.T) {
	h := build(t, `{}`, nil, asks("guard_1"), asks("guard_2", "count_3"), asks("guard_4"))
	reached := make(chan struct{})
	h.tool = once{make(chan func(context.Context) (tools.Outcome, error), 1)}
	h.tool.(once).runs <- func(ctx context.Context) (tools.Outcome, error) {
		close(reached)
		<-ctx.Done()
		return tools.Outcome{}, ctx.Err()
	}
	h.drive(h.message("hi"))
	_, _, ended := h.start(h.refuses("guard_1"))
	<-reached
	if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	<-ended
	got := h.drive(turn.Command{Ref: h.ref, Resume: true, Interactive: true})
	if told := h.model.last(); !strings.Contains(h.results()[0], tools.CodeCancelled) || told.Role != "tool" {
		t.Errorf("the model read %+v last", told)
	}
	h.wantRefusedAgain(got)
}

// The step of the second call is stored when its node dies: another node answers it with the
// refusal.
func TestARefusalIsKnownToTheNodeThatTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1"), asks("guard_2", "count_3"), says("Done."))
		reached, dead := make(chan struct{}), make(chan struct{})
		tool := once{make(chan func(context.Context) (tools.Outcome, error), 1)}
		tool.runs <- func(context.Context) (tools.Outcome, error) {
			close(reached)
			<-dead // the process never comes back from here
			return tools.Outcome{}, nil
		}
		h.tool = tool
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.drive(h.message("hi"))
		_, _, ended := h.start(h.refuses("guard_1"))
		<-reached
		other := h.node(stream.NewLocal())
		go other.engine.Sweep(ctx)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if got := other.results(); !strings.Contains(got[0], alreadyRefused) || !strings.Contains(got[1], tools.CodeInterrupted) {
			t.Errorf("results %q", got)
		}
		close(dead)
		<-ended
	})
}

// Arguments that could not be read are stored as {}. The node that takes over knows that the model
// did not send these, and does not take the call for the refused one.
func TestACallThatCannotBeReadIsNotTheRefusedOneAfterACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, step("guard_1", "{}"), step("guard_2", "{{", "count_3", `{"expression":"1"}`), says("Done."))
		reached, dead := make(chan struct{}), make(chan struct{})
		tool := once{make(chan func(context.Context) (tools.Outcome, error), 1)}
		tool.runs <- func(context.Context) (tools.Outcome, error) {
			close(reached)
			<-dead // the process never comes back from here
			return tools.Outcome{}, nil
		}
		h.tool = tool
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.drive(h.message("hi"))
		_, _, ended := h.start(h.replies("guard_1", tools.Answer{Declined: true}))
		<-reached
		synctest.Wait()
		other := h.node(stream.NewLocal())
		go other.engine.Sweep(ctx)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if got := other.results(); !strings.Contains(got[0], tools.CodeInvalidArguments) || !strings.Contains(got[1], tools.CodeInterrupted) {
			t.Errorf("results %q", got)
		}
		close(dead)
		<-ended
	})
}

// A fork takes over the refusal with the steps before its point, and the results that named it.
func TestARefusalStaysWithTheStepsOfAFork(t *testing.T) {
	h := build(t, `{}`, nil, asks("guard_1"), asks("call_2"), asks("guard_3"), asks("call_4"), says("Done."),
		asks("guard_5"), asks("guard_6"), // otherwise after call_2
		asks("guard_7")) // otherwise after call_4
	h.drive(h.message("hi"))
	h.drive(h.refuses("guard_1"))
	h.drive(h.answer("call_2", "one"))
	h.drive(h.answer("call_4", "two"))
	c2 := h.chat("c2")
	got := c2.drive(h.fork(chat.Fork{ClarificationID: h.asked(1)}, nil, "other"))
	if names := got.names(t); names != "turn.start clarification.resolved tool.call.end tool.call.start tool.call.end tool.call.start tool.call.end turn.error error done" {
		t.Errorf("events: %s", names)
	}
	c2.wantRefusedAgain(got)
	later := h.fork(chat.Fork{ClarificationID: h.asked(2)}, nil, "other")
	later.Ref.ChatID = "c3"
	c3 := h.chat("c3")
	c3.wantRefusedAgain(c3.drive(later))

	h.model.steps = []answer{asks("guard_8")}
	other := h.fork(chat.Fork{MessageID: h.snapshot().Messages[0].ID}, nil, nil)
	other.Ref.ChatID = "c4"
	h.drive(other)
	h.chat("c4").wantPending("from the message on, there is no refusal", "guard_8")
}

// A refusal by a role's holder counts like the user's own.
func TestARefusalOfARoleCountsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1"), asks("guard_2"), says("Done."))
		h.byFinance()
		h.drive(h.message("hi"))
		no := turn.Answer{Answer: tools.Answer{Value: json.RawMessage("false")}}
		if _, err := h.engine.AnswerByID(t.Context(), nil, h.snapshot().Clarification.ClarificationID, no, actor("carol"), chat.ChannelAPI); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := h.results(); !strings.Contains(got[0], alreadyRefused) {
			t.Errorf("results %q", got)
		}
	})
}
