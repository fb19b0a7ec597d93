package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/askgate/askgate/gateway/store"
)

// lastCommits are the last commits that open tables from before the first change, each for tables
// up to a version.
var lastCommits = []struct {
	version int64
	commit  string
}{{35, "bb0ec122"}, {36, "938e5b28"}, {37, "62179b0e"}}

// refuse fails if the tables are newer than this build, or from before the first change, and, unless
// a copy is at work, if a copy has marked the store. It changes nothing.
func (d *handle) refuse(ctx context.Context) error {
	version, mark, err := d.versionOf(ctx)
	first, last := d.schema.changes[0].version, d.schema.version()
	switch {
	case err != nil || version == 0:
		return err
	case first <= version && version <= last && d.copying:
		return nil
	case first <= version && version <= last:
		return d.openMark(mark)
	}
	return fmt.Errorf("%w: %s: its tables have version %d, but this build opens versions %d to %d; start %s, or name a new store with --store",
		store.ErrUnavailable, d.place, version, first, last, opener(version))
}

// opener names the build that opens tables of another version.
func opener(version int64) string {
	for _, last := range lastCommits {
		if version <= last.version {
			return "a build of commit " + last.commit + ", the last one that opens them"
		}
	}
	return "the newer build that made them"
}

// migrateUp makes the missing changes, each in one transaction, and reports whether there were
// any.
func migrateUp(ctx context.Context, dialect goose.Dialect, folder string, pool *sql.DB, s *schema) (bool, error) {
	list := make([]*goose.Migration, len(s.changes))
	for i, c := range s.changes {
		list[i] = goose.NewGoMigration(c.version, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			for _, name := range c.files {
				text, err := fs.ReadFile(s.files, "migrations/"+folder+"/"+name)
				if err != nil {
					return err
				}
				if _, err := tx.ExecContext(ctx, string(text)); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			return nil
		}}, nil)
	}
	p, err := goose.NewProvider(dialect, pool, nil, goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(list...))
	if err != nil {
		return false, err
	}
	done, err := p.Up(ctx)
	return len(done) > 0, err
}
