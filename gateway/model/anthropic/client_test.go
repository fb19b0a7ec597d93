package anthropic_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
)

// roundTrip is a transport that responds to each request with an event stream.
type roundTrip func(*http.Request) string

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(f(r)))}, nil
}

func decode(t *testing.T, r *http.Request, to any) {
	t.Helper()
	if err := json.NewDecoder(r.Body).Decode(to); err != nil {
		t.Error(err)
	}
}

func TestTheRequest(t *testing.T) {
	s := modeltest.New(t, modeltest.Answer("Hi"), modeltest.Answer("Hi"), modeltest.Answer("Hi"))
	temperature := 1.7
	req := model.Request{
		System: "Be <kind> & \"short\".",
		Messages: []model.Message{
			{Role: model.RoleUser, Content: "Translate\x00: \u2028 ü"},
			{Role: model.RoleAssistant, Content: " ", ToolCalls: []model.ToolCall{{ID: "a", Name: "ask_user", Arguments: `{"question":"?"}`}, {ID: "functions.f:0", Name: "f", Arguments: `"x"`}}},
			{Role: model.RoleTool, ToolCallID: "a", Content: " \n"},
			{Role: model.RoleTool, ToolCallID: "functions.f:0", Content: " fr\n"},
			{Role: model.RoleUser, Content: "and"},
			{Role: model.RoleUser, Content: "so on"},
			{Role: model.RoleAssistant, Content: "Done."},
			{Role: model.RoleUser, Content: "More"},
		},
		Tools:       []model.Definition{{Name: "ask_user", Description: "Asks.", Parameters: json.RawMessage(`{"type":"object","properties":{"description":{"type":"string","description":"d"}}}`)}, {Name: "clock"}},
		Temperature: &temperature,
	}
	claims.Read(t, anthropic.New(anthropic.Options{BaseURL: s.URL + "/", APIKey: "key", Model: "claude", MaxTokens: 100}), req)
	claims.Read(t, anthropic.New(anthropic.Options{BaseURL: strings.TrimSuffix(s.URL, "/v1"), Model: "claude"}), claims.Ask)
	req.Tools, req.System = nil, " "
	claims.Read(t, anthropic.New(anthropic.Options{BaseURL: s.URL + "/messages", Model: "claude"}), req)

	first, second, third := s.Requests()[0], s.Requests()[1], s.Requests()[2]
	messages := `"messages":[{"role":"user","content":[{"type":"text","text":"Translate\u0000: \u2028 ü"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"VwVeODRdi","name":"ask_user","input":{"question":"?"}},{"type":"tool_use","id":"fwgDsUDxU","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"VwVeODRdi"},{"type":"tool_result","tool_use_id":"fwgDsUDxU","content":" fr\n"},{"type":"text","text":"and"},{"type":"text","text":"so on"}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"Done."}]},{"role":"user","content":[{"type":"text","text":"More"}]}]}`
	for name, c := range map[string]struct {
		r    modeltest.Request
		want string
	}{
		"with all":      {first, `{"model":"claude","max_tokens":100,"stream":true,"temperature":1,"tools":[{"name":"ask_user","description":"Asks.","input_schema":{"type":"object","properties":{"description":{"type":"string","description":"d"}}}},{"name":"clock","input_schema":{"type":"object","properties":{}}}],"system":"Be <kind> & \"short\".",` + messages},
		"the least":     {second, `{"model":"claude","max_tokens":8192,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"secret words"}]}]}`},
		"without tools": {third, `{"model":"claude","max_tokens":8192,"stream":true,"temperature":1,"tool_choice":{"type":"none"},"tools":[{"name":"ask_user","input_schema":{"type":"object"}},{"name":"f","input_schema":{"type":"object"}}],` + messages},
	} {
		if string(c.r.Raw) != c.want {
			t.Errorf("%s: body\n%s\nwant\n%s", name, c.r.Raw, c.want)
		}
		if c.r.Path != "/v1/messages" || c.r.Header.Get("Anthropic-Version") != "2023-06-01" || c.r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %v", name, c.r.Path, c.r.Header)
		}
	}
	if first.Header.Get("X-Api-Key") != "key" || second.Header["X-Api-Key"] != nil || first.Header["Authorization"] != nil {
		t.Errorf("headers %v, %v", first.Header, second.Header)
	}
}
