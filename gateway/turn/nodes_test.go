package turn_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// ids returns the ids of the events that a client saw.
func (c *collector) ids(t *testing.T) string {
	t.Helper()
	var list []string
	for _, ev := range c.events(t) {
		list = append(list, ev.ID)
	}
	return strings.Join(list, " ")
}

// Two nodes that share nothing but the store: the steps and runs of one are seen by viewers of the
// other when they have ended, with the very ids of the first.
func TestViewerOfAnotherNodeSeesWhatIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, says("Hello."), asks("call_1", "count_1"), says("Thanks."), says("Bye."))
		a, b := h.node(stream.NewPartial()), h.node(stream.NewPartial())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		first := a.drive(a.message("hi"))
		viewer := b.follow(ctx, a.snapshot().LastEventID)
		var own []string
		for _, cmd := range []func() *collector{
			func() *collector { return a.drive(a.message("ask me")) },
			func() *collector { return b.drive(b.answer("call_1", "blue")) }, // on the viewer's own node
			func() *collector { return a.drive(a.message("bye")) },
		} {
			own = append(own, cmd().names(t))
			time.Sleep(5 * time.Second)
			synctest.Wait()
		}
		if got, want := viewer.names(t), strings.Join(own, " "); got != want {
			t.Errorf("the viewer saw  %s\nwhat happened: %s", got, want)
		}
		last := first.events(t)
		seen := viewer.events(t)
		for before := last[len(last)-1].ID; len(seen) > 0; seen = seen[1:] {
			if seen[0].ID <= before {
				t.Errorf("id %s after %s", seen[0].ID, before)
			}
			before = seen[0].ID
		}
		late := b.follow(ctx, "")
		synctest.Wait()
		if got, want := late.ids(t), a.snapshot().LastEventID; got != want {
			t.Errorf("the snapshot has the id %s, the last event %s", got, want)
		}
	})
}

// While another node runs a turn of several steps, its steps are seen as they end. A viewer who
// comes back with one of their ids misses nothing and sees nothing twice.
func TestViewerOfAnotherNodeSeesStepsAsTheyEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		h := build(t, `{}`, nil, says("hello"), asks("count_2"), hangs("half a", reached))
		a, b := h.node(stream.NewPartial()), h.node(stream.NewPartial())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a.drive(a.message("hi"))
		viewer := b.follow(ctx, a.snapshot().LastEventID)
		_, own, ended := a.start(a.message("again"))
		<-reached
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := viewer.names(t); got != "turn.start user.message tool.call.start tool.call.end" {
			t.Errorf("in the middle: %s", got)
		}
		if got, want := viewer.ids(t), own.ids(t); !strings.HasPrefix(want, got+" ") {
			t.Errorf("ids %s, want the beginning of %s", got, want)
		}
		if err := a.engine.Cancel(ctx, a.ref); err != nil {
			t.Fatal(err)
		}
		<-ended
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := viewer.text(t); got != "half a" {
			t.Errorf("text %q", got)
		}
	})
}

func TestStopReachesARunOfAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		h := build(t, `{}`, nil, hangs("half", reached))
		a, b := h.node(stream.NewPartial()), h.node(stream.NewPartial())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go a.engine.Sweep(ctx)
		_, own, ended := a.start(a.message("hi"))
		<-reached
		if err := b.engine.Cancel(ctx, b.ref); err != nil {
			t.Fatal(err)
		}
		if s := b.snapshot(); s.Status != chat.StatusIdle {
			t.Errorf("after stop: %s", s.Status)
		}
		<-ended // it finds that it has lost the turn
		if got := own.names(t); got != "turn.start user.message chunk" {
			t.Errorf("the node that lost the turn continued: %s", got)
		}
	})
}

func TestDeleteReachesARunOfAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		h := build(t, `{}`, nil, hangs("half", reached))
		a, b := h.node(stream.NewPartial()), h.node(stream.NewPartial())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go a.engine.Sweep(ctx)
		_, _, ended := a.start(a.message("hi"))
		<-reached
		if err := b.engine.Delete(ctx, b.ref); err != nil {
			t.Fatal(err)
		}
		<-ended
		if _, err := a.store.View(ctx, a.ref); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("after delete: %v", err)
		}
	})
}

// once is a tool that must not run twice; its runs field sets what it does.
type once struct {
	runs chan func(context.Context) (tools.Outcome, error)
}

func (o once) Run(ctx context.Context, _ tools.Call) (tools.Outcome, error) { return (<-o.runs)(ctx) }

func TestCallThatACrashHitIsToldAsInterruptedAndNotRunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("count_1", "count_2"), says("I see."))
		reached, dead := make(chan struct{}), make(chan struct{})
		tool := once{make(chan func(context.Context) (tools.Outcome, error), 2)}
		tool.runs <- func(context.Context) (tools.Outcome, error) { return tools.Outcome{Result: "quick"}, nil }
		tool.runs <- func(context.Context) (tools.Outcome, error) {
			close(reached)
			<-dead // the process never comes back from here
			return tools.Outcome{Result: "too late"}, nil
		}
		h.tool = tool
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, own, ended := h.start(h.message("hi"))
		<-reached
		synctest.Wait()
		if got := own.names(t); got != "turn.start user.message tool.call.start tool.call.start tool.call.end" {
			t.Errorf("while the second runs: %s", got)
		}
		b := h.node(stream.NewLocal())
		viewer := b.follow(ctx, "")
		go b.engine.Sweep(ctx)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if got := viewer.names(t); got != "snapshot step.restart tool.call.end chunk done" {
			t.Errorf("after the crash: %s", got)
		}
		results := map[string]bool{}
		for _, c := range b.snapshot().Messages[1].ToolCalls {
			results[*c.Result] = true
		}
		if len(results) != 2 || !results["quick"] {
			t.Errorf("results %v", results)
		}
		delete(results, "quick")
		for other := range results {
			if !strings.Contains(other, tools.CodeInterrupted) || !strings.Contains(other, "interrupted") {
				t.Errorf("the call that was interrupted: %s", other)
			}
		}
		close(dead)
		<-ended
	})
}

func TestQueuedMessagesRunInOrderAfterTheTurnAndWhatItAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		h := build(t, `{"onMessageWhileRunning": "queue"}`, nil, func(ctx context.Context, yield func(model.Delta, error) bool) {
			close(reached)
			time.Sleep(time.Second)
			asks("call_1")(ctx, yield)
		}, says("blue it is"), says("second"), says("third"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, _, ended := h.start(h.message("one"))
		<-reached
		two := h.message("two")
		two.IdempotencyKey, two.Hash = "key", "hash"
		run2, second, ended2 := h.start(two)
		_, again, endedAgain := h.start(two)
		_, third, ended3 := h.start(h.message("three"))
		<-ended
		if s := h.snapshot(); s.Status != chat.StatusAwaitingInput || len(s.Queued) != 2 || s.Queued[0].Content != "two" || len(s.Messages) != 2 {
			t.Errorf("while the question is open: %+v", s)
		}
		h.drive(h.answer("call_1", "blue"))
		<-ended2
		<-ended3
		<-endedAgain
		for name, want := range map[*collector]string{second: "second", third: "third", again: "second"} {
			if got := name.names(t); got != "turn.start user.message chunk done" || name.text(t) != want {
				t.Errorf("the stream of %q: %s, %q", want, got, name.text(t))
			}
		}
		if second.ids(t) != again.ids(t) {
			t.Error("the same key saw another run")
		}
		if r := run2.Result(); r.Text != "second" || r.FinishReason != chat.FinishStop {
			t.Errorf("%+v", r)
		}
		var said []string
		for _, m := range h.snapshot().Messages {
			said = append(said, m.Content)
		}
		if got := strings.Join(said, "|"); got != "one||blue it is|two|second|three|third" {
			t.Error(got)
		}
		_ = ctx
	})
}

func TestQueueSurvivesTheProcessAndIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		h := build(t, `{"onMessageWhileRunning": "queue"}`, nil, hangs("", reached), says("whole"), says("next"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, _, ended := h.start(h.message("one"))
		<-reached
		leaving, leave := context.WithCancel(ctx)
		run := h.submit(h.message("two"))
		left := make(chan struct{})
		go func() { defer close(left); run.Drive(leaving, nil) }()
		synctest.Wait()
		leave() // no one watches any more: sent text is stored
		<-left
		for range 19 {
			h.submit(h.message("more"))
		}
		_, err := h.engine.Submit(ctx, h.message("too much"))
		wantCode(t, err, chat.CodeTurnInProgress)

		limit, stop := context.WithTimeout(ctx, time.Second)
		defer stop()
		h.engine.Shutdown(limit)
		<-ended
		b := h.node(stream.NewLocal())
		go b.engine.Sweep(ctx)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		s := b.snapshot()
		if len(s.Messages) < 4 || s.Messages[1].Content != "whole" || s.Messages[2].Content != "two" || s.Messages[3].Content != "next" {
			t.Errorf("%+v", s.Messages)
		}
	})
}

func TestManyQuestionsThatExpireAtOnceAreClosedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const chats = 500 // several polls, and more than run at the same time
		h := build(t, `{"expiresIn": "1m"}`, nil)
		for range chats {
			h.model.steps = append(h.model.steps, asks("call_1"))
		}
		for range chats {
			h.model.steps = append(h.model.steps, func(ctx context.Context, yield func(model.Delta, error) bool) {
				time.Sleep(20 * time.Second) // a slow model
				says("Without you.")(ctx, yield)
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for i := range chats {
			h.ref.ChatID = "c" + string(rune('a'+i%26)) + strings.Repeat("x", i/26)
			h.drive(h.message("hi"))
		}
		for range 3 {
			go h.node(stream.NewPartial()).engine.Sweep(ctx)
		}
		time.Sleep(time.Minute + 5*time.Second)
		synctest.Wait()
		if left, err := h.store.Due().Expired(ctx, time.Now(), 1000); err != nil || len(left) != 0 {
			t.Errorf("%d are still open, %v", len(left), err)
		}
		time.Sleep(10 * time.Minute) // their turns continue, a few at a time
		synctest.Wait()
		list, _, err := h.store.Conversations(ctx, h.ref.Tenant, h.ref.Subject, h.ref.App, store.Page{Limit: 2 * chats})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if view, err := h.store.View(ctx, c.Ref); err != nil || view.Turn.State != chat.TurnEnded || len(view.Messages) != 3 {
				t.Fatalf("%s: %+v, %v", c.ChatID, view, err)
			}
		}
	})
}

func TestChatsPastTheirRetentionAreDeletedWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := buildApp(t, `"retention": "10m"`, nil, asks("call_1"), says("hello"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		h.drive(h.message("hi")) // its question stays open
		time.Sleep(9 * time.Minute)
		kept := *h
		kept.ref.ChatID = "c2"
		kept.drive(kept.message("hi"))
		viewer := h.follow(ctx, "")
		time.Sleep(time.Minute + 10*time.Second)
		synctest.Wait()
		if _, err := h.store.View(ctx, h.ref); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the old chat: %v", err)
		}
		if s := kept.snapshot(); len(s.Messages) != 2 {
			t.Errorf("the young chat: %+v", s)
		}
		if got := viewer.names(t); got != "snapshot" {
			t.Errorf("the viewer of the old chat: %s", got)
		}
		if line := `level=INFO msg="old chats deleted" app=helper retention=10m0s chats=1 openQuestions=1`; strings.Count(h.log.String(), line+"\n") != 1 {
			t.Errorf("the log does not contain what was deleted:\n%s", h.log.String())
		}
	})
}

func TestTurnWhoseEndCouldNotBeStoredGoesOnWithoutAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f *faulty
		h := build(t, `{}`, func(s store.Store) store.Store { f = &faulty{Store: s, quietly: true}; return f }, says("Here I am."))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		f.broken.Store(true) // the message is stored, and the store cannot confirm it
		if _, err := h.engine.Submit(ctx, h.message("hi")); !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("got %v", err)
		}
		f.broken.Store(false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if s := h.snapshot(); s.Status != chat.StatusIdle || len(s.Messages) != 2 || s.Messages[1].Content != "Here I am." {
			t.Errorf("%+v", s)
		}
	})
}

// mute is a hub that loses the ends of runs, as if the node died between storing and publishing.
type mute struct{ stream.Hub }

type muteLog struct{ stream.Log }

func (m mute) Record(topic string, after chat.EventID, stop func()) stream.Log {
	return muteLog{m.Hub.Record(topic, after, stop)}
}

func (m muteLog) Append(b stream.Batch) {
	if !b.End {
		m.Log.Append(b)
	}
}

func TestWhatANodeStoredAndDidNotLiveToTellIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached, proceed := make(chan struct{}), make(chan struct{})
		h := build(t, `{}`, nil, says("hello"), func(ctx context.Context, yield func(model.Delta, error) bool) {
			_ = yield(model.Delta{Text: []byte("half ")}, nil)
			close(reached)
			<-proceed
			_ = yield(model.Delta{Text: []byte("and half")}, nil)
			asks("call_1")(ctx, yield)
		})
		hub := stream.NewLocal() // both see the same events
		a, b := h.node(mute{hub}), h.node(hub)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a.drive(a.message("hi"))
		f, err := b.reader.Follow(ctx, b.ref, 0, a.snapshot().LastEventID)
		if err != nil {
			t.Fatal(err)
		}
		var viewer collector
		left := make(chan error, 1)
		go func() { left <- f.Stream(ctx, &viewer) }()
		cmd := a.message("ask me")
		cmd.IdempotencyKey, cmd.Hash = "key", "hash"
		_, _, ended := a.start(cmd)
		<-reached
		close(proceed)
		<-ended
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got := viewer.names(t); got != "turn.start user.message chunk chunk tool.call.start clarification done" || viewer.text(t) != "half and half" {
			t.Errorf("the viewer saw %s: %q", got, viewer.text(t))
		}
		again := b.follow(ctx, viewer.events(t)[2].ID) // in the middle of the text
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := again.names(t); got != "chunk tool.call.start clarification done" || again.text(t) != "and half" || !strings.HasSuffix(viewer.ids(t), again.ids(t)) {
			t.Errorf("a viewer that came back saw %s: %q", got, again.text(t))
		}
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("the stream ended with %v", err)
		}
		f.Close()
		var repeated collector
		b.submit(cmd).Drive(t.Context(), &repeated)
		if got := repeated.names(t); got != "turn.start user.message chunk tool.call.start clarification done" || repeated.text(t) != "half and half" {
			t.Errorf("the repeated request saw %s: %q", got, repeated.text(t))
		}
	})
}
