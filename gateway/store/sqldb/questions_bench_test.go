package sqldb_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/store"
)

// BenchmarkQuestions reads the report of 1,000,000 questions (see chats) of three apps: a tenth
// from five templates, half from five hundred texts, the others each asked only once, as models do.
func BenchmarkQuestions(b *testing.B) {
	for name, newURL := range map[string]func(b *testing.B) string{
		"SQLite":     func(b *testing.B) string { return "sqlite:" + filepath.Join(b.TempDir(), "chats.db") },
		"PostgreSQL": func(b *testing.B) string { return postgresURL(b) },
	} {
		b.Run(name, func(b *testing.B) {
			u := newURL(b)
			d := open(b, u)
			if err := d.Update(b.Context(), ref("c"), beginTurn); err != nil {
				b.Fatal(err)
			}
			manyQuestions(b, u, chats(1_000_000))
			for _, limit := range []int{100, 500} {
				b.Run(strconv.Itoa(limit)+" rows", func(b *testing.B) {
					for b.Loop() {
						report, err := d.Overview().Questions(b.Context(), time.Time{}, "", limit)
						if err != nil {
							b.Fatal(err)
						}
						wantMany(b, report, limit)
					}
				})
			}
		})
	}
}

func wantMany(b *testing.B, report store.Questions, limit int) {
	b.Helper()
	asked := 0
	for _, m := range report.Models {
		asked += m.Asked
	}
	if row := report.Rows[0]; len(report.Rows) != limit || asked != chats(1_000_000) || row.Template == "" || row.Waits.P90 == 0 || row.Taken == 0 {
		b.Fatalf("the report has %d rows of %d questions, first %+v", len(report.Rows), asked, report.Rows[0])
	}
}

// manyQuestions stores that many, bypassing the gateway.
func manyQuestions(b *testing.B, u string, n int) {
	b.Helper()
	do := directly(b, u)
	text, numbers := func(s string) string { return s }, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "+strconv.Itoa(n)+")"
	if !strings.HasPrefix(u, "sqlite:") {
		text = func(s string) string { return "convert_to(" + s + ", 'UTF8')" }
		numbers = "WITH n(i) AS (SELECT generate_series(1, " + strconv.Itoa(n) + ")::bigint)"
	}
	question := `{"kind":"question","parts":[{"id":"q1","question":"` + strings.Repeat("Which of these? ", 20) + `","input_type":"text"}]}`
	columns := []struct{ name, value string }{
		{"id", text("'clr_' || (i * 7919 % 1000003)")}, {"conversation_id", "(SELECT id FROM conversations)"},
		{"tenant", text("'acme'")}, {"subject", text("'s' || (i % 5000)")}, {"app", text("'app' || (i % 3)")}, {"chat_id", text("'c' || (i % 1000)")},
		{"turn_id", text("'t'")}, {"tool_call_id", text("'call_' || i")}, {"tool_name", text("'ask_user'")}, {"arguments", text("'{}'")},
		{"kind", text("'question'")}, {"question", text("'" + question + "'")}, {"number", "1"}, {"max", "10"},
		{"state", text("CASE WHEN i % 10 < 6 THEN 'answered' WHEN i % 10 < 8 THEN 'expired' WHEN i % 10 < 9 THEN 'skipped' ELSE 'superseded' END")},
		{"asked_fence", "1"}, {"done_fence", "1"}, {"asked_at", "1700000000000 + i"}, {"answered_at", "1700000000000 + i + 5000"}, {"expires_at", "0"},
		{"seen_at", "CASE WHEN i % 3 = 0 THEN 1700000000001 + i ELSE 0 END"}, {"model", text("'model' || (i % 2)")},
		{"template", text("CASE WHEN i % 10 = 5 THEN 'template' || (i / 10 % 5) ELSE '' END")},
		{"shape", text("CASE WHEN i % 10 = 5 THEN '' WHEN i % 2 = 0 THEN 's' || (i / 10 % 500) ELSE 'only' || i END")},
		{"marks", "i / 10 % 8"}, {"choice", "i % 4"}, {"took", "CASE WHEN i % 10 < 6 OR i % 10 = 8 THEN i * 104729 % 3600000 END"},
	}
	names, values := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i], values[i] = c.name, c.value
	}
	do(numbers + " INSERT INTO clarifications (" + strings.Join(names, ", ") + ") SELECT " + strings.Join(values, ", ") + " FROM n")
	if strings.HasPrefix(u, "sqlite:") {
		do("ANALYZE")
	} else {
		do("VACUUM ANALYZE clarifications") // as the server does on its own over time
	}
}
