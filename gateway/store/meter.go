package store

import "time"

// Meter names a count of what somebody used in a window of time. Counts outlive the
// chats in which they were made.
type Meter struct {
	Name   string    // what is counted, e.g. "tokens_principal"
	Holder string    // whose use it is; opaque
	Start  time.Time // of the window; each has a count of its own
	End    time.Time // of the window; see Sweeper.DropMeters
}

// Meters counts what is used, as a part of what uses it. Who changes several meters in
// one update does so in the order of their names: each is held until the commit.
type Meters interface {
	// Used is what the meter counts so far.
	Used(m Meter) (int64, error)
	// Use adds n to the meter.
	Use(m Meter, n int64) error
	// UseUpTo adds n, unless the meter would then count more than most: false, and
	// nothing is added.
	UseUpTo(m Meter, n, most int64) (bool, error)
}
