package turn_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

func TestExpiredQuestionGoesOnByItselfAndRefusesLateAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"expiresIn": "1h"}`, nil, asks("call_1"), says("Without you."))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.drive(h.message("hi"))
		viewer := h.follow(ctx, h.snapshot().LastEventID)
		go h.engine.Sweep(ctx)

		time.Sleep(time.Hour - time.Second)
		synctest.Wait()
		if got := viewer.names(t); got != "" {
			t.Fatalf("before its time: %s", got)
		}
		time.Sleep(5 * time.Second) // the contract's bound
		synctest.Wait()
		if got := viewer.names(t); got != "turn.start clarification.resolved tool.call.end chunk done" {
			t.Errorf("events: %s", got)
		}
		if got, want := h.model.last().Content, `{"userAnswer":null,"timedOut":true,"message":"The user did not respond within the time limit"}`; got != want {
			t.Errorf("the model read %s", got)
		}
		_, err := h.engine.Submit(ctx, h.answer("call_1", "late"))
		if e := wantCode(t, err, chat.CodeClarificationClosed); e.Clarification.State != tools.StateExpired {
			t.Errorf("state %s", e.Clarification.State)
		}
	})
}

func TestAnswerAfterItsTimeIsRefusedBeforeAnybodySwept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"expiresIn": "1h"}`, nil, asks("call_1"))
		h.drive(h.message("hi"))
		time.Sleep(time.Hour)
		_, err := h.engine.Submit(t.Context(), h.answer("call_1", "late"))
		wantCode(t, err, chat.CodeClarificationClosed)
	})
}

func TestWithoutExpiryAQuestionWaitsForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), says("Thanks."))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.drive(h.message("hi"))
		go h.engine.Sweep(ctx)
		time.Sleep(2 * time.Hour)
		if got := h.drive(h.answer("call_1", "here")).text(t); got != "Thanks." {
			t.Error(got)
		}
	})
}

func TestTurnOfADeadRunIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, says("Finished."))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		// The process dies between accepting the message and driving it.
		h.submit(h.message("hi"))
		h2 := h.node(stream.NewLocal())
		viewer := h2.follow(ctx, "")
		go h2.engine.Sweep(ctx)
		time.Sleep(25 * time.Second)
		synctest.Wait()
		if got := viewer.names(t); got != "snapshot step.restart chunk done" {
			t.Errorf("events: %s", got)
		}
		if s := h2.snapshot(); s.Status != chat.StatusIdle || len(s.Messages) != 2 || s.Messages[1].Content != "Finished." {
			t.Errorf("%+v", s)
		}
	})
}

func TestRunThatLostItsTurnWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		resume := make(chan struct{})
		h := build(t, `{}`, nil, func(_ context.Context, yield func(model.Delta, error) bool) {
			_ = yield(model.Delta{Text: []byte("old")}, nil)
			close(reached)
			<-resume // the process is paused here, and ignores its context
			yield(model.Delta{Finish: model.FinishStop}, nil)
		}, says("new"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		run := h.submit(h.message("hi"))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			run.Drive(ctx, nil)
		}()
		<-reached
		other := h.node(stream.NewLocal())
		go other.engine.Sweep(ctx)
		time.Sleep(25 * time.Second)
		synctest.Wait()
		close(resume)
		<-ended
		if s := h.snapshot(); len(s.Messages) != 2 || s.Messages[1].Content != "new" {
			t.Errorf("%+v", s.Messages)
		}
	})
}

func TestLeaseOfALivingRunIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, func(_ context.Context, yield func(model.Delta, error) bool) {
			time.Sleep(5 * time.Minute)
			_ = yield(model.Delta{Text: []byte("slow"), Finish: model.FinishStop}, nil)
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		go h.node(stream.NewLocal()).engine.Sweep(ctx)
		if got := h.drive(h.message("hi")).names(t); got != "turn.start user.message chunk done" {
			t.Error(got)
		}
	})
}

func TestStopKeepsTheTextAndFreesTheChat(t *testing.T) {
	reached := make(chan struct{})
	h := build(t, `{}`, nil, hangs("Half a th", reached), says("Next."))
	run, c, ended := h.start(h.message("hi"))
	<-reached
	_, err := h.engine.Submit(t.Context(), h.message("too early"))
	wantCode(t, err, chat.CodeTurnInProgress)
	if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	<-ended
	if got := c.names(t); got != "turn.start user.message chunk done" {
		t.Errorf("events: %s", got)
	}
	if r := run.Result(); r.FinishReason != chat.FinishCancelled {
		t.Errorf("%+v", r)
	}
	if s := h.snapshot(); s.Status != chat.StatusIdle || s.Messages[1].Content != "Half a th" {
		t.Errorf("%+v", s)
	}
	if got := h.drive(h.message("go on")).text(t); got != "Next." {
		t.Error(got)
	}
}

func TestStopLeavesAPendingQuestionAnswerable(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), says("Thanks."))
	h.drive(h.message("hi"))
	if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	if got := h.drive(h.answer("call_1", "still here")).text(t); got != "Thanks." {
		t.Error(got)
	}
	unknown := h.ref
	unknown.ChatID = "none"
	wantCode(t, h.engine.Cancel(t.Context(), unknown), chat.CodeNotFound)
}

func TestDeleteEndsARunningTurnAndErases(t *testing.T) {
	reached := make(chan struct{})
	h := build(t, `{}`, nil, hangs("secret", reached))
	_, _, ended := h.start(h.message("hi"))
	<-reached
	if err := h.engine.Delete(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	<-ended
	_, err := h.reader.Snapshot(t.Context(), h.ref, 0, 1, "")
	wantCode(t, err, chat.CodeNotFound)
}

func TestEventIDsOfADeletedChatAreNotUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, says("old"), says("new"))
		old := h.drive(h.message("hi")).events(t)
		time.Sleep(5 * time.Millisecond)
		if err := h.engine.Delete(t.Context(), h.ref); err != nil {
			t.Fatal(err)
		}
		next := h.drive(h.message("hi")).events(t)
		if stale := old[len(old)-1].ID; next[0].ID <= stale {
			t.Errorf("id %s after %s", next[0].ID, stale)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		viewer := h.follow(ctx, old[len(old)-1].ID)
		synctest.Wait()
		if got := viewer.names(t); got != "turn.start user.message chunk done" {
			t.Errorf("a client that knows the old chat only sees %q", got)
		}
	})
}

func TestSnapshotWhileTheFirstStepRunsTellsNothingTwice(t *testing.T) {
	reached := make(chan struct{})
	h := build(t, `{}`, nil, hangs("text", reached))
	run, _, ended := h.start(h.message("hi"))
	<-reached
	viewer := h.follow(t.Context(), "")
	waitFor(t, func() bool { return strings.Contains(viewer.names(t), "chunk") })
	if got := viewer.names(t); got != "snapshot chunk" {
		t.Errorf("events: %s", got)
	}
	_ = h.engine.Cancel(t.Context(), h.ref)
	<-ended
	if r := run.Result(); r.Text != "text" {
		t.Errorf("the result of a stopped run has the text %q", r.Text)
	}
}

func TestOneOfManyAnswersWins(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), says("Thanks."))
	h.drive(h.message("hi"))
	const people = 64
	var won, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range people {
		wg.Go(func() {
			cmd := h.answer("call_1", strings.Repeat("x", i+1))
			run, err := h.take(t.Context(), cmd)
			if err == nil {
				won.Add(1)
				run.Drive(t.Context(), nil)
				return
			}
			var e *chat.Error
			if errors.As(err, &e) && e.Code == chat.CodeAlreadyAnswered && e.Clarification.Answer != nil {
				refused.Add(1)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || refused.Load() != people-1 {
		t.Errorf("%d won, %d refused with the winner's answer", won.Load(), refused.Load())
	}
}

func TestAnswersToSeveralQuestionsInAnyOrderResumeOnce(t *testing.T) {
	ids := []string{"call_1", "call_2", "call_3", "call_4", "call_5"}
	h := build(t, `{}`, nil, asks(append(ids, "count_1")...), says("All there."))
	h.drive(h.message("hi"))
	viewer := h.follow(t.Context(), h.snapshot().LastEventID)
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() {
			if run, err := h.take(t.Context(), h.answer(id, "to "+id)); err != nil {
				t.Error(err)
			} else {
				run.Drive(t.Context(), nil)
			}
		})
	}
	wg.Wait()
	if h.calls.Load() != 1 {
		t.Errorf("the other tool ran %d times", h.calls.Load())
	}
	h.model.mu.Lock()
	messages := h.model.sent[len(h.model.sent)-1].Messages
	requests := len(h.model.sent)
	h.model.mu.Unlock()
	if requests != 2 {
		t.Errorf("%d model requests, want 2", requests)
	}
	for i, id := range append(ids, "count_1") {
		m := messages[len(messages)-6+i]
		want := "to " + id
		if id == "count_1" {
			want = "counted\n\n[gateway] You may ask 5 more questions in this conversation, 0 in this turn"
		}
		if m.ToolCallID != id || m.Content != want {
			t.Errorf("result %d: %+v", i, m)
		}
	}
	// A viewer on another device sees ordered, unique ids over all five runs.
	waitFor(t, func() bool { return strings.Count(viewer.names(t), "done") == len(ids) })
	last := ""
	for _, ev := range viewer.events(t) {
		if ev.ID <= last {
			t.Errorf("id %s after %s", ev.ID, last)
		}
		last = ev.ID
	}
	if got := strings.Count(viewer.names(t), "clarification.resolved"); got != len(ids) {
		t.Errorf("%d resolved", got)
	}
}

// waitFor waits for something that another goroutine does soon.
func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Minute)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen")
		}
		<-time.After(time.Millisecond)
	}
}

func TestViewerWhoJoinsInTheMiddleMissesNothing(t *testing.T) {
	proceed := make(chan struct{})
	reached := make(chan struct{})
	h := build(t, `{}`, nil, func(_ context.Context, yield func(model.Delta, error) bool) {
		_ = yield(model.Delta{Text: []byte("first ")}, nil)
		close(reached)
		<-proceed
		_ = yield(model.Delta{Text: []byte("second")}, nil) && yield(model.Delta{Finish: model.FinishStop}, nil)
	})
	_, own, ended := h.start(h.message("hi"))
	<-reached
	fresh := h.follow(t.Context(), "")
	back := h.follow(t.Context(), own.events(t)[1].ID)
	waitFor(t, func() bool { return strings.Contains(fresh.names(t), "chunk") })
	close(proceed)
	<-ended
	for name, c := range map[string]*collector{"fresh": fresh, "reconnected": back} {
		waitFor(t, func() bool { return strings.HasSuffix(c.names(t), "done") })
		if got := c.text(t); got != "first second" {
			t.Errorf("%s viewer read %q", name, got)
		}
	}
	if !strings.HasPrefix(fresh.names(t), "snapshot ") || strings.Contains(back.names(t), "snapshot") {
		t.Errorf("fresh: %s; reconnected: %s", fresh.names(t), back.names(t))
	}
}

func TestRepeatedRequestShowsTheSameRunWhileItRuns(t *testing.T) {
	proceed := make(chan struct{})
	reached := make(chan struct{})
	h := build(t, `{}`, nil, func(_ context.Context, yield func(model.Delta, error) bool) {
		_ = yield(model.Delta{Text: []byte("one ")}, nil)
		close(reached)
		<-proceed
		_ = yield(model.Delta{Text: []byte("run")}, nil)
	})
	cmd := h.message("hi")
	cmd.IdempotencyKey, cmd.Hash = "key", "hash"
	run, first, ended := h.start(cmd)
	var second collector
	<-reached
	again := h.submit(cmd)
	repeated := make(chan struct{})
	go func() {
		defer close(repeated)
		again.Drive(t.Context(), &second)
	}()
	close(proceed)
	<-ended
	<-repeated
	if first.b.String() != second.b.String() {
		t.Errorf("the repeated request saw\n%s\nnot\n%s", second.b.String(), first.b.String())
	}
	if got, want := again.Result(), run.Result(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	cmd.Hash = "other"
	_, err := h.engine.Submit(t.Context(), cmd)
	wantCode(t, err, chat.CodeIdempotencyConflict)
}

func TestShutdownHandsOverWhatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		h := build(t, `{}`, nil, hangs("half", reached), says("whole"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		run := h.submit(h.message("hi"))
		ended := make(chan struct{})
		var c collector
		go func() {
			defer close(ended)
			run.Drive(ctx, &c)
		}()
		<-reached
		limit, stop := context.WithTimeout(ctx, time.Second)
		defer stop()
		h.engine.Shutdown(limit)
		<-ended
		if got := c.names(t); got != "turn.start user.message chunk" {
			t.Errorf("events: %s", got)
		}
		_, err := h.engine.Submit(ctx, h.message("no"))
		wantCode(t, err, chat.CodeDraining)
		next := h.node(stream.NewLocal())
		go next.engine.Sweep(ctx)
		time.Sleep(5 * time.Second) // no lease to wait for
		synctest.Wait()
		if s := next.snapshot(); s.Status != chat.StatusIdle || s.Messages[1].Content != "whole" {
			t.Errorf("%+v", s)
		}
	})
}

func TestPromptStaysSoundAfterATornTurn(t *testing.T) {
	reached := make(chan struct{})
	h := build(t, `{}`, nil, hangs("", reached), asks("call_1"), says("ok"))
	_, _, ended := h.start(h.message("one"))
	<-reached
	_ = h.engine.Cancel(t.Context(), h.ref)
	<-ended
	h.drive(h.message("two"))
	h.drive(h.message("three")) // no text answers "What?" ... it does: a text question accepts any text
	h.model.mu.Lock()
	defer h.model.mu.Unlock()
	messages := h.model.sent[len(h.model.sent)-1].Messages
	for i := 1; i < len(messages); i++ {
		if a, b := messages[i-1].Role, messages[i].Role; a == b && a != model.RoleTool || a == model.RoleTool && b == model.RoleUser {
			t.Errorf("%s follows %s", b, a)
		}
	}
	if m := messages[len(messages)-1]; m.Role != model.RoleTool || m.Content != "three" {
		t.Errorf("%+v", m)
	}
}
