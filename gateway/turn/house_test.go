package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/gatewaytest"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/approval"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tools/memory"
	"github.com/askgate/askgate/tooltypes/clienttool"
	"github.com/askgate/askgate/tooltypes/httptool"
)

// house is an engine on a SQLite file with a scripted model.
type house struct {
	t      testing.TB
	engine *turn.Engine
	reader *follow.Reader // for viewers
	store  store.Store
	app    *config.App
	ref    chat.Ref
	model  *script
	tool   tools.Tool    // what calculator, clock and keep do; the last two need approval, that of keep is remembered
	calls  *atomic.Int64 // its runs
	log    *gatewaytest.Log

	factories toolexec.Factories
	registry  *prometheus.Registry
}

// late is the tool that the house has when it is called.
type late struct{ h *house }

func (l late) Run(ctx context.Context, call tools.Call) (tools.Outcome, error) {
	return l.h.tool.Run(ctx, call)
}

// Definition implements tools.Describer: the tool that asks sends it.
func (l late) Definition() (string, json.RawMessage) {
	return "late", json.RawMessage(`{"properties":{"expression":{"type":"string"},"timezone":{"type":"string"}},"additionalProperties":false}`)
}

// script is a model that answers request n with the n-th function.
type script struct {
	mu    sync.Mutex
	steps []answer
	sent  []model.Request
}

type answer func(ctx context.Context, yield func(model.Delta, error) bool)

func (s *script) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		s.mu.Lock()
		req.Messages = append([]model.Message(nil), req.Messages...)
		s.sent = append(s.sent, req)
		if len(s.steps) == 0 {
			s.mu.Unlock()
			yield(model.Delta{}, &model.Error{Kind: model.KindError, Detail: "script is over"})
			return
		}
		next := s.steps[0]
		s.steps = s.steps[1:]
		s.mu.Unlock()
		next(ctx, yield)
	}
}

// last returns the newest message that the model was sent.
func (s *script) last() model.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.sent[len(s.sent)-1].Messages
	return m[len(m)-1]
}

func says(text string) answer {
	return func(_ context.Context, yield func(model.Delta, error) bool) {
		_ = yield(model.Delta{Text: []byte(text)}, nil) && yield(model.Delta{Finish: model.FinishStop, Usage: &model.Usage{InputTokens: 3, OutputTokens: 1}}, nil)
	}
}

func asks(ids ...string) answer {
	return func(_ context.Context, yield func(model.Delta, error) bool) {
		var calls []model.ToolCall
		for _, id := range ids {
			name, arguments := "ask_user", `{"question":"What?","context":"`+id+`"}` // each another question
			switch {
			case strings.HasPrefix(id, "count"):
				name, arguments = "calculator", `{"expression":"1"}`
			case strings.HasPrefix(id, "guard"):
				name, arguments = "clock", `{"timezone":"UTC"}`
			case strings.HasPrefix(id, "keep"):
				name, arguments = "keep", `{"timezone":"UTC"}`
			case strings.HasPrefix(id, "pick"):
				name, arguments = "picker", `{}`
			}
			calls = append(calls, model.ToolCall{ID: id, Name: name, Arguments: arguments})
		}
		yield(model.Delta{ToolCalls: calls, Finish: model.FinishToolCalls}, nil)
	}
}

// hangs sends a text and then nothing, until the run is cancelled.
func hangs(text string, reached chan<- struct{}) answer {
	return func(ctx context.Context, yield func(model.Delta, error) bool) {
		if !yield(model.Delta{Text: []byte(text)}, nil) {
			return
		}
		close(reached)
		<-ctx.Done()
		yield(model.Delta{}, ctx.Err())
	}
}

// counter is a tool that counts its runs.
type counter struct{ n *atomic.Int64 }

func (c counter) Run(context.Context, tools.Call) (tools.Outcome, error) {
	c.n.Add(1)
	return tools.Outcome{Result: "counted"}, nil
}

// build creates a house; wrap may put something between engine and store.
func build(t testing.TB, clarifications string, wrap func(store.Store) store.Store, steps ...answer) *house {
	t.Helper()
	return buildApp(t, `"clarifications": `+clarifications, wrap, steps...)
}

// buildApp creates a house whose app has these settings.
func buildApp(t testing.TB, settings string, wrap func(store.Store) store.Store, steps ...answer) *house {
	t.Helper()
	h := &house{t: t, model: &script{steps: steps}, calls: &atomic.Int64{}, log: &gatewaytest.Log{}}
	h.tool = counter{h.calls}
	dir := t.TempDir()
	snap := load(t, dir, settings)
	h.app, _ = snap.App("helper")
	h.ref = chat.Ref{Tenant: "t", Subject: "s", App: "helper", ChatID: "c1"}
	// Not synced: half of these tests' time was spent waiting for the disk.
	h.store = testdb.Open(t)
	if wrap != nil {
		h.store = wrap(h.store)
	}
	log := slog.New(slog.NewTextHandler(h.log, nil))
	registry := prometheus.NewRegistry()
	h.registry = registry
	asker := askuser.New(askuser.Limits{}, func(string) askuser.Words { return askuser.Words{Yes: "Yes", No: "No"} })
	about := func(call tools.Call) string { return "About " + call.Name }
	h.factories = toolexec.Factories{
		config.TypeAskUser: func(app *config.App, _ *config.Tool) (tools.Tool, error) {
			if app != nil && app.Clarifications.Secrets != config.SecretsRefuse { // what such apps ask
				return askuser.New(askuser.Limits{Secrets: app.Clarifications.Secrets}, nil), nil
			}
			return asker, nil
		},
		"client": func(*config.App, *config.Tool) (tools.Tool, error) { return clienttool.New(about), nil },
		toolexec.Approval: func(*config.App, *config.Tool) (tools.Tool, error) {
			return approval.New(asker, about, func(tools.Call) string { return "" }, func(string) (yes, no string) { return "Yes", "No" }), nil
		},
		"calculator": func(*config.App, *config.Tool) (tools.Tool, error) { return late{h}, nil },
		"clock":      func(*config.App, *config.Tool) (tools.Tool, error) { return late{h}, nil },
		"remember":   func(*config.App, *config.Tool) (tools.Tool, error) { return memory.Remember{}, nil },
		"forget":     func(*config.App, *config.Tool) (tools.Tool, error) { return memory.Forget{}, nil },
		"http":       func(*config.App, *config.Tool) (tools.Tool, error) { return late{h}, nil },
	}
	catalog, err := toolexec.NewCatalog(snap, h.factories)
	if err != nil {
		t.Fatal(err)
	}
	setup := &turn.Setup{Config: snap, Catalog: catalog, Models: map[string]model.Model{"default": h.model}}
	h.open(turn.Options{
		Store: h.store, Hub: stream.NewLocal(), Executor: toolexec.New(registry, log), Setup: func() *turn.Setup { return setup },
		Text:     func(_, id string, _ map[string]any) string { return id },
		Registry: registry, Log: log, Node: "node",
	})
	return h
}

// collector is a client's stream.
type collector struct {
	mu sync.Mutex
	b  strings.Builder
}

func (c *collector) Write(events stream.Events) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.b.Write(events.Frames)
	return nil
}

func (c *collector) events(t *testing.T) []sse.Event {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []sse.Event
	for ev, err := range sse.Read(strings.NewReader(c.b.String())) {
		if err != nil {
			t.Fatal(err)
		}
		ev.Data = append([]byte(nil), ev.Data...)
		list = append(list, ev)
	}
	return list
}

func (c *collector) names(t *testing.T) string {
	t.Helper()
	var names []string
	for _, ev := range c.events(t) {
		names = append(names, ev.Name)
	}
	return strings.Join(names, " ")
}

// text returns what a client shows that follows the contract: the chunks since the last
// step.restart.
func (c *collector) text(t *testing.T) string {
	t.Helper()
	text := ""
	for _, ev := range c.events(t) {
		switch ev.Name {
		case "chunk":
			var chunk chat.Chunk
			if err := json.Unmarshal(ev.Data, &chunk); err != nil {
				t.Fatal(err)
			}
			text += chunk.Content
		case "step.restart":
			text = ""
		}
	}
	return text
}

func (h *house) message(text string) turn.Command {
	return turn.Command{Ref: h.ref, Message: &text, Interactive: true}
}

func (h *house) answer(callID, value string) turn.Command {
	raw, _ := json.Marshal(value)
	return turn.Command{Ref: h.ref, Answer: &turn.Answer{ToolCallID: callID, Answer: tools.Answer{Value: raw}}}
}

// taken is a command that was accepted.
type taken struct {
	h        *house
	accepted turn.Accepted
	result   chat.Result
}

func (h *house) take(ctx context.Context, cmd turn.Command) (*taken, error) {
	accepted, err := h.engine.Submit(ctx, cmd)
	return &taken{h: h, accepted: accepted}, err
}

// Drive drives a command that needs driving, and shows the others.
func (k *taken) Drive(ctx context.Context, sink stream.Sink) {
	switch a := k.accepted.(type) {
	case turn.Begun:
		a.Drive(sink)
		k.result = a.Result()
	case turn.Repeated:
		k.result = k.h.reader.Run(ctx, a.Conversation, a.Fence, sink)
	case turn.Queued:
		k.result = k.h.reader.Queued(ctx, a.Conversation, a.MessageID, sink)
	case turn.Over:
		if sink != nil {
			_ = sink.Write(a.Events)
		}
		k.result = a.Result
	}
}

func (k *taken) Result() chat.Result { return k.result }

func (k *taken) Budgets() []budget.Budget { return k.accepted.(turn.Begun).Budgets() }

func (h *house) submit(cmd turn.Command) *taken {
	h.t.Helper()
	run, err := h.take(h.t.Context(), cmd)
	if err != nil {
		h.t.Fatal(err)
	}
	return run
}

// start drives a run in the background; ended is closed when it is over.
func (h *house) start(cmd turn.Command) (run *taken, c *collector, ended chan struct{}) {
	h.t.Helper()
	run, c, ended = h.submit(cmd), &collector{}, make(chan struct{})
	go func() {
		defer close(ended)
		run.Drive(context.Background(), c)
	}()
	return run, c, ended
}

func (h *house) drive(cmd turn.Command) *collector {
	h.t.Helper()
	var c collector
	h.submit(cmd).Drive(h.t.Context(), &c)
	return &c
}

func (h *house) snapshot() *chat.Snapshot {
	h.t.Helper()
	s, err := h.reader.Snapshot(h.t.Context(), h.ref, h.app.Clarifications.PerConversation, follow.MaxMessages, "")
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

// follow watches the chat from now on.
func (h *house) follow(ctx context.Context, after string) *collector {
	h.t.Helper()
	f, err := h.reader.Follow(ctx, h.ref, h.app.Clarifications.PerConversation, after)
	if err != nil {
		h.t.Fatal(err)
	}
	var c collector
	go func() {
		defer f.Close()
		if f.Begin(&c) == nil {
			_ = f.Stream(ctx, &c)
		}
	}()
	return &c
}

func wantCode(t *testing.T, err error, code chat.Code) *chat.Error {
	t.Helper()
	var e *chat.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	return e
}

// types are those of the entries in these tests.
var types = []config.ToolType{
	config.Builtin("calculator", nil), config.Builtin("clock", nil), httptool.Type(), clienttool.Type(nil),
	config.Builtin(memory.RememberID, nil), config.Builtin(memory.ForgetID, nil),
}

// load creates a configuration with one app.
func load(t testing.TB, dir, settings string) *config.Snapshot {
	t.Helper()
	files := map[string]string{
		"apps/helper.json": fmt.Sprintf(`{"id": "helper", "name": "Helper", "tools": ["ask_user", "calculator", "clock", "keep", "picker"], %s}`, settings),
		"tools.json": `[{"id": "ask_user", "type": "ask_user"}, {"id": "clock", "needsApproval": true, "editable": true}, {"id": "picker", "type": "client"},
			{"id": "keep", "type": "http", "needsApproval": true, "editable": true, "approvalRemember": "chat", "http": {"url": "http://127.0.0.1:1/"}}]`,
	}
	configtest.Files(files).Write(t, filepath.Join(dir, "config"))
	snap, err := config.Load(config.Options{Dir: filepath.Join(dir, "config"), Env: func(string) (string, bool) { return "", false }, Tools: types})
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// configure gives the house another configuration: settings of its app, and gateway.json.
func (h *house) configure(settings, gateway string) {
	h.t.Helper()
	dir := h.t.TempDir()
	load(h.t, dir, settings)
	if err := os.WriteFile(filepath.Join(dir, "config", "gateway.json"), []byte(gateway), 0o600); err != nil {
		h.t.Fatal(err)
	}
	snap, err := config.Load(config.Options{Dir: filepath.Join(dir, "config"), Env: func(string) (string, bool) { return "", false }, Tools: types})
	if err != nil {
		h.t.Fatal(err)
	}
	h.engine.Setup().Config = snap
}

// catalog creates the tools of the current configuration.
func (h *house) catalog() *toolexec.Catalog {
	h.t.Helper()
	catalog, err := toolexec.NewCatalog(h.engine.Setup().Config, h.factories)
	if err != nil {
		h.t.Fatal(err)
	}
	return catalog
}

// node is another process on the same store, with the same model.
func (h *house) node(hub stream.Hub) *house {
	registry := prometheus.NewRegistry()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	o := h.engine.Options
	o.Hub, o.Registry, o.Log, o.Node, o.Shared = hub, registry, log, chat.NewID("node"), true
	o.Executor = toolexec.New(registry, log)
	other := *h
	other.open(o)
	return &other
}

func (h *house) open(o turn.Options) {
	h.t.Helper()
	var err error
	if h.engine, err = turn.New(h.t.Context(), o); err != nil {
		h.t.Fatal(err)
	}
	h.reader = &follow.Reader{Store: o.Store, Hub: o.Hub, Shared: o.Shared}
}
