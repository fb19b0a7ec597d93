package gateway_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/tools"
)

// BenchmarkPending: what a scrape of /metrics pays for the numbers of 100,000 pending questions, and of
// those that no screen has shown.
func BenchmarkPending(b *testing.B) {
	db, err := sqldb.Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "a.db")+"?synchronous=normal", sqldb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	for i := range 1000 {
		err := db.Update(b.Context(), chat.Ref{Tenant: "t", Subject: "s", App: "helper", ChatID: fmt.Sprint(i)}, func(tx store.Tx) error {
			at := time.Now().Add(-time.Hour)
			tx.Conversation().UpdatedAt = at
			turn := chat.Turn{ID: chat.NewID("trn"), State: chat.TurnRunning, Language: "en", Interactive: true, LeaseOwner: "n", StartedAt: at}
			if err := tx.BeginTurn(turn); err != nil {
				return err
			}
			for k := range 100 {
				c := chat.Clarification{ID: chat.NewID("clr"), TurnID: turn.ID, ToolCallID: fmt.Sprint("call", k), ToolName: "ask_user", Arguments: "{}", State: tools.StatePending, AskedAt: at}
				if err := tx.AddClarification(c); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		counts, err := db.Due().Pending(b.Context())
		if err != nil || counts[0].Count != 100_000 {
			b.Fatal(counts, err)
		}
		if unseen, err := db.Outbox().Undelivered(b.Context(), time.Now().Add(-time.Minute)); err != nil || unseen["helper"] != 100_000 {
			b.Fatal(unseen, err)
		}
	}
}
