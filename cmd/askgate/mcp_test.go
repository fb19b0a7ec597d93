package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/sse"
)

// found returns the data of the events with a name.
func found(list []sse.Event, name string) []string {
	var data []string
	for _, e := range list {
		if e.Name == name {
			data = append(data, string(e.Data))
		}
	}
	return data
}

// scripted starts a model that gives these answers.
func scripted(t *testing.T, script string) string {
	t.Helper()
	responses, err := modeltest.ParseScript([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	return modeltest.New(t, responses...).URL
}

// The example in the documentation works: its server is built and started, asks, and gets its
// answer after a restart.
func TestMCPPageExample(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "tools", "mcp.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source := regexp.MustCompile("(?s)```go\n(// travel.go\n.*?)```").FindSubmatch(page)
	script := regexp.MustCompile("(?s)<<'END'\n(.*?)END").FindSubmatch(page)
	if source == nil || script == nil {
		t.Fatal("no example")
	}
	if err := os.WriteFile(filepath.Join(dir, "travel.go"), source[1], 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "travel")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, filepath.Join(dir, "travel.go"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, out)
	}
	files := map[string]string{}
	for _, b := range regexp.MustCompile("(?s)```jsonc\n// conf/(\\S+)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if b[1] != "gateway.json" {
			files[b[1]] = strings.ReplaceAll(b[2], "./travel", program)
		}
	}
	p := start(t, scripted(t, string(script[1])), files)
	asked := found(p.send("travel", "c1", `{"message": "Book me to Lisbon"}`), "clarification")
	if len(asked) != 1 || !strings.Contains(asked[0], `"askedBy":{"kind":"server","name":"travel","title":"The agency"}`) || !strings.Contains(asked[0], `"question":"Where do you want to sit on the way to Lisbon?","header":"Seat","input_type":"select"`) {
		t.Fatalf("asked %s, log %s", asked, p.log.String())
	}
	p.restart()
	ended := found(p.send("travel", "c1", `{"answer": {"value": "window"}}`), "tool.call.end")
	if len(ended) != 1 || !strings.Contains(ended[0], `"result":"Booked to Lisbon, window."`) {
		t.Errorf("ended %s", ended)
	}
}

func TestMCPServersFollowTheConfiguration(t *testing.T) {
	url := serveMCP(t)
	entry := `[{"id": "travel", "type": "mcp", "mcp": {"url": "` + url + `"}}]`
	p := start(t, scripted(t, `[{"answer": "a"}, {"answer": "b"}, {"answer": "c"}]`), map[string]string{
		"tools.json":   entry,
		"apps/a.json":  `{"id": "a", "tools": ["travel"]}`,
		"apps/b.json":  `{"id": "b", "tools": ["travel__pay", "travel__book_flight"]}`,
		"gateway.json": `{"models": {"default": {"provider": "openai", "baseUrl": "$MODEL_URL", "model": "m"}}}`,
	})
	p.send("a", "c1", `{"message": "x"}`)
	registry := prometheus.NewRegistry()
	registry.MustRegister(&mcpCollector{pool: p.pool})
	err := testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP askgate_mcp_server_tools Tools in the newest list from the MCP server.
# TYPE askgate_mcp_server_tools gauge
askgate_mcp_server_tools{server="travel"} 4
# HELP askgate_mcp_server_up 1 if the MCP server is connected, 0 if it is not.
# TYPE askgate_mcp_server_up gauge
askgate_mcp_server_up{server="travel"} 1
`))
	if err != nil {
		t.Error(err)
	}
	for app, want := range map[string]string{"a": "travel__book_flight travel__check_in travel__pay travel__search_flights", "b": "travel__book_flight travel__pay"} {
		if got := p.offered(app); got != want {
			t.Errorf("app %s is offered %s", app, got)
		}
	}
	change := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.reload(); err != nil {
			t.Fatal(err)
		}
		p.send("a", "c1", `{"message": "x"}`)
	}
	connected := func() int { return strings.Count(p.log.String(), "mcp server connected") }
	change("apps/a.json", `{"id": "a", "tools": ["travel", "clock"]}`)
	if n, c := len(p.pool.Statuses()), connected(); n != 1 || c != 1 {
		t.Errorf("%d servers, connected %d times: an entry that stays keeps its server", n, c)
	}
	for _, app := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(p.dir, "apps", app+".json"), []byte(`{"id": "`+app+`", "tools": ["clock"]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change("tools.json", `[]`)
	p.pool.Wait(t.Context())
	if n := len(p.pool.Statuses()); n != 0 {
		t.Errorf("%d servers are left", n)
	}
}

// A server that is connected per caller is neither up nor down, and starts with no session.
func TestMetricsOfMCPServersPerCaller(t *testing.T) {
	p := start(t, scripted(t, `[]`), map[string]string{
		"tools.json":  `[{"id": "travel", "type": "mcp", "mcp": {"url": "` + serveMCP(t) + `", "headers": {"X-User": "{caller.subject}"}}}]`,
		"apps/a.json": `{"id": "a", "tools": ["travel"]}`,
	})
	registry := prometheus.NewRegistry()
	registry.MustRegister(&mcpCollector{pool: p.pool})
	if err := testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP askgate_mcp_server_sessions Callers for whom the MCP server is connected.
# TYPE askgate_mcp_server_sessions gauge
askgate_mcp_server_sessions{server="travel"} 0
`)); err != nil {
		t.Error(err)
	}
	if got := p.offered("a"); got != "" {
		t.Errorf("without a caller, %s is offered", got)
	}
}

// offered returns the names of the tools that the model of an app gets.
func (p *process) offered(app string) string {
	p.t.Helper()
	resp := p.do(http.MethodGet, "/v1/admin/tools?app="+app, "")
	var reply struct {
		Items []struct {
			Name string `json:"name"`
		} `json:"items"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		p.t.Fatal(err)
	}
	names := make([]string, 0, len(reply.Items))
	for _, d := range reply.Items {
		names = append(names, d.Name)
	}
	return strings.Join(names, " ")
}

func TestAChatDoesWithoutAnMCPServerThatIsDown(t *testing.T) {
	p := start(t, scripted(t, `[{"calls": [{"id": "call_1", "name": "docs__search", "arguments": {}}]}, {"answer": "Without."}]`), map[string]string{
		"tools.json":  `[{"id": "docs", "type": "mcp", "mcp": {"url": "http://127.0.0.1:1/mcp"}}]`,
		"apps/a.json": `{"id": "a", "tools": ["docs"]}`,
	})
	list := p.send("a", "c1", `{"message": "x"}`)
	if ended := found(list, "tool.call.end"); len(ended) != 1 || !strings.Contains(ended[0], `"TOOL_FAILED"`) {
		t.Errorf("ended %s", ended)
	}
	if done := found(list, "done"); len(done) != 1 || !strings.Contains(done[0], `"stop"`) {
		t.Errorf("done %s", done)
	}
}

// A question from a server is like any other: it can be declined, superseded and
// stopped, requires an interactive user, and comes after the approval if the call needs one.
func TestWhatMCPServersAskEndsLikeAnyQuestion(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"tools.json":        `[{"id": "travel", "type": "mcp", "mcp": {"url": "` + serveMCP(t) + `"}}]`,
		"apps/a.json":       `{"id": "a", "tools": ["travel"]}`,
		"apps/b.json":       `{"id": "b", "tools": ["travel"]}`,
		"apps/b/tools.json": `[{"id": "travel", "needsApproval": true, "editable": true}]`,
	}
	call := `{"calls": [{"id": "call_1", "name": "travel__book_flight", "arguments": {"flight": "AG 12"}}]}, {"answer": "Done."}`
	for name, c := range map[string]struct{ app, first, answer, result string }{
		"declined":   {"a", `{"message": "x"}`, `{"answer": {"declined": true}}`, `"result":"nothing was booked"`},
		"superseded": {"a", `{"message": "x"}`, `{"message": "Something else"}`, `\"superseded\":true`},
		"no user":    {"a", `{"message": "x", "interactive": false}`, "", `"NO_USER_AVAILABLE"`},
		"approved":   {"b", `{"message": "x"}`, `{"answer": {"toolCallId": "call_1", "value": true, "arguments": {"flight": "AG 13"}}}`, ""},
		"refused":    {"b", `{"message": "x"}`, `{"answer": {"toolCallId": "call_1", "value": false}}`, `\"declined\":true`},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, scripted(t, "["+call+"]"), files)
			list := p.send(c.app, "c1", c.first)
			if c.answer != "" {
				list = p.send(c.app, "c1", c.answer)
			}
			if name == "approved" { // now the server asks
				if asked := found(list, "clarification"); len(asked) != 1 || !strings.Contains(asked[0], `"kind":"question","toolName":"travel__book_flight"`) {
					t.Fatalf("asked %s", asked)
				}
				list = p.send(c.app, "c1", `{"answer": {"answers": [{"value": "Ada"}, {"value": 0}, {"value": "w"}, {"skipped": true}]}}`)
				c.result = `"result":"booked without bags for Ada\nThe user changed the arguments of this call to {\"flight\":\"AG 13\"}"`
			}
			if ended := found(list, "tool.call.end"); len(ended) != 1 || !strings.Contains(ended[0], c.result) {
				t.Errorf("ended %s, want %s", ended, c.result)
			}
			if done := found(list, "done"); len(done) != 1 || !strings.Contains(done[0], `"stop"`) {
				t.Errorf("done %s", done)
			}
		})
	}
}
