package sqldb_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// ofVersion is a store that another build made, with what it says of itself and one more table.
var ofVersion = []string{
	"CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id BIGINT NOT NULL, is_applied BOOLEAN NOT NULL)",
	"INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (1, 0, TRUE), (2, 1, TRUE), (3, %d, TRUE)",
	"CREATE TABLE turns (id INTEGER PRIMARY KEY)",
	"INSERT INTO turns VALUES (7)",
}

func makeVersion(t *testing.T, u string, version int) {
	t.Helper()
	do := func(statement string) { run(t, beside(t, u), statement) }
	if path, ok := strings.CutPrefix(u, "sqlite:"); ok {
		made, err := sql.Open("sqlite", path+"?_journal_mode=WAL")
		if err != nil {
			t.Fatal(err)
		}
		defer made.Close()
		do = func(statement string) {
			if _, err := made.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, statement := range ofVersion {
		do(strings.Replace(statement, "%d", strconv.Itoa(version), 1))
	}
}

// all is everything that a database has: the bytes of the file, or the rows of each table with who wrote them.
func all(t *testing.T, u string) string {
	t.Helper()
	var content string
	path, ok := strings.CutPrefix(u, "sqlite:")
	if ok {
		files, err := filepath.Glob(path + "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			content += filepath.Base(name) + string(data)
		}
		return content
	}
	if err := beside(t, u).QueryRow(t.Context(), `SELECT string_agg(tablename || query_to_xml('SELECT xmin, * FROM ' || tablename, TRUE, TRUE, '')::text, '' ORDER BY tablename)
		FROM pg_tables WHERE schemaname = current_schema()`).Scan(&content); err != nil {
		t.Fatal(err)
	}
	return content
}

// TestTablesOfAnotherVersionAreRefused, and left as they are; the fault says what opens them.
func TestTablesOfAnotherVersionAreRefused(t *testing.T) {
	for version, opens := range map[int]string{1: "commit bb0ec122", 35: "commit bb0ec122", 36: "commit 938e5b28", 38: "the newer build", 999: "the newer build"} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			onEach(t, func(t *testing.T, u string) {
				makeVersion(t, u, version)
				before := all(t, u)
				for what, open := range map[string]func() error{
					"Open":    func() error { _, err := sqldb.Open(t.Context(), u, sqldb.Options{}); return err },
					"Migrate": func() error { _, err := sqldb.Migrate(t.Context(), u); return err },
					"Try":     func() error { return sqldb.Try(t.Context(), u) },
				} {
					err := open()
					if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, sqldb.ErrAway) || strings.Contains(err.Error(), "reached") {
						t.Errorf("%s: %v", what, err)
						continue
					}
					for _, part := range []string{fmt.Sprintf("its tables have version %d", version), opens, "--store"} {
						if !strings.Contains(err.Error(), part) {
							t.Errorf("%s does not say %q: %v", what, part, err)
						}
					}
					if all(t, u) != before {
						t.Errorf("%s changed it", what)
					}
				}
			})
		})
	}
}
