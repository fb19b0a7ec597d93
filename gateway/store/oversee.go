package store

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Overseer reads the clarifications of all principals, for operators.
type Overseer interface {
	// AllPending lists everybody's pending clarifications, oldest first.
	AllPending(ctx context.Context, page Page) ([]chat.Clarification, string, error)
	// Tallies counts the clarifications that were asked from since on, per app and span
	// of time, in order of app and then time. Spans without any are left out. A span is
	// at least one millisecond. Chats that were deleted are in none.
	Tallies(ctx context.Context, since time.Time, span time.Duration) ([]Tally, error)
}

// Tally is what became, until now, of the clarifications that an app asked in one span.
type Tally struct {
	App    string
	Start  time.Time // of the span: since, or a whole number of spans after it
	States map[tools.State]int
	Waits  Waits
}

// Waits is how long people took: from the question to their own answer, skip or
// refusal to say. The percentiles are by nearest rank, and zero where Count is.
type Waits struct {
	Count         int
	P50, P90, P99 time.Duration
}
