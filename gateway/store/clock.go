package store

import "time"

// Clock is what decides on what is due, on all nodes alike: expiry, retention, budgets, keys.
// Tokens, cookies and seals go by the clock of the node.
type Clock interface {
	// Now is the time by the store's clock. A node measures it when it opens the store and with
	// each Heartbeat, at the middle of the round trip, and goes by its monotonic clock in
	// between: its own date does not matter. The clock of a store in a file is the machine's.
	Now() time.Time
	// Skew is how the node's own clock compares with it now.
	Skew() Skew
}

// Skew is how a node's clock compares with its store's.
type Skew struct {
	Ahead time.Duration // of the store's; negative: behind it
	// Jumped says that the clock of the store is the machine's, and that it was set by more than
	// MaxSkew while the store was open. It stays so until the store is closed.
	Jumped bool
}

// The bounds of a skew, in either direction: from when on operators are warned, from when on the
// node's dates cannot be relied on, and beyond which it neither closes nor deletes what is due.
const (
	WarnSkew = 2 * time.Second
	BadSkew  = 10 * time.Second
	MaxSkew  = time.Minute
)

// Beyond says that the clocks differ by more than that.
func (s Skew) Beyond(d time.Duration) bool { return s.Ahead.Abs() > d }
