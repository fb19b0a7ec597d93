package sqldb_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// chats returns the number of chats of a large store: ASKGATE_BENCH_CHATS, or usual.
func chats(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("ASKGATE_BENCH_CHATS")); err == nil {
		return n
	}
	return usual
}

const smallStore = 1000 // chats

// BenchmarkSize times the engine's operations on a store, alternating between a small and a large
// one, and reports how much longer they take in the large one. Every tenth chat waits for an
// answer, every subject has a thousand chats. A million chats:
//
//	ASKGATE_BENCH_CHATS=1000000 go test -run '^$' -bench Size -timeout 1h ./gateway/store/sqldb
func BenchmarkSize(b *testing.B) {
	size := chats(20 * smallStore)
	for name, newURL := range urls() {
		b.Run(name, func(b *testing.B) {
			small, large := filled(b, newURL(b), smallStore), filled(b, newURL(b), size)
			for _, op := range sizeOps {
				b.Run(op.name, func(b *testing.B) { compare(b, op.do, small, large) })
			}
		})
	}
}

// sized is a store and the number of chats it was filled with.
type sized struct {
	store.Store
	chats int
	made  int // in addition
}

// any returns one of the chats that have ended, or that wait.
func (s *sized) any(waits bool) chat.Ref {
	i := rand.IntN(s.chats/10) * 10
	if !waits {
		i++
	}
	return chat.Ref{Tenant: "acme", Subject: fmt.Sprint("user", i/1000), App: "translator", ChatID: fmt.Sprint("chat", i)}
}

// fill creates rows as the engine would, many at once. T(...) is a text, N the chats.
var fill = []string{
	`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < N - 1)
	INSERT INTO conversations (tenant, subject, app, chat_id, id, language, fence, event_fence, event_seq, created_at, updated_at, queued,
		turn_id, turn_state, turn_language, turn_interactive, turn_steps, turn_finish_reason, turn_input_tokens, turn_output_tokens,
		turn_owner, turn_started_at, turn_ended_at)
	SELECT T('acme'), T('user' || (i / 1000)), T('translator'), T('chat' || i), T('cnv_' || i), T('en'), 1, 1, 9, 1770000000000 + i, 1770000000000 + i, 0,
		T('turn_' || i), CASE i % 10 WHEN 0 THEN T('paused') ELSE T('ended') END, T('en'), TRUE, 1, T('stop'), 100, 100, T(''), 1770000000000 + i, 0 FROM n`,
	`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < N - 1)
	INSERT INTO messages (conversation_id, position, id, turn_id, fence, role, content, created_at)
	SELECT T('cnv_' || i), p, T('msg_' || i || '_' || p), T('turn_' || i), 1, CASE p WHEN 1 THEN T('user') ELSE T('assistant') END,
		T('Some words about number ' || i || ', to be translated into another language.'), 1770000000000 + i
		FROM n CROSS JOIN (SELECT 1 AS p UNION ALL SELECT 2) AS two`,
	`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < N - 1)
	INSERT INTO runs (conversation_id, fence, turn_id, resumed, finish_reason, input_tokens, output_tokens, last_seq, started_at, ended_at)
	SELECT T('cnv_' || i), 1, T('turn_' || i), FALSE, T('stop'), 100, 100, 9, 1770000000000 + i, 1770000000000 + i FROM n`,
	`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 10 FROM n WHERE i < N - 10)
	INSERT INTO clarifications (id, conversation_id, tenant, subject, app, chat_id, turn_id, tool_call_id, tool_name, arguments, kind, question,
		number, max, state, asked_fence, done_fence, asked_at, answered_at, expires_at, shape)
	SELECT T('clr_' || i), T('cnv_' || i), T('acme'), T('user' || (i / 1000)), T('translator'), T('chat' || i), T('turn_' || i), T('call_' || i),
		T('ask_user'), T('{}'), T('question'), T('{"kind":"question","parts":[{"question":"Which language?","inputType":"text"}]}'),
		1, 10, T('pending'), 1, 0, 1770000000000 + i, 0, 1780000000000 + i, T('s') FROM n`,
}

func filled(b *testing.B, url string, chats int) *sized {
	b.Helper()
	s := &sized{Store: open(b, url), chats: chats}
	var statements []string
	for _, statement := range fill {
		statements = append(statements, strings.ReplaceAll(statement, "< N", fmt.Sprint("< ", chats)))
	}
	path, isSQLite := strings.CutPrefix(url, "sqlite:")
	if !isSQLite {
		conn := separate(b, url)
		run(b, conn, "CREATE FUNCTION t(text) RETURNS bytea IMMUTABLE LANGUAGE sql AS $$ SELECT convert_to($1, 'UTF8') $$")
		for _, statement := range append(statements, "ANALYZE") { // as the server does on its own within a minute
			run(b, conn, statement)
		}
		return s
	}
	direct, err := sql.Open("sqlite", path)
	if err != nil {
		b.Fatal(err)
	}
	defer direct.Close()
	for _, statement := range statements {
		if _, err := direct.ExecContext(b.Context(), strings.ReplaceAll(statement, "T(", "(")); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

var sizeOps = []struct {
	name string
	do   func(ctx context.Context, s *sized) error
}{
	{"first message of a chat", func(ctx context.Context, s *sized) error {
		s.made++
		return s.Update(ctx, ref(fmt.Sprint("new", s.made)), beginTurn)
	}},
	{"next message of a chat", func(ctx context.Context, s *sized) error { return s.Update(ctx, s.any(false), beginTurn) }},
	{"answer of a question", func(ctx context.Context, s *sized) error {
		return s.Update(ctx, s.any(true), func(tx store.Tx) error {
			list, err := tx.Clarifications().Pending()
			if err != nil {
				return err
			}
			c := list[0] // which stays open, for the next round
			c.State, c.AnsweredAt = tools.StatePending, now
			tx.Conversation().Fence++
			return tx.Clarifications().Save(c)
		})
	}},
	{"view of a chat", func(ctx context.Context, s *sized) error { _, err := s.View(ctx, s.any(true)); return err }},
	{"page of chats", func(ctx context.Context, s *sized) error {
		_, _, err := s.Conversations(ctx, "acme", s.any(true).Subject, "translator", store.Page{Limit: 50})
		return err
	}},
	{"page of questions", func(ctx context.Context, s *sized) error {
		_, _, err := s.Clarifications(ctx, "acme", s.any(true).Subject, store.Which{}, store.Page{Limit: 50})
		return err
	}},
	{"expired, none", func(ctx context.Context, s *sized) error { _, err := s.Due().Expired(ctx, now, 200); return err }},
	{"expired, a page", func(ctx context.Context, s *sized) error {
		_, err := s.Due().Expired(ctx, now.AddDate(10, 0, 0), 50)
		return err
	}},
	{"abandoned", func(ctx context.Context, s *sized) error {
		_, err := s.Due().Abandoned(ctx, "node", time.Minute, 200)
		return err
	}},
	{"waiting", func(ctx context.Context, s *sized) error { _, err := s.Due().Waiting(ctx, 200); return err }},
	{"stale, a page", func(ctx context.Context, s *sized) error {
		_, err := s.Due().Stale(ctx, "translator", now.AddDate(10, 0, 0), 0, 50)
		return err
	}},
	{"heartbeat", func(ctx context.Context, s *sized) error { _, err := s.Heartbeat(ctx, "node-1", time.Hour); return err }},
	{"count of the questions", func(ctx context.Context, s *sized) error { _, err := s.Due().Pending(ctx); return err }},
	{"a chat made and deleted", func(ctx context.Context, s *sized) error {
		if err := s.Update(ctx, ref("deleted"), beginTurn); err != nil {
			return err
		}
		return s.Delete(ctx, ref("deleted"), time.Time{})
	}},
}

// compare does the same in both stores alternately, and reports the median duration.
func compare(b *testing.B, do func(ctx context.Context, s *sized) error, stores ...*sized) {
	b.Helper()
	took := make([][]time.Duration, len(stores))
	for b.Loop() {
		for i, s := range stores {
			start := time.Now()
			if err := do(b.Context(), s); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(start))
		}
	}
	median := func(took []time.Duration) float64 {
		slices.Sort(took)
		return float64(took[len(took)/2].Nanoseconds()) / 1000
	}
	small, large := median(took[0]), median(took[1])
	b.ReportMetric(0, "ns/op") // of a round, which is not meaningful
	b.ReportMetric(small, "small-µs")
	b.ReportMetric(large, "large-µs")
	b.ReportMetric(large/small, "ratio")
}
