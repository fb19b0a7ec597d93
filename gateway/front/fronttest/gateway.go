// Package fronttest starts the program with a scripted model, for tests of the fronts: those of
// this repository, and those of clients that people use (gateway/prove/clients).
package fronttest

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/askgate/askgate/gateway/gatewaytest"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

// Gateway is a complete gateway, the program itself, with a scripted model.
type Gateway struct {
	URL   string // http://127.0.0.1:PORT
	Model *modeltest.Server

	t       testing.TB
	dir     string
	env     []string
	process *gatewaytest.Process
	gate    chan struct{}
	open    sync.Once
	cuts    sync.Map // messages at which the model broke off
}

// App is the app that most tests use. The questions of Brief expire within a second, and Keyed has
// what the fronts' own keys allow.
const (
	App   = "work"
	Brief = "brief"
	Keyed = "keyed"
)

// files is the configuration. In it, MODEL_URL is the address of the model, and REMOTE_URL that of
// the MCP server whose tools the app remote has. It sets no limits that tests could reach.
var files = map[string]string{
	"gateway.json": `{"models": {"default": {"provider": "openai", "baseUrl": "MODEL_URL", "model": "scripted", "maxRetries": 0}},
		"limits": {"requestsPerMinute": 100000, "burst": 100000, "concurrentTurns": 1000}}`,
	"tools.json": `[{"id": "ask_user", "type": "ask_user"}, {"id": "calculator", "type": "builtin"},
		{"id": "clock", "type": "builtin", "needsApproval": true},
		{"id": "locate", "type": "client", "description": "Where the person is.", "parameters": {"type": "object", "properties": {"precise": {"type": "boolean"}}}},
		{"id": "remote", "type": "mcp", "mcp": {"url": "REMOTE_URL"}},
		{"id": "guarded", "type": "mcp", "needsApproval": true, "mcp": {"url": "REMOTE_URL"}}]`,
	"apps/work.json":   `{"id": "work", "name": "Work", "tools": ["ask_user", "calculator", "clock", "locate"]}`,
	"apps/keyed.json":  `{"id": "keyed", "name": "Keyed", "tools": ["ask_user", "calculator", "clock", "locate"], "aiSdk": {"approvals": true}, "agUi": {"mode": "interrupt"}}`,
	"apps/brief.json":  `{"id": "brief", "name": "Brief", "tools": ["ask_user"], "clarifications": {"expiresIn": "1s"}}`,
	"apps/remote.json": `{"id": "remote", "name": "Remote", "tools": ["ask_user", "remote", "guarded"]}`,
}

// Start starts a gateway, which ends with the test. more are further configuration files, or
// replacements.
func Start(t testing.TB, more map[string]string) *Gateway {
	t.Helper()
	g := &Gateway{t: t, dir: t.TempDir(), gate: make(chan struct{})}
	g.Model = modeltest.NewFunc(t, g.play)
	urls := strings.NewReplacer("MODEL_URL", g.Model.URL, "REMOTE_URL", remote(t))
	for _, set := range []map[string]string{files, more} {
		for name, text := range set {
			path := filepath.Join(g.dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(urls.Replace(text)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	g.env = append(os.Environ(), "ASKGATE_CONFIG="+g.dir, "ASKGATE_LISTEN=127.0.0.1:0",
		"ASKGATE_STORE=sqlite:"+filepath.Join(g.dir, "chats.db"))
	g.begin()
	t.Cleanup(func() {
		g.Release()
		g.process.Kill()
	})
	return g
}

func (g *Gateway) begin() {
	g.t.Helper()
	var err error
	g.process, err = gatewaytest.Program{Env: g.env, Line: func(line string) {
		if strings.Contains(line, "level=ERROR") {
			g.t.Log(line)
		}
	}}.Start(context.Background())
	if err != nil {
		g.t.Fatal(err)
	}
	g.URL = g.process.URL
}

// Crash kills the gateway, as kill -9 does, and starts it again on the same store, at another
// address.
func (g *Gateway) Crash() {
	g.t.Helper()
	g.process.Kill()
	g.begin()
}

// Leave makes the gateway shut down, as a service manager does.
func (g *Gateway) Leave() { g.process.Signal(syscall.SIGTERM) }

// Release lets the model go on after a message "slow" has stopped it.
func (g *Gateway) Release() { g.open.Do(func() { close(g.gate) }) }

// Requests returns the number of requests that the model has received.
func (g *Gateway) Requests() int { return len(g.Model.Requests()) }

// Snapshot returns the chat as the native API shows it.
func (g *Gateway) Snapshot(app, chat string) map[string]any {
	g.t.Helper()
	resp, err := http.Get(g.URL + "/v1/apps/" + app + "/chats/" + chat)
	if err != nil {
		g.t.Fatal(err)
	}
	defer resp.Body.Close()
	var v map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil || resp.StatusCode != http.StatusOK {
		g.t.Fatalf("snapshot of %s: %v %v", chat, resp.Status, err)
	}
	return v
}
