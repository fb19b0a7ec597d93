package turn_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// An ephemeral chat exists while its question waits, and is gone when its turn is over.
func TestAnEphemeralChatGoesWithItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), says("Thanks."))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		cmd := h.message("hi")
		cmd.Ephemeral = true
		h.drive(cmd)
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := len(h.snapshot().Pending); n != 1 {
			t.Errorf("%d questions wait", n)
		}
		h.drive(h.answer("call_1", "blue"))
		if _, _, err := h.store.Conversation(ctx, h.ref); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("after its turn the chat exists: %v", err)
		}
	})
}

// The node that should have deleted it died: another one does.
func TestAnEphemeralChatGoesThoughItsNodeDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("keep_1"), says("Done."))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h.drive(h.message("hi"))
		h.drive(h.allows("keep_1"))
		err := h.store.Update(ctx, h.ref, func(tx store.Tx) error { // as between the end of its turn and its deletion
			tx.Conversation().Ephemeral = true
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		go h.node(stream.NewLocal()).engine.Sweep(ctx)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if _, _, err := h.store.Conversation(ctx, h.ref); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the chat exists: %v", err)
		}
	})
}

// An ephemeral chat that its client has named is kept for an hour after its last turn, by the
// store's clock.
func TestAnEphemeralChatThatItsClientNamesLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, says("Hello."), says("Again."))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		there := func(what string, want bool) {
			t.Helper()
			synctest.Wait()
			if _, _, err := h.store.Conversation(ctx, h.ref); (err == nil) != want {
				t.Errorf("%s: %v", what, err)
			}
		}
		for _, text := range []string{"hi", "and"} {
			cmd := h.message(text)
			cmd.Ephemeral, cmd.Lasting = true, true
			h.drive(cmd)
			time.Sleep(59 * time.Minute)
			there("within the hour", true)
		}
		time.Sleep(2 * time.Minute)
		there("after it", false)
	})
}
