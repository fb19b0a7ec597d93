package turn

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/turn/run"
)

// Drain refuses new turns from now on; running ones go on.
func (e *Engine) Drain() { e.node.Draining.Store(true) }

// Running is how many turns this node runs.
func (e *Engine) Running() int { return len(e.running()) }

// Shutdown drains and waits for the running turns. Those that have not ended
// when ctx does are handed over: their lease is given back, so that another
// process goes on with them at once.
func (e *Engine) Shutdown(ctx context.Context) {
	e.Drain()
	for _, r := range e.running() {
		select {
		case <-r.Done():
		case <-ctx.Done():
			r.Cancel(run.ErrHandover)
		}
	}
	for _, r := range e.running() {
		r.Cancel(run.ErrHandover)
		select {
		case <-r.Done():
		case <-time.After(handOverWait):
		}
	}
	e.node.Titles.Wait(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOverWait)
	defer cancel()
	if _, err := e.Store.Heartbeat(last, e.Node, 0); err != nil {
		e.Log.Warn("leases not given up; they lapse by themselves", "error", err)
	}
}
