package sqldb_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// atOnce runs updates of separate chats that all wait while the first is at work, and returns the
// result of each and the number of commits. A nil error can also mean that an update panicked.
func atOnce(t *testing.T, d *sqldb.DB, updates ...update) (errs []error, commits int64) {
	t.Helper()
	before := d.Commits()
	errs = make([]error, len(updates))
	first := make(chan struct{})
	for i, u := range updates {
		go func() {
			defer func() { _ = recover() }()
			run := d.Update
			if u.lazy {
				run = d.UpdateLazily
			}
			errs[i] = run(context.Background(), ref(u.chat), func(tx store.Tx) error {
				if i == 0 {
					<-first
				}
				return u.fn(tx)
			})
		}()
		synctest.Wait() // it waits for the writer, after those before it
	}
	close(first)
	synctest.Wait()
	return errs, d.Commits() - before
}

type update struct {
	chat string
	lazy bool
	fn   func(tx store.Tx) error
}

func openInBubble(t *testing.T) *sqldb.DB {
	t.Helper()
	d, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "chats.db"), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// wantChats fails unless exactly these of the chats a to f exist.
func wantChats(t *testing.T, d *sqldb.DB, want string) {
	t.Helper()
	got := ""
	for _, id := range strings.Split("abcdef", "") {
		switch v, err := d.View(t.Context(), ref(id)); {
		case err == nil && len(v.Messages) == 1:
			got += id
		case !errors.Is(err, store.ErrNotFound):
			t.Errorf("half of an update was written: chat %s, %v", id, err)
		}
	}
	if got != want {
		t.Errorf("the chats %q were kept, want %q", got, want)
	}
}

// Updates that wait at the same moment share a commit, and one that fails after it wrote is undone
// alone.
func TestUpdatesShareACommit(t *testing.T) {
	errNo := errors.New("no")
	written := func(then func() error) func(tx store.Tx) error {
		return func(tx store.Tx) error {
			if err := beginTurn(tx); err != nil {
				return err
			}
			if _, err := tx.Clarifications().Pending(); err != nil { // sends what was written
				return err
			}
			return then()
		}
	}
	fails := written(func() error { return errNo })
	panics := written(func() error { panic("boom") })
	for _, test := range []struct {
		name    string
		updates []update
		commits int64
		kept    string
		failed  int // which update returns errNo
	}{
		{"lazily", []update{{"a", true, beginTurn}, {"b", true, beginTurn}, {"c", true, beginTurn}}, 1, "abc", -1},
		{"waiting for the disk", []update{{"a", false, beginTurn}, {"b", false, beginTurn}, {"c", true, beginTurn}}, 1, "abc", -1},
		{"the disk is waited for, not by a lazy one", []update{{"a", true, beginTurn}, {"b", false, beginTurn}, {"c", true, beginTurn}}, 2, "abc", -1},
		{"the first fails", []update{{"a", true, fails}, {"b", true, beginTurn}, {"c", true, beginTurn}}, 1, "bc", 0},
		{"one between fails", []update{{"a", true, beginTurn}, {"b", true, fails}, {"c", true, beginTurn}}, 1, "ac", 1},
		{"the last fails", []update{{"a", true, beginTurn}, {"b", true, beginTurn}, {"c", true, fails}}, 1, "ab", 2},
		{"the first panics", []update{{"a", true, panics}, {"b", true, beginTurn}, {"c", true, beginTurn}}, 1, "bc", -1},
		{"one between panics", []update{{"a", true, beginTurn}, {"b", true, panics}, {"c", true, beginTurn}}, 1, "ac", -1},
		{"the last panics", []update{{"a", true, beginTurn}, {"b", true, beginTurn}, {"c", true, panics}}, 1, "ab", -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := openInBubble(t)
				errs, commits := atOnce(t, d, test.updates...)
				for i, err := range errs {
					if want := map[bool]error{true: errNo}[i == test.failed]; !errors.Is(err, want) {
						t.Errorf("update %d returned %v, want %v", i, err, want)
					}
				}
				if commits != test.commits {
					t.Errorf("%d commits, want %d", commits, test.commits)
				}
				wantChats(t, d, test.kept)
				if err := d.Update(t.Context(), ref("f"), beginTurn); err != nil {
					t.Errorf("afterwards: %v", err)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
				reopened, err := sqldb.Open(t.Context(), d.URL(), sqldb.Options{})
				if err != nil {
					t.Fatal(err)
				}
				wantChats(t, reopened, test.kept+"f")
				if err := reopened.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// If the disk is full for one of them, all that shared the transaction get the error: SQLite rolls
// it back as a whole.
func TestAFullDiskIsToldToAllWhoShareACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openInBubble(t)
		large := func(tx store.Tx) error { // in a table without triggers: if a table has some, SQLite takes back the statement alone
			return errors.Join(beginTurn(tx), tx.SaveRun(chat.Run{Fence: 1, Failure: &chat.Failure{Message: strings.Repeat("x", 4<<20)}}))
		}
		if err := d.Pragma(t.Context(), "PRAGMA max_page_count = 500"); err != nil {
			t.Fatal(err)
		}
		errs, _ := atOnce(t, d, update{"a", true, beginTurn}, update{"b", true, large}, update{"c", true, beginTurn})
		wantUnavailable(t, errs[0], "free some space")
		wantUnavailable(t, errs[1], "free some space")
		if errs[2] != nil {
			t.Errorf("the next one failed: %v", errs[2])
		}
		wantChats(t, d, "c")
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A store that is closed while updates wait stores those that it acknowledges.
func TestCloseWaitsForWhoSharesACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openInBubble(t)
		closed := make(chan error, 1)
		errs, _ := atOnce(t, d, update{"a", true, func(tx store.Tx) error {
			go func() { closed <- d.Close() }()
			return beginTurn(tx)
		}}, update{"b", true, beginTurn})
		if err := <-closed; err != nil {
			t.Error(err)
		}
		d, err := sqldb.Open(t.Context(), d.URL(), sqldb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		kept := ""
		for i, id := range []string{"a", "b"} {
			if errs[i] == nil {
				kept += id
			} else {
				wantUnavailable(t, errs[i])
			}
		}
		wantChats(t, d, kept)
		if !strings.HasPrefix(kept, "a") {
			t.Error("the update that was at work failed")
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}
