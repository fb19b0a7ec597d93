package upstream

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// maxWait is the longest Retry-After that is waited for. A server that asks for more ends
// the tries: the caller gets the error with the wait in it, and the user need not stare.
const maxWait = 30 * time.Second

// Tries counts the attempts at one request. Not safe for concurrent use.
type Tries struct {
	failed, most int
	waits        backoff.ExponentialBackOff
}

// Tries returns a count that allows the server's MaxRetries. The waits between attempts
// are 250 to 500 ms at first and double up to 4 to 8 s.
func (s *Server) Tries() Tries {
	return Tries{most: s.o.MaxRetries, waits: backoff.ExponentialBackOff{
		InitialInterval: 375 * time.Millisecond, RandomizationFactor: 1. / 3, Multiplier: 2, MaxInterval: 6 * time.Second,
	}}
}

// Wait returns nil when it is time for the next attempt. Where there is none, it
// returns the failure's error, or the context's if that ended.
func (t *Tries) Wait(ctx context.Context, f *Failure) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !f.Again || t.failed >= t.most || f.Err.RetryAfter > maxWait {
		return f.Err
	}
	t.failed++
	timer := time.NewTimer(max(f.Err.RetryAfter, t.waits.NextBackOff()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
