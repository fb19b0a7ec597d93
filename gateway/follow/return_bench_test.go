package follow_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/prove/redistest"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/stream/redishub"
)

// BenchmarkReturn: a viewer of a chat of 100 turns comes back with the id of its newest event, or without
// one, which takes a snapshot. cpu-ms/op is the processor time of this process.
func BenchmarkReturn(b *testing.B) {
	run := func(b *testing.B, db store.Store, hub stream.Hub) {
		const turns = 100
		last := chat.EventID{Fence: turns, Seq: 10}
		for i := range int64(turns) {
			err := db.Update(b.Context(), ref, func(tx store.Tx) error {
				head := tx.Conversation()
				head.Fence, head.LastEvent = i+1, chat.EventID{Fence: i + 1, Seq: last.Seq}
				turn := chat.Turn{ID: fmt.Sprint("turn_", i), State: chat.TurnEnded, FinishReason: chat.FinishStop}
				if err := tx.BeginTurn(turn); err != nil {
					return err
				}
				for _, role := range []chat.Role{chat.RoleUser, chat.RoleAssistant} {
					m := chat.Message{ID: fmt.Sprint(role, i), TurnID: turn.ID, Fence: i + 1, Role: role, Content: strings.Repeat("Some text. ", 20)}
					if err := tx.AppendMessage(m); err != nil {
						return err
					}
				}
				return tx.SaveRun(chat.Run{Fence: i + 1, TurnID: turn.ID, FinishReason: chat.FinishStop, LastSeq: last.Seq})
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		r := &follow.Reader{Store: db, Hub: hub, Shared: true}
		for what, after := range map[string]string{"with the newest id": last.String(), "without an id": ""} {
			b.Run(what, func(b *testing.B) {
				used := processorTime()
				for b.Loop() {
					f, err := r.Follow(b.Context(), ref, 10, after)
					if err != nil {
						b.Fatal(err)
					}
					if err := f.Begin(&seenFrames{}); err != nil {
						b.Fatal(err)
					}
					f.Close()
				}
				b.ReportMetric(float64(processorTime()-used)/1e6/float64(b.N), "cpu-ms/op")
			})
		}
	}
	b.Run("SQLite", func(b *testing.B) { run(b, testdb.Open(b), stream.NewLocal()) })
	b.Run("PostgreSQL and Redis", func(b *testing.B) {
		redistest.Run(b, func(b *testing.B, server string) {
			hub, err := redishub.Open(b.Context(), redishub.Options{
				URL: server, Prefix: redistest.Prefix(b, server), Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
			})
			if err != nil {
				b.Fatal(err)
			}
			defer hub.Close()
			db, err := sqldb.Open(b.Context(), schema(b), sqldb.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			run(b, db, hub)
		})
	})
}

// schema returns the URL of an empty PostgreSQL store, which is dropped at the end.
func schema(b *testing.B) string {
	b.Helper()
	u, err := url.Parse(testenv.Postgres(b))
	if err != nil {
		b.Fatal(err)
	}
	name := "follow_" + strings.ToLower(rand.Text())
	admin, err := pgx.Connect(b.Context(), u.String())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := admin.Exec(b.Context(), "CREATE SCHEMA "+name); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		ctx := context.WithoutCancel(b.Context())
		if _, err := admin.Exec(ctx, "DROP SCHEMA "+name+" CASCADE"); err != nil {
			b.Error(err)
		}
		_ = admin.Close(ctx)
	})
	params := u.Query()
	params.Set("search_path", name)
	u.RawQuery = params.Encode()
	return u.String()
}

// processorTime is what this process has used so far, in ns.
func processorTime() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}
