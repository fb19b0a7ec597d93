package store

import "time"

// Clock decides what is due, alike on all nodes: expiry, retention, budgets, keys. Tokens,
// cookies and seals go by the node's own clock.
type Clock interface {
	// Now returns the time by the store's clock. A node measures that clock when it opens the store
	// and with each Heartbeat, at the middle of the round trip, and follows its own monotonic clock
	// in between, so the node's own date does not matter. The clock of a store in a file is the
	// machine's.
	Now() time.Time
	// Skew returns how the node's own clock compares with the store's now.
	Skew() Skew
}

// Skew is how a node's clock compares with its store's.
type Skew struct {
	Ahead time.Duration // of the store's; negative: behind it
	// Jumped reports that the store's clock is the machine's and was set by more than MaxSkew while
	// the store was open. It stays true until the store is closed.
	Jumped bool
}

// These bound a skew in either direction: from the first, operators are warned; from the second,
// the node's dates are unreliable; beyond the third, the node neither closes nor deletes what is
// due.
const (
	WarnSkew = 2 * time.Second
	BadSkew  = 10 * time.Second
	MaxSkew  = time.Minute
)

// Beyond reports whether the clocks differ by more than d.
func (s Skew) Beyond(d time.Duration) bool { return s.Ahead.Abs() > d }
