package tools

import "time"

// MaxEscalations is how many steps a question can have.
const MaxEscalations = 5

// These bound Escalation.After.
const (
	MinEscalation = time.Second
	MaxEscalation = 365 * 24 * time.Hour
)

// Escalation is a step of a question to the holders of a role: from some time after it was asked, the
// holders of another role may answer, too.
type Escalation struct {
	After time.Duration `json:"after"` // from the time of asking, in whole milliseconds
	Role  string        `json:"role"`
}
