package sqldb_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
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
	"github.com/askgate/askgate/gateway/store/storetest"
	"github.com/askgate/askgate/tools"
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

// TestProcessesShareAFile: processes that create, migrate and write the same file at the same time
// lose nothing.
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

// TestDeleteErasesTheText: not a byte of a deleted chat is left in the files.
func TestDeleteErasesTheText(t *testing.T) {
	dir := t.TempDir()
	d := open(t, "sqlite:"+filepath.Join(dir, "chats.db"))
	const secret = "correct horse battery staple"
	if err := d.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		return errors.Join(beginTurn(tx),
			tx.AppendMessage(chat.Message{ID: "m1", Role: chat.RoleUser, Content: secret}),
			tx.AppendMessage(chat.Message{ID: "m2", Role: chat.RoleUser, Content: strings.Repeat(secret, 10_000)}),
			tx.AppendMessage(chat.Message{ID: "m3", Role: chat.RoleAssistant, Thinking: secret, State: json.RawMessage(`"` + strings.Repeat(secret, 10_000) + `"`)}))
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
		t.Fatal("the text is in no file: this test tests nothing")
	}
	if err := d.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	if files := holds(); len(files) > 0 {
		t.Errorf("the deleted text is still in %v", files)
	}
}

// TestABackupGoesOn: a backup taken while chats are written is a complete store, and earlier
// questions can be answered in it.
func TestABackupGoesOn(t *testing.T) {
	path, backup := filepath.Join(t.TempDir(), "chats.db"), filepath.Join(t.TempDir(), "backup.db")
	d := open(t, "sqlite:"+path)
	storetest.Ask(t, d, 0, 5, 4)
	stop, written := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for i := 0; err == nil; i++ {
			select {
			case <-stop:
				written <- nil
				return
			default:
				err = d.Update(t.Context(), ref(fmt.Sprint("c", i%10)), beginTurn)
			}
		}
		written <- err
	}()
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), "VACUUM INTO ?", backup); err != nil {
		t.Error(err)
	}
	close(stop)
	if err := <-written; err != nil {
		t.Errorf("during the backup: %v", err)
	}

	restored := open(t, "sqlite:"+backup)
	list, _, err := restored.Clarifications(t.Context(), "acme", "alice", store.Which{}, store.Page{Limit: 100})
	if err != nil || len(list) != 20 {
		t.Fatalf("the backup has %d questions, %v", len(list), err)
	}
	c := list[7]
	c.State, c.Answer = tools.StateAnswered, &tools.Answer{Note: "late"}
	if err := restored.Update(t.Context(), c.Ref, func(tx store.Tx) error { return tx.Clarifications().Save(c) }); err != nil {
		t.Error(err)
	}
	chats, _, err := restored.Conversations(t.Context(), "acme", "alice", "translator", store.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chats {
		if v, err := restored.View(t.Context(), c.Ref); err != nil || int64(len(v.Messages)) != v.Conversation.Fence {
			t.Errorf("half of a chat is in the backup: %+v, %v", v, err)
		}
	}
}
