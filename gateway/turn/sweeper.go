package turn

import (
	"context"
	"sync/atomic"

	"github.com/askgate/askgate/gateway/chat"
)

// sweeper does a node's background work, each duty on a goroutine of its own.
type sweeper struct {
	engine *Engine
	others atomic.Int64 // nodes that hold their leases, at the newest heartbeat
	unsure bool         // runs may have lost their turn, and were not checked; used by heartbeat only
}

// beginAll makes a transition in each chat that find lists, as many as there are free places.
func (s *sweeper) beginAll(ctx context.Context, what string, find func(context.Context, int) ([]chat.Ref, error), change func(*transition) error) {
	room := s.engine.runs.room()
	if room == 0 || s.engine.node.Draining.Load() {
		return
	}
	refs, err := find(ctx, room)
	if err != nil {
		s.engine.Log.Warn("cannot list the turns to resume", "what", what, "error", err)
		return
	}
	for _, ref := range refs {
		s.engine.beginOne(ref, what, change)
	}
}
