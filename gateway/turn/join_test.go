package turn_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// joins returns asking as the same question of the same session.
func (h *house) joins(session, key string) turn.Asking {
	a := h.asking(key)
	a.Join = session
	return a
}

// While a question waits, asking the same again returns it; but not for another session, nor once
// it is closed.
func TestAQuestionThatWaitsIsJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"perAskerPerDay": 4}`, nil)
		first := h.ask(h.joins("one", ""))
		for _, a := range []turn.Asking{h.joins("two", ""), h.asking("")} {
			if h.ask(a).ID == first.ID {
				t.Errorf("%q joined it", a.Join)
			}
		}
		for range 5 { // a joined question counts in no cap
			if c, again, err := h.engine.Ask(t.Context(), h.joins("one", "")); err != nil || !again || c.ID != first.ID {
				t.Fatalf("%+v %v %v", c, again, err)
			}
		}
		if s := h.snapshot(); len(s.Pending) != 3 {
			t.Errorf("%d wait", len(s.Pending))
		}
		h.drive(h.named(first.ID, "yes"))
		next := h.ask(h.joins("one", ""))
		if next.ID == first.ID {
			t.Error("a closed question was joined")
		}
		if c := h.ask(h.joins("one", "")); c.ID != next.ID {
			t.Error("the next was not joined")
		}
	})
}

// The key of a call that joined a question belongs to that question, even once it is closed.
func TestAKeyOfWhatWasJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil)
		first := h.ask(h.joins("one", "a"))
		for range 2 {
			if c := h.ask(h.joins("one", "b")); c.ID != first.ID {
				t.Fatalf("%+v", c)
			}
		}
		h.drive(h.named(first.ID, "yes"))
		for _, key := range []string{"a", "b"} {
			if c := h.ask(h.joins("one", key)); c.ID != first.ID || c.State == tools.StatePending {
				t.Errorf("%s: %+v", key, c)
			}
		}
		if c := h.ask(h.joins("one", "c")); c.ID == first.ID {
			t.Error("a new call was the old question")
		}
	})
}

// Of simultaneous calls on two nodes, one asks.
func TestCallsAtOneTimeJoin(t *testing.T) {
	h := build(t, `{}`, nil)
	other := h.node(stream.NewLocal())
	var all sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		node := []*house{h, other}[i%2]
		a := h.joins("one", "")
		all.Go(func() {
			c, _, err := node.engine.Ask(t.Context(), a)
			if err != nil {
				t.Error(err)
			}
			ids[i] = c.ID
		})
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("%q", ids)
		}
	}
}

// A question is joined while it waits, even for days; an expired one is not.
func TestWhatHasExpiredIsNotJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil)
		a := h.joins("one", "")
		a.ExpiresAt = time.Now().Add(48 * time.Hour)
		first := h.ask(a)
		time.Sleep(47*time.Hour + 58*time.Minute)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go h.engine.Sweep(ctx) // polls each second
		time.Sleep(time.Minute)
		if c := h.ask(a); c.ID != first.ID {
			t.Error("it was not joined")
		}
		time.Sleep(2 * time.Minute)
		a.ExpiresAt = time.Time{}
		if c := h.ask(a); c.ID == first.ID || c.State != tools.StatePending {
			t.Errorf("%+v", c)
		}
	})
}
