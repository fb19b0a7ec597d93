package documents

import "time"

// LookEvery sets how often folders are checked.
func (s *Shelf) LookEvery(d time.Duration) { s.look = d }

// Clock sets the clock for the processor time of searches.
func (t *Tool) Clock(now func() time.Duration) { t.library.clock = now }

// ThreadTime is the clock in use.
var ThreadTime = threadTime
