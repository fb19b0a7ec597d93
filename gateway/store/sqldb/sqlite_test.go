package sqldb_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// writerEnv makes the test binary another process that writes to a store.
const writerEnv = "SQLDB_TEST_WRITE_TO"

const writesEach = 40

func TestMain(m *testing.M) {
	if url := os.Getenv(writerEnv); url != "" {
		if err := writeAsProcess(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func writeAsProcess(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	d, err := sqldb.Open(ctx, url, sqldb.Options{})
	if err != nil {
		return err
	}
	for range writesEach {
		if err := d.Update(ctx, ref("c"), beginTurn); err != nil {
			return errors.Join(err, d.Close())
		}
	}
	return d.Close()
}

// TestProcessesShareAFile: processes that make, migrate and write the same file at
// the same time lose nothing.
func TestProcessesShareAFile(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "chats.db") + "?synchronous=normal"
	const processes = 3
	var wg sync.WaitGroup
	for range processes {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), writerEnv+"="+url)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("a writing process: %v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	d := open(t, url)
	v, err := d.View(t.Context(), ref("c"))
	if err != nil {
		t.Fatal(err)
	}
	if want := processes * writesEach; len(v.Messages) != want || v.Conversation.Fence != int64(want) {
		t.Errorf("%d messages and fence %d, want %d", len(v.Messages), v.Conversation.Fence, want)
	}
	for i, m := range v.Messages {
		if m.Fence != int64(i+1) {
			t.Fatalf("message %d is of run %d", i+1, m.Fence)
		}
	}
}

func TestManyOpenANewStore(t *testing.T) {
	for name, newURL := range urls() {
		t.Run(name, func(t *testing.T) {
			url := newURL(t)
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
}

// TestDeleteErasesTheText: not a byte of a deleted chat is left in the files.
func TestDeleteErasesTheText(t *testing.T) {
	dir := t.TempDir()
	d := open(t, "sqlite:"+filepath.Join(dir, "chats.db"))
	const secret = "correct horse battery staple"
	if err := d.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		return errors.Join(beginTurn(tx),
			tx.AppendMessage(chat.Message{ID: "m1", Role: chat.RoleUser, Content: secret}),
			tx.AppendMessage(chat.Message{ID: "m2", Role: chat.RoleUser, Content: strings.Repeat(secret, 10_000)}))
	}); err != nil {
		t.Fatal(err)
	}
	holds := func() (files []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(data, []byte(secret)) {
				files = append(files, e.Name())
			}
		}
		return files
	}
	if len(holds()) == 0 {
		t.Fatal("the text is in no file: this test sees nothing")
	}
	if err := d.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	if files := holds(); len(files) > 0 {
		t.Errorf("the deleted text is still in %v", files)
	}
}

func TestUpdateRefusesAnotherIdentity(t *testing.T) {
	d := open(t, "sqlite:"+filepath.Join(t.TempDir(), "chats.db"))
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
		t.Error("a turn without id was taken")
	}
}

func TestATransactionEndsWithItsFunction(t *testing.T) {
	d := open(t, "sqlite:"+filepath.Join(t.TempDir(), "chats.db"))
	var kept store.Tx
	if err := d.Update(t.Context(), ref("c"), func(tx store.Tx) error { kept = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	_, err := kept.Clarifications()
	if err == nil || kept.SaveRun(chat.Run{}) == nil || kept.BeginTurn(chat.Turn{ID: "x"}) == nil {
		t.Error("a transaction went on after its function")
	}
}

func TestOldKeysGoWhenANewOneComes(t *testing.T) {
	d := open(t, "sqlite:"+filepath.Join(t.TempDir(), "chats.db"))
	save := func(key string, at time.Time) {
		t.Helper()
		for _, id := range []string{"c", "other"} {
			if id == "other" && key == "new" {
				continue
			}
			if err := d.Update(t.Context(), ref(id), func(tx store.Tx) error {
				return tx.SaveIdempotency(chat.Idempotency{Key: key, CreatedAt: at})
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
			_, err := tx.Idempotency(test.key, time.Time{})
			return err
		})
		if (err == nil) != test.kept || err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("key %s of chat %s: %v, want kept = %v", test.key, test.chat, err, test.kept)
		}
	}
}

func TestNowDatesNewConversations(t *testing.T) {
	d, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "chats.db"), sqldb.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Update(t.Context(), ref("c"), func(store.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	c, _, err := d.Conversation(t.Context(), ref("c"))
	if err != nil || !c.CreatedAt.Equal(now) || !c.UpdatedAt.Equal(now) {
		t.Errorf("a new conversation is %+v, %v", c, err)
	}
}

// FuzzCursor: whatever a client sends as a cursor is a place in its list, or refused.
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
