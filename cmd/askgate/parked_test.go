package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/sse"
)

// bookingServer is a server of an older protocol, which asks in the middle of a call, and reports the
// answer.
func bookingServer(t *testing.T) (url string, told chan string) {
	t.Helper()
	told = make(chan string, 1)
	server := mcp.NewServer(&mcp.Implementation{Name: "old", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "book", Description: "Books.", InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Really?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}})
			if err != nil {
				return nil, err
			}
			told <- answer.Action
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: answer.Action}}}, nil
		})
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if method == "server/discover" { // of a later protocol
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "what?"}
			}
			return next(ctx, method, r)
		}
	})
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL, told
}

// A question of a call that is held open has an expiry time. When it expires, the turn goes on,
// and the server gets the action "cancel".
func TestAParkedQuestionExpiresWithItsCall(t *testing.T) {
	t.Parallel()
	url, told := bookingServer(t)
	p := start(t, scripted(t, `[{"calls": [{"id": "call_1", "name": "travel__book", "arguments": {}}]}, {"answer": "Another time."}]`), map[string]string{
		"tools.json":  `[{"id": "travel", "type": "mcp", "mcp": {"url": "` + url + `", "parkTimeout": "1s"}}]`,
		"apps/a.json": `{"id": "a", "tools": ["travel"], "clarifications": {"expiresIn": "1h"}}`,
	})
	list := p.send("a", "c1", `{"message": "x"}`)
	var asked struct {
		ClarificationID      string
		Timestamp, ExpiresAt time.Time
	}
	waits := found(list, "clarification")
	if len(waits) != 1 || json.Unmarshal([]byte(waits[0]), &asked) != nil || asked.ExpiresAt.Sub(asked.Timestamp) != time.Second {
		t.Fatalf("asked %s", waits)
	}
	resp := p.do("GET", "/v1/apps/a/chats/c1/events", "", "Last-Event-ID", list[len(list)-1].ID)
	var seen []string
	for ev, err := range sse.Read(resp.Body) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, ev.Name+" "+string(ev.Data)); ev.Name == "done" {
			break
		}
	}
	all := strings.Join(seen, "\n")
	for _, want := range []string{`"outcome":"expired","answer":null`, `"by":null`, `\"timedOut\":true`, `"content":"Another "`, `"finishReason":"stop"`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in\n%s", want, all)
		}
	}
	if action := <-told; action != "cancel" {
		t.Errorf("the server gets %s", action)
	}
	var kept struct{ State string }
	if status := p.get("/v1/clarifications/"+asked.ClarificationID, &kept); status != http.StatusOK || kept.State != "expired" {
		t.Errorf("%d, %s", status, kept.State)
	}
}

// An answer on another node reaches the call, which is held open on the node where it began. It is lost
// only if that node ends.
func TestAParkedCallGetsAnAnswerOfAnotherNode(t *testing.T) {
	t.Parallel()
	url, told := bookingServer(t)
	files := map[string]string{
		"gateway.json": `{"auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}}}`,
		"tools.json":   `[{"id": "travel", "type": "mcp", "mcp": {"url": "` + url + `"}}]`,
		"apps/a.json":  `{"id": "a", "tools": ["travel"]}`,
	}
	model, redis := scripted(t, `[{"calls": [{"id": "call_1", "name": "travel__book", "arguments": {}}]}, {"answer": "Booked."},
		{"calls": [{"id": "call_2", "name": "travel__book", "arguments": {}}]}, {"answer": "Who knows."}]`), testenv.Redis(t)
	holder := start(t, model, files, "ASKGATE_REDIS="+redis)
	taker := start(t, model, files, "ASKGATE_REDIS="+redis, "ASKGATE_STORE=sqlite:"+filepath.Join(holder.dir, "askgate.db"))
	if waits := found(holder.send("a", "c1", `{"message": "x"}`), "clarification"); len(waits) != 1 {
		t.Fatalf("asked %s", waits)
	}
	all := fmt.Sprint(found(taker.send("a", "c1", `{"answer": {"value": true}}`), "tool.call.end"))
	if action := <-told; action != "accept" || !strings.Contains(all, "accept") {
		t.Errorf("the server gets %s, the model %s", action, all)
	}
	holder.send("a", "c2", `{"message": "x"}`)
	holder.stop()
	if all := fmt.Sprint(found(taker.send("a", "c2", `{"answer": {"value": true}}`), "tool.call.end")); !strings.Contains(all, "INTERRUPTED") {
		t.Errorf("without the node that held it: %s", all)
	}
}
