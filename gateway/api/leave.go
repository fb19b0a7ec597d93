package api

import (
	"context"
	"time"
)

// probed is how long ago /readyz must have been asked for somebody to count as asking it
// regularly, and how long a node that ends waits for them: proxies ask every second.
const probed = 1500 * time.Millisecond

// Leave has /readyz fail from now on. Where somebody asks it regularly it returns when they
// were told, so that what they send until then is not refused; then it drains.
func (a *API) Leave(ctx context.Context) {
	a.leaving.Store(true)
	if time.Since(a.started)-time.Duration(a.asked.Load()) < probed {
		select {
		case <-a.draining.Done():
		case <-time.After(probed):
		case <-ctx.Done():
		}
	}
	a.drain()
}

// wasAsked notes that somebody asked /readyz, and drains where that tells them to send
// nothing any more.
func (a *API) wasAsked() {
	if a.leaving.Load() {
		a.drain()
		return
	}
	a.asked.Store(int64(time.Since(a.started)))
}
