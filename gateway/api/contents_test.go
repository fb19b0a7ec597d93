package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

func (e *fakeEngine) Content(context.Context, chat.Ref, string) (chat.Bytes, error) {
	return chat.Bytes{}, store.ErrNotFound
}

func (s fakeStore) Contents(context.Context, chat.Ref, []string) (map[string]chat.Bytes, error) {
	return nil, store.ErrNotFound
}

func (s fakeStore) ContentSize(context.Context, string) (int64, error) { return 0, s.err }

// What a tool's server produced is served to its owner only, with its own type, and in a way that
// keeps it from acting on the gateway's origin.
func TestContentsAreTheOwners(t *testing.T) {
	t.Parallel()
	var db store.Store
	s := realServer(t, matrixFiles, func(o *turn.Options) { db = o.Store })
	alice := bearerOf("ag_alice")
	s.call("POST", "/v1/apps/staff/chats/c/messages", `{"message": "hello"}`, alice...)
	held := map[string]chat.Bytes{
		"cnt_png": {Media: "image/png", Bytes: []byte("\x89PNG")}, "cnt_svg": {Media: "image/svg+xml", Bytes: []byte("<svg onload='alert(1)'/>")},
		"cnt_html": {Media: "text/html; charset=utf-8", Bytes: []byte("<script>alert(1)</script>")}, "cnt_big": {Media: "image/gif", Bytes: bytes.Repeat([]byte("x"), tools.MaxInline+1)},
	}
	result := &chat.ToolResult{Content: "done", Fence: 1}
	for _, id := range []string{"cnt_png", "cnt_svg", "cnt_html", "cnt_big"} {
		b := held[id]
		result.Shown = append(result.Shown, tools.Content{Part: json.RawMessage(`{"type":"image"}`), Media: b.Media, Size: len(b.Bytes), ID: id, Bytes: b.Bytes})
	}
	of := chat.Ref{Tenant: "acme", Subject: "alice", App: "staff", ChatID: "c"}
	if err := db.Update(t.Context(), of, func(tx store.Tx) error {
		return tx.AppendMessage(chat.Message{ID: "msg_x", Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{ID: "call_x", Name: "n", Arguments: "{}", Result: result}}})
	}); err != nil {
		t.Fatal(err)
	}

	shown := s.call("GET", "/v1/apps/staff/chats/c", "", alice...)
	var snapshot struct {
		Messages []struct {
			ToolCalls []struct {
				Content []struct{ Type, Data, URL string }
			}
		}
	}
	shown.decode(t, 200, &snapshot)
	loadSchemas(t).check("Snapshot", shown.body)
	parts := snapshot.Messages[len(snapshot.Messages)-1].ToolCalls[0].Content
	if len(parts) != 4 || parts[0].Data != "iVBORw==" || parts[3].Data != "" || parts[3].URL != "/v1/apps/staff/chats/c/contents/cnt_big" {
		t.Fatalf("shown %.2000s", shown.body)
	}
	for _, p := range parts {
		id := p.URL[strings.LastIndex(p.URL, "/")+1:]
		for _, method := range []string{"GET", "HEAD"} {
			r := s.call(method, p.URL, "", alice...)
			h := r.Header
			if r.StatusCode != http.StatusOK || h.Get("Content-Type") != held[id].Media || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" ||
				!strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'; sandbox;") || (h.Get("Content-Disposition") == "inline") != (id == "cnt_png" || id == "cnt_big") {
				t.Errorf("%s %s: %d %v", method, id, r.StatusCode, h)
			}
			if method == "GET" && !bytes.Equal(r.body, held[id].Bytes) {
				t.Errorf("%s: %d bytes", id, len(r.body))
			}
		}
		for name, key := range map[string]string{"another subject": "ag_bob", "another tenant's namesake": "ag_globex", "an admin": "ag_reader"} {
			if r := s.call("GET", p.URL, "", bearerOf(key)...); r.StatusCode != http.StatusNotFound {
				t.Errorf("%s, %s: %d", name, id, r.StatusCode)
			}
		}
	}
	if r := s.call("DELETE", "/v1/apps/staff/chats/c", "", alice...); r.StatusCode != http.StatusNoContent {
		t.Fatal(r.StatusCode)
	}
	if r := s.call("GET", parts[0].URL, "", alice...); r.StatusCode != http.StatusNotFound {
		t.Errorf("after the erasure: %d", r.StatusCode)
	}
}
