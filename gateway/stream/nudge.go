package stream

import "sync"

// nudges wakes those who wait for news. The zero value is ready for use.
type nudges struct {
	mu      sync.Mutex
	waiting map[chan struct{}]struct{}
}

// Nudge implements Hub.
func (n *nudges) Nudge() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.waiting {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Nudges implements Hub.
func (n *nudges) Nudges() (nudged <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.waiting == nil {
		n.waiting = map[chan struct{}]struct{}{}
	}
	n.waiting[c] = struct{}{}
	return c, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.waiting, c)
	}
}
