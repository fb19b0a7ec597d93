package sqldb

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Raw reads and writes rows as they are, for askgate copy. Statements are in the SQL that both
// databases share, with "?" for arguments, or in that of the database itself. Values are int64,
// bool (PostgreSQL), string, []byte or nil. It is safe for concurrent use.
type Raw struct{ h *handle }

// Raw returns the store's rows. Only a DB that was opened with Copying should be written to.
func (d *DB) Raw() Raw { return Raw{d.h} }

// Place names the file or database for people.
func (r Raw) Place() string { return r.h.place }

// Postgres reports that the database is PostgreSQL and not SQLite.
func (r Raw) Postgres() bool { return r.h.database.remote() }

// Version returns the version of the tables, 0 if there are none, and the store's mark.
func (r Raw) Version(ctx context.Context) (version int64, mark Mark, err error) {
	return r.h.versionOf(ctx)
}

// Newest returns the version of this build's tables.
func (r Raw) Newest() int64 { return r.h.schema.version() }

// Read returns the rows of a query, each with that many columns.
func (r Raw) Read(ctx context.Context, columns int, text string, args ...any) (list [][]any, err error) {
	err = r.h.read(ctx, func(s session) (err error) {
		list, err = readRaw(s, columns, text, args...)
		return err
	})
	return list, err
}

// Write runs fn in a transaction. fn may run again; an error of fn rolls back and is returned.
func (r Raw) Write(ctx context.Context, fn func(t RawTx) error) error {
	return r.h.write(ctx, false, func(s session) error { return fn(RawTx{r.h, s}) })
}

// RawTx is a transaction of Raw.Write.
type RawTx struct {
	h *handle
	s session
}

// Later queues a statement, to run before the next Read or at the end.
func (t RawTx) Later(text string, args ...any) { t.s.later(text, args...) }

// Read is Raw.Read in the transaction.
func (t RawTx) Read(columns int, text string, args ...any) ([][]any, error) {
	list, err := readRaw(t.s, columns, text, args...)
	return list, t.h.fail(err)
}

// Alive returns a node with a lease and how long it still lasts by the store's clock, or "".
func (t RawTx) Alive() (node string, left time.Duration, err error) {
	var ms int64
	_, err = one(t.s, func(scan scanner) error { return scan(&node, &ms) }, aliveNode, t.h.atNow()...)
	return node, time.Duration(ms) * time.Millisecond, t.h.fail(err)
}

// ErrMarkChanged means that a store does not have the mark that it had: another askgate copy is at
// work.
var ErrMarkChanged = errors.New("another askgate copy changed it at the same time; run the command again when that one has ended")

// Hold fails with ErrMarkChanged unless the store has the mark, which then stays until the
// transaction ends.
func (t RawTx) Hold(m Mark) error {
	found, err := one(t.s, func(scan scanner) error { return scan(new(int64)) }, lockMark, int64(m))
	if err == nil && !found {
		return t.changed()
	}
	return t.h.fail(err)
}

func (t RawTx) changed() error { return fmt.Errorf("%s: %w", t.h.place, ErrMarkChanged) }

// Remark replaces a mark, each 0 for none. It fails with ErrMarkChanged if the store has another.
func (t RawTx) Remark(from, to Mark) error {
	if t.h.database.remote() {
		t.s.later(lockMarks)
	}
	var version int64
	var now Mark
	if _, err := one(t.s, func(scan scanner) error { return scan(&version, &now) }, ownVersion, int64(firstMark), int64(firstMark)); err != nil {
		return t.h.fail(err)
	}
	if now != from {
		return t.changed()
	}
	if from != 0 {
		t.s.later(deleteMark, int64(from))
	}
	if to != 0 {
		t.s.later(insertMark, int64(to))
	}
	return nil
}

func readRaw(s session, columns int, text string, args ...any) (list [][]any, err error) {
	err = s.each(rows(func(scan scanner) error {
		values, into := make([]any, columns), make([]any, columns)
		for i := range values {
			into[i] = &values[i]
		}
		list = append(list, values)
		return scan(into...)
	}, text, args...))
	return list, err
}
