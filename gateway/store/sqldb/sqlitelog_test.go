package sqldb_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// Data that reaches the file has been synced in the log before, and only the file is checked here:
// a power cut leaves at least that.
func TestLazyCommitIsOnTheDiskSoonByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(dir, "test.db"), sqldb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for i, chatID := range []string{"first", "second"} {
			err := db.UpdateLazily(t.Context(), chat.Ref{Tenant: "t", Subject: "s", App: "a", ChatID: chatID}, func(tx store.Tx) error {
				tx.Conversation().Fence++
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(600 * time.Millisecond)
			synctest.Wait()
			if got := chatsIn(t, filepath.Join(dir, "test.db")); got != i+1 {
				t.Errorf("%d chats on the disk, want %d", got, i+1)
			}
		}
	})
}

// chatsIn counts the chats in a copy of the file, without its log.
func chatsIn(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(alone, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sqldb.Open(t.Context(), "sqlite:"+alone, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	list, _, err := db.Conversations(t.Context(), "t", "s", "a", store.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
