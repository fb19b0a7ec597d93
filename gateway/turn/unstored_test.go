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
)

// uncommitted is a store that makes each change of a message and then cannot commit it.
type uncommitted struct{ store.Store }

func (u uncommitted) UpdateLazily(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	return u.Store.UpdateLazily(ctx, ref, func(tx store.Tx) error { return errors.Join(fn(tx), store.ErrUnavailable) })
}

func TestNoModelReadsAMessageThatWasNotStored(t *testing.T) {
	h := build(t, `{}`, func(s store.Store) store.Store { return uncommitted{s} }, says("one"))
	if _, err := h.engine.Submit(t.Context(), h.message("hi")); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("got %v", err)
	}
	if len(h.model.sent) != 0 {
		t.Error("the model was asked, although the client learned that nothing was done")
	}
}

// refusing is a store in which a commit fails if a run waits for the disk with it.
type refusing struct {
	store.Store
	err error
}

func (s refusing) UpdateAs(ctx context.Context, held store.Held, lazy bool, fn func(store.RunTx) error) error {
	if !lazy {
		return s.err
	}
	return s.Store.UpdateAs(ctx, held, lazy, fn)
}

// A viewer that was sent such a call keeps it: the run that takes over announces its own, and
// step.restart discards text only.
func TestNoCallIsToldOfAStepThatWasNotStored(t *testing.T) {
	for _, err := range []error{store.ErrFenced, store.ErrUnavailable} {
		t.Run(err.Error(), func(t *testing.T) {
			h := build(t, `{}`, func(s store.Store) store.Store { return refusing{s, err} }, asks("count1"))
			if names := h.drive(h.message("hi")).names(t); strings.Contains(names, "tool.call.start") {
				t.Errorf("the client saw %s", names)
			}
		})
	}
}

// faulty is a store whose updates fail while broken; quietly, they only seem to succeed.
type faulty struct {
	store.Store
	broken  atomic.Bool
	quietly bool
}

func (f *faulty) Update(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	return f.fail(func() error { return f.Store.Update(ctx, ref, fn) })
}

func (f *faulty) UpdateAs(ctx context.Context, held store.Held, lazy bool, fn func(store.RunTx) error) error {
	return f.fail(func() error { return f.Store.UpdateAs(ctx, held, lazy, fn) })
}

func (f *faulty) fail(update func() error) error {
	if !f.broken.Load() {
		return update()
	}
	if f.quietly {
		if err := update(); err != nil {
			return err
		}
	}
	return store.ErrUnavailable
}

func (f *faulty) UpdateLazily(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	return f.Update(ctx, ref, fn)
}

func TestStoreThatFailsInTheMiddleHeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f *faulty
		asked, looking := make(chan struct{}), make(chan struct{})
		h := build(t, `{}`, func(s store.Store) store.Store { f = &faulty{Store: s}; return f },
			func(_ context.Context, yield func(model.Delta, error) bool) {
				close(asked)
				<-looking
				f.broken.Store(true)
				_ = yield(model.Delta{Text: []byte("lost"), Finish: model.FinishStop}, nil)
			}, says("kept"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, c, ended := h.start(h.message("hi"))
		<-asked
		viewer := h.follow(ctx, "")
		synctest.Wait()
		close(looking)
		<-ended
		if got := c.names(t); got != "turn.start user.message chunk turn.error error done" {
			t.Errorf("events: %s", got)
		}
		if _, err := h.engine.Submit(ctx, h.message("again")); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
		f.broken.Store(false)
		go h.engine.Sweep(ctx)
		time.Sleep(25 * time.Second)
		synctest.Wait()
		if s := h.snapshot(); s.Status != chat.StatusIdle || len(s.Messages) != 2 || s.Messages[1].Content != "kept" {
			t.Errorf("%+v", s)
		}
		// The turn continues, so that others do not see an end that is not stored.
		if got := viewer.names(t); got != "snapshot chunk step.restart chunk done" {
			t.Errorf("a viewer saw %s", got)
		}
	})
}
