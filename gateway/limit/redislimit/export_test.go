package redislimit

import (
	"context"
	"testing"
	"time"
)

// Deciding is o with another time limit for a decision.
func (o Options) Deciding(within time.Duration) Options {
	o.decide = within
	return o
}

// Await waits until Redis is in use, or until it is not.
func (l *Limiter) Await(t *testing.T, used bool) {
	t.Helper()
	for {
		l.mu.Lock()
		changed, fault := l.changed, l.fault
		l.mu.Unlock()
		if (fault == nil) == used {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("the test ended")
		}
	}
}

// Hold renews this node's places, as the node does on its own from time to time.
func (l *Limiter) Hold(ctx context.Context) error { return l.probe(ctx) }

func (l *Limiter) Places(scope, key string) string { return l.key("places", scope, key) }
