package upstream

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// maxWait is the longest Retry-After that is waited for. If a server asks for more, there is no
// further attempt: the caller gets the error with the wait in it, and the user does not have to
// wait.
const maxWait = 30 * time.Second

// Tries makes the attempts at one request, which have a common deadline. It is not safe for
// concurrent use.
type Tries struct {
	// Said returns what people, tools and the model have said in the request, see SaidIn. It is
	// called if the server refuses the request, to remove what was said from the server's text for
	// operators. nil: nothing was said.
	Said func() []string

	server       *Server
	over         time.Time // the deadline
	failed, most int
	waits        backoff.ExponentialBackOff
}

// Tries begins the attempts at one request: up to MaxRetries after the first, with all that is
// read within StepTimeout. The wait between attempts is 250 to 500 ms at first, and doubles up to
// 4 to 8 s.
func (s *Server) Tries() Tries {
	return Tries{server: s, over: time.Now().Add(s.o.StepTimeout), most: s.o.MaxRetries, waits: backoff.ExponentialBackOff{
		InitialInterval: 375 * time.Millisecond, RandomizationFactor: 1. / 3, Multiplier: 2, MaxInterval: 6 * time.Second,
	}}
}

// Note notes a refusal after which the request is changed. A refusal with a status has been noted
// by Send already.
func (t *Tries) Note(f *Failure) { _ = t.server.told(f.Err, t.Said) }

// Wait returns nil when it is time for the next attempt. If there is none, it returns the error of
// the failure, or that of the context if it has ended.
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
