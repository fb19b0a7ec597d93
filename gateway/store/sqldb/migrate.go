package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"fmt"

	"github.com/pressly/goose/v3"

	"github.com/askgate/askgate/gateway/store"
)

//go:embed migrations
var migrations embed.FS

// tablesVersion is that of the tables in migrations/. It rises whenever they change.
const tablesVersion = 37

// lastCommits are the last commits that open tables of earlier versions, each for those up to its own.
var lastCommits = []struct {
	version int64
	commit  string
}{{35, "bb0ec122"}, {36, "938e5b28"}}

// The versions that a database has are in goose's table.
const (
	hasVersions = `SELECT count(*) FROM ` + tablesCall + ` WHERE name = 'goose_db_version'`
	ownVersion  = `SELECT coalesce(max(version_id), 0) FROM goose_db_version`
)

// refuse fails where the tables are of another version than this build's. It changes nothing.
func (d *handle) refuse(ctx context.Context) error {
	var version int64 // 0: there are no tables yet
	err := d.read(ctx, func(s session) error {
		version = 0
		tables := 0
		if _, err := one(s, func(scan scanner) error { return scan(&tables) }, hasVersions); err != nil || tables == 0 {
			return err
		}
		_, err := one(s, func(scan scanner) error { return scan(&version) }, ownVersion)
		return err
	})
	if err != nil || version == 0 || version == tablesVersion {
		return err
	}
	return fmt.Errorf("%w: %s: its tables have version %d, but this build opens only version %d; start %s, or name a new store with --store",
		store.ErrUnavailable, d.place, version, tablesVersion, opener(version))
}

// opener is the build that opens tables of another version.
func opener(version int64) string {
	for _, last := range lastCommits {
		if version <= last.version {
			return "a build of commit " + last.commit + ", the last one that opens them"
		}
	}
	return "the newer build that made them"
}

// migrate makes the tables in an empty database.
func (d *DB) migrate(ctx context.Context) error {
	made, err := d.h.database.migrate(ctx)
	if err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	if d.migrated = made; made {
		d.h.logger.Info("store migrated", "store", d.h.place, "version", tablesVersion)
	}
	return nil
}

// migrateUp makes what is missing, in one transaction, and says whether anything was.
func migrateUp(ctx context.Context, dialect goose.Dialect, folder string, pool *sql.DB) (bool, error) {
	tables := &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		for _, name := range []string{"tables.sql", "stored.sql"} {
			text, err := migrations.ReadFile("migrations/" + folder + "/" + name)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, string(text)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	}}
	p, err := goose.NewProvider(dialect, pool, nil, goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(goose.NewGoMigration(tablesVersion, tables, nil)))
	if err != nil {
		return false, err
	}
	done, err := p.Up(ctx)
	return len(done) > 0, err
}
