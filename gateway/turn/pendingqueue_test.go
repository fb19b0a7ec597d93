package turn_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// said returns the texts of the chat's messages, in order.
func (h *house) said() string {
	h.t.Helper()
	var said []string
	for _, m := range h.snapshot().Messages {
		said = append(said, m.Content)
	}
	return strings.Join(said, "|")
}

// However a question ends, a message that arrived meanwhile waits for the end of its turn, and then
// begins its own, even if it reads as an answer.
func TestAMessageWaitsForTheTurnThatAsks(t *testing.T) {
	for name, closing := range map[string]func(h *house){
		"answered": func(h *house) { h.drive(h.answer("call_1", "blue")) },
		"declined": func(h *house) { h.drive(declined(h)) },
		"expired":  func(*house) { time.Sleep(2 * time.Minute) },
		"cancelled": func(h *house) {
			_ = h.engine.CancelClarification(h.t.Context(), h.snapshot().Pending[0].ClarificationID, chat.Actor{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := build(t, `{"onMessageWhilePending": "queue", "expiresIn": "1m"}`, nil, asks("call_1"), says("so it is"), says("second"), says("third"))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go h.engine.Sweep(ctx)
				h.drive(h.message("one"))
				two := h.message("blue")
				two.IdempotencyKey, two.Hash = "key", "hash"
				_, second, ended2 := h.start(two)
				_, again, endedAgain := h.start(two)
				_, third, ended3 := h.start(h.message("three"))
				synctest.Wait()
				if s := h.snapshot(); s.Status != chat.StatusAwaitingInput || len(s.Pending) != 1 || len(s.Queued) != 2 || s.Queued[0].Content != "blue" {
					t.Fatalf("while the question is open: %+v", s)
				}
				closing(h)
				<-ended2
				<-ended3
				<-endedAgain
				if got := second.names(t); got != "turn.start user.message chunk done" || second.ids(t) != again.ids(t) || third.text(t) != "third" {
					t.Errorf("streams: %s, %q", got, third.text(t))
				}
				if got := h.said(); got != "one||so it is|blue|second|three|third" {
					t.Error(got)
				}
			})
		})
	}
}

func declined(h *house) (cmd turn.Command) {
	cmd = h.answer("call_1", "")
	cmd.Answer.Answer = tools.Answer{Declined: true}
	return cmd
}

// While the question waits, so do up to 20 messages; the next one is refused with the question that
// has to be answered first, and nothing is lost with the process. Another node answers and
// continues.
func TestMessagesBehindAQuestionSurviveTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"onMessageWhilePending": "queue"}`, nil, asks("call_1"), says("so it is"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.drive(h.message("one"))
		for range 20 {
			h.submit(h.message("more"))
			h.model.steps = append(h.model.steps, says("again"))
		}
		_, err := h.engine.Submit(ctx, h.message("too much"))
		if e := wantCode(t, err, chat.CodeClarificationPending); e.Clarification == nil || e.Clarification.ToolCallID != "call_1" {
			t.Errorf("%+v", e)
		}
		b := h.node(stream.NewLocal()) // the first never comes back
		go b.engine.Sweep(ctx)
		time.Sleep(10 * time.Second)
		if s := b.snapshot(); s.Status != chat.StatusAwaitingInput || len(s.Queued) != 20 {
			t.Fatalf("%s, %d queued", s.Status, len(s.Queued))
		}
		b.drive(b.answer("call_1", "blue"))
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := b.said(); got != "one||so it is"+strings.Repeat("|more|again", 20) {
			t.Error(got)
		}
	})
}

// A message that arrives when the turn has ended goes behind those that wait, whatever the app's
// configuration is by then.
func TestAMessageGoesBehindThoseThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		proceed := make(chan struct{})
		h := build(t, `{}`, nil, func(ctx context.Context, yield func(d model.Delta, err error) bool) {
			<-proceed
			says("so it is")(ctx, yield)
		}, says("second"), says("third"))
		_, _, ended := h.start(h.message("one"))
		synctest.Wait()
		b := h.node(stream.NewPartial())
		b.submit(b.waits("two"))
		close(proceed)
		<-ended // its node does not know that a message waits
		h.submit(h.message("three"))
		if s := h.snapshot(); len(s.Queued) != 2 {
			t.Fatalf("%+v", s.Queued)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got := h.said(); got != "one|so it is|two|second|three|third" {
			t.Error(got)
		}
	})
}
