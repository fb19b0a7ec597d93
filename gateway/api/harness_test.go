package api_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/gatewaytest"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tooltypes/httptool"
)

// files is a configuration directory.
type files map[string]string

const plainApp = `{"id": "plain", "name": {"en": "Plain", "de": "Schlicht", "it": "Semplice"}, "description": "d", "system": "s",
	"tools": ["ask_user"], "starterPrompts": [{"en": "Hello", "de": "Hallo"}]}`

func loadConfig(t testing.TB, f files) *config.Snapshot {
	t.Helper()
	dir := t.TempDir()
	all := files{
		"gateway.json":    `{"models": {"default": {"provider": "demo"}}, "hosts": ["gateway", "example.com", "chat.example.org", "backend"], "limits": {"requestsPerMinute": 100000, "burst": 100000, "concurrentTurns": 10000}}`,
		"apps/plain.json": plainApp,
		"tools.json":      `[{"id": "ask_user", "type": "ask_user"}]`,
	}
	maps.Copy(all, f)
	configtest.Files(all).Write(t, dir)
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
	log      *gatewaytest.Log
}

func newAPI(t testing.TB, f files, change func(*api.Options)) (*api.API, *prometheus.Registry, *gatewaytest.Log) {
	t.Helper()
	catalog, err := locales.New()
	if err != nil {
		t.Fatal(err)
	}
	log := new(gatewaytest.Log)
	o := api.Options{
		Engine: &fakeEngine{}, Inbox: fakeInbox{}, Store: fakeStore{}, Setup: setup(loadConfig(t, f)), Catalog: catalog,
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

// setup is a configuration that never changes, of which nothing is built.
func setup(snap *config.Snapshot) func() *turn.Setup {
	catalog, err := toolexec.NewCatalog(snap, toolexec.Factories{
		config.TypeAskUser: func(*config.App, *config.Tool) (tools.Tool, error) { return askuser.New(askuser.Limits{}, nil), nil },
	})
	if err != nil {
		catalog = &toolexec.Catalog{} // for tests that ask no questions
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

// call sends a request; headers are pairs of name and value. A body that is not empty is sent as
// JSON unless the headers set another type.
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

// wantProblem checks the parts that all problems share.
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
