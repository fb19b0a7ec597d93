package store

import "time"

// Meter names a count of what a holder used in a window of time. It outlives the chats in which
// it was used.
type Meter struct {
	Name   string    // what is counted, e.g. "tokens_principal"
	Holder string    // whose use is counted; opaque
	Start  time.Time // of the window; each window has its own count
	End    time.Time // of the window; see Sweeper.DropMeters
}

// Principal returns the Holder of a person's meters.
func Principal(tenant, subject string) string { return tenant + "\x00" + subject }

// Meters counts use in the transaction that uses. An update that changes several meters must do
// so in the order of their names: each stays locked until the commit, and another order could
// deadlock.
type Meters interface {
	// Used returns the meter's count.
	Used(m Meter) (int64, error)
	// Use adds n to the meter.
	Use(m Meter, n int64) error
	// UseUpTo adds n and returns true, unless the meter would then exceed most; in that case it adds
	// nothing and returns false.
	UseUpTo(m Meter, n, most int64) (bool, error)
}
