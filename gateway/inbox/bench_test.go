package inbox_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/prove/redistest"
	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/stream"
)

// BenchmarkAskToEvent measures from before a question is stored until its event is written to the
// person's stream, while another thousand people listen. It reports the median and the 99th
// percentile.
func BenchmarkAskToEvent(b *testing.B) {
	b.Run("one node, SQLite", func(b *testing.B) {
		db, err := sqldb.Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "chats.db"), sqldb.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = db.Close() })
		n := newNode(b, db, stream.NewLocal(), false)
		askToEvent(b, n, n)
	})
	b.Run("one node, PostgreSQL", func(b *testing.B) {
		n := newNode(b, openPostgres(b, postgres(b)), stream.NewLocal(), true)
		askToEvent(b, n, n)
	})
	b.Run("two nodes, PostgreSQL and Redis", func(b *testing.B) {
		url, server := postgres(b), testenv.Redis(b)
		prefix := redistest.Prefix(b, server)
		node := func() *node {
			return newNode(b, openPostgres(b, url), openRedis(b, server, prefix), true)
		}
		askToEvent(b, node(), node())
	})
}

func askToEvent(b *testing.B, asks, tells *node) {
	for i := range 1000 {
		tells.listen("", fmt.Sprint("other", i)).next()
	}
	l := tells.listen("", "alice")
	l.next()
	var took []time.Duration
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		id := fmt.Sprint("clr_", i)
		start := time.Now()
		asks.ask(refOf("alice"), id)
		ev := l.next()
		took = append(took, time.Since(start))
		if !strings.Contains(string(ev.Data), id) {
			b.Fatalf("%s", ev.Data)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
