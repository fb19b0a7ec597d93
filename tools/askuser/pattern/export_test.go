package pattern

import "time"

// Spent is a matcher that has spent so much of its time.
func Spent(d time.Duration) *Matcher { return &Matcher{spent: d} }
