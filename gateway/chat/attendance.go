package chat

import (
	"time"

	"github.com/askgate/askgate/tools"
)

// Attendance says whether the asker of a program's question waits for it.
type Attendance struct {
	// WaitedAt is when the asker was last seen to wait; zero: never. Only SaveWaited changes it.
	WaitedAt time.Time
	// WithdrawAfter is how long no one may wait until the question is withdrawn, in whole
	// milliseconds; 0: it is never withdrawn.
	WithdrawAfter time.Duration
}

// waitsOn is how long an asker counts as waiting after it was last seen to wait: programs ask again
// when a wait ends, also after a pause.
const waitsOn = time.Minute

// AskerWaits reports whether the asker of a pending question waits at that time; known is false if it
// never has.
func (c *Clarification) AskerWaits(now time.Time) (waits, known bool) {
	known = c.State == tools.StatePending && !c.WaitedAt.IsZero()
	return known && now.Before(c.WaitedAt.Add(waitsOn)), known
}

// GoneAt returns when the question is withdrawn unless its asker waits again; zero: never.
func (c *Clarification) GoneAt() time.Time {
	if c.WithdrawAfter == 0 {
		return time.Time{}
	}
	since := c.AskedAt
	if c.WaitedAt.After(since) {
		since = c.WaitedAt
	}
	return since.Add(c.WithdrawAfter)
}
