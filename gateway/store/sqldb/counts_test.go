package sqldb_test

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/tools"
)

// TestWhatWaitsIsCountedAsItChanges: whatever is asked, shown, closed and deleted at the same time, the
// counts are those of the rows, and the rows of the counts stay few.
func TestWhatWaitsIsCountedAsItChanges(t *testing.T) {
	for name, url := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "chats.db") },
		"PostgreSQL": postgresURL,
	} {
		t.Run(name, func(t *testing.T) {
			at := url(t)
			d := open(t, at)
			const chats, questions = 8, 40
			var all sync.WaitGroup
			for i := range chats {
				all.Go(func() { lives(t, d, ref(fmt.Sprint("c", i)), questions) })
			}
			all.Wait()
			// Of each chat but the two that are deleted: a quarter is pending and unseen, and a quarter pending and
			// seen; of the unseen, every other one is an input.
			left := (chats - 2) * questions
			if counts, err := d.Due().Pending(t.Context()); err != nil || len(counts) != 1 || counts[0].Count != left/2 || !counts[0].Oldest.Equal(now) {
				t.Errorf("pending %+v, %v, want %d", counts, err, left/2)
			}
			for before, want := range map[time.Time]int{now.Add(time.Hour): left / 8, now.Add(10 * time.Minute): chats - 2, now.Add(-time.Hour): 0} {
				counts, err := d.Outbox().Undelivered(t.Context(), before)
				if err != nil || counts["translator"] != want {
					t.Errorf("undelivered before %v: %v, %v, want %d", before, counts, err, want)
				}
			}
			if name == "PostgreSQL" { // an older database has no counts
				conn := separate(t, at)
				run(t, conn, "DROP TABLE pending_counts CASCADE")
				run(t, conn, "DROP FUNCTION pending_joined, clarifications_counted CASCADE")
				files, _ := sqldb.Frozen()
				made, err := fs.ReadFile(files, "migrations/postgres/counts.sql")
				if err != nil {
					t.Fatal(err)
				}
				run(t, conn, string(made))
				if counts, err := d.Due().Pending(t.Context()); err != nil || len(counts) != 1 || counts[0].Count != left/2 {
					t.Errorf("pending %+v, %v after a migration, want %d", counts, err, left/2)
				}
			}
			for i := range chats - 2 {
				if err := d.Delete(t.Context(), ref(fmt.Sprint("c", i)), time.Time{}); err != nil {
					t.Fatal(err)
				}
			}
			if counts, err := d.Due().Pending(t.Context()); err != nil || len(counts) != 0 {
				t.Errorf("pending %+v, %v after all is deleted", counts, err)
			}
			if name == "PostgreSQL" {
				var rows int
				if err := separate(t, at).QueryRow(t.Context(), "SELECT count(*) FROM pending_counts").Scan(&rows); err != nil || rows > chats*questions {
					t.Errorf("%d rows of counts, %v: fewer than there were changes", rows, err)
				}
			}
		})
	}
}

// lives asks questions in a chat, of which a quarter is closed, a quarter is seen, and a quarter is seen
// and then closed. The last two chats are deleted.
func lives(t *testing.T, d *sqldb.DB, of chat.Ref, questions int) {
	turn := chat.NewID("trn")
	id := func(k int) string { return of.ChatID + fmt.Sprint("_", k) }
	kind := func(k int) tools.Kind {
		if k%8 == 0 {
			return tools.KindInput
		}
		return tools.KindQuestion
	}
	question := func(k int) chat.Clarification {
		return chat.Clarification{
			ID: id(k), TurnID: turn, ToolCallID: fmt.Sprint("call", k), ToolName: "ask_user", Arguments: "{}", State: tools.StatePending, AskedFence: 1,
			AskedAt: now.Add(time.Duration(k) * time.Minute), Question: tools.Question{Kind: kind(k), Parts: []tools.Part{{Question: "Which?", InputType: tools.Text}}},
		}
	}
	do := func(fn func(tx store.Tx) error) {
		if err := d.Update(context.Background(), of, fn); err != nil {
			t.Error(err)
		}
	}
	do(beginTurn)
	for k := range questions {
		do(func(tx store.Tx) error { return tx.AddClarification(question(k)) })
		if k%4 >= 2 {
			for range 2 { // once is enough
				if _, err := d.SaveSeen(context.Background(), id(k), now); err != nil {
					t.Error(err)
				}
			}
		}
		if k%2 == 1 {
			do(func(tx store.Tx) error {
				c, err := tx.Clarifications().Find(id(k))
				if err != nil {
					return err
				}
				c.State, c.AnsweredAt = tools.StateDeclined, now
				return tx.Clarifications().Save(c)
			})
		}
	}
	if of.ChatID >= "c6" {
		if err := d.Delete(context.Background(), of, time.Time{}); err != nil {
			t.Error(err)
		}
	}
}
