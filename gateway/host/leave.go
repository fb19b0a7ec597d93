package host

import (
	"context"
	"time"
)

// Leave has /readyz fail from now on. Where a probe asks it regularly it returns when they
// were told, so that what they send until then is not refused; then it drains.
func (h *Host) Leave(ctx context.Context) {
	h.leaving.Store(true)
	if time.Since(h.Started)-time.Duration(h.asked.Load()) < probed {
		select {
		case <-h.Draining.Done():
		case <-time.After(probed):
		case <-ctx.Done():
		}
	}
	h.Drain()
}

// WasAsked notes a request of /readyz, and drains where that tells them to send
// nothing any more.
func (h *Host) WasAsked() {
	if h.leaving.Load() {
		h.Drain()
		return
	}
	h.asked.Store(int64(time.Since(h.Started)))
}
