package api_test

import (
	"encoding/json"
	"testing"
)

// A program whose name people would take for the gateway, the assistant or the app is refused on
// every route. Its own name may contain these words.
func TestNoProgramPosesAsTheGateway(t *testing.T) {
	engine := &fakeEngine{}
	s := askServer(t, engine)
	for _, name := range []string{
		"AskGate", "askgate", "ASK GATE", "Ask-Gate", "\u0410skGate", "AskG\u0430te", "Ａｓｋ Ｇａｔｅ", "ÁskGate", "[AskGate]", "✔ AskGate",
		"Assistant", "ASSlSTANT", "Ass1stant", "assistant.", "\u0410ssist\u0430nt", "Assistent", "Asistente", "Plain", "plain",
	} {
		quoted, _ := json.Marshal(name)
		for field, body := range map[string]string{
			"askedBy.name":  `{"name": ` + string(quoted) + `}`,
			"askedBy.title": `{"name": "deploy", "title": ` + string(quoted) + `}`,
		} {
			r := s.call("POST", "/v1/apps/plain/clarifications", `{"question": "Q", "askedBy": `+body+`}`, bearerOf("ag_boss")...)
			var p struct{ Code, Field string }
			if _ = json.Unmarshal(r.body, &p); r.StatusCode != 400 || p.Code != "invalid_request" || p.Field != field {
				t.Errorf("%q: %d %s", name, r.StatusCode, r.body)
			}
		}
		for tool, arguments := range map[string]string{"ask_user": `{"question": "Q", "wait": 0, "title": ` + string(quoted) + `}`} {
			if code, message := s.tool(tool, arguments, bearerOf("ag_boss")...); code != "INVALID_REQUEST" || message == "" {
				t.Errorf("%q by the argument of %s: %s %s", name, tool, code, message)
			}
		}
		for field, client := range map[string]string{"name": `{"name": ` + string(quoted) + `, "version": "1"}`, "title": `{"name": "deploy", "version": "1", "title": ` + string(quoted) + `}`} {
			begun := s.call("POST", "/v1/apps/plain/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": `+client+`}}`,
				bearerOf("ag_boss", "Accept", "application/json")...)
			session := begun.Header.Get("Mcp-Session-Id")
			if session == "" {
				t.Fatalf("%d %s", begun.StatusCode, begun.body)
			}
			for tool, arguments := range map[string]string{"ask_user": `{"question": "Q", "wait": 0}`, "notify": `{"message": "M"}`} {
				if code, message := s.tool(tool, arguments, bearerOf("ag_boss", "Mcp-Session-Id", session)...); code != "INVALID_REQUEST" {
					t.Errorf("%q as the client's %s, by %s: %s %s", name, field, tool, code, message)
				}
			}
		}
	}
	if len(engine.asked) != 0 {
		t.Errorf("%d were asked", len(engine.asked))
	}
	for _, name := range []string{"deploy", "AskGate CI", "Assistant director", "Gate", "asks", "Assist", "Plains", "部署", "1"} {
		quoted, _ := json.Marshal(name)
		if r := s.call("POST", "/v1/apps/plain/clarifications", `{"question": "Q", "askedBy": {"name": "ci", "title": `+string(quoted)+`}}`, bearerOf("ag_boss")...); r.StatusCode != 201 {
			t.Errorf("%q: %d %s", name, r.StatusCode, r.body)
		}
	}
}
