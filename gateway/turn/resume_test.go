package turn_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

var away = &model.Error{Kind: model.KindUnavailable, Status: 503}

func (h *house) resume() turn.Command { return turn.Command{Ref: h.ref, Resume: true} }

// cutOff is a text that the model's limit cut off.
func cutOff(text string) answer {
	return func(_ context.Context, yield func(model.Delta, error) bool) {
		_ = yield(model.Delta{Text: []byte(text)}, nil) && yield(model.Delta{Finish: model.FinishLength}, nil)
	}
}

func text(s string) model.Delta { return model.Delta{Text: []byte(s)} }

func (h *house) contents() string {
	h.t.Helper()
	var said []string
	for _, m := range h.snapshot().Messages {
		said = append(said, m.Content)
	}
	return strings.Join(said, "|")
}

// roles returns each message's role and text in the latest request to the model.
func (s *script) roles() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, m := range s.sent[len(s.sent)-1].Messages {
		list = append(list, string(m.Role)+" "+m.Content)
	}
	return strings.Join(list, "|")
}

func (h *house) wantResumable(what string, reason chat.FinishReason, want bool) {
	h.t.Helper()
	if s := h.snapshot(); s.Resumable != want || s.FinishReason != reason {
		h.t.Errorf("%s: resumable %v after %q, want %v after %q", what, s.Resumable, s.FinishReason, want, reason)
	}
}

func TestAFailedTurnGoesOnAndNothingOfItRunsAgain(t *testing.T) {
	h := build(t, `{}`, nil, asks("count_1", "call_1"), fails(away), fails(away), says("Done."))
	h.drive(h.message("hi"))
	h.wantResumable("while a question waits", "", false)
	if got := h.drive(h.answer("call_1", "blue")).names(t); got != "turn.start clarification.resolved tool.call.end turn.error error done" {
		t.Errorf("the answer: %s", got)
	}
	for range 2 { // the second attempt fails as well
		h.wantResumable("after an error", chat.FinishError, true)
		before := h.snapshot()
		c := h.drive(h.resume())
		if got := c.names(t); got != "turn.start turn.error error done" && got != "turn.start chunk done" {
			t.Errorf("resumed: %s", got)
		}
		start := string(c.events(t)[0].Data)
		if !strings.Contains(start, `"resumed":true`) || !strings.Contains(start, h.turnID()) {
			t.Errorf("turn.start %s of %s", start, h.turnID())
		}
		if len(h.snapshot().Messages) < len(before.Messages) {
			t.Error("a message is gone")
		}
	}
	if n := h.calls.Load(); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
	if got := h.model.roles(); got != "user hi|assistant |tool counted|tool blue" {
		t.Errorf("the model was sent %s", got)
	}
	if got := h.contents(); got != "hi||Done." {
		t.Errorf("stored: %s", got)
	}
	h.wantResumable("after its end", chat.FinishStop, false)
}

// turnID is the chat's newest turn.
func (h *house) turnID() string {
	h.t.Helper()
	_, newest, err := h.store.Conversation(h.t.Context(), h.ref)
	if err != nil {
		h.t.Fatal(err)
	}
	return newest.ID
}

func TestTheTextOfAnUnfinishedStepIsDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("count_1"), fails(away, text("Half a th")), says("A whole thought."))
		first := h.message("hi")
		first.IdempotencyKey, first.Hash = "first", "1"
		h.drive(first)
		if got := h.contents(); got != "hi||Half a th" {
			t.Fatalf("after the error: %s", got)
		}
		seen := h.snapshot().LastEventID
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		viewer := h.follow(ctx, seen)
		elsewhere := h.node(stream.NewPartial()) // has no events of this node
		early := elsewhere.follow(ctx, seen)
		again := h.resume()
		again.IdempotencyKey, again.Hash = "second", "2"
		run := h.submit(again)
		if got := h.contents(); got != "hi|" {
			t.Errorf("as it begins: %s", got)
		}
		var c collector
		run.Drive(t.Context(), &c)
		const events = "turn.start step.restart chunk done"
		if got := c.names(t); got != events {
			t.Errorf("resumed: %s", got)
		}
		if got := h.contents(); got != "hi||A whole thought." {
			t.Errorf("stored: %s", got)
		}
		if got := h.model.roles(); got != "user hi|assistant |tool counted" {
			t.Errorf("the model was sent %s", got)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		for name, other := range map[string]*collector{"a viewer": viewer, "on another node": early, "repeated": h.drive(again), "repeated elsewhere": elsewhere.drive(again)} {
			if other.names(t) != events || other.ids(t) != c.ids(t) {
				t.Errorf("%s: %s, ids %s, want %s", name, other.names(t), other.ids(t), c.ids(t))
			}
		}
		if got := elsewhere.drive(first).names(t); got != "turn.start user.message tool.call.start tool.call.end turn.error error done" {
			t.Errorf("the first run again, from the store: %s", got)
		}
		for _, other := range []turn.Command{h.message("hi"), h.resume()} {
			other.IdempotencyKey, other.Hash = "second", "3"
			_, err := h.engine.Submit(t.Context(), other)
			wantCode(t, err, chat.CodeIdempotencyConflict)
		}
	})
}

func TestABlankTextThatWasShownIsDiscardedToo(t *testing.T) {
	h := build(t, `{}`, nil, fails(away, text("\n\n")), says("Whole."))
	h.drive(h.message("hi"))
	if got := h.drive(h.resume()).names(t); got != "turn.start step.restart chunk done" || h.contents() != "hi|Whole." {
		t.Errorf("%s, stored %q", got, h.contents())
	}
}

func TestATextThatWasCutOffGoesOn(t *testing.T) {
	h := build(t, `{}`, nil, cutOff("Once upon"), cutOff(" a time"), fails(away, text(" there w")), says(" there was an end."), says("You are welcome."))
	h.drive(h.message("hi"))
	h.wantResumable("cut off", chat.FinishLength, true)
	for _, want := range []struct{ events, contents, sent string }{
		{"turn.start chunk done", "hi|Once upon| a time", "user hi|assistant Once upon|user Continue"},
		{"turn.start chunk turn.error error done", "hi|Once upon| a time| there w", "user hi|assistant Once upon|user Continue|assistant  a time|user Continue"},
		{"turn.start step.restart chunk done", "hi|Once upon| a time| there was an end.", "user hi|assistant Once upon|user Continue|assistant  a time|user Continue"},
	} {
		if got := h.drive(h.resume()).names(t); got != want.events {
			t.Errorf("events %s, want %s", got, want.events)
		}
		if got := h.contents(); got != want.contents {
			t.Errorf("stored %s, want %s", got, want.contents)
		}
		if got := h.model.roles(); got != want.sent {
			t.Errorf("sent %s, want %s", got, want.sent)
		}
	}
	h.drive(h.message("thanks"))
	if got, want := h.model.roles(), "user hi|assistant Once upon|user Continue|assistant  a time|user Continue|assistant  there was an end.|user thanks"; got != want {
		t.Errorf("the next message: sent %s, want %s", got, want)
	}
}

func TestATurnOutOfStepsGetsAsManyNewOnes(t *testing.T) {
	h := buildApp(t, `"maxSteps": 2`, nil, asks("count_1"), asks("count_2"), asks("count_3"), asks("count_4"), cutOff("At l"), says("ast."))
	for i, want := range []struct {
		cmd    turn.Command
		reason chat.FinishReason
		events string
	}{
		{h.message("hi"), chat.FinishMaxSteps, "turn.start user.message tool.call.start tool.call.end tool.call.start tool.call.end chunk done"},
		{h.resume(), chat.FinishMaxSteps, "turn.start tool.call.start tool.call.end tool.call.start tool.call.end chunk done"},
		{h.resume(), chat.FinishLength, "turn.start chunk done"},
	} {
		if got := h.drive(want.cmd).names(t); got != want.events {
			t.Errorf("run %d: %s", i, got)
		}
		h.wantResumable("after it", want.reason, true)
	}
	if got := h.contents(); got != "hi|||turn.max_steps|||turn.max_steps|At l" {
		t.Errorf("stored: %s", got)
	}
	if got := h.model.roles(); !strings.HasSuffix(got, "|tool counted|assistant turn.max_steps|user Continue") {
		t.Errorf("sent %s", got)
	}
	h.drive(h.resume())
	if got := h.contents(); !strings.HasSuffix(got, "|At l|ast.") || h.calls.Load() != 4 {
		t.Errorf("stored: %s; %d calls", got, h.calls.Load())
	}
}

func TestTheLastStepThatWasCutOffIsNoReasonToStop(t *testing.T) {
	h := buildApp(t, `"maxSteps": 1`, nil, cutOff("Half"), says(" and half"))
	h.drive(h.message("hi"))
	if got := h.drive(h.resume()).text(t); got != " and half" {
		t.Errorf("got %q", got)
	}
}

// TestAnAcceptedAnswerIsItsCallsResult: a stop that arrives before the run has read the answer,
// right after its turn.start, does not take the answer away.
func TestAnAcceptedAnswerIsItsCallsResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), says("Blue, then."))
		h.drive(h.message("hi"))
		run := h.submit(h.answer("call_1", "blue"))
		stopped := make(chan error, 1)
		go func() { stopped <- h.engine.Cancel(context.Background(), h.ref) }()
		synctest.Wait() // the run's context has ended; the run itself has not begun
		var c collector
		run.Drive(t.Context(), &c)
		if err := <-stopped; err != nil {
			t.Fatal(err)
		}
		if got := c.names(t); got != "turn.start clarification.resolved tool.call.end done" {
			t.Errorf("stopped: %s", got)
		}
		if got := *h.snapshot().Messages[1].ToolCalls[0].Result; got != "blue" {
			t.Errorf("the call's result: %s", got)
		}
		_, err := h.engine.Submit(t.Context(), h.answer("call_1", "red"))
		if e := wantCode(t, err, chat.CodeAlreadyAnswered); string(e.Clarification.Answer.Value) != `"blue"` {
			t.Errorf("the winning answer: %+v", e.Clarification.Answer)
		}
		h.wantResumable("stopped", chat.FinishCancelled, true)
		if got := h.drive(h.resume()).text(t); got != "Blue, then." || h.model.last().Content != "blue" {
			t.Errorf("%q, and the model read %q", got, h.model.last().Content)
		}
	})
}

// failing is a store in which commits of a run fail for a while.
type failing struct {
	store.Store
	fails *atomic.Int64 // that many more
	lazy  bool          // which
}

func (f failing) UpdateAs(ctx context.Context, held store.Held, lazy bool, fn func(store.RunTx) error) error {
	if lazy == f.lazy && f.fails.Load() > 0 {
		f.fails.Add(-1)
		return errors.New("a fault")
	}
	return f.Store.UpdateAs(ctx, held, lazy, fn)
}

func TestAnAnswerWhoseRunFailsIsKept(t *testing.T) {
	var faults atomic.Int64
	h := build(t, `{}`, func(s store.Store) store.Store { return failing{s, &faults, true} }, asks("call_1"), says("Blue, then."))
	h.drive(h.message("hi"))
	faults.Store(1) // its result cannot be stored
	if got := h.drive(h.answer("call_1", "blue")).names(t); got != "turn.start clarification.resolved tool.call.end turn.error error done" {
		t.Errorf("failed: %s", got)
	}
	if got := h.drive(h.resume()).names(t); got != "turn.start chunk done" || h.model.last().Content != "blue" {
		t.Errorf("resumed: %s, and the model read %q", got, h.model.last().Content)
	}
}

func TestACallThatWasAllowedAndNeverBegan(t *testing.T) {
	t.Run("runs once when an error came first", func(t *testing.T) {
		var faults atomic.Int64
		h := build(t, `{}`, func(s store.Store) store.Store { return failing{s, &faults, false} }, asks("guard_1"), says("Done."))
		h.drive(h.message("hi"))
		faults.Store(1) // its beginning cannot be stored
		if got := h.drive(h.allows("guard_1")).names(t); got != "turn.start clarification.resolved turn.error error done" || h.calls.Load() != 0 {
			t.Errorf("failed: %s, %d calls", got, h.calls.Load())
		}
		if got := h.drive(h.resume()).names(t); got != "turn.start tool.call.end chunk done" || h.calls.Load() != 1 {
			t.Errorf("resumed: %s, %d calls", got, h.calls.Load())
		}
	})
	t.Run("does not run where a message follows the error", func(t *testing.T) {
		var faults atomic.Int64
		h := build(t, `{}`, func(s store.Store) store.Store { return failing{s, &faults, false} }, asks("guard_1"), says("Well."))
		h.drive(h.message("hi"))
		faults.Store(1)
		h.drive(h.allows("guard_1"))
		if got := h.drive(h.message("never mind")).names(t); got != "turn.start user.message tool.call.end chunk done" || h.calls.Load() != 0 {
			t.Errorf("%s, %d calls", got, h.calls.Load())
		}
		if got := *h.snapshot().Messages[1].ToolCalls[0].Result; !strings.Contains(got, "This call was allowed, but the user sent another message") {
			t.Errorf("the model reads %s", got)
		}
	})
	t.Run("does not run after a stop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := build(t, `{}`, nil, asks("guard_1"), says("Not done."))
			h.drive(h.message("hi"))
			run := h.submit(h.allows("guard_1"))
			go func() { _ = h.engine.Cancel(context.Background(), h.ref) }()
			synctest.Wait()
			run.Drive(t.Context(), nil)
			h.drive(h.resume())
			if got := h.model.last().Content; !strings.Contains(got, tools.CodeCancelled) || h.calls.Load() != 0 {
				t.Errorf("the model read %s; %d calls", got, h.calls.Load())
			}
		})
	})
}

func TestACallThatAStopHitIsNotMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("count_1", "count_2"), says("I see."))
		reached := make(chan struct{})
		tool := once{make(chan func(context.Context) (tools.Outcome, error), 2)}
		tool.runs <- func(context.Context) (tools.Outcome, error) { return tools.Outcome{Result: "quick"}, nil }
		tool.runs <- func(ctx context.Context) (tools.Outcome, error) {
			close(reached)
			<-ctx.Done()
			return tools.Outcome{}, ctx.Err()
		}
		h.tool = tool
		_, c, ended := h.start(h.message("hi"))
		<-reached
		synctest.Wait()
		if got := c.names(t); !strings.HasSuffix(got, "tool.call.end") {
			t.Errorf("while one runs: %s", got)
		}
		if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
			t.Fatal(err)
		}
		<-ended
		if got := h.drive(h.resume()).names(t); got != "turn.start chunk done" {
			t.Errorf("resumed: %s", got)
		}
		if got := h.model.roles(); !strings.Contains(got, "tool quick") || !strings.Contains(got, tools.CodeInterrupted) || !strings.Contains(got, "may or may not") {
			t.Errorf("the model read %s", got)
		}
	})
}

func TestWhatCannotBeResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		h := build(t, `{"onMessageWhileRunning": "queue"}`, nil, asks("call_1"), says("Thanks."), hangs("", reached), hangs("", make(chan struct{})))
		refused := func(what string, code chat.Code) {
			t.Helper()
			before := h.snapshot()
			_, err := h.engine.Submit(t.Context(), h.resume())
			if chat.CodeOf(err) != code {
				t.Errorf("%s: %v, want %s", what, err, code)
			}
			if after := h.snapshot(); after.LastEventID != before.LastEventID || after.Resumable {
				t.Errorf("%s: changed", what)
			}
		}
		_, err := h.engine.Submit(t.Context(), h.resume())
		wantCode(t, err, chat.CodeNotFound)
		if _, _, err := h.store.Conversation(t.Context(), h.ref); !errors.Is(err, store.ErrNotFound) {
			t.Error("a refusal made a chat")
		}
		h.drive(h.message("hi"))
		refused("a question waits", chat.CodeNothingToResume)
		h.drive(h.answer("call_1", "blue"))
		refused("it is finished", chat.CodeNothingToResume)
		_, _, ended := h.start(h.message("more"))
		<-reached
		refused("it runs", chat.CodeTurnInProgress)
		h.submit(h.message("queued"))
		synctest.Wait()  // the search for queued messages after the previous turn has run
		h.engine.Drain() // the queue stays
		if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
			t.Fatal(err)
		}
		<-ended
		other := h.node(stream.NewLocal())
		_, err = other.engine.Submit(t.Context(), h.resume())
		wantCode(t, err, chat.CodeNothingToResume)
		h.wantResumable("a message follows", chat.FinishCancelled, false)
		_, err = h.engine.Submit(t.Context(), h.resume())
		wantCode(t, err, chat.CodeDraining)
	})
}

func TestAResumedTurnWhoseNodeDiesIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, cutOff("Once upon"), says(" a time"))
		h.drive(h.message("hi"))
		seen := h.snapshot().LastEventID
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		other := h.node(stream.NewPartial())
		viewer := other.follow(ctx, seen)
		h.submit(h.resume()) // and the process dies
		go other.engine.Sweep(ctx)
		time.Sleep(25 * time.Second)
		synctest.Wait()
		if got := viewer.names(t); got != "turn.start step.restart chunk done" {
			t.Errorf("events: %s", got)
		}
		if got := other.contents(); got != "hi|Once upon| a time" {
			t.Errorf("stored: %s", got)
		}
	})
}

func TestNoAnswerIsTakenThatCouldNotGoOn(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), fails(away), says("Thanks."))
	h.drive(h.message("hi"))
	setup := h.engine.Setup()
	begun := *setup // the configuration that a request began with
	answer := h.answer("call_1", "blue")
	answer.Setup = &begun
	named := setup.Models
	setup.Models = map[string]model.Model{"other": h.model}
	_, err := h.engine.Submit(t.Context(), answer)
	wantCode(t, err, chat.CodeInternal)
	setup.Models = named
	h.configure(`"enabled": false`, `{}`)
	_, err = h.engine.Submit(t.Context(), answer)
	wantCode(t, err, chat.CodeNotFound)
	h.wantPending("refused", "call_1")
	setup.Config = begun.Config
	h.drive(answer)
	if got := h.drive(h.resume()).text(t); got != "Thanks." {
		t.Errorf("got %q", got)
	}
}
