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

// silent is a store that does not respond for a while: requests from that time are handled when it
// responds again, unless the caller has given up.
type silent struct {
	store.Store
	until atomic.Pointer[time.Time]
}

func (s *silent) silence(d time.Duration) {
	until := time.Now().Add(d)
	s.until.Store(&until)
}

// wait returns when the store responds, or the caller gave up.
func (s *silent) wait(ctx context.Context) error {
	until := s.until.Load()
	if until == nil {
		return ctx.Err()
	}
	select {
	case <-time.After(time.Until(*until)):
		return nil
	case <-ctx.Done():
		return errors.Join(store.ErrUnavailable, ctx.Err())
	}
}

func (s *silent) Update(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	return s.Store.Update(ctx, ref, fn)
}

func (s *silent) UpdateAs(ctx context.Context, held store.Held, lazy bool, fn func(store.RunTx) error) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	return s.Store.UpdateAs(ctx, held, lazy, fn)
}

func (s *silent) Heartbeat(ctx context.Context, node string, ttl time.Duration) (store.Lease, error) {
	if err := s.wait(ctx); err != nil {
		return store.Lease{}, err
	}
	return s.Store.Heartbeat(ctx, node, ttl)
}

func (s *silent) Due() store.Sweeper { return silentDue{s.Store.Due(), s} }

type silentDue struct {
	store.Sweeper
	of *silent
}

func (s silentDue) Abandoned(ctx context.Context, node string, held time.Duration, limit int) ([]chat.Ref, error) {
	if err := s.of.wait(ctx); err != nil {
		return nil, err
	}
	return s.Sweeper.Abandoned(ctx, node, held, limit)
}

func (s *silent) Conversation(ctx context.Context, ref chat.Ref) (*chat.Conversation, *chat.Turn, error) {
	if err := s.wait(ctx); err != nil {
		return nil, nil, err
	}
	return s.Store.Conversation(ctx, ref)
}

// then adds the model's answer to the request after those that have an answer.
func (s *script) then(next answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, next)
}

// asked returns the number of requests that the model got.
func (s *script) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sent)
}

// slowly is an answer that takes half a minute.
func slowly(text string) answer {
	return func(ctx context.Context, yield func(model.Delta, error) bool) {
		select {
		case <-time.After(30 * time.Second):
			says(text)(ctx, yield)
		case <-ctx.Done():
			yield(model.Delta{}, ctx.Err())
		}
	}
}

// While the store is silent, the leases of all nodes lapse. No live turn is taken over because of
// that: each asks its model once. Turns of a node that died meanwhile continue soon after.
func TestASilentStoreCostsNoLiveTurn(t *testing.T) {
	const turns, each = 30, 10
	for _, length := range []time.Duration{7 * time.Second, 9 * time.Second, 12 * time.Second} {
		for _, dies := range []bool{false, true} {
			t.Run(fmt.Sprint(length, " dies ", dies), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var quiet *silent
					h := build(t, `{}`, func(s store.Store) store.Store { quiet = &silent{Store: s}; return quiet })
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					over := make(chan struct{})
					var runs []chan struct{}
					defer func() {
						close(over)
						for _, ended := range runs {
							<-ended
						}
					}()
					died := func() {}
					for n := range 3 {
						node, writes, sweeps := h.node(stream.NewPartial()), slowly("All of it."), ctx
						if n == 2 && dies {
							sweeps, died = context.WithCancel(ctx)
							writes = func(context.Context, func(model.Delta, error) bool) { <-over } // nothing comes back from there
						}
						go node.engine.Sweep(sweeps)
						for i := range each {
							h.model.then(writes)
							chat := node.in(fmt.Sprint("c", n, "-", i))
							_, _, ended := chat.start(chat.message("hi"))
							runs = append(runs, ended)
						}
						synctest.Wait()
					}
					for range 2 * turns {
						h.model.then(says("Again."))
					}
					time.Sleep(5 * time.Second)
					quiet.silence(length)
					died()
					time.Sleep(length + 15*time.Second)
					synctest.Wait()
					want := turns
					if dies {
						want += each
					}
					if n := h.model.asked(); n < want || n > want+2 {
						t.Errorf("the model was asked %d times for %d turns", n, turns)
					}
					for n := range 3 {
						for i := range each {
							s := h.in(fmt.Sprint("c", n, "-", i)).snapshot()
							if n == 2 && dies && (len(s.Messages) != 2 || s.Messages[1].Content != "Again.") {
								t.Errorf("a turn of the dead node: %+v", s.Messages)
							}
						}
					}
					time.Sleep(time.Minute)
					synctest.Wait()
					for n := range 3 {
						for i := range each {
							s := h.in(fmt.Sprint("c", n, "-", i)).snapshot()
							if s.Status != chat.StatusIdle || len(s.Messages) != 2 {
								t.Errorf("%s: %+v", s.Status, s.Messages)
							}
						}
					}
				})
			})
		}
	}
}
