package sqldb_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// The data that one principal stores in several chats at once is counted, and no transaction waits
// for another: if they waited, two that delete each other's questions would block each other.
func TestWhatIsStoredIsCountedWithoutWaiting(t *testing.T) {
	onPostgres(t, "stored", func(t *testing.T, url string) {
		d := open(t, url)
		add := func(chatID string, n int, stop func()) error {
			return d.Update(context.Background(), ref(chatID), func(tx store.Tx) error {
				tx.Conversation().Fence = 1
				for range n {
					m := chat.Message{ID: chat.NewID("msg"), TurnID: "trn", Role: chat.RoleUser, Content: strings.Repeat("x", 10)}
					if err := tx.AppendMessage(m); err != nil {
						return err
					}
				}
				_, err := tx.Stored("another") // the writes are sent before it is read
				stop()
				return err
			})
		}
		chats := []string{"slow", "parallel"}
		for _, id := range chats { // rows that an update adds to an existing chat are counted before the commit
			if err := add(id, 1, func() {}); err != nil {
				t.Fatal(err)
			}
		}
		in, out, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		tries := 0
		began := func() {
			if tries++; tries == 1 {
				close(in)
			}
		}
		go func() { done <- add("slow", 20, func() { began(); <-out }) }()
		<-in
		const more = 1500
		err := add("parallel", more, func() {})
		close(out)
		if slow := <-done; err != nil || slow != nil {
			t.Fatal(err, slow)
		}
		if tries != 1 {
			t.Errorf("the slow transaction blocked another, and was tried %d times", tries)
		}
		c := separate(t, url)
		var bytes, rows int64
		if err := c.QueryRow(t.Context(), "SELECT CAST(sum(bytes) AS bigint), count(*) FROM stored").Scan(&bytes, &rows); err != nil {
			t.Fatal(err)
		}
		if want := int64(10 * (2 + 20 + more)); bytes != want || rows >= more {
			t.Errorf("%d bytes in %d rows, want %d, in fewer rows than there were writes (%d)", bytes, rows, want, more)
		}
		for _, id := range chats {
			if err := d.Delete(t.Context(), ref(id), time.Time{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.QueryRow(t.Context(), "SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM stored").Scan(&bytes); err != nil || bytes != 0 {
			t.Errorf("%d bytes after all is deleted, %v", bytes, err)
		}
	})
}
