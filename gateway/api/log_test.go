package api_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// line returns the newest line of the log with that message.
func (s *server) line(message string) map[string]any {
	s.t.Helper()
	var found map[string]any
	for text := range strings.Lines(s.log.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			s.t.Fatalf("%v: %s", err, text)
		}
		if line["msg"] == message {
			found = line
		}
	}
	if found == nil {
		s.t.Fatalf("no line %q in\n%s", message, s.log)
	}
	return found
}

// TestRequestLinesSayWho: which key was used, for refusals also the address, and, where a run
// began, which run. Never the key itself.
func TestRequestLinesSayWho(t *testing.T) {
	f := files{"gateway.json": strings.Replace(withKeys["gateway.json"], `"auth"`, `"trustedProxies": ["127.0.0.1"], "limits": {"requestsPerMinute": 1, "burst": 1}, "auth"`, 1)}
	const path, from = "/v1/apps/plain/chats/c1/messages", "203.0.113.7"
	for _, c := range []struct {
		name, method, path string
		header             []string
		times              int
		status             float64
		want               map[string]any // nil: the line does not have it
	}{
		{"a run", "POST", path, []string{"Authorization", "Bearer ag_alice"}, 1, 200, map[string]any{"keyId": "web", "app": "plain", "chatId": "c1", "turnId": "t", "remote": nil}},
		{"a read", "GET", "/v1/apps/plain/chats/c1", []string{"Authorization", "Bearer ag_alice"}, 1, 200, map[string]any{"keyId": "web", "app": "plain", "chatId": nil, "remote": nil}},
		{"an unknown key", "GET", "/v1/apps", []string{"Authorization", "Bearer ag_private"}, 1, 401, map[string]any{"keyId": "unknown:3aabf5e3", "remote": from}},
		{"no key", "GET", "/v1/apps", nil, 1, 401, map[string]any{"keyId": nil, "remote": from}},
		{"not for this key", "GET", "/v1/admin/config", []string{"Authorization", "Bearer ag_alice"}, 1, 403, map[string]any{"keyId": "web", "remote": from}},
		{"nor for another", "POST", path, []string{"Authorization", "Bearer ag_alice", "X-Askgate-User", "bob"}, 1, 403, map[string]any{"keyId": "web", "remote": from}},
		{"too much", "POST", path, []string{"Authorization", "Bearer ag_alice"}, 2, 429, map[string]any{"keyId": "web", "remote": from, "app": "plain", "turnId": nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t, f, nil)
			body := ""
			if c.method == "POST" {
				body = `{"message":"hi"}`
			}
			for range c.times {
				s.call(c.method, c.path, body, append(c.header, "X-Forwarded-For", from, "X-Request-Id", "my-request")...)
			}
			s.Close() // the line is logged after the response
			line := s.line("request")
			if line["status"] != c.status || line["requestId"] != "my-request" {
				t.Errorf("%v", line)
			}
			for name, want := range c.want {
				if line[name] != want {
					t.Errorf("%s is %v, want %v", name, line[name], want)
				}
			}
			if strings.Contains(s.log.String(), "ag_") {
				t.Errorf("a key is in the log: %s", s.log)
			}
		})
	}
}
