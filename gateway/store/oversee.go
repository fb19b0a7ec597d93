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
	// Tallies counts the clarifications asked at since or later, per app and span of time,
	// ordered by app and then time. Spans without any are left out. A span is at least one
	// millisecond. Deleted chats are not counted.
	Tallies(ctx context.Context, since time.Time, span time.Duration) ([]Tally, error)
}

// Tally is the present states of the clarifications that an app asked in one span.
type Tally struct {
	App    string
	Start  time.Time // of the span: since plus a whole number of spans
	States map[tools.State]int
	Waits  Waits
}

// Waits is how long people took from the question to their answer, skip or refusal.
// Percentiles are by nearest rank, and 0 where Count is 0.
type Waits struct {
	Count         int
	P50, P90, P99 time.Duration
}
