package host

import (
	"context"
	"time"
)

// Leave makes /readyz fail from now on. If a probe requests it regularly, Leave returns once the
// probe has seen the failure, so that requests until then are not refused; then it drains.
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

// WasAsked notes a request of /readyz. After Leave, it drains, since the failure of the request
// announces that no more should be sent.
func (h *Host) WasAsked() {
	if h.leaving.Load() {
		h.Drain()
		return
	}
	h.asked.Store(int64(time.Since(h.Started)))
}
