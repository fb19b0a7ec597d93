package documents

import "time"

// LookEvery sets how often folders are looked at.
func (s *Shelf) LookEvery(d time.Duration) { s.look = d }
