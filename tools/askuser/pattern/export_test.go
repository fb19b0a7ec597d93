package pattern

import "time"

// Spent returns a matcher that has used up part of its time.
func Spent(d time.Duration) *Matcher { return &Matcher{spent: d} }
