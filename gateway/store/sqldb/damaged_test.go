package sqldb_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/textsearch"
)

// jsonColumns lists the columns that, by the tables' comments, contain JSON, and other columns with
// JSON.
func jsonColumns(t *testing.T) []string {
	t.Helper()
	columns := []string{"clarifications.arguments", "tool_calls.arguments", "queue.files", "deferred_messages.asked_by", "audit.record", "clarifications.decisions"}
	files, names := sqldb.Frozen()
	for _, name := range names {
		text, err := fs.ReadFile(files, "migrations/postgres/"+name)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range regexp.MustCompile(`(?s)CREATE TABLE (\w+) \((.*?)\n\)`).FindAllStringSubmatch(string(text), -1) {
			for _, column := range regexp.MustCompile(`(?m)^ +(\w+) .*-- JSON`).FindAllStringSubmatch(table[2], -1) {
				columns = append(columns, table[1]+"."+column[1])
			}
		}
	}
	return columns
}

// keepAll stores a chat with a row in each table that has JSON.
func keepAll(t *testing.T, d *sqldb.DB, id string) {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Millisecond)
	err := d.Update(t.Context(), ref(id), func(tx store.Tx) error {
		tx.Conversation().Fence = 1
		asked := chat.Clarification{ID: "clr_" + id, Ref: ref(id), TurnID: "trn", ToolCallID: "call_1", ToolName: "ask_user", Arguments: "{}", AskedFence: 1, AskedAt: now,
			State: tools.StatePending, Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{Question: "Which?", InputType: tools.Text}}}}
		return errors.Join(
			tx.BeginTurn(chat.Turn{ID: "trn", State: chat.TurnPaused, StartedAt: now}),
			tx.AppendMessage(chat.Message{ID: "msg_" + id, TurnID: "trn", Fence: 1, Role: chat.RoleUser, Content: "first words", CreatedAt: now}),
			tx.AppendMessage(chat.Message{ID: "step_" + id, TurnID: "trn", Fence: 1, Role: chat.RoleAssistant, CreatedAt: now, ToolCalls: []chat.ToolCall{
				{ID: "call_1", Name: "ask_user", Arguments: "{}"}, {ID: "call_2", Name: "clock", Arguments: "{}", Result: &chat.ToolResult{Content: "noon", Fence: 1}}}}),
			tx.SaveRun(chat.Run{Fence: 1, TurnID: "trn", FinishReason: "clarification", StartedAt: now, EndedAt: now}),
			tx.AddClarification(asked),
			tx.Enqueue(chat.Queued{ID: "queued_" + id, Content: "and?", CreatedAt: now}),
			tx.Defer(chat.Message{ID: "deferred_" + id, Content: "By the way.", AskedBy: &tools.Asker{Kind: "program", Name: "ci"}, CreatedAt: now}),
			tx.SaveBasis(&chat.Basis{TurnID: "trn"}),
			tx.SaveClientTools(&chat.ClientTools{TurnID: "trn"}),
			tx.Remember(chat.Memory{ID: "mem_" + id, Tenant: "acme", Subject: "alice", App: "translator", Key: id, Of: "x", Text: "pdf", Answer: &chat.RememberedAnswer{}, UpdatedAt: now}),
			tx.Audit(chat.AuditRecord{At: chat.Time(now), What: chat.AuditAsked, Tenant: "acme", Subject: "alice", App: "translator", ChatID: id}),
		)
	})
	if err != nil {
		t.Fatal(id, err)
	}
}

// TestDamagedJSONCostsItsRow: whichever column it is in, all lists contain the other rows, and the
// chat is shown without it.
func TestDamagedJSONCostsItsRow(t *testing.T) {
	onEach(t, func(t *testing.T, u string) {
		d := open(t, u)
		ids := []string{"good"}
		for _, column := range jsonColumns(t) {
			ids = append(ids, strings.ReplaceAll(column, ".", "-"))
		}
		for _, id := range ids {
			keepAll(t, d, id)
		}
		damage := directly(t, u)
		for i, column := range jsonColumns(t) {
			table, name, _ := strings.Cut(column, ".")
			of := "conversation_id = (SELECT id FROM conversations WHERE chat_id = '%s')"
			switch table {
			case "conversations", "clarifications":
				of = "chat_id = '%s'"
			case "memory":
				of = "name = '%s'"
			case "audit": // is never changed
				damage(`INSERT INTO audit (at, app, record) VALUES (` + fmt.Sprint(time.Now().UnixMilli()) + `, 'translator', '{"')`)
				continue
			}
			damage(fmt.Sprintf(`UPDATE %s SET %s = '{"' WHERE `+of, table, name, ids[i+1]))
		}

		// All lists, of all chats.
		page := store.Page{Limit: 100}
		chats, _, err := d.Conversations(t.Context(), "acme", "alice", "translator", page)
		lists := map[string][]string{"chats": names(t, err, chats, func(c store.Listed) string { return c.ChatID })}
		matches, _, err := d.Search(t.Context(), "acme", "alice", "translator", textsearch.NewWords("words"), page)
		lists["search"] = names(t, err, matches, func(m store.Match) string { return m.ChatID })
		for name, which := range map[string]store.Which{"pending": {Status: store.StatusPending}, "all": {Status: store.StatusAll}} {
			questions, _, err := d.Clarifications(t.Context(), "acme", "alice", which, page)
			lists[name] = names(t, err, questions, func(c chat.Clarification) string { return c.ChatID })
		}
		questions, _, err := d.Overview().AllPending(t.Context(), page)
		lists["everybody's"] = names(t, err, questions, func(c chat.Clarification) string { return c.ChatID })
		memories, err := d.Memory().Memories(t.Context(), "acme", "alice", "translator")
		lists["memories"] = names(t, err, memories, func(m chat.Memory) string { return m.Key })
		memories, _, err = d.Memory().MemoryPage(t.Context(), "acme", "alice", "", page)
		lists["memories of all apps"] = names(t, err, memories, func(m chat.Memory) string { return m.Key })
		records, _, err := d.Audit().AuditRecords(t.Context(), store.AuditSpan{}, page)
		lists["audit"] = names(t, err, records, func(r chat.AuditRecord) string { return r.ChatID })
		lost := map[string][]string{
			"pending": {"clarifications-question", "clarifications-answer", "clarifications-arguments", "clarifications-decisions"}, "memories": {"memory-answer"}, "search": {"messages-asked_by", "messages-files"},
		}
		lost["all"], lost["everybody's"], lost["memories of all apps"] = lost["pending"], lost["pending"], lost["memories"]
		for list, has := range lists {
			for _, id := range ids {
				if !slices.Contains(has, id) && !slices.Contains(lost[list], id) {
					t.Errorf("the list %s lacks %s", list, id)
				}
			}
		}

		// Each chat.
		for _, id := range ids {
			head, _, err := d.Conversation(t.Context(), ref(id))
			if err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			view, err := d.View(t.Context(), ref(id))
			part, err2 := d.ViewPart(t.Context(), ref(id), store.Part{Limit: 10, Bytes: 1 << 20, Closed: 1 << 20, Family: true})
			runs, err3 := d.ViewRuns(t.Context(), ref(id), 0, 1, 1<<20)
			if err := errors.Join(err, err2, err3); err != nil {
				t.Errorf("%s: %v", id, err)
				continue
			}
			for what, shown := range map[string]any{"view": view, "part": part, "runs": runs} {
				if _, err := json.Marshal(shown); err != nil {
					t.Errorf("%s: the %s is not valid JSON: %v", id, what, err)
				}
			}
			for _, m := range view.Messages {
				for _, c := range m.ToolCalls {
					if !json.Valid([]byte(c.Arguments)) {
						t.Errorf("%s: a call has arguments that are not valid JSON", id)
					}
				}
			}
			if len(view.Messages) != 2 || len(part.Messages) != 2 {
				t.Errorf("%s: it has %d messages, %d in a part", id, len(view.Messages), len(part.Messages))
			}
			if _, err := d.Run(t.Context(), head.ID, 1); err != nil && !(id == "runs-failure" && errors.Is(err, store.ErrUnreadable)) {
				t.Errorf("%s: its run: %v", id, err)
			}
			// A run needs all of it.
			if _, err := d.Recent(t.Context(), ref(id), func([]chat.Fit) store.Span { return store.Span{ClientTools: true} }); err != nil && !errors.Is(err, store.ErrUnreadable) {
				t.Errorf("%s: a run reads: %v", id, err)
			}
			err = d.Update(t.Context(), ref(id), func(tx store.Tx) error {
				_, queue := tx.Queue()
				_, pending := tx.Clarifications().Pending()
				_, deferred := tx.TakeDeferred()
				return errors.Join(queue, pending, deferred)
			})
			if err != nil {
				t.Errorf("%s: an update: %v", id, err)
			}
		}
	})
}

// names lists items, each of which can be shown as JSON.
func names[T any](t *testing.T, err error, items []T, name func(T) string) (list []string) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	for _, item := range items {
		if c, ok := any(item).(chat.Clarification); ok && !json.Valid([]byte(c.Arguments)) {
			t.Errorf("%s has arguments that are not valid JSON", name(item))
		}
		if _, err := json.Marshal(item); err != nil {
			t.Errorf("%s is not valid JSON: %v", name(item), err)
		}
		list = append(list, name(item))
	}
	return list
}
