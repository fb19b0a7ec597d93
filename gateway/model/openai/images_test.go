package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/openai"
	"github.com/askgate/askgate/tools"
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
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "f", Arguments: "{}"}}, Made: model.Made{By: model.Maker("openai", "chat", server.URL, "m")}},
		{Role: model.RoleTool, ToolCallID: "a", Content: "p.png", Images: []model.Image{{Media: "image/png", Data: []byte("picture")}}},
		{Role: model.RoleTool, ToolCallID: "b", Content: "text"},
		{Role: model.RoleAssistant, Content: "Done."},
		{Role: model.RoleUser, Content: "More", Images: []model.Image{{Media: "image/png", Data: []byte("picture")}}},
	}}
	for range openai.New(openai.Options{BaseURL: server.URL, Model: "m"}).Stream(t.Context(), req) {
		continue
	}
	if want := `{"role":"tool","content":"p.png","tool_call_id":"a"},{"role":"tool","content":"text","tool_call_id":"b"},` +
		`{"role":"user","content":[{"type":"text","text":"[Images that belong to the result of the call a:]"},` +
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,cGljdHVyZQ=="}}]},{"role":"assistant","content":"Done."}`; !strings.Contains(sent, want) {
		t.Errorf("%s\nis not in\n%s", want, sent)
	}
	if want := `{"role":"user","content":[{"type":"text","text":"More"},{"type":"image_url","image_url":{"url":"data:image/png;base64,cGljdHVyZQ=="}}]}`; !strings.Contains(sent, want) {
		t.Errorf("of a message: %s\nis not in\n%s", want, sent)
	}
}

// A PDF is sent as a file (OpenAI; see modeltest/strict), alongside images.
func TestPDFsAreSent(t *testing.T) {
	s := &scripted{}
	pdf := []model.PDF{{Name: "a \"b\".pdf", Data: []byte("%PDF")}}
	claims.Read(t, s.client("m"), model.Request{Messages: []model.Message{
		{Role: model.RoleUser, Content: "Read", PDFs: pdf, Images: []model.Image{{Media: "image/png", Data: []byte("picture")}}},
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "f", Arguments: "{}"}}},
		{Role: model.RoleTool, ToolCallID: "a", Content: "a.pdf", PDFs: pdf},
		{Role: model.RoleTool, ToolCallID: "b", Content: "text"},
	}})
	const file = `{"type":"file","file":{"filename":"a \"b\".pdf","file_data":"data:application/pdf;base64,JVBERg=="}}`
	got := s.messages(t, 0)
	if want := `{"role":"user","content":[{"type":"text","text":"Read"},{"type":"image_url","image_url":{"url":"data:image/png;base64,cGljdHVyZQ=="}},` + file + `]}`; got[0] != want {
		t.Errorf("of a message: %s", got[0])
	}
	if want := `{"role":"user","content":[{"type":"text","text":"[Files that belong to the result of the call ` + model.WireID("a") + `:]"},` + file + `]}`; len(got) != 5 || got[4] != want {
		t.Errorf("of a result: %s", got)
	}
}

// Gemini's compatible API refuses keywords that Gemini's schemas do not have, reporting one tool
// per request (openswarm#24, 2026-05-06): with six such tools, all allowed requests would have been
// used up.
func TestToolsAtGeminisCompatibleAPI(t *testing.T) {
	offer := []tools.Definition{{Name: "f", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`)}}
	for base, has := range map[string]bool{"https://generativelanguage.googleapis.com/v1beta/openai": false, "http://x/v1": true} {
		s := &scripted{}
		claims.Read(t, openai.New(openai.Options{BaseURL: base, Model: "m", Transport: s}), model.Request{Tools: offer, Messages: []model.Message{{Role: model.RoleUser, Content: "Go"}}})
		if strings.Contains(s.sent[0], `"additionalProperties"`) != has {
			t.Errorf("%s: %s", base, s.sent[0])
		}
	}
}

// Mistral has its own form for PDFs, and requires a message of the assistant between a tool's and a
// user's (see modeltest/strict).
func TestFilesAtMistral(t *testing.T) {
	s := &scripted{}
	claims.Read(t, openai.New(openai.Options{BaseURL: "https://api.mistral.ai/v1", Model: "m", Transport: s}), model.Request{Messages: []model.Message{
		{Role: model.RoleUser, Content: "Read"},
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}},
		{Role: model.RoleTool, ToolCallID: "a", Content: "a.pdf", PDFs: []model.PDF{{Name: "a.pdf", Data: []byte("%PDF")}}},
	}})
	got := s.messages(t, 0)
	if len(got) != 5 || !strings.HasPrefix(got[3], `{"role":"assistant"`) || !strings.Contains(got[4], `{"type":"document_url","document_url":"data:application/pdf;base64,JVBERg=="}`) {
		t.Errorf("%s", got)
	}
}
