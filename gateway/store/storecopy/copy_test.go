package storecopy_test

import (
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/store/storecopy"
)

// TestEveryTableIsCopied or is named as one that is not, by a key that no two rows share.
func TestEveryTableIsCopied(t *testing.T) {
	t.Parallel()
	for name, newURL := range map[string]func(t testing.TB) string{"SQLite": sqliteURL, "PostgreSQL": postgresURL} {
		t.Run(name, func(t *testing.T) {
			u := newURL(t)
			open(t, u)
			keys, not := storecopy.Tables()
			names := column(t, separate(t, u), map[bool]string{true: `SELECT name FROM sqlite_schema WHERE type = 'table'`, false: `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`}[name == "SQLite"])
			if len(names) < 25 {
				t.Errorf("only %d tables", len(names))
			}
			for _, table := range names {
				if (keys[table] != nil) == slices.Contains(not, table) {
					t.Errorf("%s must be in tables or in left", table)
				}
			}
			for table := range keys {
				if !slices.Contains(names, table) {
					t.Errorf("%s is not a table", table)
				}
			}
		})
	}
}

// TestACopyHasEverything: generated chats are in the copy byte for byte, and can be read there; what
// counts up goes on.
func TestACopyHasEverything(t *testing.T) {
	onEach(t, func(t *testing.T, newFrom, newTo func(t testing.TB) string) {
		for seed := range uint64(3) {
			from, to := newFrom(t), newTo(t)
			open := generate(t, from, seed, 12)
			was := dump(t, from)
			for _, name := range []string{"conversations", "messages", "tool_calls", "clarifications", "queue", "audit", "audit_heads", "audit_erased", "memory", "files", "stored", "pending_counts", "keys", "news", "deliveries", "relayed", "said", "instructions", "runs", "folders", "folder_files", "folder_deliveries"} {
				if len(was[name]) == 0 {
					t.Fatalf("seed %d has no rows in %s", seed, name)
				}
			}
			report := mustCopy(t, from, to)
			wantSame(t, was, to)
			if report.Rows["messages"] != int64(len(was["messages"])) || report.Audit.Records != int64(len(was["audit"])) {
				t.Errorf("seed %d: the report has %+v", seed, report)
			}
			wantClosed(t, from, "has copied it", "start the gateway on that store")
			var kept []string
			questions := strings.Join(was["clarifications"], "\n")
			for _, id := range open {
				if strings.Contains(questions, id) { // not erased with its chat
					kept = append(kept, id)
				}
			}
			readable(t, to, kept, int64(len(was["audit"])))
			greatest := greatestIDs(t, from)
			generate(t, to, seed+100, 2) // which writes to every table
			for name, id := range greatestIDs(t, to) {
				if id <= greatest[name] {
					t.Errorf("seed %d: %s continues with %d after %d", seed, name, id, greatest[name])
				}
			}
			readable(t, to, nil, report.Audit.Records+int64(len(dump(t, to)["audit"])-len(was["audit"])))
		}
	})
}

// greatestIDs are the greatest numbers that were ever used, those of erased rows included.
func greatestIDs(t *testing.T, url string) map[string]int64 {
	ids := map[string]int64{}
	counter := `SELECT seq FROM sqlite_sequence WHERE name = 'deliveries'`
	if !strings.HasPrefix(url, "sqlite:") {
		counter = `SELECT last_value FROM deliveries_seq_seq`
	}
	for name, text := range map[string]string{
		"audit":      `SELECT max(id) FROM (SELECT id FROM audit UNION ALL SELECT id FROM audit_erased) AS ids`,
		"deliveries": counter,
		"files":      `SELECT max(seq) FROM files`,
	} {
		var id int64
		if err := separate(t, url).QueryRowContext(t.Context(), text).Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids[name] = id
	}
	return ids
}

// errKilled ends a copy at a step as if its process was killed: nothing after it runs.
var errKilled = errors.New("killed")

// copyUntil copies in small batches and is killed at the first step that kill says.
func copyUntil(t *testing.T, o storecopy.Options, kill func(step string) bool) (last string, err error) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			if p != any(errKilled) {
				panic(p)
			}
			err = errKilled
		}
	}()
	_, err = storecopy.Copy(t.Context(), storecopy.WithSteps(o, 4, func(step string) {
		if last = step; kill(step) {
			panic(errKilled)
		}
	}))
	return last, err
}

// TestKilledAnywhere: a copy that ends at any step, or in the middle of a batch, is finished by the
// same command. At no moment would a gateway start on both stores, once a row is copied.
func TestKilledAnywhere(t *testing.T) {
	onEach(t, func(t *testing.T, newFrom, newTo func(t testing.TB) string) {
		from, to := newFrom(t), newTo(t)
		generate(t, from, 1, 3)
		was := dump(t, from)
		bytes := folders(t, from)
		o := options(from, to)
		o.FilesFrom, o.FilesTo = bytes[0], bytes[1]
		// Each step is killed once. With a server only the steps of some tables are, as connections take long.
		local := strings.HasPrefix(from, "sqlite:") && strings.HasPrefix(to, "sqlite:")
		tables := regexp.MustCompile(` of (conversations|messages|audit|stored)$|^[^ ]+$|marked|copied|check|file$|open$`)
		killed := map[string]bool{}
		kill := func(step string) bool {
			if killed[step] || !local && !tables.MatchString(step) {
				return false
			}
			killed[step] = true
			return true
		}
		for {
			step, err := copyUntil(t, o, kill)
			if !errors.Is(err, errKilled) {
				t.Fatalf("after %s: %v", step, err)
			}
			source, target := opens(t, from), opens(t, to)
			switch step {
			case "opened", "tables", "target marked":
				if source != nil && !killed["source marked"] {
					t.Errorf("%s: the source is closed: %v", step, source)
				}
			case "source copied":
				wantClosed(t, from, "has copied it")
				wantClosed(t, to, "unfinished copy")
			case "target open":
				wantClosed(t, from, "has copied it")
				if target != nil {
					t.Errorf("%s: the copy is closed: %v", step, target)
				}
			case "source marked", "in a batch of audit":
				wantClosed(t, from, "is copying it", "--abandon")
				wantClosed(t, to, "unfinished copy", "same askgate copy")
			default:
				if source == nil || target == nil {
					t.Errorf("%s: the source opens with %v, the target with %v", step, source, target)
				}
			}
			if step == "target open" {
				break
			}
		}
		if least := map[bool]int{true: 60, false: 18}[local]; len(killed) < least {
			t.Errorf("killed at only %d steps: %v", len(killed), killed)
		}
		wantSame(t, was, to)
		for _, id := range fileIDs(t, from) {
			wantBytes(t, bytes[1], id)
		}
		_, err := copyUntil(t, o, func(string) bool { return false })
		wantError(t, err, "copied already", "start the gateway on the copy")
	})
}

// folders are two stores of files; the first has those of a store.
func folders(t *testing.T, from string) (list [2]files.Store) {
	t.Helper()
	for i := range list {
		var err error
		if list[i], err = files.Open(filepath.Join(t.TempDir(), "files")); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range fileIDs(t, from) {
		if _, err := list[0].Put(t.Context(), id, strings.NewReader("bytes of "+id)); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

func wantBytes(t *testing.T, in files.Store, id string) {
	t.Helper()
	r, err := in.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil || string(data) != "bytes of "+id {
		t.Errorf("the file %s: %q, %v", id, data, err)
	}
}

// TestAMissingFileIsNamed, and nothing is opened without it.
func TestAMissingFileIsNamed(t *testing.T) {
	t.Parallel()
	from, to := sqliteURL(t), sqliteURL(t)
	generate(t, from, 1, 3)
	bytes := folders(t, from)
	id := fileIDs(t, from)[0]
	if err := bytes[0].Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	o := options(from, to)
	o.FilesFrom, o.FilesTo = bytes[0], bytes[1]
	_, err := storecopy.Copy(t.Context(), o)
	wantError(t, err, id, "files.store", "omit --files")
	wantClosed(t, to)
	o.FilesTo = nil
	report, err := storecopy.Copy(t.Context(), o)
	if err != nil || report.Uploads == 0 || report.Files != 0 {
		t.Errorf("without the files: %+v, %v", report, err)
	}
}

// TestWhatIsNotCopied is refused with what to do, and nothing is changed.
func TestWhatIsNotCopied(t *testing.T) {
	onEach(t, func(t *testing.T, newFrom, newTo func(t testing.TB) string) {
		from, to := newFrom(t), newTo(t)
		refused := func(from, to string, says ...string) {
			t.Helper()
			_, err := storecopy.Copy(t.Context(), options(from, to))
			wantError(t, err, says...)
		}
		if strings.HasPrefix(from, "sqlite:") {
			refused(from, to, "--from", "there is no such file")
			refused("sqlite:"+filepath.Join(t.TempDir(), "none", "chats.db"), to, "--from", "no such file")
		} else {
			refused(from, to, "--from", "has no tables")
		}
		generate(t, from, 1, 2)
		was := dump(t, from)
		refused(from, from, "same store")
		if strings.HasPrefix(from, "sqlite:") {
			path, _, _ := strings.Cut(strings.TrimPrefix(from, "sqlite:"), "?")
			refused(from, "sqlite://"+path, "rows already")
		}
		refused(from, "mysql://x", "--to", "sqlite:PATH")
		generate(t, to, 2, 1)
		theirs := dump(t, to)
		refused(from, to, "--to", "rows already", "name an empty store")
		wantSame(t, theirs, to)

		newer := newTo(t)
		open(t, newer).Close()
		run(t, separate(t, newer), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, TRUE)")
		refused(from, newer, "--to", "version 999", "the newer build")
		refused(newer, newTo(t), "--from", "version 999", "the newer build")
		for _, url := range []string{from, to} {
			if err := opens(t, url); err != nil {
				t.Errorf("%s: %v", url, err)
			}
		}
		wantSame(t, was, from)
	})
}

// TestAnEmptyStoreIsNotItsOwnCopy: two names of it are noticed, and it stays open.
func TestAnEmptyStoreIsNotItsOwnCopy(t *testing.T) {
	t.Parallel()
	for name, newURL := range map[string]func(t testing.TB) string{"SQLite": sqliteURL, "PostgreSQL": postgresURL} {
		t.Run(name, func(t *testing.T) {
			u := newURL(t)
			open(t, u).Close()
			same := strings.NewReplacer("sqlite:", "sqlite://", "search_path", "application_name=x&search_path").Replace(u)
			_, err := storecopy.Copy(t.Context(), options(u, same))
			wantError(t, err, "same store")
			if err := opens(t, u); err != nil {
				t.Errorf("it is closed: %v", err)
			}
		})
	}
}

// TestACopyThatDiffersStaysClosed: any row, in any table, and a counter.
func TestACopyThatDiffersStaysClosed(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]string{
		"a byte of a message":  `UPDATE messages SET content = content || 'x' WHERE position = 1`,
		"a question":           `UPDATE clarifications SET state = 'expired'`,
		"a row that is gone":   `DELETE FROM memory`,
		"a row too many":       `INSERT INTO meters (name, holder, started, ends, used) VALUES ('zz', 'zz', 1, 1, 1)`,
		"a counter":            `UPDATE sqlite_sequence SET seq = 0 WHERE name = 'deliveries'`,
		"what a person stores": `UPDATE stored SET bytes = bytes + 1`,
	} {
		t.Run(what, func(t *testing.T) {
			from, to := sqliteURL(t), sqliteURL(t)
			generate(t, from, 1, 3)
			run(t, separate(t, from), "UPDATE sqlite_sequence SET seq = seq + 10 WHERE name = 'deliveries'") // as after deletions
			tampered := false
			_, err := storecopy.Copy(t.Context(), storecopy.WithSteps(options(from, to), 0, func(step string) {
				if step != "before the check" {
					return
				}
				db := separate(t, to)
				for _, name := range column(t, db, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'closed_by_askgate_copy%'") {
					run(t, db, "DROP TRIGGER "+name)
				}
				run(t, db, change)
				tampered = true
			}))
			if !tampered {
				t.Fatal("the check was not reached")
			}
			wantError(t, err, "the copy is wrong", "--abandon")
			wantClosed(t, from)
			wantClosed(t, to)
		})
	}
}
