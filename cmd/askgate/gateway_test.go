package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/gatewaytest"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/tooltypes/documents"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// process is a whole gateway in one process, on a local port, with a
// SQLite file that survives it.
type process struct {
	t      *testing.T
	dir    string   // configuration, and the store's file
	model  string   // base URL of the model server; "" is the demo model
	env    []string // more variables, NAME=value
	url    string
	log    gatewaytest.Log
	stop   func()
	reload func() error // the configuration
	pool   *mcptool.Pool
	client *http.Client
}

// start runs a gateway with the given files as its configuration, and variables
// NAME=value as its environment.
func start(t *testing.T, model string, files map[string]string, env ...string) *process {
	t.Helper()
	p := &process{t: t, dir: t.TempDir(), model: model, env: env, client: &http.Client{}}
	configtest.Files(files).Write(t, p.dir)
	p.run()
	t.Cleanup(func() { p.stop() })
	return p
}

func (p *process) run() {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	log := slog.New(slog.NewTextHandler(&p.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	environment := map[string]string{"ASKGATE_STORE": "sqlite:" + filepath.Join(p.dir, "askgate.db")}
	if p.model != "" {
		environment["OPENAI_BASE_URL"], environment["ASKGATE_MODEL"] = p.model, "scripted"
		environment["MODEL_URL"] = p.model // for a gateway.json
	}
	for _, variable := range p.env {
		name, value, _ := strings.Cut(variable, "=")
		environment[name] = value
	}
	shelf := documents.NewShelf(log)
	watcher, err := config.Watch(ctx, config.Options{Dir: p.dir, Tools: toolTypes(nil, nil, shelf), Env: func(name string) (string, bool) {
		v, ok := environment[name]
		return v, ok
	}}, log, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	texts, err := locales.New()
	if err != nil {
		p.t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	seals := newSeals(watcher.Current, registry, log)
	db, err := sqldb.Open(ctx, watcher.Current().Gateway.Store, storeOptions(watcher.Current, seals, registry, log))
	if err != nil {
		p.t.Fatal(err)
	}
	nodes, err := share(ctx, watcher.Current().Gateway, seals.redis, registry, log)
	if err != nil {
		p.t.Fatal(err)
	}
	p.reload = watcher.Reload
	pool := mcptool.NewPool("test", between(nodes, db, seals), log)
	p.pool = pool
	shelf.Dir = watcher.Current().Gateway.DocumentsCache()
	g, err := assemble(ctx, watcher, db, nodes, texts, pool, shelf, registry, log)
	if err != nil {
		p.t.Fatal(err)
	}
	server := newServers(log)
	if err := server.listen(ctx, "--listen", "127.0.0.1:0", g.Handler(), certificate(watcher.Current)); err != nil {
		p.t.Fatal(err)
	}
	p.url = server.urls[0]
	g.Listens(p.url)
	logForged(ctx, db, log)
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		g.Run(ctx)
	}()
	stopped := false
	p.stop = func() {
		if stopped {
			return
		}
		stopped = true
		g.Shutdown(ctx)
		cancel()
		<-swept
		pool.Wait(context.Background())
		shelf.Wait(context.Background())
		server.close(ctx) // at once
		nodes.close()
		if err := db.Close(); err != nil {
			p.t.Error(err)
		}
	}
}

// restart ends the process and starts another one on the same files.
func (p *process) restart() {
	p.t.Helper()
	p.stop()
	p.run()
}

// do sends a request; a body that is not empty is JSON.
func (p *process) do(method, path, body string, header ...string) *http.Response {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := p.client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func events(t *testing.T, r io.Reader) []sse.Event {
	t.Helper()
	var list []sse.Event
	for ev, err := range sse.Read(r) {
		if err != nil {
			t.Fatal(err)
		}
		ev.Data = append([]byte(nil), ev.Data...)
		list = append(list, ev)
	}
	return list
}

// send posts to a chat's messages and reads the whole stream.
func (p *process) send(app, chatID, body string) []sse.Event {
	p.t.Helper()
	resp := p.do("POST", "/v1/apps/"+app+"/chats/"+chatID+"/messages", body)
	if resp.StatusCode != http.StatusOK {
		problem, _ := io.ReadAll(resp.Body)
		p.t.Fatalf("%s: %s: %s", body, resp.Status, problem)
	}
	return events(p.t, resp.Body)
}
