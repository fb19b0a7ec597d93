package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/front/mcp"
)

// askServer is the API with the front for programs, with keys that may ask.
func askServer(t *testing.T, engine *fakeEngine) *server {
	t.Helper()
	return newServer(t, askFiles, func(o *api.Options) {
		o.Engine, o.Fronts = engine, []front.Front{&mcp.Front{Version: "test"}}
	})
}

// tool calls one of the tools of the app's MCP server, and returns the error that its model reads.
func (s *server) tool(name, arguments string, headers ...string) (code, message string) {
	s.t.Helper()
	r := s.call("POST", "/v1/apps/plain/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "`+name+`", "arguments": `+arguments+`}}`,
		append(headers, "Accept", "application/json", "Mcp-Protocol-Version", "2025-06-18")...)
	var res struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if json.Unmarshal(r.body, &res) != nil || len(res.Result.Content) == 0 {
		s.t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	if !res.Result.IsError {
		return "", ""
	}
	var fault struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(res.Result.Content[0].Text), &fault); err != nil {
		s.t.Fatalf("%s: %v", res.Result.Content[0].Text, err)
	}
	return fault.Error.Code, fault.Error.Message
}

// The person to ask is parsed the same way over REST and over MCP, and refused in the same words.
func TestWhomProgramsAskIsReadAlike(t *testing.T) {
	engine := &fakeEngine{}
	s := askServer(t, engine)
	for _, to := range []string{
		`7`, `["alice"]`, `true`, `""`, `" alice"`, `"al\u0001ice"`, `"al\u202eice"`, `"` + strings.Repeat("a", 256) + `"`, `{}`, `{"role": 1}`, `{"role": ""}`,
		`{"role": "a b"}`, `{"role": "` + strings.Repeat("a", 200) + `"}`, `{"role": "oncall", "x": 1}`, `{"Role": "oncall"}`, `{"role": "oncall", "role": "finance"}`,
	} {
		var rest struct{ Detail string }
		r := s.call("POST", "/v1/apps/plain/clarifications", `{"question": "Q", "to": `+to+`}`, bearerOf("ag_boss")...)
		if err := json.Unmarshal(r.body, &rest); err != nil || r.StatusCode != 400 {
			t.Errorf("%.60s over REST: %d %s", to, r.StatusCode, r.body)
		}
		for name, arguments := range map[string]string{"ask_user": `{"question": "Q", "wait": 0, "to": ` + to + `}`, "notify": `{"message": "M", "to": ` + to + `}`} {
			if code, message := s.tool(name, arguments, bearerOf("ag_boss")...); code != "INVALID_REQUEST" || message != rest.Detail {
				t.Errorf("%.60s over MCP, %s: %s %q, want %q", to, name, code, message, rest.Detail)
			}
		}
	}
	if len(engine.asked) != 0 {
		t.Errorf("%d were asked", len(engine.asked))
	}
	for to, want := range map[string]string{`"alice"`: "alice", `{"role": "oncall"}`: "oncall", `null`: "boss"} {
		s.tool("ask_user", `{"question": "Q", "wait": 0, "to": `+to+`}`, bearerOf("ag_boss")...) // the engine stores nothing that could be read
		if a := engine.onlyAsked(t); a.Role != want && a.Ref.Subject != want {
			t.Errorf("%s: %q %q", to, a.Role, a.Ref.Subject)
		}
	}
}
