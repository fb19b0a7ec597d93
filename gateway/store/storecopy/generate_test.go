package storecopy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/tools"
)

// generator fills a store with chats, alike for each seed.
type generator struct {
	t *testing.T
	r *rand.Rand
	d *sqldb.DB
	n int // ids so far

	open []string // questions
}

func signer() *seal.HMAC {
	return seal.NewHMAC("questions", func() seal.Secrets { return seal.Secrets{Own: secret} }, nil)
}

// generate returns the ids of the questions that are open.
func generate(t *testing.T, url string, seed uint64, chats int) []string {
	t.Helper()
	d, err := sqldb.Open(t.Context(), url, sqldb.Options{AuditSecrets: secrets, Signer: signer()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g := &generator{t: t, r: rand.New(rand.NewPCG(seed, 7)), d: d}
	var erased []chat.Ref
	for range chats {
		ref := g.chat()
		if len(erased) == 0 || g.one(4) {
			erased = append(erased, ref)
		}
	}
	for _, ref := range erased { // leaves hashes in the audit, and numbers that are not used again
		g.must(d.Delete(t.Context(), ref, time.Time{}, chat.AuditRecord{At: chat.Time(g.at()), What: chat.AuditErased, Tenant: ref.Tenant, App: ref.App}))
	}
	for range chats {
		g.must(d.Memory().SaveMemory(t.Context(), chat.Memory{ID: g.id("mem"), Tenant: "acme", Subject: "alice", App: "helper", Key: g.id("key"), Text: g.text(), UpdatedAt: g.at()}, 1000))
		f := store.Folder{Name: g.id("folder"), Tool: "laws", Whole: g.one(2), Untold: g.text()}
		_, err := d.Outbox().Folders().SaveFolder(t.Context(), f, []store.FolderFile{{Path: g.id("a"), Sum: g.id("sum"), Work: g.text()}, {Path: g.id("b")}},
			[]store.FolderDelivery{{Webhook: "a", Event: "document.changed", Told: g.text()}})
		g.must(err)
		g.must(d.Relay().Put(t.Context(), g.id("relay"), []byte(g.text()), time.Hour))
	}
	return g.open
}

func (g *generator) must(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

func (g *generator) one(in int) bool { return g.r.IntN(in) == 0 }

func (g *generator) id(prefix string) string {
	g.n++
	return fmt.Sprintf("%s_%x_%d", prefix, g.r.Uint32(), g.n)
}

func (g *generator) at() time.Time { return time.UnixMilli(1770000000000 + g.r.Int64N(1e9)).UTC() }

// pieces are what texts are made of: what a database could change.
var pieces = []string{"", "a", "ÄÖ", "\x00", "\xff\xfe", "'\"`", "?", "$1", "now_ms()", "\\x00", "\n\r\t", "🤷", "日本", " "}

func (g *generator) text() (s string) {
	for range g.r.IntN(9) {
		s += pieces[g.r.IntN(len(pieces))]
	}
	if g.one(20) {
		s += strings.Repeat(g.id("long"), 5000)
	}
	return s
}

// printable is a text that JSON keeps as it is.
func (g *generator) printable() string { return "Größe? 'a' " + g.id("p") }

func (g *generator) chat() chat.Ref {
	ref := chat.Ref{Tenant: "acme", Subject: []string{"alice", "bob"}[g.r.IntN(2)], App: "helper", ChatID: g.id("chat")}
	for turn := range 1 + g.r.IntN(3) {
		g.must(g.d.Update(g.t.Context(), ref, func(tx store.Tx) error { return g.turn(tx, ref, int64(turn+1)) }))
	}
	if len(g.open) > 0 && g.one(2) {
		draft, _ := json.Marshal(map[string]string{"value": g.printable()})
		_ = g.d.SaveDraft(g.t.Context(), "acme", ref.Subject, g.open[len(g.open)-1], draft)
	}
	return ref
}

func (g *generator) turn(tx store.Tx, ref chat.Ref, fence int64) error {
	c := tx.Conversation()
	c.Fence, c.LastEvent, c.Title = fence, chat.EventID{Fence: fence, Seq: int64(g.r.IntN(50))}, g.text()
	state := []chat.TurnState{chat.TurnPaused, chat.TurnEnded, chat.TurnRunning}[g.r.IntN(3)]
	turn := chat.Turn{ID: g.id("trn"), State: state, Language: "de", Interactive: true, StartedAt: g.at()}
	call := g.id("call")
	file := chat.NewID(tools.FilePrefix)
	q := chat.Clarification{
		ID: g.id("clr"), TurnID: turn.ID, ToolCallID: call, ToolName: "ask_user", Number: int(fence), Max: 5, State: tools.StatePending, AskedAt: g.at(), AskedFence: fence, Arguments: "{}",
		Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{ID: "q1", Question: g.printable(), InputType: tools.Text}}},
	}
	if g.one(2) {
		q.State, q.AnsweredAt, q.DoneFence = tools.StateAnswered, g.at(), fence
		q.Answer = &tools.Answer{Note: g.printable(), Value: json.RawMessage(`"x"`)}
		q.AnsweredBy = &chat.By{Subject: ref.Subject, Channel: chat.ChannelAPI}
	} else if g.one(2) {
		g.open = append(g.open, q.ID)
	} else {
		g.open = append([]string{q.ID}, g.open...)
	}
	for _, do := range []func() error{
		func() error { return tx.BeginTurn(turn) },
		func() error {
			return tx.AppendMessage(chat.Message{ID: g.id("msg"), TurnID: turn.ID, Fence: fence, Role: chat.RoleUser, Content: g.text(), CreatedAt: g.at()})
		},
		func() error {
			return tx.AppendMessage(chat.Message{ID: g.id("msg"), TurnID: turn.ID, Fence: fence, Role: chat.RoleAssistant, Content: g.text(), Thinking: g.text(), CreatedAt: g.at(), ToolCalls: []chat.ToolCall{{ID: call, Name: "ask_user", Arguments: g.text()}}})
		},
		func() error { return tx.AddClarification(q) },
		func() error {
			return tx.Audit(chat.AuditRecord{At: chat.Time(g.at()), What: chat.AuditAsked, Tenant: ref.Tenant, Subject: ref.Subject, App: ref.App, ChatID: ref.ChatID, ClarificationID: q.ID})
		},
		func() error {
			return tx.SaveRun(chat.Run{Fence: fence, TurnID: turn.ID, StartedAt: g.at(), EndedAt: g.at(), LastSeq: 9})
		},
		func() error {
			return tx.Enqueue(chat.Queued{ID: g.id("msg"), Content: g.text(), Language: "fr", Interactive: g.one(2), CreatedAt: g.at()})
		},
		func() error {
			return tx.Keys().Save(chat.Key{Key: "\xff\x00'" + g.id("k"), Hash: "h", Fence: fence, CreatedAt: g.at()})
		},
		func() error {
			return tx.AddNews(chat.News{Type: chat.EventClarification, ClarificationID: q.ID, Hooks: []chat.Hook{{Webhook: "w", Event: "asked"}}})
		},
		func() error {
			return tx.Files().Add(chat.File{ID: file, Attachment: tools.Attachment{Name: g.text(), Type: "text/plain", Size: 3}, UsedBy: q.ID, CreatedAt: g.at()})
		},
		func() error {
			return tx.Files().Save(chat.File{ID: file, Attachment: tools.Attachment{Name: g.text(), Type: "text/plain", Size: 3}, UsedBy: q.ID, CreatedAt: g.at()})
		},
		func() error { return tx.Instruct(g.id("msg"), g.text()) },
		func() error { return tx.CountSaid("ci", int64(1+g.r.IntN(99))) },
		func() error {
			return tx.Remember(chat.Memory{ID: g.id("mem"), Tenant: ref.Tenant, Subject: ref.Subject, App: ref.App, Key: g.id("key"), Of: g.id("of"), Text: g.printable(), UpdatedAt: g.at(),
				Answer: &chat.RememberedAnswer{Part: q.Question.Parts[0], Answer: tools.Answer{Value: json.RawMessage(`"fr"`)}}})
		},
	} {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// fileIDs returns the ids of the files that chats have.
func fileIDs(t *testing.T, url string) []string {
	return column(t, separate(t, url), `SELECT DISTINCT id FROM files WHERE size >= 0 AND conversation_id IS NOT NULL`)
}

// readable fails the test unless a store has the open questions with their seals, and a whole audit.
func readable(t *testing.T, url string, open []string, records int64) {
	t.Helper()
	d, err := sqldb.Open(context.WithoutCancel(t.Context()), url, sqldb.Options{AuditSecrets: secrets, Signer: signer()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	there := map[string]bool{}
	for cursor, first := "", true; first || cursor != ""; first = false {
		var list []chat.Clarification
		list, cursor, err = d.Clarifications(t.Context(), "acme", "alice", store.Which{Status: store.StatusPending}, store.Page{Limit: 100, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			there[c.ID] = true
		}
	}
	v, err := d.Audit().VerifyAudit(t.Context())
	if err != nil || v.Broken != nil || v.Unchecked != "" || v.Records != records {
		t.Errorf("the audit: %+v, %v; want %d records", v, err, records)
	}
	for _, id := range open {
		c, err := d.Clarification(t.Context(), id)
		if err != nil || c.State != tools.StatePending || c.Subject == "alice" && !there[id] {
			t.Errorf("the open question %s: %v, %v", id, c.State, err)
		}
	}
}
