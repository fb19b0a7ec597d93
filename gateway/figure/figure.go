// Package figure keeps figures that are expensive to read, such as counts of rows, so that their
// users seldom wait: a scrape of /metrics costs no count.
package figure

import (
	"context"
	"sync"
	"time"
)

const (
	// MaxAge is how old a figure may be when it is used.
	MaxAge = 15 * time.Second
	// renew is how often Keep reads it: with the time of a read, less than MaxAge.
	renew = 10 * time.Second
	// wanted is how long after it was last used a figure is kept up to date. Prometheus scrapes at
	// least every minute or two.
	wanted = 3 * time.Minute
	// timeout bounds a read.
	timeout = 2 * time.Second
)

// Figure is a value that is read from elsewhere. It is safe for concurrent use.
type Figure[T any] struct {
	read func(context.Context) (T, error)

	reading sync.Mutex // held during a read: one at a time

	mu    sync.Mutex
	value T
	at    time.Time // when the read of value began; zero for none
	used  time.Time
}

// New returns a figure that read reads, within 2 s.
func New[T any](read func(context.Context) (T, error)) *Figure[T] { return &Figure[T]{read: read} }

// Get returns a value that is at most MaxAge old. It reads it if Keep has not.
func (f *Figure[T]) Get() (T, error) {
	if value, ok := f.fresh(); ok {
		return value, nil
	}
	f.reading.Lock()
	defer f.reading.Unlock()
	if value, ok := f.fresh(); ok { // read meanwhile
		return value, nil
	}
	return f.load(context.Background())
}

// Keep reads the value every 10 s while it is used, until ctx ends.
func (f *Figure[T]) Keep(ctx context.Context) {
	tick := time.NewTicker(renew)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if f.wanted() && f.reading.TryLock() {
			_, _ = f.load(ctx) // Get returns the error, once the value is too old
			f.reading.Unlock()
		}
	}
}

func (f *Figure[T]) fresh() (T, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.used = time.Now()
	return f.value, !f.at.IsZero() && time.Since(f.at) <= MaxAge
}

func (f *Figure[T]) wanted() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.used.IsZero() && time.Since(f.used) < wanted
}

// load reads the value. The caller holds reading.
func (f *Figure[T]) load(ctx context.Context) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	began := time.Now()
	value, err := f.read(ctx)
	if err != nil {
		return value, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.value, f.at = value, began
	return value, nil
}
