package channels_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

const secret = "0123456789abcdef0123456789abcdef"

// phone is a channel that records what it sends.
type phone struct {
	mu     sync.Mutex
	sent   []channels.Message
	at     []time.Time
	ended  []string
	script func(n int) error // n: 1 for the first message
}

func (p *phone) Send(_ context.Context, m *channels.Message) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent, p.at = append(p.sent, *m), append(p.at, time.Now())
	if p.script != nil {
		if err := p.script(len(p.sent)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("ref-%d", len(p.sent)), nil
}

func (p *phone) End(_ context.Context, ref string, m *channels.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	what := string(m.C.State)
	if m.C.Answer != nil && m.C.Answer.Deleted {
		what = "deleted"
	}
	if !m.Texts && len(p.sent) > 0 && p.sent[0].Texts {
		what += " without texts"
	}
	p.ended = append(p.ended, ref+" "+what)
	return nil
}

func (*phone) Close() {}

// fails has each attempt from now on fail with what script returns; nil ends that.
func (p *phone) fails(script func(n int) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.script = script
}

// rest lets time pass in a bubble, and waits for what it brings.
func rest(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// told returns to whom messages went, with their reminder, and how many minutes after begin.
func (p *phone) told(begin time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines []string
	for i := range p.sent {
		lines = append(lines, fmt.Sprintf("%s/%d@%s", p.sent[i].Email, p.sent[i].Reminder, p.at[i].Sub(begin).Round(time.Minute)))
	}
	return strings.Join(lines, " ")
}

func (p *phone) first(t *testing.T) channels.Message {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.sent) == 0 {
		t.Fatal("nothing was sent")
	}
	return p.sent[0]
}

func snapshot(t *testing.T, channel string) *config.Snapshot {
	t.Helper()
	snap, err := configtest.Load(t, configtest.Files{
		"gateway.json": `{"publicUrl": "https://ask.example.org", "auth": {"session": {"secret": "` + secret + `"}},
			"people": [{"tenant": "acme", "subject": "alice", "email": "alice@example.org", "locale": "de"}, {"tenant": "acme", "subject": "carol", "email": "carol@example.org", "roles": ["finance"]}],
			"channels": [` + channel + `]}`,
		"apps/app.json": `{"id": "app", "name": {"en": "Helper", "de": "Helfer"}}`,
	}, configtest.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func mail(more string) string {
	return `{"id": "mail", "type": "mail", "server": "smtp://127.0.0.1", "from": "ask@example.org"` + more + `}`
}

// node is a teller at work.
type node struct {
	t        *testing.T
	registry *prometheus.Registry
	log      *bytes.Buffer
	mu       sync.Mutex
	snap     *config.Snapshot
	stop     func()
}

// start starts a teller. look is how often it asks the store, if not at the usual interval.
func start(t *testing.T, db channels.Store, p *phone, channel string, look ...time.Duration) *node {
	t.Helper()
	n := &node{t: t, registry: prometheus.NewRegistry(), log: new(bytes.Buffer), snap: snapshot(t, channel)}
	teller := channels.New(channels.Options{
		Store: db, Registry: n.registry, Log: slog.New(slog.NewTextHandler(n.log, nil)),
		Config: func() *config.Snapshot {
			n.mu.Lock()
			defer n.mu.Unlock()
			return n.snap
		},
		Types: map[string]channels.Type{"mail": func(config.Channel) (channels.Sender, error) { return p, nil }},
		Base:  func() string { return "https://ask.example.org" },
		Text:  func(language, id string, _ map[string]any) string { return language + ":" + id },
	})
	for _, every := range look {
		teller.Look(every)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		teller.Run(ctx)
	}()
	n.stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	t.Cleanup(n.stop)
	return n
}

// counted returns a counter of the channel.
func (n *node) counted(outcome string) int {
	n.t.Helper()
	families, err := n.registry.Gather()
	if err != nil {
		n.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == "askgate_channel_deliveries_total" && l.GetValue() == outcome {
					return int(m.GetCounter().GetValue())
				}
			}
		}
	}
	return -1
}

func ref(chatID string) chat.Ref {
	return chat.Ref{Tenant: "acme", Subject: "alice", App: "app", ChatID: chatID}
}

// ask stores a question, and whom the channel tells of it.
func ask(t *testing.T, db store.Store, chatID, id string, change func(*chat.Clarification), people ...string) {
	t.Helper()
	c := chat.Clarification{
		ID: id, TurnID: "turn_" + id, ToolCallID: "call_" + id, ToolName: "ask_user", Arguments: "{}", State: tools.StatePending, AskedAt: db.Now(),
		Question: tools.Question{Kind: tools.KindQuestion, AskedBy: &tools.Asker{Kind: tools.AskerModel, Name: "default"}, Parts: []tools.Part{{ID: "q1", Question: "Which?", InputType: tools.Text}}},
	}
	if change != nil {
		change(&c)
	}
	n := chat.News{Type: chat.EventClarification, ClarificationID: id}
	for _, p := range people {
		n.Notices = append(n.Notices, chat.Recipient{Channel: "mail", Subject: p})
	}
	err := db.Update(t.Context(), ref(chatID), func(tx store.Tx) error {
		tx.Conversation().Language = "en"
		return errors.Join(tx.AddClarification(c), tx.AddNews(n))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// answer closes the pending question of a chat.
func answer(t *testing.T, db store.Store, chatID string) {
	t.Helper()
	err := db.Update(t.Context(), ref(chatID), func(tx store.Tx) error {
		open, err := tx.Clarifications().Pending()
		if err != nil {
			return err
		}
		c := open[0]
		c.State, c.Answer, c.AnsweredAt = tools.StateAnswered, &tools.Answer{Value: []byte(`"a"`)}, db.Now()
		return errors.Join(tx.Clarifications().Save(c), tx.AddNews(chat.News{Type: chat.EventClarificationResolved, ClarificationID: c.ID, EndNotices: true}))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func notTold(t *testing.T, db store.Store, id string) string {
	t.Helper()
	c, err := db.Clarification(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(c.NotTold, " ")
}
