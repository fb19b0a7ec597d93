package sqldb

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/store"
)

// clock is the store's clock, as this node knows it.
type clock struct {
	machine func() time.Time // the node's own

	measured atomic.Pointer[reading] // nil if the store's clock is the machine's

	mu     sync.Mutex
	last   reading // of the machine's clock
	jumped bool
}

// reading is a clock's time, and the monotonic time at which it was read.
type reading struct{ said, at time.Time }

// now returns what the clock shows by now.
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

// set takes what the store's clock showed between two moments. An earlier measurement stays if it
// fits, so that times do not jump back and forth by the length of a round trip.
func (c *clock) set(said, before, after time.Time) {
	least, most := said, said.Add(after.Sub(before)+time.Millisecond) // at the second moment; said is in whole ms
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
