package turn_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
)

// eager is a script whose requests are sent ahead where the engine wants that. It notes
// the context of each.
type eager struct {
	*script
	mu   sync.Mutex
	sent []context.Context
}

func (e *eager) StreamAhead(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent = append(e.sent, ctx)
	return e.Stream(ctx, req)
}

// between calls a function between a change and its commit.
type between struct {
	store.Store
	changed func() error
	twice   bool // the change is made twice, as after a serialization failure
}

func (w *between) UpdateLazily(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	if w.twice {
		again := errors.New("serialization failure")
		err := w.Store.UpdateLazily(ctx, ref, func(tx store.Tx) error { return errors.Join(fn(tx), again) })
		if !errors.Is(err, again) {
			return err
		}
	}
	return w.Store.UpdateLazily(ctx, ref, func(tx store.Tx) error {
		if err := fn(tx); err != nil || w.changed == nil {
			return err
		}
		return w.changed()
	})
}

// eagerHouse is a house whose model is eager.
func eagerHouse(t *testing.T, w *between, steps ...answer) (*house, *eager) {
	t.Helper()
	h := build(t, `{}`, func(s store.Store) store.Store { w.Store = s; return w }, steps...)
	e := &eager{script: h.model}
	h.engine.Setup().Models["default"] = e
	return h, e
}

func TestModelOfANewChatIsAskedWhileItsMessageIsStored(t *testing.T) {
	w := &between{}
	h, e := eagerHouse(t, w, says("one"), says("two"))
	asked := 0
	w.changed = func() error { asked = len(e.sent); return nil }
	for i, want := range []string{"one", "two"} { // the second has a history, which must be read first
		c := h.drive(h.message("hi"))
		if got := c.names(t); got != "turn.start user.message chunk done" {
			t.Errorf("events: %s", got)
		}
		if s := h.snapshot(); s.Messages[2*i+1].Content != want || len(h.model.sent) != i+1 {
			t.Errorf("%+v after %d requests", s.Messages, len(h.model.sent))
		}
		if asked != 1 {
			t.Errorf("turn %d: %d requests ahead, before its message was stored", i, asked)
		}
	}
}

func TestRequestSentAheadIsTakenBackWhereNothingWasStored(t *testing.T) {
	w := &between{}
	h, e := eagerHouse(t, w, says("one"), says("two"))
	w.changed = func() error { return store.ErrUnavailable }
	for range 2 {
		if _, err := h.engine.Submit(t.Context(), h.message("hi")); !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("got %v", err)
		}
		if len(e.sent) != 1 || e.sent[0].Err() == nil {
			t.Errorf("%d requests; the store was known to fail after the first", len(e.sent))
		}
	}
	if len(h.model.sent) != 0 {
		t.Error("its answer was waited for")
	}
}

func TestOneRequestIsLeftWhereTheStoreBeginsAnew(t *testing.T) {
	w := &between{twice: true}
	h, e := eagerHouse(t, w, says("one"))
	h.drive(h.message("hi"))
	if len(e.sent) != 2 || e.sent[0].Err() == nil || len(h.model.sent) != 1 {
		t.Errorf("%d sent ahead, %d answered", len(e.sent), len(h.model.sent))
	}
}

func TestSpentBudgetAsksNoModelAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, e := eagerHouse(t, &between{}, uses(9, 9, says("one")))
		h.with(hourly)
		h.engine.Setup().Models["default"] = e
		h.drive(h.message("hi"))
		asked := len(e.sent)
		fresh := h.in("c2")
		fresh.spent(fresh.message("hi"), "tokens_principal")
		if asked != 1 || len(e.sent) != 1 {
			t.Errorf("%d requests ahead, then %d", asked, len(e.sent))
		}
	})
}
