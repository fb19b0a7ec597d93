package upstream

import (
	"context"
	"math/rand/v2"
	"time"
)

// Waits between attempts: doubling from the first, half of each by chance.
const (
	firstBackoff = 500 * time.Millisecond
	maxBackoff   = 8 * time.Second
	// maxWait is the longest Retry-After that is waited for; who asks for more gets
	// the error at once, with the wait in it, instead of a user who stares.
	maxWait = 30 * time.Second
)

// Tries counts the attempts at one request.
type Tries struct{ failed, most int }

// Tries returns a count that allows the server's MaxRetries.
func (s *Server) Tries() Tries { return Tries{most: s.o.MaxRetries} }

// Wait returns nil when it is time for the next attempt. Where there is none, it
// returns the failure's error, or the context's if that ended.
func (t *Tries) Wait(ctx context.Context, f *Failure) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !f.Again || t.failed >= t.most || f.Err.RetryAfter > maxWait {
		return f.Err
	}
	timer := time.NewTimer(max(f.Err.RetryAfter, backoff(t.failed)))
	defer timer.Stop()
	t.failed++
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// backoff is the wait after failure n, from 0.
func backoff(n int) time.Duration {
	d := maxBackoff
	if n < 5 { // more would overflow in the end
		d = min(firstBackoff<<n, maxBackoff)
	}
	return d/2 + rand.N(d/2)
}
