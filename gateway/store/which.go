package store

import "time"

// Which narrows a list of clarifications. The zero Which selects all pending ones.
type Which struct {
	Status Status
	App    string    // "" for all
	ChatID string    // "" for all; may be of any app, unless App is set
	Since  time.Time // asked or closed at or after it; zero for all
	// Roles are roles of the subject. With StatusPending, the list includes what waits for their
	// holders, except what the subject asked itself.
	Roles []string
}

// Status selects clarifications by whether they are pending.
type Status int

const (
	StatusPending Status = iota
	StatusClosed
	StatusAll
)
