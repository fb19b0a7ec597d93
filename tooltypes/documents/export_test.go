package documents

import "time"

// LookEvery sets how often folders are checked.
func (s *Shelf) LookEvery(d time.Duration) { s.look = d }

// Today sets the clock for the day that it is.
func (t *Tool) Today(now func() time.Time) { t.library.now = now }

// Clock sets the clock for the processor time of searches.
func (t *Tool) Clock(now func() time.Duration) { t.library.clock = now }

// ThreadTime is the clock in use.
var ThreadTime = threadTime

// Change is a paragraph that differs.
type Change = change

// Changed returns the paragraphs that differ.
var Changed = changed
