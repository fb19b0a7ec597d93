package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// If a key declares that no one can answer, that applies to everything its caller sends, whatever a
// message claims. With other keys, a single message can still declare it.
func TestACallerThatNobodyAnswersFor(t *testing.T) {
	k := newSigner(t)
	keys := files{"gateway.json": fmt.Sprintf(`{"models": {"default": {"provider": "demo"}}, "auth": {"mode": "apiKeys", "keys": [%s, %s]}}`,
		strings.Replace(keyEntry("robot", "ag_robot", "robot", "", false), "{", `{"interactive": false, `, 1), keyEntry("alice", "ag_alice", "alice", "", false))}
	bearer := func(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
	token := func(claims map[string]any) http.Header { return bearer(k.token(t, claims)) }
	behind := func(values ...string) http.Header {
		return http.Header{"X-Tenant": {"acme"}, "X-Remote-User": {"alice"}, "X-Answers": values}
	}
	for name, c := range map[string]struct {
		files  files
		caller http.Header
		want   bool
	}{
		"a key":       {keys, bearer("ag_robot"), false},
		"another key": {keys, bearer("ag_alice"), true},
		"a token":     {withTokens(k.file(t), ""), token(map[string]any{"interactive": false}), true},
		"a proxy":     {withProxy, behind("false"), true},
	} {
		t.Run(name, func(t *testing.T) {
			engine := &fakeEngine{}
			a, _, _ := newAPI(t, c.files, withEngine(engine))
			send := func(caller http.Header, method, path, body string) *httptest.ResponseRecorder {
				req := httptest.NewRequest(method, path, strings.NewReader(body))
				req.RemoteAddr, req.Header = "10.0.0.5:1", caller.Clone()
				req.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				a.Handler().ServeHTTP(w, req)
				return w
			}
			says := func(caller http.Header, body string, want bool) {
				t.Helper()
				engine.commands = nil
				if w := send(caller, "POST", "/v1/apps/plain/chats/c1/messages", body); w.Code != 200 {
					t.Fatalf("%s: %d %s", body, w.Code, w.Body)
				}
				if got := engine.only(t).Interactive; got != want {
					t.Errorf("%s: %t, want %t", body, got, want)
				}
			}
			says(c.caller, `{"message":"hi"}`, c.want)
			says(c.caller, `{"message":"hi","interactive":true}`, c.want)
			says(c.caller, `{"message":"hi","interactive":false}`, false)
			if strings.Contains(name, "proxy") {
				return
			}
			signed := send(c.caller, "POST", "/v1/session", "")
			cookies := signed.Result().Cookies()
			if signed.Code != http.StatusNoContent || len(cookies) != 1 {
				t.Fatalf("not signed in: %d %s", signed.Code, signed.Body)
			}
			says(http.Header{"Cookie": {cookies[0].Name + "=" + cookies[0].Value}}, `{"message":"hi","interactive":true}`, c.want)
		})
	}
}
