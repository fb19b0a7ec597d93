package store

import "time"

// Which narrows a list of clarifications. The zero Which: all that are pending.
type Which struct {
	Status Status
	App    string    // "" for all
	ChatID string    // "" for all; that of any app, unless one is given
	Since  time.Time // asked or closed at or after it; zero for all
	// Roles of the subject: with StatusPending, what waits for their holders is listed, too, but
	// for what the subject asked itself.
	Roles []string
}

// Status says which clarifications are listed.
type Status int

// The statuses.
const (
	StatusPending Status = iota
	StatusClosed
	StatusAll
)
