package sqldb_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// ofVersion is a store that another build made, with that build's version and one more table.
var ofVersion = []string{
	"CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id BIGINT NOT NULL, is_applied BOOLEAN NOT NULL)",
	"INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (1, 0, TRUE), (2, 1, TRUE), (3, %d, TRUE)",
	"CREATE TABLE turns (id INTEGER PRIMARY KEY)",
	"INSERT INTO turns VALUES (7)",
}

func makeVersion(t *testing.T, u string, version int) {
	t.Helper()
	do := func(statement string) { run(t, separate(t, u), statement) }
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

// all returns the entire content of a database: the bytes of the file, or the rows of each table
// with the transaction that wrote them.
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
	if err := separate(t, u).QueryRow(t.Context(), `SELECT string_agg(tablename || query_to_xml('SELECT xmin, * FROM ' || tablename, TRUE, TRUE, '')::text, '' ORDER BY tablename)
		FROM pg_tables WHERE schemaname = current_schema()`).Scan(&content); err != nil {
		t.Fatal(err)
	}
	return content
}

// sums are those of the migrations' files, SHA-256.
var sums = map[string]string{
	"postgres/tables.sql":  "9dde49d0eaa0c5247f1a33cd5af0b9fc233a040311f93275b6ed3eb65dc774a5",
	"postgres/stored.sql":  "75ebff1353f2f9e6fcbcb259156940d59e5ce4d8dfdab3591d6a4f48002a4aaa",
	"postgres/callers.sql": "341a7931f8d2da66e1a389a5076c3349a699b43705e828ab805cb1351c1b9635",
	"sqlite/callers.sql":   "9a36d644d9d3e8a58d61154ad1cb7b2e3d8ae19dc2c877bd5e2ab0c35fde15ea",
	"sqlite/tables.sql":    "e4cb2b37c9daa31d8fcfada0603f9dadb964e60443a55e44a2c0433d5860e36b",
	"sqlite/stored.sql":    "9a64ccf67304f7cd875252da91c3983f8e1b5f8e0e9864bc4254e1292b4f0fb4",

	"postgres/decisions.sql": "8661ce392a86d9dcaf914f21f6170cbfaf7daae40eb85d4e8b8442e6591a677c",
	"sqlite/decisions.sql":   "e31e41d26b13a8ee56d8558b5a7c5373bab15a842f442057b0d2b99d9c0729ff",

	"postgres/waited.sql": "28fb97297a5e5e5fcb0ef46c219c997bb774f5985ec0f90a04036d801685eb73",
	"sqlite/waited.sql":   "9c106c18a7595ff4c332d7c0422af7edfcbfbbefc4b887817fd5c93302f00a05",

	"postgres/notices.sql": "58dbb8af32d457294b34ce47d532fb147b41a825ec0e2bc7873afbe2f44464ff",
	"sqlite/notices.sql":   "19a816e6897c3a99e39cd2a0f47f8d363df1da6125b4b937b7ad7bc423882aac",

	"postgres/escalated.sql": "38114307b6798b8569e4c9754eb0b318c16c44920cec486994f500ef53fd70ac",
	"sqlite/escalated.sql":   "d5b3bd337e360882e9418119726e623f668344e1ffbfc4d8b9f5d7d2be3b32c6",

	"postgres/deleted.sql": "de087c393b97baf5b0aaef23c0feb274181e49e16072bbd93c2373ce0341c586",
	"sqlite/deleted.sql":   "a84b3d4d8c2002e07eab119e8a69aac68226b9e0ed07090e60c52f0acd2ee1b5",

	"postgres/folders.sql": "ecbbf45223093b8385870adaa8e74b8beeb224e7ccade190694152e48ece7788",
	"sqlite/folders.sql":   "59ab7e0a385494046e52d639793045b1df90b3efe9beab68400a1525aa9ae25f",

	"postgres/due.sql": "37166402a8f2871ea6241d2709b74fa6fea9bffaa70b388b4841f609035633f7",
	"sqlite/due.sql":   "90afa3514b1b4a87313e6703fcc46c2c6d04bbc053e67cf49874d9fbaa21f354",

	"postgres/asked.sql": "7eb4bb20660571e4dbe45f82a88a538f547024682d6040f47b2497be58ac7e61",
	"sqlite/asked.sql":   "c0df1d64ce1ad308428d24f1ed3e2d25ba0836382dc83920c780e0c975d576f1",

	"postgres/told.sql": "ef57ac815e198f0be63ad85a26ceacb5ce1240fca05643099e7d2c5bff5901d7",
	"sqlite/told.sql":   "99f431017392a5df3a3c3c28d82faea8cd00f03783d710eb5c68ab31b0a370aa",

	"postgres/counts.sql": "724d491320473550fe234ea854b37fa44119fec9da6b1562859bfba192c72ffa",
	"sqlite/counts.sql":   "8320c4a9f27d517d0eafc22225401fcca7363b6ac23aed298696ef49783a9d57",
}

// TestTheTablesAreFrozen: databases have been created by these files, and are not created again.
func TestTheTablesAreFrozen(t *testing.T) {
	files, names := sqldb.Frozen()
	var listed []string
	for _, folder := range []string{"postgres", "sqlite"} {
		for _, name := range names {
			path := folder + "/" + name
			listed = append(listed, path)
			data, err := fs.ReadFile(files, "migrations/"+path)
			if err != nil {
				t.Fatal(err)
			}
			if sum := fmt.Sprintf("%x", sha256.Sum256(data)); sums[path] == "" {
				t.Errorf("%s is new: it is frozen with the release that it is in, by this line in sums:\n%q: %q,", path, path, sum)
			} else if sums[path] != sum {
				t.Errorf("%s was changed, but databases that it has created do not change with it. Revert the change, and make it in a new file, at the end of tables (schema.go): see \"Change the storage\" in CONTRIBUTING.md. Its sum is now %s", path, sum)
			}
		}
	}
	found, err := fs.Glob(files, "migrations/*/*")
	if err != nil || len(found) != len(listed) || len(sums) != len(listed) {
		t.Errorf("there are %d files and %d sums, but tables has %s", len(found), len(sums), listed)
	}
}

// TestAnOlderDatabaseIsMigrated by a newer build, while a node of the older one is running. Once
// that has ended, it cannot start again.
func TestAnOlderDatabaseIsMigrated(t *testing.T) {
	onEach(t, func(t *testing.T, u string) {
		older := open(t, u)
		say := func(d *sqldb.DB, chatID string) {
			t.Helper()
			if err := d.Update(t.Context(), ref(chatID), func(tx store.Tx) error {
				tx.Conversation().Fence++
				return tx.AppendMessage(chat.Message{ID: chat.NewID("msg"), TurnID: "trn", Fence: 1, Role: chat.RoleUser, Content: "hi"})
			}); err != nil {
				t.Error(err)
			}
		}
		say(older, "before")
		later := sqldb.Later("ALTER TABLE messages ADD COLUMN mood integer NOT NULL DEFAULT 0; ALTER TABLE conversations ADD COLUMN mood integer NOT NULL DEFAULT 0;")
		newer, err := sqldb.Open(t.Context(), u, later)
		if err != nil {
			t.Fatal(err)
		}
		defer newer.Close()
		for _, d := range []*sqldb.DB{older, newer, older} {
			for _, id := range []string{"before", "after"} {
				say(d, id)
				if view, err := d.View(t.Context(), ref(id)); err != nil || len(view.Messages) == 0 {
					t.Errorf("%s: %+v, %v", id, view, err)
				}
			}
		}
		if _, err := sqldb.Open(t.Context(), u, sqldb.Options{}); err == nil || !strings.Contains(err.Error(), "the newer build that made them") {
			t.Errorf("the older build opens it: %v", err)
		}
	})
}

// TestTablesOfAnotherVersionAreRefused, and left unchanged; the error names the version that opens
// them.
func TestTablesOfAnotherVersionAreRefused(t *testing.T) {
	for version, opens := range map[int]string{1: "commit bb0ec122", 35: "commit bb0ec122", 36: "commit 938e5b28", 37: "commit 62179b0e", int(sqldb.TablesVersion()) + 1: "the newer build", 999: "the newer build"} {
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
							t.Errorf("%s does not contain %q: %v", what, part, err)
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
