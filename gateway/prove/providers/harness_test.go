package providers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/gatewaytest"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest/strict"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/approval"
	"github.com/askgate/askgate/tools/askuser"
)

// entry is a model of the configuration.
type entry struct {
	name   string
	server *strict.Server
	set    func(m *config.Model) // further settings; nil for none
	// transport reaches the server; nil: its own.
	transport http.RoundTripper
}

// house is an engine on a store with the clients of these entries. The first is the app's model.
type house struct {
	t       *testing.T
	engine  *turn.Engine
	reader  *follow.Reader
	store   store.Store
	files   files.Store
	ref     chat.Ref
	entries []entry
	prompt  string
	log     *gatewaytest.Log
	fails   bool         // as the calculator does
	ran     atomic.Int64 // calls
	// processes counts how often the house was opened: each process learns from scratch.
	processes int
}

// open creates a house whose first model is server's.
func open(t *testing.T, server *strict.Server, more ...entry) *house {
	t.Helper()
	h := &house{t: t, store: testdb.Open(t), log: &gatewaytest.Log{}, prompt: "Be brief.", entries: append([]entry{{name: "default", server: server}}, more...)}
	h.ref = chat.Ref{Tenant: "t", Subject: "s", App: "helper", ChatID: "c1"}
	var err error
	if h.files, err = files.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	h.restart()
	return h
}

// restart is another process on the same store, with the current settings of the house: nothing
// that a client has learned is left.
func (h *house) restart() {
	h.t.Helper()
	h.processes++
	snap := h.load()
	models := map[string]model.Model{}
	for _, e := range h.entries {
		m := snap.Gateway.Models[e.name]
		k := e.server.Kind
		m.Provider, m.API, m.BaseURL, m.Model, m.APIKey = k.Provider, k.API, k.BaseURL, k.Model, strict.Key
		m.Images, m.PDF, m.Cache, m.Reasoning.Show = k.Images, k.PDF, true, true
		if k.Provider == config.ProviderAnthropic {
			m.MaxTokens = 8192
		}
		if e.set != nil {
			e.set(&m)
		}
		snap.Gateway.Models[e.name] = m
		models[e.name] = clientOf(h.t, e, func(transport http.RoundTripper) model.Model { return client(m, transport) })
	}
	log := slog.New(slog.NewTextHandler(h.log, nil))
	asker := askuser.New(askuser.Limits{MaxFile: 1 << 20}, func(string) askuser.Words { return askuser.Words{Yes: "Yes", No: "No"} })
	about := func(call tools.Call) string { return "About " + call.Name }
	catalog, err := toolexec.NewCatalog(snap, toolexec.Factories{
		config.TypeAskUser: func(*config.App, *config.Tool) (tools.Tool, error) { return asker, nil },
		toolexec.Approval: func(*config.App, *config.Tool) (tools.Tool, error) {
			return approval.New(asker, about, func(tools.Call) string { return "" }, func(string) (yes, no string) { return "Yes", "No" }), nil
		},
		"calculator": func(*config.App, *config.Tool) (tools.Tool, error) { return sums{h}, nil },
		"clock":      func(*config.App, *config.Tool) (tools.Tool, error) { return sums{h}, nil },
	})
	if err != nil {
		h.t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	setup := &turn.Setup{Config: snap, Catalog: catalog, Models: models}
	o := turn.Options{
		Store: h.store, Hub: stream.NewLocal(), Files: h.files, Executor: toolexec.New(registry, log), Setup: func() *turn.Setup { return setup },
		Text:     func(_, id string, _ map[string]any) string { return id },
		Registry: registry, Log: log, Node: chat.NewID("node"),
	}
	if h.engine, err = turn.New(h.t.Context(), o); err != nil {
		h.t.Fatal(err)
	}
	h.reader = &follow.Reader{Store: o.Store, Hub: o.Hub}
}

// load creates the configuration.
func (h *house) load() *config.Snapshot {
	h.t.Helper()
	dir := h.t.TempDir()
	var models, fallback []string
	for i, e := range h.entries {
		models = append(models, fmt.Sprintf(`%q: {"provider": "demo"`, e.name))
		if i > 0 {
			fallback = append(fallback, fmt.Sprintf("%q", e.name))
		}
	}
	models[0] += `, "fallback": [` + strings.Join(fallback, ", ") + "]"
	configtest.Files{
		"gateway.json": `{"models": {` + strings.Join(models, "}, ") + `}}}`,
		"apps/helper.json": fmt.Sprintf(`{"id": "helper", "name": "Helper", "system": %q, "tools": ["ask_user", "calculator", "clock"], "maxSteps": 50, "clarifications": {}}`,
			h.prompt),
		"tools.json": `[{"id": "ask_user", "type": "ask_user"}, {"id": "clock", "needsApproval": true, "editable": true}]`,
	}.Write(h.t, dir)
	snap, err := config.Load(config.Options{
		Dir: dir, Env: func(string) (string, bool) { return "", false },
		Tools: []config.ToolType{config.Builtin("calculator", nil), config.Builtin("clock", nil)},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	app, _ := snap.App("helper")
	app.Attachments = config.Attachments{MaxFiles: 2, MaxBytes: 1 << 20, Accept: []string{"text/*", "image/*", "application/pdf"}}
	return snap
}

// sums is a tool that returns its arguments.
type sums struct{ h *house }

func (s sums) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	s.h.ran.Add(1)
	if s.h.fails {
		return tools.Outcome{}, &tools.Error{Code: "BAD_SUM", Message: "No such sum."}
	}
	return tools.Outcome{Result: "result of " + call.Arguments}, nil
}

// Definition implements tools.Describer.
func (sums) Definition() (string, json.RawMessage) {
	return "Counts.", json.RawMessage(`{"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]}`)
}

// collector is a client's stream.
type collector struct {
	mu      sync.Mutex
	b       strings.Builder
	until   string        // "" for nothing
	reached chan struct{} // is closed when until has arrived
}

func (c *collector) Write(events stream.Events) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.b.Write(events.Frames)
	if c.until != "" && strings.Contains(c.b.String(), c.until) {
		c.until = ""
		close(c.reached)
	}
	return nil
}

// told is the content of a client's stream.
type told struct {
	raw      string
	events   string // their names
	text     string
	thinking string
	failure  string // of the event error
	done     chat.Done
}

func (c *collector) told(t *testing.T) told {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	out := told{raw: c.b.String()}
	var names []string
	for ev, err := range sse.Read(strings.NewReader(c.b.String())) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, ev.Name)
		switch ev.Name {
		case "chunk", "thinking":
			var chunk chat.Chunk
			if err := json.Unmarshal(ev.Data, &chunk); err != nil {
				t.Fatal(err)
			}
			if ev.Name == "chunk" {
				out.text += chunk.Content
			} else {
				out.thinking += chunk.Content
			}
		case "step.restart":
			out.text = ""
		case "error":
			out.failure = string(ev.Data)
		case "done":
			if err := json.Unmarshal(ev.Data, &out.done); err != nil {
				t.Fatal(err)
			}
		}
	}
	out.events = strings.Join(names, " ")
	return out
}

// drive sends a command, and returns the stream that its client got. Tokens must match the servers'
// counts.
func (h *house) drive(cmd turn.Command) told {
	h.t.Helper()
	before := h.counted()
	c := h.run(cmd)
	got := c.told(h.t)
	want := h.counted()
	want.InputTokens -= before.InputTokens
	want.OutputTokens -= before.OutputTokens
	want.CachedInputTokens -= before.CachedInputTokens
	want.ReasoningTokens -= before.ReasoningTokens
	if got.failure == "" && got.done.Usage != want {
		h.t.Errorf("usage %+v, and the servers counted %+v", got.done.Usage, want)
	}
	return got
}

func (h *house) run(cmd turn.Command) *collector {
	h.t.Helper()
	cmd.Ref, cmd.Interactive = h.ref, true
	accepted, err := h.engine.Submit(h.t.Context(), cmd)
	if err != nil {
		h.t.Fatal(err)
	}
	c := &collector{}
	switch a := accepted.(type) {
	case turn.Begun:
		a.Drive(c)
	case turn.Over:
		_ = c.Write(a.Events)
	default:
		h.t.Fatalf("the command became %T", accepted)
	}
	return c
}

// counted is the sum of what all servers counted.
func (h *house) counted() (u chat.Usage) {
	for _, s := range h.servers() {
		for _, r := range s.Requests() {
			u.Add(chat.Usage{InputTokens: r.Counted.InputTokens, OutputTokens: r.Counted.OutputTokens, CachedInputTokens: r.Counted.CachedInputTokens, ReasoningTokens: r.Counted.ReasoningTokens})
		}
	}
	return u
}

// servers returns those of the entries, each once.
func (h *house) servers() (list []*strict.Server) {
	for _, e := range h.entries {
		if !slices.Contains(list, e.server) {
			list = append(list, e.server)
		}
	}
	return list
}

func (h *house) says(text string) told {
	h.t.Helper()
	return h.drive(turn.Command{Message: &text})
}

func (h *house) resumes() told {
	h.t.Helper()
	return h.drive(turn.Command{Resume: true})
}

// answers answers the n-th question that is pending.
func (h *house) answers(n int, a tools.Answer) told {
	h.t.Helper()
	pending := h.snapshot().Pending
	if n >= len(pending) {
		h.t.Fatalf("%d questions are pending\n%s", len(pending), h.log)
	}
	return h.drive(turn.Command{Answer: &turn.Answer{ToolCallID: pending[n].ToolCallID, Answer: a}})
}

func value(v any) tools.Answer {
	raw, _ := json.Marshal(v)
	return tools.Answer{Value: raw}
}

func (h *house) snapshot() *chat.Snapshot {
	h.t.Helper()
	s, err := h.reader.Snapshot(h.t.Context(), h.ref, 100, follow.MaxMessages, "")
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (h *house) upload(name, content string) string {
	h.t.Helper()
	f, err := h.engine.Uploads.Upload(h.t.Context(), uploads.Upload{Config: h.engine.Setup().Config, Ref: h.ref, Name: name, Body: strings.NewReader(content)})
	if err != nil {
		h.t.Fatal(err)
	}
	return f.ID
}

// want fails unless a run ended with this text and without an error.
func (h *house) want(got told, text string) {
	h.t.Helper()
	if got.failure != "" || got.text != text {
		h.t.Fatalf("text %q, want %q; error %s; events %s\n%s%s", got.text, text, got.failure, got.events, h.refusals(), h.log)
	}
}

// asks fails unless a run ended with questions.
func (h *house) asks(got told) {
	h.t.Helper()
	if got.done.FinishReason != chat.FinishClarification {
		h.t.Fatalf("ended with %q, want a question; error %s; events %s\n%s%s", got.done.FinishReason, got.failure, got.events, h.refusals(), h.log)
	}
}

func (h *house) refusals() string {
	var b strings.Builder
	for _, s := range h.servers() {
		for _, r := range s.Refusals() {
			fmt.Fprintf(&b, "%s: request %d: %s: %d %s\n", s.Name, r.Request, r.Rule, r.Status, r.Body)
		}
	}
	return b.String()
}

// learnt lists the rules that a client breaks once, and then keeps: parameters that a server does
// not accept, and state that a server requires.
var learnt = []string{"fields", "members", "max_tokens", "tools with reasoning", "state is missing", "strict"}

// clean fails on refusals beyond that, on state that was lost, changed or sent to another server,
// and on answers that were never requested.
func (h *house) clean() {
	h.t.Helper()
	h.cleanBut(nil)
}

// cleanBut is clean except that it allows the flaws that may accepts.
func (h *house) cleanBut(may func(flaw string) bool) {
	h.t.Helper()
	for _, s := range h.servers() {
		seen := map[string]int{}
		for _, r := range s.Refusals() {
			if r.Rule == "scripted" {
				continue
			}
			if seen[r.Rule+r.Body]++; !slices.Contains(learnt, r.Rule) || seen[r.Rule+r.Body] > h.processes {
				h.t.Errorf("%s refused request %d: %s: %s\n%.2000s", s.Name, r.Request, r.Rule, r.Body, s.Requests()[r.Request].Raw)
			}
		}
		var flaws []string
		for _, f := range s.Flaws() {
			if may == nil || !may(f) {
				flaws = append(flaws, f)
			}
		}
		for i, f := range flaws {
			if h.t.Error(f); i == 4 {
				h.t.Errorf("and %d more", len(flaws)-5)
				break
			}
		}
		if n := s.Left(); n > 0 {
			h.t.Errorf("%s: %d answers were not asked for", s.Name, n)
		}
	}
}

// appendOnly fails unless each request to a server begins with all of the previous one.
func (h *house) appendOnly() {
	h.t.Helper()
	for _, s := range h.servers() {
		var before []string
		for n, r := range s.Requests() {
			if r.Refused != "" {
				continue
			}
			for i := range before {
				if i >= len(r.Log) || r.Log[i] != before[i] {
					h.t.Errorf("%s: request %d does not begin with the previous one: piece %d is\n%s\nand was\n%s", s.Name, n, i, slices.Concat(r.Log, []string{"nothing"})[min(i, len(r.Log))], before[i])
					break
				}
			}
			before = r.Log
		}
	}
}

// onEach runs a scene against each server that accepts tools.
func onEach(t *testing.T, scene func(t *testing.T, k *strict.Kind)) {
	t.Helper()
	for _, k := range strict.Servers() {
		if k.Dead {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			scene(t, k)
		})
	}
}
