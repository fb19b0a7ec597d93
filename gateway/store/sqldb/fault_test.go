package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/store/storetest"
)

// wantUnavailable requires err to be the contract's, and to name the file and how to fix it.
func wantUnavailable(t *testing.T, err error, names ...string) {
	t.Helper()
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("got %v, want store.ErrUnavailable", err)
		return
	}
	for _, name := range names {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error %q does not contain %q", err, name)
		}
	}
}

func TestOpenRefusesURL(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"":                                        "sqlite:PATH",
		"chats.db":                                "sqlite:PATH",
		"mysql://localhost/chats":                 "sqlite:PATH",
		"sqlite:":                                 "names no file",
		"sqlite:?synchronous=full":                "names no file",
		"sqlite::memory:":                         "name a file",
		"sqlite:" + dir + "/a\x00b":               "NUL",
		"sqlite:" + dir + "/a?synchronous=off":    "write full",
		"sqlite:" + dir + "/a?_pragma=x":          "unknown parameter",
		"sqlite:" + dir + "/a?%zz":                "malformed",
		"sqlite:" + dir + "/no/a":                 "create it",
		"sqlite:" + file + "/a":                   "not a folder",
		"sqlite:" + dir:                           "is a folder",
		"sqlite:" + dir + strings.Repeat("/x", 9): "create it",
		"sqlite:" + dir + "/" + strings.Repeat("x", 5000): "file name too long",
	} {
		d, err := sqldb.Open(t.Context(), url, sqldb.Options{})
		if err == nil {
			d.Close()
			t.Errorf("%.60q was opened", url)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: the error %q does not contain %q", url, err, want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("refused URLs left %v behind, %v", entries, err)
	}
}

func TestPathsAreTakenAsTheyAre(t *testing.T) {
	for _, name := range []string{"a b.db", "a%20b#c&d=e.db", "ä'\";.db", "file:x", "a:b"} {
		path := filepath.Join(t.TempDir(), name)
		d := open(t, "sqlite:"+path)
		if err := d.Update(t.Context(), ref("c"), beginTurn); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	t.Chdir(t.TempDir())
	for _, url := range []string{"sqlite:askgate.db", "sqlite:./askgate.db", "sqlite://askgate.db"} {
		if _, err := sqldb.Migrate(t.Context(), url); err != nil {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 1 {
		t.Errorf("three names of one file made %v, %v", entries, err)
	}
}

func TestDamagedFile(t *testing.T) {
	garbage := filepath.Join(t.TempDir(), "chats.db")
	text := strings.Repeat("This is not a database. ", 1000)
	if err := os.WriteFile(garbage, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sqldb.Open(t.Context(), "sqlite:"+garbage, sqldb.Options{})
	wantUnavailable(t, err, garbage, "restore it from a backup")
	if data, _ := os.ReadFile(garbage); string(data) != text {
		t.Error("the file was changed")
	}

	torn := filepath.Join(t.TempDir(), "chats.db")
	d := open(t, "sqlite:"+torn)
	storetest.Ask(t, d, 0, 10, 10)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(torn)
	if err != nil {
		t.Fatal(err)
	}
	for i := 2 * 4096; i < len(data); i++ { // all but the list of tables
		data[i] = 0xa5
	}
	if err := os.WriteFile(torn, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err = sqldb.Open(t.Context(), "sqlite:"+torn, sqldb.Options{}); err == nil {
		defer d.Close()
		err = d.Update(t.Context(), ref("c"), beginTurn)
	}
	wantUnavailable(t, err, torn, "restore it from a backup")
}

// A full disk and a file that became read-only leave every chat unchanged, and the store continues
// on its own when they are fixed.
func TestFullOrReadOnlyHeals(t *testing.T) {
	for _, test := range []struct{ name, fault, repair, want string }{
		{"full", "PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000", "free some space"},
		{"read-only", "PRAGMA query_only = on", "PRAGMA query_only = off", "read-only"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "chats.db")
			d := open(t, "sqlite:"+path)
			if err := d.Update(t.Context(), ref("c"), beginTurn); err != nil {
				t.Fatal(err)
			}
			if err := d.Pragma(t.Context(), test.fault); err != nil {
				t.Fatal(err)
			}
			before, err := d.View(t.Context(), ref("c"))
			if err != nil {
				t.Fatal(err)
			}
			err = d.Update(t.Context(), ref("c"), func(tx store.Tx) error {
				if err := beginTurn(tx); err != nil {
					return err
				}
				if err := tx.AppendMessage(chat.Message{ID: "large", Role: chat.RoleUser, Content: strings.Repeat("x", 1<<20)}); err != nil {
					return err
				}
				_, err := tx.Clarifications().Pending() // appended rows are sent before
				wantUnavailable(t, err, path, test.want)
				// fn ignores the failure and continues: none of it may be written
				if err := tx.AppendMessage(chat.Message{ID: "after", Role: chat.RoleUser}); err == nil {
					t.Error("a statement was sent after a failed one")
				}
				return nil
			})
			wantUnavailable(t, err, path, test.want)
			after, err := d.View(t.Context(), ref("c"))
			if err != nil {
				t.Fatal(err)
			}
			if len(after.Messages) != len(before.Messages) || after.Conversation != before.Conversation || *after.Turn != *before.Turn {
				t.Errorf("half of an update was written: %+v", after)
			}
			if err := d.Pragma(t.Context(), test.repair); err != nil {
				t.Fatal(err)
			}
			if err := d.Update(t.Context(), ref("c"), beginTurn); err != nil {
				t.Errorf("it did not recover: %v", err)
			}
		})
	}
}

// TestPingFailsWhileWritesDo: on a full disk, the store is not ready for chats until there is room
// again.
func TestPingFailsWhileWritesDo(t *testing.T) {
	d := open(t, "sqlite:"+filepath.Join(t.TempDir(), "chats.db"))
	pages := func(n int) { // of this connection, which a full disk may end
		if err := d.Pragma(t.Context(), fmt.Sprint("PRAGMA max_page_count = ", n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Pragma(t.Context(), "VACUUM"); err != nil { // pages that migrations freed would still be written to
		t.Fatal(err)
	}
	for i := range 3 {
		pages(1)
		if err := d.Ping(t.Context()); err != nil {
			t.Fatalf("after %d failed writes: %v", i, err)
		}
		if err := d.Update(t.Context(), ref("c"), func(tx store.Tx) error {
			return tx.AppendMessage(chat.Message{ID: "large", Role: chat.RoleUser, Content: strings.Repeat("x", 1<<20)})
		}); !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("a full disk: %v", err)
		}
	}
	for range 2 { // its own attempt fails as well
		pages(1)
		if err := d.Ping(t.Context()); !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("after three failed writes: %v", err)
		}
	}
	pages(1_000_000)
	for range 2 {
		if err := d.Ping(t.Context()); err != nil {
			t.Errorf("with room again: %v", err)
		}
	}
}

func TestPingTriesAWriteOnEachDatabase(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		d := open(t, url)
		d.FailWrites(3)
		for range 2 {
			if err := d.Ping(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestLockedByAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	d := open(t, "sqlite:"+path)
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	conn, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec := func(statement string) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	exec("BEGIN IMMEDIATE")
	d.SetLockWait(time.Millisecond)
	wantUnavailable(t, d.Update(t.Context(), ref("c"), beginTurn), path, "another process")
	wantUnavailable(t, d.Ping(t.Context()), path, "another process")

	d.SetLockWait(time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := d.Update(ctx, ref("c"), beginTurn); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a wait with a deadline ended with %v", err)
	}

	done := make(chan error, 1)
	go func() { done <- d.Update(context.Background(), ref("c"), beginTurn) }()
	exec("COMMIT")
	if err := <-done; err != nil {
		t.Errorf("after the lock was given up: %v", err)
	}
}

func TestPingSeesThatTheFileIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	d := open(t, "sqlite:"+path)
	if err := d.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wantUnavailable(t, d.Ping(t.Context()), path, "deleted")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantUnavailable(t, d.Ping(t.Context()), path, "replaced")
}
