package run

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

const (
	// storeWait is how long a run waits for a store that is away: a restart or a failover takes seconds.
	// It counts from the first failure to the next success, over everything that the run does.
	storeWait = 10 * time.Second
	// The pause between two attempts doubles from leastPause to mostPause.
	leastPause = 50 * time.Millisecond
	mostPause  = time.Second
)

// patient is the store as a run uses it. While the store is away, and so nothing has changed, it
// repeats what reads the chat and what reads or changes the person's memory; commits wait by
// themselves. If the store stays away, it returns the errors as they are. It is safe for concurrent
// use.
type patient struct {
	store.Store
	since atomic.Pointer[time.Time] // the first failure; nil after a success
}

// wait repeats do while the store is away, until storeWait is over or ctx ends.
func (p *patient) wait(ctx context.Context, do func() error) error {
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		err := do()
		if !errors.Is(err, store.ErrUnavailable) {
			if err == nil {
				p.since.Store(nil)
			}
			return err
		}
		now := time.Now()
		p.since.CompareAndSwap(nil, &now)
		if since := p.since.Load(); since != nil && now.Sub(*since)+pause > storeWait {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// waited is wait for reads.
func waited[T any](ctx context.Context, p *patient, read func() (T, error)) (got T, err error) {
	err = p.wait(ctx, func() error {
		got, err = read()
		return err
	})
	return got, err
}

// Recent implements store.RunReader.
func (p *patient) Recent(ctx context.Context, ref chat.Ref, span func(fits []chat.Fit) store.Span) (*store.Recent, error) {
	return waited(ctx, p, func() (*store.Recent, error) { return p.Store.Recent(ctx, ref, span) })
}

// KnownCalls implements store.RunReader.
func (p *patient) KnownCalls(ctx context.Context, conversationID string, ids []string) ([]string, error) {
	return waited(ctx, p, func() ([]string, error) { return p.Store.KnownCalls(ctx, conversationID, ids) })
}

// ContentSize implements store.RunReader.
func (p *patient) ContentSize(ctx context.Context, conversationID string) (int64, error) {
	return waited(ctx, p, func() (int64, error) { return p.Store.ContentSize(ctx, conversationID) })
}

// Extent implements store.RunReader.
func (p *patient) Extent(ctx context.Context, conversationID string, from, end int64) (turns, bytes int64, err error) {
	err = p.wait(ctx, func() error {
		turns, bytes, err = p.Store.Extent(ctx, conversationID, from, end)
		return err
	})
	return turns, bytes, err
}

// Memories implements store.Keeper.
func (p *patient) Memories(ctx context.Context, tenant, subject, app string) ([]chat.Memory, error) {
	return waited(ctx, p, func() ([]chat.Memory, error) { return p.Store.Memory().Memories(ctx, tenant, subject, app) })
}

// SaveMemory implements store.Keeper.
func (p *patient) SaveMemory(ctx context.Context, m chat.Memory, most int) error {
	return p.wait(ctx, func() error { return p.Store.Memory().SaveMemory(ctx, m, most) })
}

// ForgetKey implements store.Keeper.
func (p *patient) ForgetKey(ctx context.Context, tenant, subject, app, key string) (int64, error) {
	return waited(ctx, p, func() (int64, error) { return p.Store.Memory().ForgetKey(ctx, tenant, subject, app, key) })
}
