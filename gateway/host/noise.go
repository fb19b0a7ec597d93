package host

import (
	"context"
	"sync/atomic"

	"github.com/askgate/askgate/gateway/limit"
)

// noise bounds the log lines that anyone can cause, without a key or beyond a limit: one a
// second, and a minute's worth at once. Further lines have the level debug.
type noise struct {
	rate limit.Limiter
	left *atomic.Int64 // how many were left out since the last logged one
}

func newNoise() noise { return noise{limit.NewLocal(), new(atomic.Int64)} }

// admits reports whether to log another line, and how many were left out before it.
func (n noise) admits(ctx context.Context) (left int64, ok bool) {
	if d, err := n.rate.Allow(ctx, limit.Rule{Scope: "log", PerMinute: 60}); err == nil && !d.Allowed {
		n.left.Add(1)
		return 0, false
	}
	return n.left.Swap(0), true
}
