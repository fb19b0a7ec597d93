package sqldb_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

func TestMigrate(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		for range 2 { // the second time there is nothing to do
			if _, err := sqldb.Migrate(t.Context(), url); err != nil {
				t.Fatal(err)
			}
		}
		if err := open(t, url).Update(t.Context(), ref("c"), beginTurn); err != nil {
			t.Error(err)
		}
	})
}

func TestManyOpenANewStore(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				d, err := sqldb.Open(t.Context(), url, sqldb.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				if err := d.Update(t.Context(), ref(fmt.Sprint(i)), beginTurn); err != nil {
					t.Error(err)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func TestUpdateRefusesAnotherIdentity(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		d := open(t, url)
		if err := d.Update(t.Context(), ref("c"), beginTurn); err != nil {
			t.Fatal(err)
		}
		before, _, err := d.Conversation(t.Context(), ref("c"))
		if err != nil {
			t.Fatal(err)
		}
		for what, change := range map[string]func(c *chat.Conversation){
			"id": func(c *chat.Conversation) { c.ID = "cnv_x" }, "chat id": func(c *chat.Conversation) { c.ChatID = "d" },
			"subject": func(c *chat.Conversation) { c.Subject = "bob" }, "lower fence": func(c *chat.Conversation) { c.Fence-- },
		} {
			err := d.Update(t.Context(), ref("c"), func(tx store.Tx) error { change(tx.Conversation()); return nil })
			if err == nil || errors.Is(err, store.ErrUnavailable) {
				t.Errorf("another %s: error %v, want a refusal", what, err)
			}
			if after, _, err := d.Conversation(t.Context(), ref("c")); err != nil || *after != *before {
				t.Errorf("another %s was stored: %+v, %v", what, after, err)
			}
		}
		if err := d.Update(t.Context(), ref("c"), func(tx store.Tx) error { return tx.BeginTurn(chat.Turn{}) }); err == nil {
			t.Error("a turn without id was accepted")
		}
	})
}

func TestATransactionEndsWithItsFunction(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		d := open(t, url)
		var kept store.Tx
		if err := d.Update(t.Context(), ref("c"), func(tx store.Tx) error { kept = tx; return nil }); err != nil {
			t.Fatal(err)
		}
		_, err := kept.Clarifications().Pending()
		if err == nil || kept.SaveRun(chat.Run{}) == nil || kept.BeginTurn(chat.Turn{ID: "x"}) == nil {
			t.Error("a transaction went on after its function")
		}
	})
}

func TestOldKeysGoWhenANewOneComes(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		d := open(t, url)
		save := func(key string, at time.Time) {
			t.Helper()
			for _, id := range []string{"c", "other"} {
				if id == "other" && key == "new" {
					continue
				}
				if err := d.Update(t.Context(), ref(id), func(tx store.Tx) error {
					return tx.Keys().Save(chat.Key{Key: key, CreatedAt: at})
				}); err != nil {
					t.Fatal(err)
				}
			}
		}
		save("old", now)
		save("day", now.Add(time.Millisecond))
		save("new", now.Add(24*time.Hour+time.Millisecond))
		for _, test := range []struct {
			chat, key string
			kept      bool
		}{{"c", "old", false}, {"c", "day", true}, {"c", "new", true}, {"other", "old", true}} {
			err := d.Update(t.Context(), ref(test.chat), func(tx store.Tx) error {
				_, err := tx.Keys().Find(test.key, time.Time{})
				return err
			})
			if (err == nil) != test.kept || err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("key %s of chat %s: %v, want kept = %v", test.key, test.chat, err, test.kept)
			}
		}
	})
}

// A store in a file uses the machine's clock, a store on a server does not.
func TestTheStoresClockDatesNewConversations(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		d, err := sqldb.Open(t.Context(), url, sqldb.Options{Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if err := d.Update(t.Context(), ref("c"), func(store.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		c, _, err := d.Conversation(t.Context(), ref("c"))
		if err != nil || !c.CreatedAt.Equal(c.UpdatedAt) || c.CreatedAt.Equal(now) != strings.HasPrefix(url, "sqlite:") {
			t.Errorf("a new conversation is %+v, %v", c, err)
		}
	})
}

// FuzzCursor: a cursor that a client sends is a place in its list, or refused.
func FuzzCursor(f *testing.F) {
	d := open(f, "sqlite:"+filepath.Join(f.TempDir(), "chats.db"))
	for i := range 3 {
		if err := d.Update(f.Context(), ref(fmt.Sprint(i)), beginTurn); err != nil {
			f.Fatal(err)
		}
	}
	_, cursor, err := d.Conversations(f.Context(), "acme", "alice", "translator", store.Page{Limit: 1})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", cursor, cursor[:10], cursor + "AAAA", "A", "////", "\x00", strings.Repeat("A", 600)} {
		f.Add(seed, 1)
	}
	f.Fuzz(func(t *testing.T, cursor string, limit int) {
		list, _, err := d.Conversations(t.Context(), "acme", "alice", "translator", store.Page{Limit: limit, Cursor: cursor})
		if err != nil && !errors.Is(err, store.ErrCursor) || len(list) > max(limit, 1) {
			t.Errorf("cursor %q, limit %d: %d chats, %v", cursor, limit, len(list), err)
		}
	})
}

func TestTryChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	if err := sqldb.Try(t.Context(), "sqlite:"+path); err != nil {
		t.Errorf("a store that will be made: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it was made")
	}
	if err := os.WriteFile(path, []byte("no database, but a text of some length"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sqldb.Try(t.Context(), "sqlite:"+path); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("no database: %v", err)
	}
}

func TestTryReachesAStore(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		if err := sqldb.Try(t.Context(), url); err != nil {
			t.Error(err)
		}
	})
}
