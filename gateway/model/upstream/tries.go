package upstream

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// maxWait is the longest Retry-After that is waited for. A server that asks for more ends
// the tries: the caller gets the error with the wait in it, and the user need not stare.
const maxWait = 30 * time.Second

// Tries are the attempts at one request, which all have to end in time. Not safe for
// concurrent use.
type Tries struct {
	// Said returns what people, tools and the model have said in the request, see SaidIn. It is
	// called where the server refuses that: its words are told to operators without what was said.
	// nil: nobody said anything.
	Said func() []string

	server       *Server
	over         time.Time // when all of it has to be
	failed, most int
	waits        backoff.ExponentialBackOff
}

// Tries begins a step: the attempts at one request, as many as MaxRetries allows, and all
// that is read within StepTimeout. The waits between attempts are 250 to 500 ms at first and double up to 4 to 8 s.
func (s *Server) Tries() Tries {
	return Tries{server: s, over: time.Now().Add(s.o.StepTimeout), most: s.o.MaxRetries, waits: backoff.ExponentialBackOff{
		InitialInterval: 375 * time.Millisecond, RandomizationFactor: 1. / 3, Multiplier: 2, MaxInterval: 6 * time.Second,
	}}
}

// Note notes a refusal after which the request is changed; one that came with a status is noted
// already.
func (t *Tries) Note(f *Failure) { _ = t.server.told(f.Err, t.Said) }

// Wait returns nil when it is time for the next attempt. Where there is none, it
// returns the failure's error, or the context's if that ended.
func (t *Tries) Wait(ctx context.Context, f *Failure) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := t.server.told(f.Err, t.Said)
	if !f.Again || t.failed >= t.most || f.Err.RetryAfter > maxWait {
		return err
	}
	t.failed++
	wait := max(f.Err.RetryAfter, t.waits.NextBackOff())
	if time.Until(t.over) <= wait {
		return err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
