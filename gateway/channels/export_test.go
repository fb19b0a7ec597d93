package channels

import "time"

// Look sets how often the store is asked for what is due, so that a test of days does not ask a million
// times.
func (t *Teller) Look(every time.Duration) { t.loop.Every = every }
