package inbox_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// end is the result of a wait.
type end struct {
	c   chat.Clarification
	err error
}

// wait begins a wait for the end of a question, and returns when it has begun.
func (n *node) wait(ctx context.Context, id string) <-chan end {
	got := make(chan end, 1)
	go func() {
		c, err := n.inbox.Ended(ctx, id)
		got <- end{c, err}
	}()
	synctest.Wait()
	return got
}

// A caller that waits has the answer as soon as it is stored, however many wait, and costs the
// store almost nothing meanwhile.
func TestTheEndOfAQuestionIsToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLocal(t)
		n.ask(refOf("alice"), "clr_1")
		n.ask(refOf("alice"), "clr_2")
		first, also, other := n.wait(t.Context(), "clr_1"), n.wait(t.Context(), "clr_1"), n.wait(t.Context(), "clr_2")
		time.Sleep(time.Hour)
		began := time.Now()
		n.answer(refOf("alice"), "clr_1")
		for _, got := range []<-chan end{first, also} {
			if e := <-got; e.err != nil || e.c.State != tools.StateAnswered {
				t.Errorf("%+v", e)
			}
		}
		if late := time.Since(began); late > 100*time.Millisecond {
			t.Errorf("told after %v", late)
		}
		select {
		case e := <-other:
			t.Errorf("another question: %+v", e)
		default:
		}
		n.answer(refOf("alice"), "clr_2")
		<-other
		if e := <-n.wait(t.Context(), "clr_1"); e.c.State != tools.StateAnswered {
			t.Errorf("one that has ended: %+v", e)
		}
	})
}

func TestAWaitEndsWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLocal(t)
		if e := <-n.wait(t.Context(), "clr_none"); !errors.Is(e.err, store.ErrNotFound) {
			t.Errorf("of none: %+v", e)
		}
		n.ask(refOf("alice"), "clr_1")
		ctx, cancel := context.WithCancel(t.Context())
		left := n.wait(ctx, "clr_1")
		cancel()
		if e := <-left; e.err != nil || e.c.ID != "clr_1" || e.c.State != tools.StatePending {
			t.Errorf("who leaves: %+v", e)
		}
		erased := n.wait(t.Context(), "clr_1")
		if err := n.store.Delete(t.Context(), refOf("alice"), time.Time{}); err != nil {
			t.Fatal(err)
		}
		if e := <-erased; !errors.Is(e.err, store.ErrNotFound) {
			t.Errorf("erased: %+v", e)
		}
	})
}
