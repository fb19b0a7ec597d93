package notify_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

const (
	secret  = "0123456789abcdef0123456789abcdef"
	signing = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
)

// got is a request as the receiver gets it.
type got struct {
	at     time.Time
	url    string
	header http.Header
	body   string
}

// receiver responds in place of the network, and records the requests. Without a script it responds
// 204.
type receiver struct {
	mu     sync.Mutex
	all    []got
	script func(n int, r *http.Request) (*http.Response, error) // n: 1 for the first request
}

// from now on responds in another way.
func (r *receiver) fromNowOn(script func(int, *http.Request) (*http.Response, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.script = script
}

func (r *receiver) RoundTrip(req *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	r.all = append(r.all, got{time.Now(), req.URL.String(), req.Header, string(body)})
	n, script := len(r.all), r.script
	r.mu.Unlock()
	if script != nil {
		return script(n, req)
	}
	return status(http.StatusNoContent), nil
}

func (r *receiver) received() []got {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]got(nil), r.all...)
}

func status(code int) *http.Response {
	return &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("words of the receiver"))}
}

// node is a notifier with everything it works with.
type node struct {
	t        *testing.T
	store    store.Store
	notifier *notify.Notifier
	registry *prometheus.Registry
	log      *bytes.Buffer
	mu       sync.Mutex
	snap     *config.Snapshot
	stop     func()
}

func snapshot(t *testing.T, hooks string) *config.Snapshot {
	t.Helper()
	snap, err := configtest.Load(t, configtest.Files{
		"gateway.json":  `{"publicUrl": "https://ask.example.org", "auth": {"session": {"secret": "` + secret + `"}}, "webhooks": [` + hooks + `]}`,
		"apps/app.json": `{"id": "app", "name": "Helper <1>"}`,
	}, configtest.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// standard is a webhook with more keys.
func standard(more string) string {
	return `{"id": "a", "url": "https://hook.example.org/token-1", "secret": "` + signing + `"` + more + `}`
}

// start starts a notifier; s is wrapped for tests of errors from the store. look is how often it
// asks the store, if not at the usual interval.
func start(t *testing.T, db store.Store, s notify.Store, way http.RoundTripper, hooks string, look ...time.Duration) *node {
	t.Helper()
	n := &node{t: t, store: db, registry: prometheus.NewRegistry(), log: new(bytes.Buffer), snap: snapshot(t, hooks)}
	n.notifier = notify.New(notify.Options{
		Store: s, Config: n.config, Registry: n.registry, Log: slog.New(slog.NewTextHandler(n.log, nil)),
		Text: func(language, id string, params map[string]any) string {
			if app, ok := params["App"].(string); ok {
				return id + " of " + app
			}
			return id
		},
	})
	n.notifier.Through(way)
	for _, every := range look {
		n.notifier.Look(every)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.notifier.Run(ctx)
	}()
	n.stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	t.Cleanup(n.stop)
	return n
}

func (n *node) config() *config.Snapshot {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.snap
}

// reload changes the configuration.
func (n *node) reload(hooks string) {
	n.t.Helper()
	snap := snapshot(n.t, hooks)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.snap = snap
}

// counted returns a counter's value.
func (n *node) counted(name string, labels map[string]string) float64 {
	n.t.Helper()
	families, err := n.registry.Gather()
	if err != nil {
		n.t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
	metrics:
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if labels[l.GetName()] != l.GetValue() {
					continue metrics
				}
			}
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	n.t.Errorf("no metric %s %v", name, labels)
	return 0
}

func (n *node) outcomes() string {
	text := ""
	for _, outcome := range []string{"delivered", "failed", "given_up"} {
		text += strconv.Itoa(int(n.counted("askgate_webhook_deliveries_total", map[string]string{"webhook": "a", "outcome": outcome}))) + " " + outcome + " "
	}
	return strings.TrimSpace(text)
}

// ask stores a question with a marker in each text, and the webhook's news about it.
func ask(t *testing.T, db store.Store, chatID, id string, more ...func(*chat.Clarification)) chat.Clarification {
	t.Helper()
	c := chat.Clarification{
		Ref: chat.Ref{Tenant: "acme", Subject: "alice", App: "app", ChatID: chatID},
		ID:  id, TurnID: "turn_" + id, ToolCallID: "call_" + id, ToolName: "ask_user", Arguments: "{}", State: tools.StatePending, AskedAt: time.Now(),
		Question: tools.Question{Kind: tools.KindQuestion, AskedBy: &tools.Asker{Kind: tools.AskerModel, Name: "default"},
			Parts: []tools.Part{{ID: "q1", Question: "MARKER & question?", InputType: tools.Text}}},
	}
	for _, change := range more {
		change(&c)
	}
	tell(t, db, chatID, chat.News{Type: chat.EventClarification, ClarificationID: id, TurnID: c.TurnID, Hooks: []chat.Hook{{Webhook: "a", Event: config.WebhookAsked}}}, &c)
	return c
}

// tell stores news and, if there is one, its question.
func tell(t *testing.T, db store.Store, chatID string, n chat.News, c *chat.Clarification) {
	t.Helper()
	err := db.Update(t.Context(), chat.Ref{Tenant: "acme", Subject: "alice", App: "app", ChatID: chatID}, func(tx store.Tx) error {
		tx.Conversation().Language = "en"
		if c != nil {
			if err := tx.AddClarification(*c); err != nil {
				return err
			}
		}
		return tx.AddNews(n)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// answer closes a question, and stores the webhook's news about that.
func answer(t *testing.T, db store.Store, chatID string) {
	t.Helper()
	err := db.Update(t.Context(), chat.Ref{Tenant: "acme", Subject: "alice", App: "app", ChatID: chatID}, func(tx store.Tx) error {
		open, err := tx.Clarifications().Pending()
		if err != nil {
			return err
		}
		c := open[0]
		c.State, c.Answer, c.AnsweredAt = tools.StateAnswered, &tools.Answer{Value: []byte(`"MARKER answer"`)}, time.Now()
		return errors.Join(tx.Clarifications().Save(c), tx.AddNews(chat.News{Type: chat.EventClarificationResolved, ClarificationID: c.ID, TurnID: c.TurnID,
			Hooks: []chat.Hook{{Webhook: "a", Event: config.WebhookResolved}}}))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) store.Store { return testdb.Open(t) }
