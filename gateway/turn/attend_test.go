package turn_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// until asks ci's question, which is withdrawn when no one has waited for so long.
func (h *house) until(gone time.Duration) chat.Clarification {
	a := h.asking("")
	a.WithdrawAfter = gone
	return h.ask(a)
}

// wantState says what became of a question.
func (h *house) wantState(what, id string, want tools.State) {
	h.t.Helper()
	if c, err := h.engine.Store.Clarification(h.t.Context(), id); err != nil || c.State != want || c.AnsweredBy != nil {
		h.t.Errorf("%s: %s by %v, %v; want %s", what, c.State, c.AnsweredBy, err, want)
	}
}

// A question is withdrawn when no one has waited for it for so long, also if no one ever has. A wait
// on any node keeps it open, however long it takes, and the time counts from its end.
func TestAQuestionWhoseAskerIsGoneIsWithdrawn(t *testing.T) {
	for _, gone := range []time.Duration{10 * time.Second, 10 * time.Minute} {
		t.Run(gone.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := build(t, `{}`, nil)
				a, b := h.node(stream.NewPartial()), h.node(stream.NewPartial())
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go a.engine.Sweep(ctx)
				go b.engine.Sweep(ctx)
				forever, never, waited := h.ask(h.asking("")), h.until(gone), h.until(gone)
				left := b.engine.Attend(ctx, &waited)
				time.Sleep(gone - 2*time.Second)
				h.wantState("before the time is over", never.ID, tools.StatePending)
				time.Sleep(4 * time.Second)
				h.wantState("when it is over", never.ID, tools.StateCancelled)
				time.Sleep(5 * gone)
				h.wantState("while the asker waits", waited.ID, tools.StatePending)
				left(true)
				time.Sleep(gone - 2*time.Second)
				h.wantState("soon after the asker left", waited.ID, tools.StatePending)
				time.Sleep(4 * time.Second)
				h.wantState("after the asker left", waited.ID, tools.StateCancelled)
				h.wantState("without such a time", forever.ID, tools.StatePending)
				cancel()
				synctest.Wait()
			})
		})
	}
}

// An asker counts as waiting for a minute after it left; before its first wait, it is not known.
func TestAnAskerWaitsForAMinuteAfterItLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil)
		asked := h.ask(h.asking(""))
		want := func(what string, waits, known bool) {
			t.Helper()
			c, err := h.engine.Store.Clarification(t.Context(), asked.ID)
			if err != nil {
				t.Fatal(err)
			}
			if w, k := c.AskerWaits(h.engine.Store.Now()); w != waits || k != known {
				t.Errorf("%s: waits %t, known %t", what, w, k)
			}
		}
		want("before the first wait", false, false)
		ctx, cancel := context.WithCancel(t.Context())
		left := h.engine.Attend(ctx, &asked)
		want("at once", true, true)
		time.Sleep(10 * time.Minute)
		want("during a long wait", true, true)
		time.Sleep(7 * time.Second)
		cancel() // the connection was lost
		left(true)
		time.Sleep(59 * time.Second)
		want("within a minute", true, true)
		time.Sleep(time.Second)
		want("a minute later", false, true)
		h.engine.Attend(t.Context(), &asked)(false)
		want("when it is back", true, true)
		h.drive(h.named(asked.ID, "yes"))
		want("when it is closed", false, false)
	})
}

// Of an answer and a withdrawal at the same time, exactly one counts.
func TestAnAnswerAndAWithdrawalAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		ends := map[tools.State]int{}
		for i := range 40 {
			asked := h.until(10 * time.Second)
			time.Sleep(10*time.Second + time.Duration(i%20)*50*time.Millisecond)
			cmd := h.named(asked.ID, "yes")
			_, err := h.engine.AnswerByID(t.Context(), nil, asked.ID, *cmd.Answer, actor("s"), "")
			synctest.Wait()
			c, err2 := h.engine.Store.Clarification(t.Context(), asked.ID)
			if err2 != nil {
				t.Fatal(err2)
			}
			if refused := err != nil; refused == (c.State == tools.StateAnswered) || c.State == tools.StatePending {
				t.Errorf("the answer got %v, and the question is %s", err, c.State)
			}
			ends[c.State]++
		}
		if ends[tools.StateAnswered] == 0 || ends[tools.StateCancelled] == 0 {
			t.Errorf("only one of the two ever came first: %v", ends)
		}
		cancel()
		synctest.Wait()
	})
}
