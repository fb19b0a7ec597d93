package turn_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// TestARunWhoseLastCommitIsLostGoesOnFromTheStore: a server that crashed may have lost writes that
// were not on its disk yet. The run does not overwrite the stored state with its memory.
func TestARunWhoseLastCommitIsLostGoesOnFromTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *house
		h = build(t, `{}`, nil, asks("count_1"), func(ctx context.Context, yield func(model.Delta, error) bool) {
			err := h.store.Update(ctx, h.ref, func(tx store.Tx) error {
				tx.Conversation().LastEvent.Seq-- // of the result, as if that were not stored
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			says("of the run that knows otherwise")(ctx, yield)
		}, says("once"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		taken := h.submit(h.message("hi"))
		taken.Drive(ctx, &collector{})
		if got := taken.Result().FinishReason; got != "" {
			t.Errorf("the client got an end: %s", got)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		s := h.snapshot()
		if last := s.Messages[len(s.Messages)-1]; s.Status != chat.StatusIdle || len(s.Messages) != 3 || last.Content != "once" || h.calls.Load() != 1 {
			t.Errorf("%s, %d calls: %+v", s.Status, h.calls.Load(), s.Messages)
		}
	})
}

// unread is a store whose chats cannot be read while broken.
type unread struct {
	store.Store
	broken atomic.Bool
}

func (u *unread) Conversation(ctx context.Context, ref chat.Ref) (*chat.Conversation, *chat.Turn, error) {
	if u.broken.Load() {
		return nil, nil, store.ErrUnavailable
	}
	return u.Store.Conversation(ctx, ref)
}

// TestARunThatLostItsTurnIsToldOnceTheStoreCanBeRead: by then, the leases are held again, because
// there was a heartbeat after the one that found them lapsed.
func TestARunThatLostItsTurnIsToldOnceTheStoreCanBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var u *unread
		reached, again := make(chan struct{}), make(chan struct{})
		h := build(t, `{}`, func(s store.Store) store.Store { u = &unread{Store: s}; return u }, hangs("half", reached), hangs("half", again))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, _, ended := h.start(h.message("hi"))
		<-reached
		time.Sleep(7 * time.Second) // this node stalls
		other := h.node(stream.NewLocal())
		go other.engine.Sweep(ctx)
		<-again
		u.broken.Store(true)
		go h.engine.Sweep(ctx)
		time.Sleep(5 * time.Second)
		u.broken.Store(false)
		time.Sleep(3 * time.Second)
		select {
		case <-ended:
		default:
			t.Error("a run that has lost its turn continues")
		}
		if err := other.engine.Cancel(ctx, h.ref); err != nil {
			t.Error(err)
		}
	})
}

// flaky is a store that nodes cannot reach for their background work while it is broken, and that
// then makes deletions but reports their outcome as unknown.
type flaky struct {
	store.Store
	broken atomic.Bool
}

func (f *flaky) Heartbeat(ctx context.Context, node string, ttl time.Duration) (store.Lease, error) {
	if f.broken.Load() {
		return store.Lease{}, store.ErrUnavailable
	}
	return f.Store.Heartbeat(ctx, node, ttl)
}

func (f *flaky) Due() store.Sweeper { return flakyDue{f.Store.Due(), f} }

type flakyDue struct {
	store.Sweeper
	of *flaky
}

func (f flakyDue) Owned(ctx context.Context, node string, limit int) ([]chat.Ref, error) {
	if f.of.broken.Load() {
		return nil, store.ErrUnavailable
	}
	return f.Sweeper.Owned(ctx, node, limit)
}

func (f *flaky) Delete(ctx context.Context, ref chat.Ref, before time.Time, records ...chat.AuditRecord) error {
	return errors.Join(f.Store.Delete(ctx, ref, before, records...), fmt.Errorf("%w: the reply is lost", store.ErrUnknown))
}

// TestAnEndThatTheServerLostIsMadeAgain: ends do not wait for the disk.
func TestAnEndThatTheServerLostIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f *flaky
		h := build(t, `{}`, func(s store.Store) store.Store { f = &flaky{Store: s}; return f }, says("first"), says("again"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		h.drive(h.message("hi"))
		f.broken.Store(true)
		time.Sleep(3 * time.Second)
		err := h.store.Update(ctx, h.ref, func(tx store.Tx) error { // what a crash leaves of it
			turn := tx.Turn()
			turn.State, turn.LeaseOwner, turn.FinishReason, turn.EndedAt = chat.TurnRunning, "node", "", time.Time{}
			_, err := tx.DropText(tx.Conversation().Fence)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		f.broken.Store(false)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if s := h.snapshot(); s.Status != chat.StatusIdle || len(s.Messages) != 2 || s.Messages[1].Content != "again" {
			t.Errorf("%+v", s)
		}
	})
}

// TestADeletionOfUnknownOutcomeEndsItsViews: viewers learn of it, although its sender did not.
func TestADeletionOfUnknownOutcomeEndsItsViews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, func(s store.Store) store.Store { return &flaky{Store: s} }, says("hello"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		h.drive(h.message("hi"))
		f, err := h.reader.Follow(ctx, h.ref, h.app.Clarifications.PerConversation, "")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		ended := make(chan error, 1)
		go func() { ended <- f.Stream(ctx, &collector{}) }()
		if err := h.engine.Delete(ctx, h.ref); !errors.Is(err, store.ErrUnknown) {
			t.Errorf("got %v", err)
		}
		time.Sleep(3 * time.Second)
		select {
		case err := <-ended:
			if !errors.Is(err, stream.ErrErased) {
				t.Errorf("the view ended with %v", err)
			}
		default:
			t.Error("a view of a deleted chat continues")
		}
	})
}
