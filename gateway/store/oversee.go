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
	// Questions counts what became of the questions (not the approvals) asked at since or later,
	// in an app or "" for all: a row for each template, and for each text with its options that
	// came from none, see tools.Question.Shape. The rows are those asked most often, at most
	// limit. Deleted chats are not counted.
	Questions(ctx context.Context, since time.Time, app string, limit int) (Questions, error)
}

// Questions is what became of questions.
type Questions struct {
	Rows   []QuestionRow // most asked first, then by app, template and shape
	Others int           // rows that are left out
	Models []ModelRow    // of all rows, by app and then model
}

// QuestionRow is one question, however often it was asked.
type QuestionRow struct {
	App      string
	Template string // "": none
	Shape    string // "" where there is a template
	// Example is one of the questions, as it was asked; nil where there is a template, and where
	// none can be read or is small enough (those of all rows have at most MaxPageBytes).
	Example *tools.Question
	QuestionCounts
	Waits  Waits          // without P99
	Models map[string]int // how often each asked; programs are left out
}

// ModelRow is all questions of a model in an app.
type ModelRow struct {
	App, Model string
	QuestionCounts
}

// QuestionCounts are the questions that were asked, by what became of them until now.
type QuestionCounts struct {
	Asked int // the sum of the states

	Pending, Answered, Skipped, Declined, Expired, Superseded, Cancelled, Remembered int

	Shown       int // a screen said that it had shown it
	Recommended int // of the answered: there was a recommended option
	Taken       int // and just that was chosen
	Other       int // of the answered: in own words, where there were options
	AgainSame   int // of the answered: the person had answered it in the app before, alike
	AgainOther  int // or otherwise
}

// In is the count of a state, nil for one that is not known.
func (c *QuestionCounts) In(state tools.State) *int {
	switch state {
	case tools.StatePending:
		return &c.Pending
	case tools.StateAnswered:
		return &c.Answered
	case tools.StateSkipped:
		return &c.Skipped
	case tools.StateDeclined:
		return &c.Declined
	case tools.StateExpired:
		return &c.Expired
	case tools.StateSuperseded:
		return &c.Superseded
	case tools.StateCancelled:
		return &c.Cancelled
	case tools.StateRemembered:
		return &c.Remembered
	default:
		return nil
	}
}

// Tally is the present states of the clarifications that an app asked in one span.
type Tally struct {
	App    string
	Start  time.Time // of the span: since plus a whole number of spans
	States map[tools.State]int
	Waits  Waits
}

// Waits is how long people took from the question to their answer, skip or refusal.
// Percentiles are by nearest rank, and 0 where Count is 0 or nobody asked for them.
type Waits struct {
	Count         int
	P50, P90, P99 time.Duration
}
