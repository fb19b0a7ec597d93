package storecopy_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/store/storecopy"
)

// ways are the pairs of databases, by name. Each makes the URL of an empty store.
func ways() map[string][2]func(t testing.TB) string {
	return map[string][2]func(t testing.TB) string{
		"SQLite to PostgreSQL":     {sqliteURL, postgresURL},
		"PostgreSQL to SQLite":     {postgresURL, sqliteURL},
		"SQLite to SQLite":         {sqliteURL, sqliteURL},
		"PostgreSQL to PostgreSQL": {postgresURL, postgresURL},
	}
}

// onEach runs a test on each pair of databases.
func onEach(t *testing.T, test func(t *testing.T, from, to func(t testing.TB) string)) {
	t.Helper()
	t.Parallel()
	for name, way := range ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, way[0], way[1])
		})
	}
}

func sqliteURL(t testing.TB) string {
	return "sqlite:" + filepath.Join(t.TempDir(), "chats.db") + "?synchronous=normal"
}

// postgresURL names a schema of the test's own.
func postgresURL(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(testenv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	schema := "askgate_copy_" + strings.ToLower(rand.Text())
	admin := separate(t, u.String())
	run(t, admin, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { run(t, admin, "DROP SCHEMA "+schema+" CASCADE") })
	params := u.Query()
	params.Set("search_path", schema)
	u.RawQuery = params.Encode()
	return u.String()
}

// separate opens a connection of its own to a store's database.
func separate(t testing.TB, rawURL string) *sql.DB {
	t.Helper()
	driver, name := "pgx", rawURL
	if path, ok := strings.CutPrefix(rawURL, "sqlite:"); ok {
		driver = "sqlite"
		name, _, _ = strings.Cut(path, "?")
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(context.WithoutCancel(t.Context()), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func open(t testing.TB, url string) *sqldb.DB {
	t.Helper()
	d, err := sqldb.Open(context.WithoutCancel(t.Context()), url, sqldb.Options{AuditSecrets: secrets})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

const secret = "a secret of at least thirty-two bytes"

func secrets() []string { return []string{secret} }

func options(from, to string) storecopy.Options {
	return storecopy.Options{From: from, To: to, AuditSecrets: secrets()}
}

// mustCopy copies a store.
func mustCopy(t testing.TB, from, to string) *storecopy.Report {
	t.Helper()
	report, err := storecopy.Copy(context.WithoutCancel(t.Context()), options(from, to))
	if err != nil {
		t.Fatalf("Copy: %v", err)
	}
	return report
}

// wantClosed fails the test if a gateway could start on a store.
func wantClosed(t testing.TB, url string, says ...string) {
	t.Helper()
	for what, open := range map[string]func() error{
		"Open":    func() error { return opens(t, url) },
		"Migrate": func() error { _, err := sqldb.Migrate(context.WithoutCancel(t.Context()), url); return err },
		"Try":     func() error { return sqldb.Try(context.WithoutCancel(t.Context()), url) },
	} {
		err := open()
		if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, sqldb.ErrAway) {
			t.Errorf("%s of a store that must be closed: %v", what, err)
			continue
		}
		for _, part := range says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s does not say %q: %v", what, part, err)
			}
		}
	}
}

// opens returns the error of a gateway's start.
func opens(t testing.TB, url string) error {
	d, err := sqldb.Open(context.WithoutCancel(t.Context()), url, sqldb.Options{})
	if err == nil {
		_ = d.Close()
	}
	return err
}

func wantError(t testing.TB, err error, says ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; want one that says %q", says)
		return
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}

// dump returns the rows of all tables of a store but those that are not copied, sorted, alike in
// both databases. It shares no code with what is tested.
func dump(t testing.TB, rawURL string) map[string][]string {
	t.Helper()
	db := separate(t, rawURL)
	defer db.Close()
	ctx := context.WithoutCancel(t.Context())
	list := `SELECT name FROM sqlite_schema WHERE type = 'table'`
	if !strings.HasPrefix(rawURL, "sqlite:") {
		list = `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`
	}
	names := column(t, db, list)
	_, not := storecopy.Tables()
	tables := map[string][]string{}
	for _, name := range names {
		if slices.Contains(not, name) {
			continue
		}
		text := `SELECT * FROM ` + name
		switch name {
		case "stored":
			text = `SELECT tenant, subject, CAST(sum(bytes) AS bigint) AS bytes FROM stored GROUP BY tenant, subject HAVING sum(bytes) <> 0`
		case "pending_counts":
			text = `SELECT app, CAST(sum(pending) AS bigint) AS pending, CAST(sum(unseen) AS bigint) AS unseen FROM pending_counts GROUP BY app HAVING sum(pending) <> 0`
		}
		func() {
			rows, err := db.QueryContext(ctx, text)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			columns, err := rows.Columns()
			if err != nil {
				t.Fatal(err)
			}
			tables[name] = []string{}
			for rows.Next() {
				values, into := make([]any, len(columns)), make([]any, len(columns))
				for i := range values {
					into[i] = &values[i]
				}
				if err := rows.Scan(into...); err != nil {
					t.Fatal(err)
				}
				byName := map[string]string{}
				for i, value := range values {
					switch v := value.(type) {
					case []byte:
						value = string(v)
					case bool:
						value = map[bool]int64{true: 1}[v]
					}
					byName[columns[i]] = fmt.Sprintf("%T %#v", value, value)
				}
				var line strings.Builder
				for _, name := range slices.Sorted(maps.Keys(byName)) {
					line.WriteString(name + "=" + byName[name] + " ")
				}
				tables[name] = append(tables[name], line.String())
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
		}()
		slices.Sort(tables[name])
	}
	return tables
}

// column returns the texts of a query's only column.
func column(t testing.TB, db *sql.DB, text string) (list []string) {
	t.Helper()
	rows, err := db.QueryContext(context.WithoutCancel(t.Context()), text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// wantSame compares two stores by what dump says of them.
func wantSame(t testing.TB, was map[string][]string, to string) {
	t.Helper()
	is := dump(t, to)
	if len(was) != len(is) {
		t.Errorf("the source has %d tables, the copy %d", len(was), len(is))
	}
	for name, rows := range was {
		if !slices.Equal(rows, is[name]) {
			t.Errorf("%s:\nsource: %d rows %.2000q\ncopy:   %d rows %.2000q", name, len(rows), rows, len(is[name]), is[name])
		}
	}
}
