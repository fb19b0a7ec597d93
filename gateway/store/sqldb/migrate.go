package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// migrateTries allows for other processes that migrate the same file at the same
// time: each migration is one transaction, so the one that comes second fails
// whole, and finds it done when it looks again.
const migrateTries = 5

// migrate brings the tables up to date. Tables newer than this build are left as
// they are, so that an older node can go on while a newer one starts.
func (d *DB) migrate(ctx context.Context) error {
	provider, err := d.dialect.provider(d.pool)
	if err != nil {
		return err
	}
	var done []*goose.MigrationResult
	for try := 1; ; try++ {
		err = d.retry(ctx, func() error { done, err = provider.Up(ctx); return err })
		if err == nil || try == migrateTries || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	if len(done) > 0 {
		d.logger.Info("store migrated", "store", d.place, "version", done[len(done)-1].Source.Version)
	}
	return nil
}

// provider knows the migrations of a dialect.
func (d dialect) provider(pool *sql.DB) (*goose.Provider, error) {
	folder, err := fs.Sub(migrations, d.migrations)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(d.goose, pool, folder, goose.WithDisableGlobalRegistry(true))
}
