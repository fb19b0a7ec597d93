package turn_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
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
		t.Error("the model was asked, and the client told that nothing was done")
	}
}

// refusing is a store that fails to commit what a run waits the disk for.
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

// A viewer that was told of such a call keeps it: the run that takes over announces its
// own, and step.restart discards text only.
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
