package gateway_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/figure"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/tools"
)

// BenchmarkPending: what a scrape of /metrics pays for the number of 100,000 pending questions, with
// and without a count of rows.
func BenchmarkPending(b *testing.B) {
	db, err := sqldb.Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "a.db")+"?synchronous=normal", sqldb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	for i := range 1000 {
		err := db.Update(b.Context(), chat.Ref{Tenant: "t", Subject: "s", App: "helper", ChatID: fmt.Sprint(i)}, func(tx store.Tx) error {
			at := time.Now()
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
	b.Run("counted", func(b *testing.B) {
		for b.Loop() {
			if counts, err := db.Due().Pending(b.Context()); err != nil || counts[0].Count != 100_000 {
				b.Fatal(counts, err)
			}
		}
	})
	b.Run("kept", func(b *testing.B) {
		f := figure.New(db.Due().Pending)
		for b.Loop() {
			if counts, err := f.Get(); err != nil || counts[0].Count != 100_000 {
				b.Fatal(counts, err)
			}
		}
	})
}
