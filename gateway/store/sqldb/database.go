package sqldb

import (
	"context"
	"database/sql/driver"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/store"
)

// database covers what differs between SQLite and PostgreSQL. Its errors are the driver's or the
// context's; errors of fn are returned unchanged.
type database interface {
	// write runs fn in a transaction that is rolled back if fn fails or panics. A lazy commit does
	// not wait for the disk. fn may run again. errUnknown means that the transaction may have been
	// committed.
	write(ctx context.Context, lazy bool, fn func(s session) error) error
	// soon ensures that lazy commits reach the disk within about half a second.
	soon()
	// read runs fn. Each of its statements sees what is committed when it runs. fn may run again.
	read(ctx context.Context, fn func(s session) error) error
	// snapshot is read, except that all statements of fn see the same committed state.
	snapshot(ctx context.Context, fn func(s session) error) error
	// remote reports that the database is on a server: it has a clock of its own, and may be
	// unreachable.
	remote() bool
	// clock prepends the time to a statement's arguments, if the database has no clock of its own.
	clock(args []any) []any
	// tidy drops records of old commits that are no longer needed.
	tidy(ctx context.Context) error
	// erased is called after a deletion that must leave no trace in the files.
	erased(ctx context.Context)
	// lost returns the reason why writes would now be lost, or nil.
	lost() error
	// migrate makes the changes that the tables lack, and reports whether there were any.
	migrate(ctx context.Context, s *schema) (made bool, err error)
	// fault classifies an error of the driver.
	fault(err error) fault
	close() error
}

// session is a connection for one write, read or snapshot. Its statements fail once the caller's
// context ends.
type session interface {
	// exec runs a statement and returns the number of rows it changed.
	exec(query string, args ...any) (int64, error)
	// each runs queries and calls each query's row function for each of its rows.
	each(queries ...query) error
	// later queues a statement, to run before the next exec or each, or with the commit.
	later(query string, args ...any)
	// first queues a statement ahead of all queued ones.
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

// one calls row for the only row of a query. found is false if there is none.
func one(s session, row func(scan scanner) error, text string, args ...any) (found bool, err error) {
	err = s.each(rows(func(scan scanner) error {
		found = true
		return row(scan)
	}, text, args...))
	return found, err
}

// must turns the result of one into store.ErrNotFound if there was no row.
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

// queue holds the statements that later and first have put off.
type queue []statement

func (q *queue) later(text string, args ...any) { *q = append(*q, statement{text, args}) }

func (q *queue) first(text string, args ...any) { *q = slices.Insert(*q, 0, statement{text, args}) }

// take empties the queue.
func (q *queue) take() []statement {
	taken := *q
	*q = nil
	return taken
}

// fault classifies a driver's error.
type fault struct {
	kind faultKind
	hint string // what an operator can do; "" if unknown
}

type faultKind int

const (
	faultOther   faultKind = iota
	faultBusy              // another transaction is in the way: worth trying again
	faultRefused           // a row breaks a constraint: a programming error
)

// These placeholders in statements cover what the databases write differently.
const (
	clockCall   = "now_ms()"
	lockCall    = "for_update()"
	newsCall    = "news_base()"    // the number with which the ids of a transaction's news begin
	settledCall = "news_settled()" // a bound below which no more news are added
	aheadCall   = "news_ahead()"   // a bound that no news of this database has reached
	tablesCall  = "tables()"       // with a name
	ownerCall   = "by_ownerless()" // after a table: SQLite, which takes an equality for better, is told which index is
	amongCall   = "among(?)"       // whether the value before it is one of a list
)

// texts are the argument of amongCall. PostgreSQL takes them as an array, SQLite as JSON.
type texts []string

// Value implements driver.Valuer.
func (t texts) Value() (driver.Value, error) { return toJSON([]string(t)) }

// numbered replaces the n-th "?" of a statement with mark and the number first+n, and clockCall
// with clock.
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
