// Package attempts has what webhooks (package notify) and channels (package channels) have in common:
// each node looks in the store for what is due, and repeats what fails for a day.
package attempts

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"
)

const (
	// Every is how often the store is asked for what is due.
	Every = 500 * time.Millisecond
	// InAll is how long attempts are repeated, from when something was due first.
	InAll = 24 * time.Hour
	// Storing bounds how long the outcome of an attempt may take to store.
	Storing = 5 * time.Second

	firstPause   = 5 * time.Second // after the first attempt; then twice as long each time
	longestPause = time.Hour
	tidy         = time.Hour // how often Run calls clean
)

// Pause returns how long to wait after so many attempts, up to a tenth more or less, so that what
// failed together is not repeated together.
func Pause(attempts int) time.Duration {
	pause := longestPause
	if attempts < 12 { // doubled any more often, 5 s is more than an hour
		pause = min(longestPause, firstPause<<max(attempts-1, 0))
	}
	return pause + time.Duration((rand.Float64()-0.5)/5*float64(pause))
}

// Loop looks for what is due.
type Loop struct {
	Every time.Duration
	log   *slog.Logger
	what  string // is due, for the log
	wake  chan struct{}
	down  bool // the store failed the last time; used by Run's functions only
}

// NewLoop returns a Loop that looks at the usual interval. what is due is for the log, for when the
// store begins to fail.
func NewLoop(log *slog.Logger, what string) *Loop {
	return &Loop{Every: Every, log: log, what: what, wake: make(chan struct{}, 1)}
}

// Run calls round at once, at each interval, and after Again, until ctx ends; and clean first, and once
// an hour.
func (l *Loop) Run(ctx context.Context, round, clean func(context.Context)) {
	tick := time.NewTicker(l.Every)
	defer tick.Stop()
	stale := time.NewTicker(tidy)
	defer stale.Stop()
	clean(ctx)
	for ctx.Err() == nil {
		round(ctx)
		select {
		case <-tick.C:
		case <-l.wake:
		case <-stale.C:
			clean(ctx)
		case <-ctx.Done():
		}
	}
}

// Again has Run look at once: an attempt has ended, so there is room, and what it held up may be due.
// It does not block. Safe for concurrent use.
func (l *Loop) Again() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Noted logs, once, that the store has begun to fail. Only functions that Run calls may call it.
func (l *Loop) Noted(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if err != nil && !l.down {
		l.log.Warn("cannot read from the store what is due; it waits", "what", l.what, "error", err)
	}
	l.down = err != nil
}
