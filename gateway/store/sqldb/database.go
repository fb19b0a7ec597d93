package sqldb

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/store"
)

// database is what differs between SQLite and PostgreSQL. Its errors are the driver's or the
// context's; errors of fn are returned unchanged.
type database interface {
	// write runs fn in a transaction that is rolled back if fn fails or panics. A lazy commit
	// does not wait for the disk. fn may run again. errUnknown: it may have been committed.
	write(ctx context.Context, lazy bool, fn func(s session) error) error
	// soon makes sure that lazy commits reach the disk within about half a second.
	soon()
	// read runs fn, each of whose statements sees what is committed then. fn may run again.
	read(ctx context.Context, fn func(s session) error) error
	// snapshot is read where all statements of fn see the same committed state.
	snapshot(ctx context.Context, fn func(s session) error) error
	// remote says that the database is a server's: it has a clock of its own, and may be away.
	remote() bool
	// clock prepends the time to a statement's arguments, if the database has no clock of its own.
	clock(args []any) []any
	// tidy drops what is kept of old commits.
	tidy(ctx context.Context) error
	// erased is called after a deletion that must leave no trace in the files.
	erased(ctx context.Context)
	// lost returns why what is written now would be lost, nil where it would not.
	lost() error
	// migrate makes the changes that the tables lack, and says whether there were any.
	migrate(ctx context.Context, s *schema) (made bool, err error)
	// fault classifies an error of the driver.
	fault(err error) fault
	close() error
}

// session is a connection for one write, read or snapshot. Its statements fail once the
// caller's context ends.
type session interface {
	// exec runs a statement and returns the number of rows it changed.
	exec(query string, args ...any) (int64, error)
	// each runs queries and calls each query's row function for each of its rows.
	each(queries ...query) error
	// later queues a statement, to run before the next exec or each, or with the commit.
	later(query string, args ...any)
	// first queues a statement before all that are queued.
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

// one calls row for the only row of a query. found is false where there is none.
func one(s session, row func(scan scanner) error, text string, args ...any) (found bool, err error) {
	err = s.each(rows(func(scan scanner) error {
		found = true
		return row(scan)
	}, text, args...))
	return found, err
}

// must turns the answer of one into store.ErrNotFound where there was no row.
func must(found bool, err error) error {
	if err == nil && !found {
		return store.ErrNotFound
	}
	return err
}

// appendTo appends the rows of a query to items.
func appendTo[T any](items *[]T, row func(scan scanner, item *T) error) func(scan scanner) error {
	return func(scan scanner) error {
		var zero T
		*items = append(*items, zero)
		return row(scan, &(*items)[len(*items)-1])
	}
}

// queue is the statements that later and first have put off.
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
	hint string // what an operator can do, "" where unknown
}

type faultKind int

const (
	faultOther   faultKind = iota
	faultBusy              // another transaction is in the way: worth trying again
	faultRefused           // a row breaks a constraint: a programming error
)

// Placeholders in statements for what the databases write differently.
const (
	clockCall   = "now_ms()"
	lockCall    = "for_update()"
	newsCall    = "news_base()"    // what the ids of a transaction's news begin with
	settledCall = "news_settled()" // a bound below which no news are added any more
	tablesCall  = "tables()"       // with a name
)

// numbered replaces the n-th "?" of a statement by mark and the number first+n, and
// clockCall by clock.
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
