package documents

import "time"

// LookEvery sets how often folders are looked at.
func (s *Shelf) LookEvery(d time.Duration) { s.look = d }

// Clock sets the clock for the processor time of searches.
func (t *Tool) Clock(now func() time.Duration) { t.library.clock = now }

// ThreadTime is the default clock.
var ThreadTime = threadTime
