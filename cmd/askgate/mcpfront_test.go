package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

// mcpVersions are the versions of the protocol that the gateway's own MCP server supports.
var mcpVersions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// asksByMCP starts a gateway for alice, bob and ci, a program that may ask alice and the role
// oncall.
func asksByMCP(t *testing.T, app string) map[string]string {
	t.Helper()
	key := func(subject, rights string) string {
		return fmt.Sprintf(`{"id": %q, "hash": "sha256:%x", "tenant": "acme", "subject": %q %s}`, subject, sha256.Sum256([]byte("ag_"+subject)), subject, rights)
	}
	return map[string]string{
		"gateway.json": `{"models": {"default": {"provider": "demo"}}, "auth": {"mode": "apiKeys", "session": {"secret": "0123456789abcdef0123456789abcdef"}, "keys": [` +
			key("alice", `, "roles": ["oncall"]`) + "," + key("bob", "") + "," + key("ci", `, "mayAsk": ["alice", "role:oncall"]`) + `]},
			"limits": {"requestsPerMinute": 0}}`,
		"apps/work.json": `{"id": "work", "name": "Work", "tools": ["ask_user"]` + app + `}`,
		"apps/else.json": `{"id": "else", "name": "Else", "tools": []}`,
		"tools.json": `[{"id": "ask_user", "description": {"en": "Ask.", "de": "Frage."}, "templates": {
			"pick_city": {"description": {"en": "Which city.", "de": "Welche Stadt."}, "question": {"en": "Which city in {country}?", "de": "Welche Stadt in {country}?"}, "options": [{"label": "Lima"}, {"label": "Cusco"}]}}}]`,
	}
}

// mcpKey is a transport that sends a key with each request.
type mcpKey struct{ key, language string }

func (b mcpKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	if b.language != "" {
		r.Header.Set("Accept-Language", b.language)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// mcpClient returns a client of the SDK.
type mcpClient struct {
	*mcp.ClientSession
	t *testing.T
}

func connectMCP(t *testing.T, base, key, version string, opts *mcp.ClientOptions) mcpClient {
	t.Helper()
	return connectMCPTo(t, base+"/v1/apps/work/mcp", mcpKey{key: key}, version, opts)
}

func connectMCPTo(t *testing.T, url string, as mcpKey, version string, opts *mcp.ClientOptions) mcpClient {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2.1"}, opts)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: as}},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return mcpClient{session, t}
}

// call calls a tool and returns the text of its result, which is JSON.
func (c mcpClient) call(tool string, arguments map[string]any) (text string, failed bool) {
	c.t.Helper()
	res, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil { // it may be another goroutine than the test's
		return err.Error(), true
	}
	return res.Content[0].(*mcp.TextContent).Text, res.IsError
}

// mcpResult is the result of a tool that asks.
type mcpResult struct {
	Status          string
	ClarificationID string
	Answers         map[string]any
	Text            string
}

func (c mcpClient) asks(tool string, arguments map[string]any) (a mcpResult) {
	c.t.Helper()
	text, failed := c.call(tool, arguments)
	if failed || json.Unmarshal([]byte(text), &a) != nil {
		c.t.Errorf("%s: %s", tool, text)
	}
	return a
}

// mcpSends sends a request with a key and returns the status and the body.
func mcpSends(t *testing.T, base, key, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// mcpWaiting waits until exactly one question is pending for a subject, and returns it.
func mcpWaiting(t *testing.T, base, key string) (id string, question map[string]any) {
	t.Helper()
	waitFor(t, func() bool {
		var list struct{ Items []map[string]any }
		status, body := mcpSends(t, base, key, "GET", "/v1/clarifications", "")
		if status != 200 || json.Unmarshal([]byte(body), &list) != nil {
			t.Fatalf("%d %s", status, body)
		}
		if len(list.Items) == 0 {
			return false
		}
		question = list.Items[0]
		return true
	})
	id, _ = question["clarificationId"].(string)
	return id, question
}

func mcpAnswers(t *testing.T, base, key, id, body string) {
	t.Helper()
	if status, text := mcpSends(t, base, key, "POST", "/v1/clarifications/"+id+"/answer", body); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
}

// A call waits on one connection, the person answers on another, and the call returns the answer.
func TestMCPClientsAskPeople(t *testing.T) {
	p := start(t, "", asksByMCP(t, ""))
	for _, version := range mcpVersions {
		c := connectMCP(t, p.url, "ag_alice", version, nil)
		got := make(chan mcpResult, 1)
		go func() {
			got <- c.asks("ask_user", map[string]any{"question": "Deploy?", "options": []string{"yes", "no"}, "title": "CI #1"})
		}()
		id, q := mcpWaiting(t, p.url, "ag_alice")
		by := q["askedBy"].(map[string]any)
		if want := map[string]any{"kind": "program", "name": "claude-code", "title": "CI #1", "version": "2.1"}; !reflect.DeepEqual(by, want) {
			t.Errorf("%s: %v", version, by)
		}
		mcpAnswers(t, p.url, "ag_alice", id, `{"value": "yes"}`)
		if g := <-got; g.Status != "answered" || g.Answers["q1"] != "yes" || g.Text != "yes" {
			t.Errorf("%s: %+v", version, g)
		}
	}
}

// A key can ask only the people that it may ask. Questions of other askers do not exist for it.
func TestMCPAsksWhomTheKeyMayAsk(t *testing.T) {
	p := start(t, "", asksByMCP(t, ""))
	ci, bob := connectMCP(t, p.url, "ag_ci", "2025-11-25", nil), connectMCP(t, p.url, "ag_bob", "2026-07-28", nil)
	a := ci.asks("ask_user", map[string]any{"question": "Deploy?", "input_type": "confirm", "to": "alice", "wait": 0})
	if a.Status != "pending" {
		t.Fatalf("%+v", a)
	}
	for _, to := range []any{"bob", map[string]any{"role": "admin"}} {
		if text, failed := ci.call("ask_user", map[string]any{"question": "Q", "to": to, "wait": 0}); !failed || !strings.Contains(text, `"FORBIDDEN"`) {
			t.Errorf("%v: %s", to, text)
		}
	}
	for _, id := range []string{a.ClarificationID, "clr_nosuch"} {
		if text, failed := bob.call("get_answer", map[string]any{"clarificationId": id, "wait": 0}); !failed || !strings.Contains(text, `"NOT_FOUND"`) {
			t.Errorf("%s: %s", id, text)
		}
	}
	elsewhere := connectMCPTo(t, p.url+"/v1/apps/else/mcp", mcpKey{key: "ag_ci"}, "2026-07-28", nil)
	if text, failed := elsewhere.call("get_answer", map[string]any{"clarificationId": a.ClarificationID, "wait": 0}); !failed {
		t.Errorf("of another app: %s", text)
	}
	mcpAnswers(t, p.url, "ag_alice", a.ClarificationID, `{"value": true, "note": "go"}`)
	if a = ci.asks("get_answer", map[string]any{"clarificationId": a.ClarificationID}); a.Answers["q1"] != "yes" || a.Text != "yes\nNote: go" {
		t.Errorf("%+v", a)
	}
	role := ci.asks("ask_user", map[string]any{"question": "Who?", "to": map[string]any{"role": "oncall"}, "wait": 0})
	mcpAnswers(t, p.url, "ag_alice", role.ClarificationID, `{"declined": true}`)
	if a := ci.asks("get_answer", map[string]any{"clarificationId": role.ClarificationID}); a.Status != "declined" || a.Answers["q1"] != nil {
		t.Errorf("%+v", a)
	}
	for who, others := range map[mcpClient]bool{ci: true, bob: false} {
		list, err := who.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			if _, to := tool.InputSchema.(map[string]any)["properties"].(map[string]any)["to"]; tool.Name == "ask_user" && to != others {
				t.Errorf("to is offered: %t", to)
			}
		}
	}
}

// A template is a tool in the caller's language, and the question shows as a line in the person's chat.
func TestMCPTemplatesAndLines(t *testing.T) {
	p := start(t, "", asksByMCP(t, `, "clarifications": {"maxOptions": 3}`))
	c := connectMCPTo(t, p.url+"/v1/apps/work/mcp", mcpKey{"ag_alice", "de"}, "2025-06-18", nil)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, tool := range list.Tools {
		schema, _ := json.Marshal(tool.InputSchema)
		said[tool.Name] = tool.Description + string(schema)
	}
	if !strings.HasPrefix(said["pick_city"], "Welche Stadt.") || !strings.Contains(said["pick_city"], `"country"`) ||
		!strings.Contains(said["ask_user"], "\n\nFrage.\n") || !strings.Contains(said["ask_user"], `"maxItems":3`) || strings.Contains(said["ask_user"], "template") {
		t.Errorf("%v", said)
	}
	a := c.asks("pick_city", map[string]any{"country": "Peru", "wait": 0})
	id, q := mcpWaiting(t, p.url, "ag_alice")
	if a.ClarificationID != id || q["question"] != "Welche Stadt in Peru?" {
		t.Errorf("%v", q)
	}
	if text, failed := c.call("pick_city", map[string]any{"wait": 0}); !failed || !strings.Contains(text, "INVALID_CLARIFICATION_PARAMS") || !strings.Contains(text, "country") {
		t.Error(text)
	}
	if text, failed := c.call("notify", map[string]any{"message": "The build is green."}); failed {
		t.Error(text)
	}
	status, body := mcpSends(t, p.url, "ag_alice", "GET", "/v1/apps/work/chats/"+q["chatId"].(string), "")
	if status != 200 || !strings.Contains(body, `"The build is green."`) || !strings.Contains(body, `"name":"claude-code"`) {
		t.Errorf("%d %s", status, body)
	}
}

// Limits apply, and are reported as to a model.
func TestMCPCaps(t *testing.T) {
	p := start(t, "", asksByMCP(t, `, "clarifications": {"perAskerPerDay": 1}`))
	c := connectMCP(t, p.url, "ag_alice", "2026-07-28", nil)
	if a := c.asks("ask_user", map[string]any{"question": "Q", "wait": 0}); a.Status != "pending" {
		t.Fatalf("%+v", a)
	}
	if text, failed := c.call("ask_user", map[string]any{"question": "Q2", "wait": 0}); !failed || !strings.Contains(text, `"CLARIFICATION_LIMIT_REACHED"`) {
		t.Error(text)
	}
}

// A request without a key, too large, or without a message is refused with an HTTP status.
func TestMCPRefusals(t *testing.T) {
	p := start(t, "", asksByMCP(t, ""))
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for _, call := range []struct {
		key, app, body string
		status         int
	}{
		{"", "work", initialize, 401}, {"ag_wrong", "work", initialize, 401}, {"", "nosuch", initialize, 401}, {"", "work", "nonsense", 401},
		{"ag_bob", "nosuch", initialize, 404}, {"ag_bob", "work", "nonsense", 400}, {"ag_bob", "work", "[" + initialize + "]", 400},
		{"ag_bob", "work", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notify","arguments":{"message":"` + strings.Repeat("x", 1<<20) + `"}}}`, 413},
		{"ag_bob", "work", strings.Repeat("[", 100) + strings.Repeat("]", 100), 400},
		{"ag_bob", "work", "null", 400}, {"ag_bob", "work", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, 400},
		{"ag_bob", "work", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Q?"}}}`, 400},
		{"ag_bob", "work", initialize, 200},
	} {
		status, body := mcpSends(t, p.url, call.key, "POST", "/v1/apps/"+call.app+"/mcp", call.body)
		if status != call.status || status != 200 && (!strings.HasPrefix(body, `{"jsonrpc":"2.0","id":null,"error":{"code":-32`) || !strings.Contains(body, `"message":"`)) {
			t.Errorf("%s %.40s: %d %s", call.app, call.body, status, body)
		}
	}
	if status, _ := mcpSends(t, p.url, "ag_bob", "GET", "/v1/apps/work/mcp", ""); status != 405 {
		t.Errorf("GET: %d", status)
	}
	resp := p.do("POST", "/v1/apps/work/mcp", "", "Authorization", "Bearer ag_bob", "Content-Type", "text/plain")
	if resp.StatusCode != 415 {
		t.Errorf("text: %s", resp.Status)
	}
}

// A question survives the gateway process that asked it, and the client.
func TestMCPQuestionsOutliveTheGateway(t *testing.T) {
	p := start(t, "", asksByMCP(t, ""))
	p.stop() // of it the files are wanted alone
	n := startNode(t, os.Args[0], asProgram+"=1", "ASKGATE_CONFIG="+p.dir, "ASKGATE_STORE=sqlite:"+filepath.Join(p.dir, "askgate.db"))
	base := "http://" + n.address
	for _, version := range mcpVersions {
		c := connectMCP(t, base, "ag_alice", version, nil)
		ctx, leave := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "ask_user", Arguments: map[string]any{"question": "Why?"}})
			gone <- err
		}()
		id, _ := mcpWaiting(t, base, "ag_alice")
		n.end(syscall.SIGKILL)
		if err := <-gone; err == nil {
			t.Errorf("%s: the call ended well", version)
		}
		leave()
		n.start()
		again := connectMCP(t, base, "ag_alice", version, nil)
		if a := again.asks("get_answer", map[string]any{"clarificationId": id, "wait": 0}); a.Status != "pending" {
			t.Errorf("%s: %+v", version, a)
		}
		got := make(chan mcpResult, 1)
		go func() { got <- again.asks("get_answer", map[string]any{"clarificationId": id}) }()
		mcpAnswers(t, base, "ag_alice", id, `{"value": "because"}`)
		if a := <-got; a.Text != "because" {
			t.Errorf("%s: %+v", version, a)
		}
	}
	// A gateway that shuts down ends waiting calls with the stored question.
	c, got := connectMCP(t, base, "ag_alice", "2025-11-25", nil), make(chan mcpResult, 1)
	go func() { got <- c.asks("ask_user", map[string]any{"question": "Why?", "wait": 300}) }()
	id, _ := mcpWaiting(t, base, "ag_alice")
	n.end(syscall.SIGTERM)
	if a := <-got; a.Status != "pending" || a.ClarificationID != id {
		t.Errorf("%+v", a)
	}
	n.start()
}

// Any node accepts any call of a session, and notices an answer given on another node.
func TestMCPOnTwoNodes(t *testing.T) {
	files, redis := asksByMCP(t, ""), testenv.Redis(t)
	a := start(t, "", files, "ASKGATE_REDIS="+redis)
	b := start(t, "", files, "ASKGATE_REDIS="+redis, "ASKGATE_STORE=sqlite:"+filepath.Join(a.dir, "askgate.db"))
	for _, version := range mcpVersions {
		asks := connectMCP(t, a.url, "ag_alice", version, nil).asks("ask_user", map[string]any{"question": "Why?", "wait": 0})
		got := make(chan mcpResult, 1)
		other := connectMCP(t, b.url, "ag_alice", version, nil)
		go func() { got <- other.asks("get_answer", map[string]any{"clarificationId": asks.ClarificationID}) }()
		mcpAnswers(t, a.url, "ag_alice", asks.ClarificationID, `{"value": "because"}`)
		if g := <-got; g.Text != "because" {
			t.Errorf("%s: %+v", version, g)
		}
	}
}

// If one window of a program asks the same question on two nodes while it waits, it is one question, and
// both calls get the answer. That of another window is another question.
func TestMCPCallsJoin(t *testing.T) {
	files, redis := asksByMCP(t, ""), testenv.Redis(t)
	a := start(t, "", files, "ASKGATE_REDIS="+redis)
	b := start(t, "", files, "ASKGATE_REDIS="+redis, "ASKGATE_STORE=sqlite:"+filepath.Join(a.dir, "askgate.db"))
	for _, version := range mcpVersions[:2] {
		window, other := connectMCP(t, a.url, "ag_alice", version, nil), connectMCP(t, a.url, "ag_alice", version, nil)
		question := map[string]any{"question": "Deploy " + version + "?", "options": []string{"yes", "no"}}
		first, second := make(chan mcpResult, 1), make(chan mcpResult, 1)
		go func() { first <- window.asks("ask_user", question) }()
		id, _ := mcpWaiting(t, a.url, "ag_alice")
		status, text := mcpSessionCalls(t, b.url, window.ID(), version, question)
		if status != 200 || !strings.Contains(text, id) {
			t.Errorf("%s: %d %s", version, status, text)
		}
		go func() { second <- window.asks("get_answer", map[string]any{"clarificationId": id}) }()
		others := maps.Clone(question)
		others["wait"] = 0
		apart := other.asks("ask_user", others)
		if apart.ClarificationID == id || apart.Status != "pending" {
			t.Errorf("%s: %+v", version, apart)
		}
		mcpAnswers(t, b.url, "ag_alice", id, `{"value": "yes"}`)
		for _, got := range []chan mcpResult{first, second} {
			if g := <-got; g.Text != "yes" {
				t.Errorf("%s: %+v", version, g)
			}
		}
		mcpAnswers(t, b.url, "ag_alice", apart.ClarificationID, `{"value": "no"}`)
	}
	// Without a session, calls are not joined.
	c := connectMCP(t, a.url, "ag_alice", mcpVersions[2], nil)
	again := map[string]any{"question": "Why?", "wait": 0}
	if one, two := c.asks("ask_user", again), c.asks("ask_user", again); one.ClarificationID == two.ClarificationID {
		t.Errorf("%+v %+v", one, two)
	}
}

// mcpSessionCalls asks in a session with a separate request, and does not wait.
func mcpSessionCalls(t *testing.T, base, session, version string, question map[string]any) (int, string) {
	t.Helper()
	arguments := maps.Clone(question)
	arguments["wait"] = 0
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": "ask_user", "arguments": arguments}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", base+"/v1/apps/work/mcp", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Mcp-Session-Id": session, "Mcp-Protocol-Version": version, "Authorization": "Bearer ag_alice"} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// If the app allows it, a client that can asks its own user, in every version of the protocol. After an
// invalid answer it asks again, and no one else can continue the call.
func TestMCPElicits(t *testing.T) {
	p := start(t, "", asksByMCP(t, `, "mcp": {"elicit": true}`))
	for _, version := range mcpVersions {
		content := []map[string]any{{"q1": "twelve"}, {"q1": "v12"}}
		var said []string
		opts := &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			said = append(said, r.Params.Message)
			next := content[0]
			content = content[1:]
			return &mcp.ElicitResult{Action: "accept", Content: next}, nil
		}}
		c := connectMCP(t, p.url, "ag_alice", version, opts)
		a := c.asks("ask_user", map[string]any{"question": "Which tag?", "validation": map[string]any{"pattern": "v[0-9]+", "message": "Write it like v12."}})
		if a.Text != "v12" || len(said) != 2 || said[0] != "Which tag?" || !strings.Contains(said[1], "Write it like v12.") {
			t.Errorf("%s: %+v %q", version, a, said)
		}
	}
	opts := &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, os.ErrInvalid },
		MultiRoundTrip:     &mcp.MultiRoundTripOptions{Disabled: true},
	}
	alice, bob := connectMCP(t, p.url, "ag_alice", "2026-07-28", opts), connectMCP(t, p.url, "ag_bob", "2026-07-28", opts)
	res, err := alice.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask_user", Arguments: map[string]any{"question": "Why?"}})
	if err != nil || !res.NeedsInput() {
		t.Fatalf("%+v %v", res, err)
	}
	goOn := func(c mcpClient, state string) *mcp.CallToolResult {
		t.Helper()
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{
			Name: "ask_user", Arguments: map[string]any{"question": "Why?"}, RequestState: state,
			InputResponses: mcp.InputResponseMap{"answer": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"q1": "because"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if got := goOn(bob, res.RequestState); !got.IsError {
		t.Errorf("another's state: %+v", got)
	}
	if got := goOn(alice, res.RequestState[1:]); !got.IsError {
		t.Errorf("a changed state: %+v", got)
	}
	p.restart()
	if got := goOn(connectMCP(t, p.url, "ag_alice", "2026-07-28", opts), res.RequestState); got.IsError || !strings.Contains(got.Content[0].(*mcp.TextContent).Text, "because") {
		t.Errorf("after a restart: %+v", got.Content[0])
	}
}
