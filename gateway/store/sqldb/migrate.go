package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// migrate brings the tables up to date. It leaves tables newer than this build unchanged, so
// that an older node can go on while a newer one starts.
func (d *DB) migrate(ctx context.Context) error {
	done, err := d.database.migrate(ctx)
	if err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	for _, m := range done {
		d.migrated = append(d.migrated, strings.TrimSuffix(filepath.Base(m.Source.Path), ".sql"))
	}
	if len(done) > 0 {
		d.logger.Info("store migrated", "store", d.place, "version", done[len(done)-1].Source.Version)
	}
	return nil
}

// provider is goose with the migrations of a folder.
func provider(dialect goose.Dialect, folder string, pool *sql.DB, options ...goose.ProviderOption) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations/"+folder)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, pool, files, append(options, goose.WithDisableGlobalRegistry(true))...)
}
