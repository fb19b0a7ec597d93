package sqldb

import (
	"context"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing/fstest"
	"time"
)

// TablesVersion is the version of this build's tables.
func TablesVersion() int64 { return tables.version() }

// Frozen lists the files of all changes.
func Frozen() (files fs.FS, names []string) {
	for _, c := range tables.changes {
		names = append(names, c.files...)
	}
	return tables.files, names
}

// Later returns the options of the next build, which makes one more change.
func Later(text string) Options {
	files := fstest.MapFS{}
	for _, folder := range []string{"sqlite", "postgres"} {
		_, names := Frozen()
		for _, name := range names {
			path := "migrations/" + folder + "/" + name
			data, _ := fs.ReadFile(tables.files, path)
			files[path] = &fstest.MapFile{Data: data}
		}
		files["migrations/"+folder+"/later.sql"] = &fstest.MapFile{Data: []byte(text)}
	}
	return Options{schema: &schema{files, append(slices.Clone(tables.changes), change{TablesVersion() + 1, []string{"later.sql"}})}}
}

// Pragma runs a statement on the writer's connection.
func (d *DB) Pragma(ctx context.Context, statement string) error {
	own := d.h.database.(*sqliteDB)
	return own.writer.use(ctx, func(s *sqliteSession) error {
		own.commit(s)
		_, err := one(s, func(scanner) error { return nil }, statement)
		return err
	})
}

// Rows scans the rows of a statement into to, the last one last.
func (d *DB) Rows(ctx context.Context, statement string, to ...any) error {
	return d.h.read(ctx, func(s session) error {
		return s.each(rows(func(scan scanner) error { return scan(to...) }, statement))
	})
}

// Commits counts the transactions that changed something, or could have.
func (d *DB) Commits() int64 { return d.h.database.(*sqliteDB).log.commits.Load() }

// URL opens the same file again.
func (d *DB) URL() string { return sqliteScheme + d.h.place }

// FailWrites simulates that many writes that failed in a row.
func (d *DB) FailWrites(n int64) { d.h.failed.Store(n) }

// everyStatement returns all of q and forgets, by name.
func everyStatement() map[string]string {
	texts := make(map[string]string)
	for _, v := range []reflect.Value{reflect.ValueOf(q), reflect.ValueOf(forgets)} {
		for _, f := range reflect.VisibleFields(v.Type()) {
			if !f.Anonymous {
				texts[f.Name] = v.FieldByIndex(f.Index).String()
			}
		}
	}
	return texts
}

// Plans returns SQLite's plan for each statement.
func (d *DB) Plans(ctx context.Context) (map[string][]string, error) {
	plans := make(map[string][]string)
	for name, text := range everyStatement() {
		err := d.h.read(ctx, func(s session) error {
			return s.each(rows(func(scan scanner) error {
				var id, parent, unused int
				var detail string
				err := scan(&id, &parent, &unused, &detail)
				plans[name] = append(plans[name], detail)
				return err
			}, "EXPLAIN QUERY PLAN "+text, make([]any, countArgs(text))...))
		})
		if err != nil {
			return nil, err
		}
	}
	return plans, nil
}

// Writes counts the trees, of the table and of its indexes, that SQLite may write to for a statement.
func (d *DB) Writes(ctx context.Context, name string) (trees int, err error) {
	opened := map[int]bool{}
	text := everyStatement()[name]
	err = d.h.read(ctx, func(s session) error {
		return s.each(rows(func(scan scanner) error {
			var address, p1, p2, p3 int
			var op string
			var p4, p5, comment any
			if err := scan(&address, &op, &p1, &p2, &p3, &p4, &p5, &comment); err != nil {
				return err
			}
			if op == "IdxInsert" || op == "Insert" {
				opened[p1] = true
			}
			return nil
		}, "EXPLAIN "+text, make([]any, countArgs(text))...))
	})
	return len(opened), err
}

// PostgresTexts are the statements in PostgreSQL's syntax.
func PostgresTexts() map[string]string {
	texts := everyStatement()
	for name, text := range texts {
		texts[name] = new(postgres).text(text)
	}
	return texts
}

func countArgs(text string) int {
	return strings.Count(text, "?") + min(strings.Count(text, clockCall)+strings.Count(text, newsCall), 1)
}

// SetLockWait shortens the wait for other processes.
func (d *DB) SetLockWait(wait time.Duration) { d.h.database.(*sqliteDB).lockWait = wait }

// SetOutcomeWait shortens the time for which a commit whose reply was lost is looked up.
func (d *DB) SetOutcomeWait(wait time.Duration) { d.h.database.(*postgres).outcomeWait = wait }

// WriteMark and TakeMark are the statements that mark a commit, and look one up.
const (
	WriteMark = writeMark
	TakeMark  = takeMark
)
