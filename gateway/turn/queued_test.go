package turn_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// waits is a message that asks to be queued.
func (h *house) waits(text string) turn.Command {
	cmd := h.message(text)
	cmd.Queue = true
	return cmd
}

// queue returns the texts that wait, and the id of the n-th.
func (h *house) queue(n int) (texts, id string) {
	h.t.Helper()
	var list []string
	for i, q := range h.snapshot().Queued {
		list = append(list, q.Content)
		if i == n {
			id = q.ID
		}
	}
	return strings.Join(list, "|"), id
}

func (h *house) wantQueue(what, want string) {
	h.t.Helper()
	if got, _ := h.queue(0); got != want {
		h.t.Errorf("%s, these wait: %s, want %s", what, got, want)
	}
}

// sendNow sends the n-th message of the queue now.
func (h *house) sendNow(n int) error {
	h.t.Helper()
	_, id := h.queue(n)
	return h.engine.SendNow(h.t.Context(), turn.SendNow{Ref: h.ref, MessageID: id})
}

// A message that asks to be queued waits while a turn runs and while it waits for an answer, even if it
// reads as one, and then begins its own turn at once. Where nothing runs, it does not wait.
func TestAMessageThatAsksToBeQueuedWaitsAndAnswersNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{})
		h := build(t, `{}`, nil, says("zero"), func(ctx context.Context, yield func(d model.Delta, err error) bool) {
			<-asked
			asks("call_1")(ctx, yield)
		}, says("so it is"), says("second"), says("third"))
		h.drive(h.waits("hello"))
		_, _, ended := h.start(h.waits("one"))
		synctest.Wait()
		h.submit(h.waits("blue"))
		h.wantQueue("while a turn runs", "blue")
		close(asked)
		<-ended
		h.submit(h.waits("three"))
		if s := h.snapshot(); s.Status != chat.StatusAwaitingInput || len(s.Pending) != 1 {
			t.Errorf("%s, %+v", s.Status, s.Pending)
		}
		h.wantQueue("while a question is open", "blue|three")
		h.drive(h.answer("call_1", "red"))
		synctest.Wait()
		if got := h.said(); got != "hello|zero|one||so it is|blue|second|three|third" {
			t.Error(got)
		}
	})
}

// The same on two nodes: whichever has the run, the other node's message begins its turn.
func TestAMessageIsQueuedThroughAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), says("so it is"), says("second"))
		hub := stream.NewLocal()
		a, b := h.node(hub), h.node(hub)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go a.engine.Sweep(ctx)
		a.drive(a.message("one"))
		b.submit(b.waits("two"))
		a.drive(a.answer("call_1", "blue"))
		synctest.Wait() // without a sweep: the run knew
		if got := a.said(); got != "one||so it is|two|second" {
			t.Error(got)
		}
	})
}

// What an admin has set wins over the message, and only that.
func TestAnAdminsRejectRefusesAMessageThatAsksToBeQueued(t *testing.T) {
	for settings, refused := range map[string]struct{ running, pending chat.Code }{
		`{}`:                                  {"", ""},
		`{"onMessageWhileRunning": "reject"}`: {chat.CodeTurnInProgress, ""},
		`{"onMessageWhilePending": "reject"}`: {"", chat.CodeClarificationPending},
		`{"onMessageWhilePending": "supersede", "onMessageWhileRunning": "queue"}`: {"", ""},
	} {
		t.Run(settings, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := make(chan struct{})
				h := build(t, settings, nil, func(ctx context.Context, yield func(d model.Delta, err error) bool) {
					<-asked
					asks("call_1")(ctx, yield)
				})
				_, _, ended := h.start(h.waits("one"))
				synctest.Wait()
				check := func(what string, want chat.Code) {
					t.Helper()
					_, err := h.engine.Submit(t.Context(), h.waits("two"))
					if want == "" && err != nil {
						t.Errorf("%s: %v", what, err)
					} else if want != "" {
						wantCode(t, err, want)
					}
				}
				check("while a turn runs", refused.running)
				close(asked)
				<-ended
				check("while a question is open", refused.pending)
				if s := h.snapshot(); len(s.Pending) != 1 {
					t.Errorf("open: %+v", s.Pending)
				}
			})
		})
	}
}

// In a chat where only a program asks, a message that asks to be queued begins a turn and leaves the
// question open.
func TestAQueuedMessageDoesNotAnswerAProgram(t *testing.T) {
	h := build(t, `{}`, nil, says("Hello."))
	h.ask(h.asking("key"))
	h.drive(h.waits("yes"))
	if s := h.snapshot(); len(s.Pending) != 1 || !strings.HasSuffix(h.said(), "|yes|Hello.") {
		t.Errorf("%+v, %s", s.Pending, h.said())
	}
	h.drive(h.message("yes")) // without the wish, it answers
	if s := h.snapshot(); len(s.Pending) != 0 {
		t.Errorf("%+v", s.Pending)
	}
}

// A message is taken back once, by its owner, until its turn has begun. Its sender's stream ends, and a
// repetition of its request does not bring it back.
func TestAMessageIsTakenBackUntilItsTurnBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), says("so it is"), says("third"))
		h.drive(h.message("one"))
		two := h.waits("two")
		two.IdempotencyKey, two.Hash = "key", "hash"
		_, second, ended := h.start(two)
		h.submit(h.waits("three"))
		_, id := h.queue(0)
		_, third := h.queue(1)
		back := func(ref chat.Ref, id string) error { return h.engine.TakeBack(t.Context(), ref, id) }
		for what, ref := range map[string]chat.Ref{
			"another person": {Tenant: "t", Subject: "stranger", App: "helper", ChatID: "c1"}, "another chat": {Tenant: "t", Subject: "s", App: "helper", ChatID: "c2"},
		} {
			if err := back(ref, id); chat.CodeOf(err) != chat.CodeNotFound {
				t.Errorf("%s: %v", what, err)
			}
			if err := h.engine.SendNow(t.Context(), turn.SendNow{Ref: ref, MessageID: id}); chat.CodeOf(err) != chat.CodeNotFound {
				t.Errorf("%s sends it: %v", what, err)
			}
		}
		if err := back(h.ref, id); err != nil {
			t.Fatal(err)
		}
		h.wantQueue("then", "three")
		wantCode(t, back(h.ref, id), chat.CodeNotFound)
		<-ended
		if got := second.names(t); got != "" {
			t.Errorf("its stream: %s", got)
		}
		_, err := h.engine.Submit(t.Context(), two)
		wantCode(t, err, chat.CodeTakenBack)
		h.drive(h.answer("call_1", "blue"))
		synctest.Wait()
		wantCode(t, back(h.ref, third), chat.CodeAlreadyBegun)
		wantCode(t, h.engine.SendNow(t.Context(), turn.SendNow{Ref: h.ref, MessageID: third}), chat.CodeAlreadyBegun)
		if got := h.said(); got != "one||so it is|three|third" {
			t.Error(got)
		}
	})
}

// Files of a message that was taken back can be sent with another, even if they were uploaded long ago.
func TestFilesOfAMessageThatWasTakenBackAreKept(t *testing.T) {
	h, _ := attaching(t, asks("call_1"), says("so it is"), says("Look."))
	h.drive(h.message("one"))
	notes := h.upload("notes.txt", "first")
	two := h.bearing("two", notes.ID)
	two.Queue = true
	h.submit(two)
	_, id := h.queue(0)
	if err := h.engine.TakeBack(t.Context(), h.ref, id); err != nil {
		t.Fatal(err)
	}
	if err := h.store.Files().GiveUpFiles(t.Context(), notes.CreatedAt.Add(time.Nanosecond), notes.CreatedAt); err != nil {
		t.Fatal(err)
	}
	h.drive(h.answer("call_1", "blue"))
	h.drive(h.bearing("three", notes.ID))
	if got := h.said(); got != "one||so it is|three|Look." {
		t.Error(got)
	}
}

// Sent now, a message stops the running turn and comes before those that have waited longer. Once its
// turn has begun, nothing is stopped for it.
func TestAMessageSentNowStopsTheTurnAndComesNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached, again := make(chan struct{}), make(chan struct{})
		h := build(t, `{}`, nil, hangs("First", reached), hangs("Third", again), says("Second"))
		_, _, ended := h.start(h.message("one"))
		<-reached
		h.submit(h.waits("two"))
		h.submit(h.waits("three"))
		_, id := h.queue(1)
		if err := h.sendNow(1); err != nil {
			t.Fatal(err)
		}
		<-ended
		<-again
		h.wantQueue("then", "two")
		wantCode(t, h.engine.SendNow(t.Context(), turn.SendNow{Ref: h.ref, MessageID: id}), chat.CodeAlreadyBegun)
		if s := h.snapshot(); s.Status != chat.StatusRunning {
			t.Errorf("its own turn: %s", s.Status)
		}
		if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := h.said(); got != "one|First|three|Third|two|Second" {
			t.Error(got)
		}
	})
}

// While a question is open, a message sent now closes it and begins its turn in the same update.
func TestAMessageSentNowClosesTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), says("second"))
		h.drive(h.message("one"))
		h.submit(h.waits("blue"))
		viewer := h.follow(t.Context(), h.snapshot().LastEventID)
		if err := h.sendNow(0); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := viewer.names(t); got != "turn.start clarification.resolved user.message tool.call.end chunk done" {
			t.Error(got)
		}
		view, err := h.store.View(t.Context(), h.ref)
		if err != nil || view.Clarifications[0].State != tools.StateSuperseded {
			t.Errorf("the question: %+v, %v", view.Clarifications, err)
		}
		if got := h.said(); got != "one||blue|second" {
			t.Error(got)
		}
	})
}

// A question that came up while the turn was being stopped, or an approval that the sender is not known
// to have seen, is not closed: the message waits, and comes first.
func TestAMessageSentNowClosesNothingUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1"), says("second"))
		before := h.snapshotBefore()
		h.drive(h.message("one"))
		h.submit(h.waits("two"))
		_, id := h.queue(0)
		for _, seen := range []string{"", before} {
			err := h.engine.SendNow(t.Context(), turn.SendNow{Ref: h.ref, MessageID: id, LastEventID: seen})
			if e := wantCode(t, err, chat.CodeClarificationPending); e.Clarification == nil {
				t.Error("it does not say which question")
			}
		}
		h.wantQueue("it", "two")
		if err := h.engine.SendNow(t.Context(), turn.SendNow{Ref: h.ref, MessageID: id, LastEventID: h.snapshot().LastEventID}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := h.said(); got != "one||two|second" || h.calls.Load() != 0 {
			t.Errorf("%s, %d calls", got, h.calls.Load())
		}
	})
}

// snapshotBefore is an event id from before everything in the chat.
func (h *house) snapshotBefore() string { return chat.EventID{Fence: 1, Seq: 1}.String() }

// Two devices, on two nodes, send at the same time: each message is sent once, and one directly after
// the other.
func TestTwoDevicesSendNow(t *testing.T) {
	for _, same := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			reached := make(chan struct{})
			h := build(t, `{}`, nil, hangs("First", reached), says("A"), says("B"))
			hub := stream.NewLocal()
			a, b := h.node(hub), h.node(hub)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go a.engine.Sweep(ctx)
			go b.engine.Sweep(ctx)
			_, _, ended := a.start(a.message("one"))
			<-reached
			a.submit(a.waits("two"))
			b.submit(b.waits("three"))
			_, two := a.queue(0)
			_, three := a.queue(1)
			if same {
				three = two
			}
			var group sync.WaitGroup
			for node, id := range map[*house]string{a: two, b: three} {
				group.Go(func() {
					err := node.engine.SendNow(t.Context(), turn.SendNow{Ref: h.ref, MessageID: id})
					if err != nil && chat.CodeOf(err) != chat.CodeAlreadyBegun {
						t.Error(err)
					}
				})
			}
			group.Wait()
			<-ended
			time.Sleep(10 * time.Second)
			synctest.Wait()
			said := h.said()
			if strings.Count(said, "two") != 1 || strings.Count(said, "three") != 1 || !strings.HasPrefix(said, "one|First|") || len(h.snapshot().Queued) != 0 {
				t.Errorf("same message: %v: %s", same, said)
			}
		})
	}
}

// News of the queue reach a person's other devices.
func TestThePersonHearsOfTheQueue(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), says("second"))
	h.drive(h.message("one"))
	h.submit(h.waits("two"))
	_, id := h.queue(0)
	if err := h.engine.TakeBack(t.Context(), h.ref, id); err != nil {
		t.Fatal(err)
	}
	news, _, err := h.store.Feed().AllNews(t.Context(), 0, 1000)
	if err != nil || len(news) < 2 {
		t.Fatal(news, err)
	}
	for _, n := range news[len(news)-2:] {
		if n.Type != chat.EventQueue || n.Ref != h.ref {
			t.Errorf("%+v", n)
		}
	}
}
