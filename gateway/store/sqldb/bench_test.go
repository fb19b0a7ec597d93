package sqldb_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/store/storetest"
)

var now = time.Date(2026, 2, 6, 10, 30, 0, 0, time.UTC)

func eachSync(b *testing.B, bench func(b *testing.B, s store.Store)) {
	for _, mode := range []string{"full", "normal"} {
		b.Run("SQLite, synchronous="+mode, func(b *testing.B) {
			b.ReportAllocs()
			bench(b, open(b, "sqlite:"+filepath.Join(b.TempDir(), "chats.db")+"?synchronous="+mode))
		})
	}
	b.Run("PostgreSQL", func(b *testing.B) {
		b.ReportAllocs()
		bench(b, open(b, postgresURL(b)))
	})
	b.Run("PostgreSQL, lazily", func(b *testing.B) {
		b.ReportAllocs()
		bench(b, lazily{open(b, postgresURL(b))})
	})
}

// lazily makes every update a lazy one.
type lazily struct{ *sqldb.DB }

func (l lazily) Update(ctx context.Context, ref chat.Ref, fn func(tx store.Tx) error) error {
	return l.UpdateLazily(ctx, ref, fn)
}

// eachUpdate times every update, and reports the median and the 99th percentile.
func eachUpdate(b *testing.B, update func(i int) error) {
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if err := update(i); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

func ref(id string) chat.Ref {
	return chat.Ref{Tenant: "acme", Subject: "alice", App: "translator", ChatID: id}
}

// beginTurn does what precedes the first chunk of a message.
func beginTurn(tx store.Tx) error {
	c := tx.Conversation()
	c.Fence++
	c.UpdatedAt = now.Add(time.Duration(c.Fence) * time.Second)
	turn := chat.Turn{ID: chat.NewID("trn"), State: chat.TurnRunning, Language: "en", Interactive: true,
		LeaseOwner: "node-1", StartedAt: now}
	if err := tx.BeginTurn(turn); err != nil {
		return err
	}
	return tx.AppendMessage(chat.Message{ID: chat.NewID("msg"), TurnID: turn.ID, Fence: c.Fence, Role: chat.RoleUser,
		Content: strings.Repeat("Translate this. ", 10), CreatedAt: now})
}

// BenchmarkBeginTurn: the first message of a new chat.
func BenchmarkBeginTurn(b *testing.B) {
	eachSync(b, func(b *testing.B, s store.Store) {
		eachUpdate(b, func(i int) error { return s.Update(b.Context(), ref(strconv.Itoa(i)), beginTurn) })
	})
}

// BenchmarkNextTurn: a further message of a chat.
func BenchmarkNextTurn(b *testing.B) {
	eachSync(b, func(b *testing.B, s store.Store) {
		eachUpdate(b, func(i int) error {
			return s.Update(b.Context(), ref(strconv.Itoa(i%100)), func(tx store.Tx) error {
				if turn := tx.Turn(); turn != nil {
					turn.State, turn.EndedAt = chat.TurnEnded, now
				}
				return beginTurn(tx)
			})
		})
	})
}

// BenchmarkAppendStep: an assistant's message with one call and its result.
func BenchmarkAppendStep(b *testing.B) {
	eachSync(b, func(b *testing.B, s store.Store) {
		eachUpdate(b, func(i int) error {
			return s.Update(b.Context(), ref(strconv.Itoa(i%100)), func(tx store.Tx) error {
				c := tx.Conversation()
				if tx.Turn() == nil {
					if err := beginTurn(tx); err != nil {
						return err
					}
				}
				tx.Turn().Steps++
				c.LastEvent.Seq++
				return tx.AppendMessage(chat.Message{ID: chat.NewID("msg"), TurnID: tx.Turn().ID, Fence: c.Fence, Role: chat.RoleAssistant,
					Content: strings.Repeat("Some text. ", 50), CreatedAt: now, ToolCalls: []chat.ToolCall{{
						ID: chat.NewID("call"), Name: "glossary", Arguments: `{"term":"x"}`, Result: &chat.ToolResult{Content: "y", Fence: c.Fence},
					}}})
			})
		})
	})
}

// BenchmarkView: a chat of 100 messages and 50 calls.
func BenchmarkView(b *testing.B) {
	for name, newURL := range urls() {
		b.Run(name, func(b *testing.B) { benchmarkView(b, open(b, newURL(b))) })
	}
}

func benchmarkView(b *testing.B, s store.Store) {
	if err := s.Update(b.Context(), ref("c"), func(tx store.Tx) error {
		for i := range 50 {
			err := tx.AppendMessage(chat.Message{ID: fmt.Sprint("u", i), Role: chat.RoleUser, Content: strings.Repeat("Some text. ", 20)})
			if err == nil {
				err = tx.AppendMessage(chat.Message{ID: fmt.Sprint("a", i), Role: chat.RoleAssistant, Content: strings.Repeat("Some text. ", 50),
					ToolCalls: []chat.ToolCall{{ID: fmt.Sprint("call", i), Name: "glossary", Arguments: "{}", Result: &chat.ToolResult{Content: "y"}}}})
			}
			if err != nil {
				return err
			}
		}
		return beginTurn(tx)
	}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.View(b.Context(), ref("c")); err != nil {
			b.Fatal(err)
		}
	}
}

// Benchmark100kPending stores 100,000 pending questions (see chats), reports their size, and times
// other work meanwhile: a page, the sweep and the count of the metrics.
func Benchmark100kPending(b *testing.B) {
	s := open(b, "sqlite:"+filepath.Join(b.TempDir(), "chats.db")+"?synchronous=normal")
	storetest.Ask(b, s, 0, 10, 10)
	goroutines, heap, rss := inUse()
	storetest.Ask(b, s, 10, 100, chats(100_000)/100)
	goroutines2, heap2, rss2 := inUse()
	report := func(b *testing.B) {
		b.ReportMetric(float64(goroutines2-goroutines), "goroutines-grown")
		b.ReportMetric(float64(heap2-heap)/1024, "heapKiB-grown")
		b.ReportMetric(float64(rss2-rss)/1024, "rssKiB-grown")
	}
	for name, fn := range map[string]func(b *testing.B) error{
		"begin turn": func(b *testing.B) error { return s.Update(b.Context(), ref("c"), beginTurn) },
		"page": func(b *testing.B) error {
			_, _, err := s.Clarifications(b.Context(), "acme", "alice", store.Which{}, store.Page{Limit: 50})
			return err
		},
		"sweep": func(b *testing.B) error { _, err := s.Due().Expired(b.Context(), now, 100); return err },
		"count": func(b *testing.B) error { _, err := s.Due().Pending(b.Context()); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := fn(b); err != nil {
					b.Fatal(err)
				}
			}
			report(b)
		})
	}
}

// inUse counts goroutines, bytes of the Go heap and bytes of the whole process.
func inUse() (goroutines int, heap, rss int64) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if data, err := os.ReadFile("/proc/self/statm"); err == nil { // elsewhere it stays 0
		if fields := strings.Fields(string(data)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			rss = pages * int64(os.Getpagesize())
		}
	}
	return runtime.NumGoroutine(), int64(m.HeapAlloc), rss
}

// BenchmarkFork: a copy of a chat of 1,000 messages, each with a call whose result has 1 KB.
func BenchmarkFork(b *testing.B) {
	eachSync(b, func(b *testing.B, s store.Store) {
		var last string
		err := s.Update(b.Context(), ref("long"), func(tx store.Tx) error {
			tx.Conversation().Fence = 1
			for i := range 1000 {
				last = fmt.Sprint("msg_", i)
				m := chat.Message{ID: last, TurnID: "trn", Fence: 1, Role: chat.RoleAssistant, Content: "Translated.", CreatedAt: now, ToolCalls: []chat.ToolCall{
					{ID: fmt.Sprint("call_", i), Name: "n", Arguments: "{}", Result: &chat.ToolResult{Content: strings.Repeat("x", 1024), Fence: 1}},
				}}
				if err := tx.AppendMessage(m); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		eachUpdate(b, func(i int) error {
			return s.Update(b.Context(), ref(strconv.Itoa(i)), func(tx store.Tx) error {
				o, err := tx.Forks().Origin(chat.Fork{ChatID: "long", MessageID: last})
				if err != nil {
					return err
				}
				tx.Conversation().Fence = 2
				return tx.Forks().Copy(o, "trn_new")
			})
		})
	})
}
