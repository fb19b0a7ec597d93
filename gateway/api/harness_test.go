package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/feed"
	lookup "github.com/askgate/askgate/gateway/find"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tools/httptool"
)

// files is a configuration directory.
type files map[string]string

const plainApp = `{"id": "plain", "name": {"en": "Plain", "de": "Schlicht", "it": "Semplice"}, "description": "d", "system": "s",
	"tools": ["ask_user"], "starterPrompts": [{"en": "Hello", "de": "Hallo"}]}`

func loadConfig(t testing.TB, f files) *config.Snapshot {
	t.Helper()
	dir := t.TempDir()
	all := files{
		"gateway.json":    `{"models": {"default": {"provider": "demo"}}, "hosts": ["gateway", "example.com", "chat.example.org", "backend"], "limits": {"requestsPerMinute": 100000, "burst": 100000, "concurrentTurns": 10000, "readsPerMinute": 100000}}`,
		"apps/plain.json": plainApp,
		"tools.json":      `[{"id": "ask_user", "type": "ask_user"}]`,
	}
	maps.Copy(all, f)
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := config.Load(config.Options{Dir: dir, Tools: []config.ToolType{config.Builtin("calculator", nil), config.Builtin("clock", nil), httptool.Type()}, Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// server is an API over real HTTP.
type server struct {
	*httptest.Server
	t        testing.TB
	api      *api.API
	registry *prometheus.Registry
	log      *syncBuffer
}

// syncBuffer is a log that handlers write and tests read.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newAPI(t testing.TB, f files, change func(*api.Options)) (*api.API, *prometheus.Registry, *syncBuffer) {
	t.Helper()
	catalog, err := locales.New()
	if err != nil {
		t.Fatal(err)
	}
	log := new(syncBuffer)
	o := api.Options{
		Engine: &fakeEngine{}, Feed: fakeFeed{}, Store: fakeStore{}, Setup: setup(loadConfig(t, f)), Catalog: catalog,
		Limiter: limit.NewLocal(), Registry: prometheus.NewRegistry(), Version: "test",
		Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	a, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a, o.Registry, log
}

// setup is a configuration that never changes, and nothing made of it.
func setup(snap *config.Snapshot) func() *turn.Setup {
	catalog, err := toolexec.NewCatalog(snap, toolexec.Factories{
		config.TypeAskUser: func(*config.App, *config.Tool) (tools.Tool, error) { return askuser.New(askuser.Limits{}, nil), nil },
	})
	if err != nil {
		catalog = nil // other tools, in tests that ask nobody
	}
	s := &turn.Setup{Config: snap, Catalog: catalog}
	return func() *turn.Setup { return s }
}

func newServer(t testing.TB, f files, change func(*api.Options)) *server {
	t.Helper()
	a, registry, log := newAPI(t, f, change)
	s := &server{Server: httptest.NewServer(a.Handler()), t: t, api: a, registry: registry, log: log}
	t.Cleanup(s.Close)
	return s
}

// withEngine makes an option of an engine.
func withEngine(e api.Engine) func(*api.Options) {
	return func(o *api.Options) { o.Engine = e }
}

// reply is a whole response.
type reply struct {
	*http.Response
	body []byte
}

// call sends a request; headers are pairs of name and value. A body that is not
// empty goes as JSON unless headers say otherwise.
func (s *server) call(method, path, body string, headers ...string) reply {
	s.t.Helper()
	res := s.open(method, path, body, headers...)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return reply{res, data}
}

// open is call without reading the response.
func (s *server) open(method, path, body string, headers ...string) *http.Response {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	s.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := s.Client().Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

// post sends a body to the messages of a chat of the app "plain".
func (s *server) post(chatID, body string, headers ...string) reply {
	s.t.Helper()
	return s.call(http.MethodPost, "/v1/apps/plain/chats/"+chatID+"/messages", body, headers...)
}

// problem is a refusal as clients read it.
type problem struct {
	Title, Detail, Code, Field, Scope string
	Status                            int
	Errors                            []struct {
		Question             int
		Field, Code, Message string
	}
	Outcome, State  string
	Question        *int
	Options         []tools.Option
	ClarificationID string
	Answer          json.RawMessage
	Error           *struct{ Code, Message string }
}

// wantProblem checks what every problem has in common.
func (r reply) wantProblem(t testing.TB, status int, code string) problem {
	t.Helper()
	var p problem
	if r.StatusCode != status {
		t.Fatalf("status %d, want %d: %s", r.StatusCode, status, r.body)
	}
	if got := r.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type %q", got)
	}
	if err := json.Unmarshal(r.body, &p); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	if p.Code != code || p.Status != status {
		t.Errorf("code %q, status %d; want %q, %d", p.Code, p.Status, code, status)
	}
	if p.Title == "" || p.Detail == "" || strings.Contains(p.Title+p.Detail, "<no value>") || strings.HasPrefix(p.Title, "title.") || strings.HasPrefix(p.Detail, "problem.") {
		t.Errorf("texts %q, %q", p.Title, p.Detail)
	}
	if r.Header.Get("Content-Language") == "" || r.Header.Get("X-Request-Id") == "" {
		t.Errorf("headers %v", r.Header)
	}
	return p
}

func (r reply) decode(t testing.TB, status int, v any) {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("status %d, want %d: %s", r.StatusCode, status, r.body)
	}
	if err := json.Unmarshal(r.body, v); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
}

// fakeEngine answers every command with one event, unless told otherwise.
type fakeEngine struct {
	mu       sync.Mutex
	commands []turn.Command
	searched []turn.OptionQuery
	asked    []turn.Asking
	again    bool // what is asked was asked before
	// cancelled are the clarifications that were to be cancelled.
	cancelled []string
	by        chat.Actor // who wanted so
	watched   bool       // its runs go on elsewhere

	err    error // of every method
	size   int64 // of snapshots
	drive  func(ctx context.Context, sink stream.Sink)
	result chat.Result
	budget []budget.Budget
	follow func(ctx context.Context, after string, sink stream.Sink) error
}

var frame = sse.AppendEvent(nil, "0000000100000001", "done", []byte(`{"chatId":"c","turnId":"t","finishReason":"stop"}`))

func (e *fakeEngine) Submit(_ context.Context, cmd turn.Command) (api.Run, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return nil, e.err
	}
	e.commands = append(e.commands, cmd)
	return fakeRun{e}, nil
}

// last is the only command that was submitted.
func (e *fakeEngine) only(t testing.TB) turn.Command {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.commands) != 1 {
		t.Fatalf("%d commands", len(e.commands))
	}
	return e.commands[0]
}

func (*fakeEngine) Running(context.Context, chat.Ref) (api.Run, error) { return nil, nil }

func (e *fakeEngine) Snapshot(_ context.Context, ref chat.Ref, _, _ int, _ string) (*chat.Snapshot, int64, error) {
	return &chat.Snapshot{ChatID: ref.ChatID, Status: chat.StatusIdle, Messages: []chat.SnapshotMessage{}, Pending: []chat.Kept{}}, e.size, e.err
}

func (e *fakeEngine) Follow(_ context.Context, _ chat.Ref, _ int, after string) (api.Following, error) {
	if e.err != nil {
		return nil, e.err
	}
	return fakeFollowing{e, after}, nil
}

func (e *fakeEngine) Cancel(context.Context, chat.Ref) error { return e.err }
func (e *fakeEngine) Rename(_ context.Context, _ chat.Ref, title string) (chat.Conversation, error) {
	return chat.Conversation{Title: title}, e.err
}
func (e *fakeEngine) Delete(context.Context, chat.Ref) error         { return e.err }
func (e *fakeEngine) Revoke(context.Context, chat.Ref, string) error { return e.err }

func (e *fakeEngine) SearchOptions(_ context.Context, _ *turn.Setup, _ chat.Ref, _ *config.App, q turn.OptionQuery) ([]tools.Option, int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.searched = append(e.searched, q)
	return []tools.Option{{Label: "L", Value: "v"}}, 1000, e.err
}

func (e *fakeEngine) CancelClarification(_ context.Context, id string, by chat.Actor) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cancelled, e.by = append(e.cancelled, id), by
	return e.err
}

func (e *fakeEngine) Question(_ context.Context, _ *turn.Setup, _ *config.App, call tools.Call) (string, tools.Outcome) {
	out, err := askuser.New(askuser.Limits{}, nil).Run(context.Background(), call)
	if err != nil {
		return "ask_user", tools.Outcome{Error: err.(*tools.Error)} //nolint:errorlint // it has no other
	}
	return "ask_user", out
}

func (e *fakeEngine) Ask(_ context.Context, a turn.Asking) (chat.Clarification, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, a)
	return chat.Clarification{ID: "clr_1", Ref: a.Ref, Asker: a.Asker.Subject, For: a.Role, Question: a.Question, State: tools.StatePending}, e.again, e.err
}

func (e *fakeEngine) AnswerByID(_ context.Context, _ *turn.Setup, id string, _ turn.Answer, _ chat.Actor, _ chat.Channel) (chat.Clarification, error) {
	return chat.Clarification{ID: id, State: tools.StateAnswered}, e.err
}

func (e *fakeEngine) Withdraw(context.Context, string, chat.Actor) error { return e.err }

func (e *fakeEngine) Tell(_ context.Context, _ *turn.Setup, _ chat.Ref, _ string, by tools.Asker, text string) (chat.Message, error) {
	return chat.Message{ID: "msg_1", Content: text, AskedBy: &by}, e.err
}

func (e *fakeEngine) Upload(context.Context, uploads.Upload) (chat.File, error) {
	return chat.File{}, e.err
}

func (e *fakeEngine) Discard(context.Context, chat.Ref, string) error { return e.err }

func (e *fakeEngine) OpenFile(context.Context, chat.Ref, string, string) (chat.File, io.ReadCloser, error) {
	return chat.File{}, http.NoBody, e.err
}

func (e *fakeEngine) Seen(context.Context, chat.Clarification) error { return e.err }

func (e *fakeEngine) SaveDraft(context.Context, chat.Clarification, json.RawMessage) error {
	return e.err
}

type fakeRun struct{ e *fakeEngine }

func (r fakeRun) Drive(ctx context.Context, sink stream.Sink) chat.Result {
	if r.e.drive != nil {
		r.e.drive(ctx, sink)
	} else if sink != nil {
		_ = sink.Write(frame)
	}
	if !r.e.watched && r.e.result.FinishReason == "" {
		return chat.Result{TurnID: "t", Status: chat.StatusIdle, FinishReason: chat.FinishStop, Text: "hi"}
	}
	return r.e.result
}

func (r fakeRun) Watches() bool { return r.e.watched }

func (r fakeRun) Budgets() []budget.Budget { return r.e.budget }

type fakeFollowing struct {
	e     *fakeEngine
	after string
}

func (f fakeFollowing) Stream(ctx context.Context, sink stream.Sink) error {
	if f.e.follow != nil {
		return f.e.follow(ctx, f.after, sink)
	}
	<-ctx.Done()
	return ctx.Err()
}

func (f fakeFollowing) Size() int64 { return f.e.size }

func (f fakeFollowing) Begin(stream.Sink) error { return nil }

func (fakeFollowing) Close() {}

// fakeFeed tells nothing.
type fakeFeed struct {
	waited chan struct{} // gets one from each that waits for an end; nil: nobody looks
}

func (f fakeFeed) Ended(ctx context.Context, id string) (chat.Clarification, error) {
	if f.waited != nil {
		f.waited <- struct{}{}
	}
	<-ctx.Done()
	return chat.Clarification{ID: id, State: tools.StatePending}, nil
}

func (fakeFeed) Follow(_ context.Context, _ feed.Who, after string) (api.Following, error) {
	return fakeFollowing{&fakeEngine{}, after}, nil
}

// fakeStore has nothing but what is put into it.
type fakeStore struct {
	store.Keeper
	err           error
	language      string
	conversations []store.Listed
	pending       []chat.Clarification
	one           *chat.Clarification
	next          string
	questions     store.Questions
	head          store.AuditHead
	asked         *store.Page // where the page asked for is noted
	audit         func(store.AuditSpan, store.Page) ([]chat.AuditRecord, string, error)
}

func (s fakeStore) Conversation(context.Context, chat.Ref) (*chat.Conversation, *chat.Turn, error) {
	if s.language == "" {
		return nil, nil, store.ErrNotFound
	}
	return &chat.Conversation{Language: s.language}, nil, s.err
}

func (s fakeStore) View(context.Context, chat.Ref) (*store.View, error) {
	return nil, store.ErrNotFound
}

func (s fakeStore) ViewPart(context.Context, chat.Ref, store.Part) (*store.View, error) {
	return nil, store.ErrNotFound
}

func (s fakeStore) Run(context.Context, string, int64) (chat.Run, error) {
	return chat.Run{}, store.ErrNotFound
}

func (s fakeStore) LastRun(context.Context, string, string) (chat.Run, error) {
	return chat.Run{}, s.err
}

func (s fakeStore) Conversations(_ context.Context, _, _, _ string, p store.Page) ([]store.Listed, string, error) {
	if s.asked != nil {
		*s.asked = p
	}
	return s.conversations, s.next, s.err
}

func (s fakeStore) Search(context.Context, string, string, string, lookup.Words, store.Page) ([]store.Match, string, error) {
	return nil, s.next, s.err
}

func (s fakeStore) Clarifications(context.Context, string, string, store.Which, store.Page) ([]chat.Clarification, string, error) {
	return s.pending, s.next, s.err
}

func (s fakeStore) Clarification(context.Context, string) (chat.Clarification, error) {
	if s.one == nil {
		return chat.Clarification{}, store.ErrNotFound
	}
	return *s.one, nil
}

func (s fakeStore) AllPending(context.Context, store.Page) ([]chat.Clarification, string, error) {
	return s.pending, s.next, s.err
}

func (s fakeStore) Tallies(context.Context, time.Time, time.Duration) ([]store.Tally, error) {
	return nil, s.err
}

func (s fakeStore) Questions(context.Context, time.Time, string, int) (store.Questions, error) {
	return s.questions, s.err
}

func (s fakeStore) VerifyAudit(context.Context) (store.AuditVerdict, error) {
	return store.AuditVerdict{}, s.err
}

func (s fakeStore) AuditHead(context.Context) (store.AuditHead, error) { return s.head, s.err }

func (s fakeStore) AuditRecords(_ context.Context, span store.AuditSpan, p store.Page) ([]chat.AuditRecord, string, error) {
	if s.audit == nil {
		return nil, "", s.err
	}
	return s.audit(span, p)
}
