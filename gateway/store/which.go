package store

import "time"

// Which narrows a list of clarifications. The zero Which: all that are pending.
type Which struct {
	Status Status
	App    string    // "" for all
	ChatID string    // "" for all; that of any app, unless one is given
	Since  time.Time // asked or closed at or after it; zero for all
}

// Status says which clarifications are listed.
type Status int

// The statuses.
const (
	StatusPending Status = iota
	StatusClosed
	StatusAll
)
