package sqldb

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

// database is what differs between SQLite and PostgreSQL. Its errors are the
// driver's, or the context's; an error of fn is passed on as it is.
type database interface {
	// write runs fn in a transaction that is rolled back if fn fails, or panics. A lazy
	// commit does not wait for the disk. fn may run again.
	write(ctx context.Context, lazy bool, fn func(s session) error) error
	// soon has what was committed lazily on the disk within half a second or so.
	soon()
	// read runs fn, whose statements each see what is committed. fn may run again.
	read(ctx context.Context, fn func(s session) error) error
	// snapshot is read in which all of fn sees the same committed state.
	snapshot(ctx context.Context, fn func(s session) error) error
	// clock puts the store's time before a statement's arguments, where they tell it.
	clock(args []any) []any
	// erased is called after rows were deleted that should leave no trace.
	erased(ctx context.Context)
	// lost says why what is written would reach nobody, nil where it does.
	lost() error
	// migrate brings the tables up to date and says what it did.
	migrate(ctx context.Context) ([]*goose.MigrationResult, error)
	// fault says what an error of the driver means.
	fault(err error) fault
	close() error
}

// session is a connection for one write, read or snapshot, which lasts as long as
// its context.
type session interface {
	// exec runs a statement and returns how many rows it changed.
	exec(query string, args ...any) (int64, error)
	// each runs queries and calls the row function of each for its rows.
	each(queries ...query) error
	// later queues a statement: it runs before the next exec or each, or with the commit.
	later(query string, args ...any)
	// first queues a statement before all others.
	first(query string, args ...any)
}

// query is a statement with rows.
type query struct {
	row func(scan scanner) error
	statement
}

type statement struct {
	text string
	args []any
}

func rows(row func(scan scanner) error, text string, args ...any) query {
	return query{row, statement{text, args}}
}

// one calls row for the only row of a query and says whether there was one.
func one(s session, row func(scan scanner) error, text string, args ...any) (found bool, err error) {
	err = s.each(rows(func(scan scanner) error {
		found = true
		return row(scan)
	}, text, args...))
	return found, err
}

// queue is what later and first have put off.
type queue []statement

func (q *queue) later(text string, args ...any) { *q = append(*q, statement{text, args}) }

func (q *queue) first(text string, args ...any) { *q = slices.Insert(*q, 0, statement{text, args}) }

// take empties the queue.
func (q *queue) take() []statement {
	taken := *q
	*q = nil
	return taken
}

// fault is the meaning of a driver's error.
type fault struct {
	kind faultKind
	mend string // what an operator can do, "" where nobody knows
}

type faultKind int

const (
	faultOther   faultKind = iota
	faultBusy              // another one is in the way: worth trying again
	faultRefused           // a row breaks a rule of the tables: a programming error
)

// What the statements of queries.go call by a name of its own.
const (
	clockCall = "now_ms()"
	lockCall  = "for_update()"
)

// numbered is a statement whose arguments are numbered from first, after mark, and
// which asks clock for the time.
func numbered(text, clock, mark string, first int) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "?") {
		if i > 0 {
			b.WriteString(mark + strconv.Itoa(first+i-1))
		}
		b.WriteString(strings.ReplaceAll(part, clockCall, clock))
	}
	return b.String()
}
