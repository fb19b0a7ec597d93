package sqldb_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools/textsearch"
)

// BenchmarkSearch searches a store of 100,000 messages, of which half are alice's and 2,000 are
// bob's, for a text in the newest chat, and for a text that does not occur: page by page, to the
// end.
func BenchmarkSearch(b *testing.B) {
	for name, newURL := range map[string]func(b *testing.B) string{
		"SQLite":     func(b *testing.B) string { return "sqlite:" + filepath.Join(b.TempDir(), "chats.db") },
		"PostgreSQL": func(b *testing.B) string { return postgresURL(b) },
	} {
		b.Run(name, func(b *testing.B) {
			d := open(b, newURL(b))
			for subject, messages := range map[string]int{"alice": 50_000, "bob": 2_000, "carol": 48_000} {
				saidMuch(b, d, subject, messages)
			}
			for _, subject := range []string{"alice", "bob"} {
				for what, query := range map[string]string{"newest": "needle", "nowhere": "haystack"} {
					b.Run(subject+", "+what, func(b *testing.B) {
						pages, longest, found := 0, time.Duration(0), 0
						for b.Loop() {
							pages, found = 0, 0
							for cursor := ""; ; {
								start := time.Now()
								list, next, err := d.Search(b.Context(), "acme", subject, "translator", textsearch.NewWords(query), store.Page{Limit: 20, Cursor: cursor})
								if err != nil {
									b.Fatal(err)
								}
								longest = max(longest, time.Since(start))
								found += len(list)
								pages++
								if cursor = next; cursor == "" || found > 0 {
									break
								}
							}
						}
						if (found == 0) != (what == "nowhere") {
							b.Fatalf("found %d", found)
						}
						b.ReportMetric(float64(pages), "pages")
						b.ReportMetric(float64(longest.Milliseconds()), "longest-page-ms")
					})
				}
			}
		})
	}
}

// saidMuch stores chats of 20 messages of some 400 bytes.
func saidMuch(b *testing.B, d store.Store, subject string, messages int) {
	b.Helper()
	for i := range messages / 20 {
		r := ref(strconv.Itoa(i))
		r.Subject = subject
		if err := d.UpdateLazily(b.Context(), r, func(tx store.Tx) error {
			if err := beginTurn(tx); err != nil {
				return err
			}
			tx.Conversation().UpdatedAt = now.Add(time.Duration(i) * time.Minute)
			for j := range 19 {
				text := fmt.Sprint(strings.Repeat("Plan my weekend trip, and say what it costs. ", 9), j)
				if i == messages/20-1 && j == 18 {
					text += " The needle."
				}
				if err := tx.AppendMessage(chat.Message{ID: chat.NewID("msg"), TurnID: "trn", Fence: 1, Role: chat.RoleAssistant, Content: text, CreatedAt: now}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
}
