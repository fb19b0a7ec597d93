package turn_test

import (
	"context"
	"errors"
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
