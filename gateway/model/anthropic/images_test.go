package anthropic_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
)

// An image in a result reaches the model along with the text.
func TestImagesAreSent(t *testing.T) {
	var sent string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = string(body)
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	req := model.Request{Messages: []model.Message{
		{Role: model.RoleUser, Content: "Go"},
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "f", Arguments: "{}"}}},
		{Role: model.RoleTool, ToolCallID: "a", Content: "p.png", Images: []model.Image{{Media: "image/png", Data: []byte("picture")}}},
		{Role: model.RoleTool, ToolCallID: "b", Content: "text"},
		{Role: model.RoleAssistant, Content: "Done."},
		{Role: model.RoleUser, Content: "More", Images: []model.Image{{Media: "image/png", Data: []byte("picture")}}},
	}}
	for range anthropic.New(anthropic.Options{BaseURL: server.URL, Model: "m"}).Stream(t.Context(), req) {
		continue
	}
	if want := `{"type":"tool_result","tool_use_id":"VwVeODRdi","content":[{"type":"text","text":"p.png"},` +
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cGljdHVyZQ=="}}]},{"type":"tool_result","tool_use_id":"ZIvgnpXgz","content":"text"}`; !strings.Contains(sent, want) {
		t.Errorf("%s\nis not in\n%s", want, sent)
	}
	if want := `{"role":"user","content":[{"type":"text","text":"More"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cGljdHVyZQ=="}}]}`; !strings.Contains(sent, want) {
		t.Errorf("of a message: %s\nis not in\n%s", want, sent)
	}
}

// A PDF goes to the model as a document, both from people and in results, with a title that the API
// accepts.
func TestPDFsAreSent(t *testing.T) {
	server := &requests{streams: []string{stream(begin, text0, hi, end0, ended(`"end_turn"`), stop)}}
	pdf := []model.PDF{{Name: "Übersicht_2026/07 (neu): [v1-2].pdf", Data: []byte("%PDF")}}
	claims.Read(t, server.client(anthropic.Options{}), model.Request{Messages: []model.Message{
		{Role: model.RoleUser, Content: "Go", PDFs: pdf},
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}},
		{Role: model.RoleTool, ToolCallID: "a", Content: "p.pdf", PDFs: []model.PDF{{Name: "...", Data: []byte("%PDF")}}},
	}})
	const source = `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERg=="}`
	for _, want := range []string{
		`{"role":"user","content":[{"type":"text","text":"Go"},` + source + `,"title":"Übersicht 2026 07 (neu) [v1-2] pdf"}]}`,
		`"content":[{"type":"text","text":"p.pdf"},` + source + `}]}]}`,
	} {
		if !strings.Contains(string(server.bodies[0]), want) {
			t.Errorf("%s\nis not in\n%s", want, server.bodies[0])
		}
	}
	if _, found := modeltest.CheckMessages(versioned, server.bodies[0]); len(found) > 0 {
		t.Errorf("%q", found)
	}
}
