package store

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Overseer reads the clarifications of all principals, for operators.
type Overseer interface {
	// AllPending lists the pending clarifications of all principals, oldest first.
	AllPending(ctx context.Context, page Page) ([]chat.Clarification, string, error)
	// Tallies counts the clarifications asked at since or later, per app and span of time, ordered
	// by app and then time. Empty spans are left out. A span is at least one millisecond. Deleted
	// chats are not counted.
	Tallies(ctx context.Context, since time.Time, span time.Duration) ([]Tally, error)
	// Questions counts the outcomes of the questions (not the approvals) asked at since or later, in
	// an app or, with "", in all. It returns a row for each template, and for each text with its
	// options that did not come from a template, see tools.Question.Shape. It returns at most limit
	// rows, of the questions asked most often. Deleted chats are not counted.
	Questions(ctx context.Context, since time.Time, app string, limit int) (Questions, error)
}

// Questions counts the outcomes of questions.
type Questions struct {
	Rows   []QuestionRow // most asked first, then by app, template and shape
	Others int           // rows that are left out
	Models []ModelRow    // of all rows, by app and then model
}

// QuestionRow is one question, however often it was asked.
type QuestionRow struct {
	App      string
	Template string // "": none
	Shape    string // "" if there is a template
	// Example is one of the questions, as asked. It is nil if there is a template, or if no
	// example can be read or is small enough (all rows' together have at most MaxPageBytes).
	Example *tools.Question
	QuestionCounts
	Waits  Waits          // without P99
	Models map[string]int // how often each asked; programs are not included
}

// ModelRow covers all questions of a model in an app.
type ModelRow struct {
	App, Model string
	QuestionCounts
}

// QuestionCounts counts the questions asked, by outcome so far.
type QuestionCounts struct {
	Asked int // the sum of the states

	Pending, Answered, Skipped, Declined, Expired, Superseded, Cancelled, Remembered int

	Shown       int // a screen reported that it had shown it
	Recommended int // of the answered: there was a recommended option
	Taken       int // of these: exactly that was chosen
	Other       int // of the answered: in own words, where there were options
	AgainSame   int // of the answered: the person had answered it in the app before, with the same answer
	AgainOther  int // or with another
}

// In returns the count of a state, nil for an unknown one.
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

// Tally counts, by present state, the clarifications that an app asked in one span.
type Tally struct {
	App    string
	Start  time.Time // of the span: since plus a whole number of spans
	States map[tools.State]int
	Waits  Waits
}

// Waits is how long people took to answer, skip or refuse a question. Percentiles are by nearest
// rank, and 0 if Count is 0 or they were not requested.
type Waits struct {
	Count         int
	P50, P90, P99 time.Duration
}
