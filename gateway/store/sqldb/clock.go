package sqldb

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/store"
)

// clock is the store's, as this node knows it.
type clock struct {
	machine func() time.Time // the node's own

	measured atomic.Pointer[reading] // nil where the store has no other clock than the machine's

	mu     sync.Mutex
	last   reading // of the machine's clock
	jumped bool
}

// reading is what a clock said, and when, which is for the monotonic clock alone.
type reading struct{ said, at time.Time }

// now is what the clock says by now.
func (r *reading) now(at time.Time) time.Time { return r.said.Add(at.Sub(r.at)) }

func newClock(machine func() time.Time) *clock {
	return &clock{machine: machine, last: reading{machine().Round(0), time.Now()}}
}

func (c *clock) Now() time.Time {
	if m := c.measured.Load(); m != nil {
		return m.now(time.Now())
	}
	return c.machine()
}

// set takes what the store's clock said between two moments. What it is known to be stays where
// that fits, so that times do not go to and fro by the length of a round trip.
func (c *clock) set(said, before, after time.Time) {
	least, most := said, said.Add(after.Sub(before)+time.Millisecond) // at the second moment; it says whole ms
	if m := c.measured.Load(); m != nil {
		if now := m.now(after); !now.Before(least) && !now.After(most) {
			return
		}
	}
	c.measured.Store(&reading{least.Add(most.Sub(least) / 2), after})
}

func (c *clock) Skew() store.Skew {
	if m := c.measured.Load(); m != nil {
		return store.Skew{Ahead: c.machine().Round(0).Sub(m.now(time.Now()))}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := reading{c.machine().Round(0), time.Now()}
	jump := store.Skew{Ahead: now.said.Sub(c.last.now(now.at))}
	c.last, c.jumped = now, c.jumped || jump.Beyond(store.MaxSkew)
	return store.Skew{Jumped: c.jumped}
}
