package sqldb_test

import (
	"context"
	"crypto/rand"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/store/storetest"
)

func open(t testing.TB, url string) *sqldb.DB {
	t.Helper()
	d, err := sqldb.Open(t.Context(), url, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// urls creates the URL of an empty store of a test's own, by the name of the database. A test that
// needs PostgreSQL is skipped if there is none.
func urls() map[string]func(t testing.TB) string {
	return map[string]func(t testing.TB) string{
		"SQLite":     func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "chats.db") },
		"PostgreSQL": postgresURL,
	}
}

// onEach runs a test on an empty store of each database, in parallel with other tests, because they
// wait for the disk.
func onEach(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Parallel()
	for name, newURL := range urls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newURL(t))
		})
	}
}

// postgresURL names a schema of the test's own, which is dropped when the test ends.
func postgresURL(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(testenv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	schema := "askgate_test_" + strings.ToLower(rand.Text())
	admin := separate(t, u.String())
	run(t, admin, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { run(t, admin, "DROP SCHEMA "+schema+" CASCADE") })
	params := u.Query()
	params.Set("search_path", schema)
	params.Set("pool_max_conns", "4")
	u.RawQuery = params.Encode()
	return u.String()
}

// separate is a connection to the store's database that is not the store's.
func separate(t testing.TB, rawURL string) *pgx.Conn {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	params := u.Query()
	params.Del("pool_max_conns")
	u.RawQuery = params.Encode()
	conn, err := pgx.Connect(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

func run(t testing.TB, conn *pgx.Conn, statement string) {
	t.Helper()
	if _, err := conn.Exec(context.WithoutCancel(t.Context()), statement); err != nil {
		t.Fatal(err)
	}
}

func TestStore(t *testing.T) {
	for name, newURL := range urls() {
		t.Run(name, func(t *testing.T) {
			u := newURL(t) // skips them all at once, not each
			if name == "PostgreSQL" {
				newURL = (&schemas{t: t, free: []string{u}}).lend
			}
			var opened sync.Map // the URL of each store
			storetest.Run(t, storetest.Backend{
				Open: func(t *testing.T) store.Store {
					u := newURL(t)
					s := open(t, u)
					opened.Store(s, u)
					return s
				},
				Reopen: func(t *testing.T, old store.Store) store.Store {
					if err := old.Close(); err != nil {
						t.Fatal(err)
					}
					u, _ := opened.Load(old)
					return open(t, u.(string))
				},
			})
		})
	}
}

// schemas are those of a test, lent to one of its subtests at a time: creating the tables takes
// longer than most of these.
type schemas struct {
	t    *testing.T
	mu   sync.Mutex
	free []string // URLs
}

func (s *schemas) lend(t testing.TB) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var u string
	if n := len(s.free); n > 0 {
		u, s.free = s.free[n-1], s.free[:n-1]
	} else {
		u = postgresURL(s.t)
	}
	admin := separate(t, u)
	t.Cleanup(func() { // once the test has closed its store
		run(t, admin, `SET session_replication_role = replica; -- no triggers
			DO $$ DECLARE name text; BEGIN
				FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'goose_db_version' LOOP
					EXECUTE 'DELETE FROM ' || name;
				END LOOP;
			END $$`)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free = append(s.free, u)
	})
	return u
}
