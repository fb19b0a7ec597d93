// Package testdb creates SQLite databases for tests. The schema is created once per test binary and
// copied: creating it takes longer than most tests, above all under the race detector.
package testdb

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// Open opens a new store, which ends with the test. It does not wait for the disk, which makes no
// difference to what a process sees.
func Open(t testing.TB) store.Store {
	t.Helper()
	empty, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(path, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// migrated is a database with the schema and nothing else.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "testdb")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "empty.db")
	db, err := open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil { // moves the log into the file
		return nil, err
	}
	return os.ReadFile(path)
})

func open(ctx context.Context, path string) (*sqldb.DB, error) {
	return sqldb.Open(ctx, "sqlite:"+path+"?synchronous=normal", sqldb.Options{})
}
