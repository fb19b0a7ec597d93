package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/tools"
)

// serveParts starts an MCP server with one tool, draw, whose results have these parts.
func serveParts(t *testing.T, parts ...mcp.Content) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "artist", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "draw", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: parts}, nil
		})
	handler := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(handler.Close)
	return handler.URL
}

// shownPart is a part of a result as sent to clients.
type shownPart struct {
	Type, Text, MIMEType, Data, URL, URI, Name string
	Size                                       int
}

func parts(t *testing.T, raw json.RawMessage) (list []shownPart) {
	t.Helper()
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatalf("%v: %.300s", err, raw)
	}
	return list
}

// drawn starts a gateway with the MCP server at that address, whose model calls draw once per message.
func drawn(t *testing.T, url string) (*process, *modeltest.Server) {
	t.Helper()
	server := modeltest.NewFunc(t, func(_ int, r modeltest.Request) modeltest.Response {
		if last := r.Body.Messages[len(r.Body.Messages)-1]; last.Role == "user" {
			return modeltest.Calls(model.ToolCall{ID: "call_" + strings.Trim(string(last.Content), `"`), Name: "artist__draw", Arguments: "{}"})
		}
		return modeltest.Answer("There.")
	})
	return start(t, server.URL, map[string]string{
		"tools.json":       `[{"id": "artist", "type": "mcp", "mcp": {"url": "` + url + `"}}]`,
		"apps/artist.json": `{"id": "artist", "tools": ["artist"]}`,
	}), server
}

// Pictures and links in results reach the person: in the event, after a reload and a restart, and when
// a run is replayed. They never reach the model, and are deleted with the chat.
func TestPicturesAndLinksReachThePersonAndNotTheModel(t *testing.T) {
	t.Parallel()
	small, large := []byte("\x89PNG\r\n\x1a\nsmall"), bytes.Repeat([]byte("\x89PNG"), tools.MaxInline/4+1)
	url := serveParts(t,
		&mcp.TextContent{Text: "Two pictures."},
		&mcp.ImageContent{MIMEType: "image/png", Data: small},
		&mcp.ImageContent{MIMEType: "image/png", Data: large},
		&mcp.ResourceLink{URI: "https://example.org/map", Name: "map"},
	)
	p, asked := drawn(t, url)
	ended := found(p.send("artist", "c1", `{"message": "one", "idempotencyKey": "k"}`), "tool.call.end")
	var end struct {
		Result  string
		Content json.RawMessage
	}
	if len(ended) != 1 || json.Unmarshal([]byte(ended[0]), &end) != nil {
		t.Fatalf("ended %.300s", ended)
	}
	got := parts(t, end.Content)
	if len(got) != 4 || got[0].Text != "Two pictures." || got[1].Data != "iVBORw0KGgpzbWFsbA==" || got[1].Size != len(small) || got[2].Data != "" || got[2].Size != len(large) ||
		got[3].Type != "resource_link" || got[3].URI != "https://example.org/map" {
		t.Errorf("shown %.1000s", end.Content)
	}
	for _, r := range asked.Requests() {
		if raw := string(r.Raw); strings.Contains(raw, "iVBORw0KGgp") || strings.Contains(raw, "contents/") {
			t.Errorf("the model reads %.1000s", raw)
		}
	}
	if !strings.Contains(end.Result, "for the user to see") {
		t.Errorf("the model reads %s", end.Result)
	}
	same := func(when string, raw json.RawMessage) {
		t.Helper()
		if string(raw) != string(end.Content) {
			t.Errorf("%s: %.500s", when, raw)
		}
	}
	reloaded := func() json.RawMessage {
		var s struct {
			Messages []struct {
				ToolCalls []struct{ Content json.RawMessage }
			}
		}
		if err := json.Unmarshal([]byte(p.body("GET", "/v1/apps/artist/chats/c1", "")), &s); err != nil || len(s.Messages) < 2 {
			t.Fatal(err, s)
		}
		return s.Messages[1].ToolCalls[0].Content
	}
	same("after a reload", reloaded())
	p.restart()
	same("after a restart", reloaded())
	again := found(p.send("artist", "c1", `{"message": "one", "idempotencyKey": "k"}`), "tool.call.end")
	var shown struct{ Content json.RawMessage }
	if len(again) != 1 || json.Unmarshal([]byte(again[0]), &shown) != nil {
		t.Fatalf("again %.300s", again)
	}
	same("shown again", shown.Content)
	for i, want := range map[int][]byte{1: small, 2: large} {
		resp := p.do("GET", got[i].URL, "")
		if body, _ := io.ReadAll(resp.Body); resp.Header.Get("Content-Type") != "image/png" || !bytes.Equal(body, want) {
			t.Errorf("%s: %s, %d bytes", got[i].URL, resp.Status, len(body))
		}
	}
	if resp := p.do("DELETE", "/v1/apps/artist/chats/c1", ""); resp.StatusCode != http.StatusNoContent {
		t.Fatal(resp.Status)
	}
	if resp := p.do("GET", got[1].URL, ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("after the erasure: %s", resp.Status)
	}
	left := -1
	if p.past("SELECT count(*) FROM contents", &left); left != 0 {
		t.Errorf("%d are left", left)
	}
}

// The contents of a chat are limited.
func TestWhatAChatHasNoRoomForIsNamedAndNotKept(t *testing.T) {
	t.Parallel()
	data := make([]byte, 2<<20)
	p, _ := drawn(t, serveParts(t, &mcp.ImageContent{MIMEType: "image/png", Data: data}))
	p.send("artist", "c1", `{"message": "one"}`)
	p.past("UPDATE contents SET size = 67108864 - 2097151") // as if others were there already
	ended := found(p.send("artist", "c1", `{"message": "two"}`), "tool.call.end")
	var end struct{ Content json.RawMessage }
	if len(ended) != 1 || json.Unmarshal([]byte(ended[0]), &end) != nil {
		t.Fatalf("ended %.300s", ended)
	}
	if got := parts(t, end.Content); len(got) != 1 || got[0].URL != "" || got[0].Data != "" || got[0].Size != len(data) {
		t.Errorf("shown %.300s", end.Content)
	}
	if log := p.log.String(); !strings.Contains(log, "are at their limit") {
		t.Errorf("log %s", log)
	}
}
