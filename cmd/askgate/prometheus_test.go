//go:build deploy

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

// TestEveryPanelShowsSomething lets a real Prometheus scrape a gateway with all
// kinds of traffic, with the rules of deploy/. Each expression in the panels of the dashboard must
// return a number above zero.
func TestEveryPanelShowsSomething(t *testing.T) {
	p, admin, breakConfiguration := loaded(t)
	// A rate needs two values, one of them larger: traffic before the first scrape, and
	// after it.
	p.traffic("first")
	q := observer{t, "http://" + startPrometheus(t, admin)}
	waitFor(t, func() bool { return q.most(`sum(up{job="askgate"})`) == 1 && q.most(`sum(askgate_runs_total)`) > 0 })
	p.traffic("second")
	breakConfiguration()

	var dashboard struct {
		Panels []struct {
			Type, Title string
			Targets     []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(shipped(t, "grafana/dashboards/askgate.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	expressions := 0
	fill := strings.NewReplacer("$app", ".*", "$__rate_interval", "1m")
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			expressions++
			expr := fill.Replace(target.Expr)
			deadline := time.Now().Add(5 * time.Minute)
			for q.most(expr) <= 0 {
				if time.Now().After(deadline) {
					t.Errorf("panel %q shows nothing: %s", panel.Title, expr)
					break
				}
				<-time.After(200 * time.Millisecond)
			}
		}
	}
	if expressions < 30 {
		t.Errorf("only %d expressions: this test looks in the wrong place", expressions)
	}
	q.rulesAreWell()
}

// loaded starts askgate serve as an operator would, with apps for each kind of traffic.
func loaded(t *testing.T) (p *process, admin string, breakConfiguration func()) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "apps"), 0o755); err != nil {
		t.Fatal(err)
	}
	lists := modeltest.Calls(model.ToolCall{ID: "call_1", Name: "ask_user", Arguments: `{"template":"pick"}`},
		model.ToolCall{ID: "call_2", Name: "calculator", Arguments: `{}{"expression":"1+1"}`})
	scripted := modeltest.New(t, modeltest.Status(http.StatusBadRequest,
		`{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","type":"invalid_request_error","param":"temperature","code":"unsupported_parameter"}}`), lists, modeltest.Answer("Done."), lists, modeltest.Answer("Done."))
	listed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `["Alpha","Beta"]`) }))
	t.Cleanup(listed.Close)
	write("gateway.json", `{"limits": {"requestsPerMinute": 0}, "webhooks": [{"id": "team", "url": "`+listed.URL+`", "format": "ntfy", "undeliveredAfter": "1s"}], "models": {"default": {"provider": "demo"}, "small": {"provider": "demo", "contextTokens": 6000},
		"scripted": {"provider": "openai", "baseUrl": "`+scripted.URL+`", "model": "m", "prices": {"currency": "EUR", "input": 1, "output": 4}},
		"away": {"provider": "openai", "baseUrl": "http://127.0.0.1:1/v1", "model": "m", "maxRetries": 0, "timeout": "1s"}}}`)
	write("tools.json", `[{"id": "ask_user", "type": "ask_user", "templates": {"pick": {
		"question": "Which?", "input_type": "select", "optionsFrom": {"tool": "projects", "label": ""}}}},
		{"id": "projects", "type": "http", "description": "Projects.", "parameters": {"type": "object"}, "http": {"method": "GET", "url": "`+listed.URL+`"}}]`)
	for id, more := range map[string]string{
		"plain":   `"limits": {"requestsPerMinute": 0, "concurrentTurns": 0, "streams": 0}`,
		"expires": `"clarifications": {"expiresIn": "1s"}`,
		"capped":  `"clarifications": {"perConversation": 1}`,
		"limited": `"limits": {"requestsPerMinute": 1, "burst": 1}`,
		"broken":  `"model": "away"`,
		"listed":  `"model": "scripted", "temperature": 0.5`,
		"long":    `"model": "small"`,
	} {
		write("apps/"+id+".json", fmt.Sprintf(`{"id": %q, "name": %q, "tools": ["ask_user", "calculator"], %s}`, id, id, more))
	}
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "ASKGATE_MODEL"} {
		t.Setenv(name, "")
	}
	main, admin := freePort(t), freePort(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--config", dir, "--listen", main, "--admin-listen", admin,
			"--store", "sqlite:" + filepath.Join(t.TempDir(), "askgate.db"), "--log-level", "error"})
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != 0 {
			t.Errorf("exit %d", code)
		}
	})
	up(t, admin)
	p = &process{t: t, url: "http://" + main, client: &http.Client{}}
	return p, admin, func() { write("apps/plain.json", `{"id": "plain", "nmae": ""}`) }
}

// traffic creates some traffic of each kind. The ids of its chats start with name.
func (p *process) traffic(name string) {
	p.t.Helper()
	post := func(app, chat, body string, header ...string) {
		p.t.Helper()
		resp := p.do("POST", "/v1/apps/"+app+"/chats/"+name+chat+"/messages", body, header...)
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			p.t.Fatal(err)
		}
	}
	ask := func(app, chat, scene, answer string) {
		p.t.Helper()
		post(app, chat, `{"message":"`+scene+`"}`)
		post(app, chat, answer)
	}
	ask("plain", "answered", "select", `{"answer":{"value":"fr"}}`)
	ask("plain", "other", "select", `{"answer":{"other":"Frisian"}}`)
	ask("plain", "skipped", "date", `{"answer":{"skipped":true}}`)
	ask("plain", "declined", "form", `{"answer":{"declined":true}}`)
	ask("plain", "superseded", "text", `{"message":"confirm"}`)
	ask("plain", "wrong", "number", `{"answer":{"value":11}}`)
	ask("plain", "repaired", "repair", `{"answer":{"declined":true}}`)
	ask("plain", "refused", "refused", `{"answer":{"value":"alice"}}`)
	post("plain", "calculated", `{"message":"12 * 3"}`)
	post("expires", "late", `{"message":"select"}`)
	ask("capped", "c", "cap", `{"answer":{"value":"yes"}}`)
	ask("limited", "l", "text", `{"answer":{"declined":true}}`)
	ask("listed", "p", "hello", `{"answer":{"value":"Alpha"}}`) // checked against a list of its own: those offered are kept for a minute
	for range 3 {
		post("long", "chat", `{"message":"`+strings.Repeat("hello ", 1500)+`"}`)
	}
	post("broken", "b", `{"message":"hello"}`, "Accept", "application/json") // 502
	p.do("GET", "/v1/apps/plain/chats/"+name+"answered/events", "")          // open until the test ends
	for _, path := range []string{"/v1/apps", "/v1/apps/plain/chats", "/v1/clarifications"} {
		p.body("GET", path, "")
	}
}

// startPrometheus starts a Prometheus that scrapes one gateway every second, with the rules of
// deploy/.
func startPrometheus(t *testing.T, target string) (address string) {
	t.Helper()
	dir := home(t, map[string]string{
		"rules/recording.yml": shipped(t, "prometheus/rules/recording.yml"),
		"rules/alerts.yml":    shipped(t, "prometheus/rules/alerts.yml"),
		"prometheus.yml": shipped(t, "prometheus/prometheus.yml", "scrape_interval: 15s", "scrape_interval: 1s",
			"evaluation_interval: 15s", "evaluation_interval: 1s", `"askgate:9090"`, strconv.Quote(target)),
	})
	address = freePort(t)
	launch(t, dir, "prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--web.listen-address="+address)
	waitFor(t, func() bool { return get(t.Context(), "http://"+address+"/-/ready") == http.StatusOK })
	return address
}

// observer is a running Prometheus.
type observer struct {
	t   *testing.T
	url string
}

// most returns the largest number in the result of an expression, 0 if there is none.
func (q observer) most(expr string) float64 {
	q.t.Helper()
	var answer struct {
		Status, Error string
		Data          struct{ Result []struct{ Value [2]any } }
	}
	if err := json.Unmarshal([]byte(fetch(q.t, q.url+"/api/v1/query?query="+url.QueryEscape(expr))), &answer); err != nil {
		q.t.Fatal(err)
	}
	if answer.Status != "success" {
		q.t.Fatalf("%s: %s", expr, answer.Error)
	}
	most := 0.0
	for _, r := range answer.Data.Result {
		v, err := strconv.ParseFloat(r.Value[1].(string), 64)
		if err != nil {
			q.t.Fatal(err)
		}
		if v > most && !math.IsInf(v, 0) { // NaN is not above anything
			most = v
		}
	}
	return most
}

// rulesAreWell checks that Prometheus could evaluate every rule.
func (q observer) rulesAreWell() {
	q.t.Helper()
	var answer struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError string }
			}
		}
	}
	if err := json.Unmarshal([]byte(fetch(q.t, q.url+"/api/v1/rules")), &answer); err != nil {
		q.t.Fatal(err)
	}
	n := 0
	for _, g := range answer.Data.Groups {
		for _, r := range g.Rules {
			n++
			if r.Health != "ok" {
				q.t.Errorf("rule %s: %s %s", r.Name, r.Health, r.LastError)
			}
		}
	}
	if n < 30 {
		q.t.Errorf("only %d rules are loaded", n)
	}
}
