package api_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func keyEntry(id, key, subject, roles string, mayActAs bool) string {
	return fmt.Sprintf(`{"id": %q, "hash": "sha256:%x", "tenant": "acme", "subject": %q, "roles": [%s], "mayActAs": %t}`,
		id, sha256.Sum256([]byte(key)), subject, roles, mayActAs)
}

var withKeys = files{
	"gateway.json": `{"models": {"default": {"provider": "demo"}}, "auth": {"mode": "apiKeys", "keys": [` +
		keyEntry("web", "ag_alice", "alice", `"user"`, false) + "," +
		keyEntry("ops", "ag_ops", "ops", `"metrics", "staff"`, false) + "," +
		keyEntry("root", "ag_admin", "root", `"admin"`, false) + "," +
		keyEntry("backend", "ag_backend", "backend", `"user"`, true) + `]}}`,
	"apps/staff.json": `{"id": "staff", "name": "Staff", "system": "s", "tools": [], "access": {"roles": ["staff"]}}`,
	"apps/off.json":   `{"id": "off", "enabled": false, "name": "Off", "system": "s", "tools": []}`,
}

func TestKeys(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, withKeys, withEngine(engine))
	for _, header := range []string{"", "Bearer", "Bearer ", "Bearer wrong", "Basic ag_alice", "ag_alice", "Bearer ag_alice2", "Bearer " + strings.Repeat("k", 100_000)} {
		for _, call := range []struct{ method, path, body string }{
			{"GET", "/v1/apps", ""}, {"POST", "/v1/apps/plain/chats/c1/messages", `{"message":"hi"}`}, {"GET", "/v1/apps/nosuch", ""},
			{"GET", "/v1/apps/plain/chats/c1/events", ""}, {"GET", "/v1/clarifications", ""}, {"GET", "/metrics", ""},
		} {
			r := s.call(call.method, call.path, call.body, "Authorization", header)
			r.wantProblem(t, 401, "unauthenticated")
			if r.Header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("WWW-Authenticate %q", r.Header.Get("WWW-Authenticate"))
			}
		}
	}
	for _, header := range []string{"Bearer ag_alice", "bearer ag_alice", "Bearer  ag_alice "} {
		if r := s.post("c1", `{"message":"hi"}`, "Authorization", header); r.StatusCode != 200 {
			t.Errorf("%q: %d", header, r.StatusCode)
		}
	}
	if ref := engine.commands[0].Ref; ref.Tenant != "acme" || ref.Subject != "alice" {
		t.Errorf("%+v", ref)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if r := s.call("GET", path, ""); r.StatusCode != 200 {
			t.Errorf("%s wants a key: %d", path, r.StatusCode)
		}
	}
}

func TestActingAsAnother(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, withKeys, withEngine(engine))
	s.post("c1", `{"message":"hi"}`, "Authorization", "Bearer ag_alice", "X-Askgate-User", "bob").wantProblem(t, 403, "forbidden")
	s.post("c1", `{"message":"hi"}`, "Authorization", "Bearer wrong", "X-Askgate-User", "bob").wantProblem(t, 401, "unauthenticated")
	two := httptest.NewRequest("GET", "/v1/apps", nil)
	two.Header = http.Header{"Authorization": {"Bearer ag_backend"}, "X-Askgate-User": {"bob", "carol"}}
	empty := two.Clone(t.Context())
	empty.Header["X-Askgate-User"] = []string{""}
	for _, r := range []*http.Request{two, empty} { // not the backend itself, and not one of two
		w := httptest.NewRecorder()
		if s.api.Handler().ServeHTTP(w, r); w.Code != 400 {
			t.Errorf("%q: %d", r.Header["X-Askgate-User"], w.Code)
		}
	}
	for _, user := range []string{"a b", "ä", strings.Repeat("x", 129), "-"} {
		s.post("c1", `{"message":"hi"}`, "Authorization", "Bearer ag_backend", "X-Askgate-User", user).wantProblem(t, 400, "invalid_request")
	}
	if r := s.post("c1", `{"message":"hi"}`, "Authorization", "Bearer ag_backend", "X-Askgate-User", "bob@example.org"); r.StatusCode != 200 {
		t.Fatal(r.StatusCode)
	}
	if ref := engine.only(t).Ref; ref.Tenant != "acme" || ref.Subject != "bob@example.org" {
		t.Errorf("%+v", ref)
	}
	anonymous := newServer(t, nil, nil)
	anonymous.post("c1", `{"message":"hi"}`, "X-Askgate-User", "bob").wantProblem(t, 403, "forbidden")
}

func TestWithoutKeysOtherSitesAreKeptOut(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, nil, withEngine(engine))
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}} {
		s.call("POST", "/v1/apps/plain/chats/c1/stop", "", headers...).wantProblem(t, 403, "forbidden")
		s.call("DELETE", "/v1/apps/plain/chats/c1", "", headers...).wantProblem(t, 403, "forbidden")
	}
	for _, headers := range [][]string{{}, {"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}, {"Origin", s.URL}} {
		if r := s.post("c1", `{"message":"hi"}`, headers...); r.StatusCode != 200 {
			t.Errorf("%v: %d", headers, r.StatusCode)
		}
	}
	// The page under each of its possible names, and programs, which are not a site.
	host := s.Listener.Addr().String()
	for _, test := range []struct {
		host, origin, site string
		ok                 bool
	}{
		{host, "", "", true}, // curl, SDKs, browsers that do not send the headers
		{host, "http://" + host, "same-origin", true},
		{host, "http://" + host, "", true},                                // plain HTTP on another machine: no Sec-Fetch-Site
		{"chat.example.org", "https://chat.example.org", "", true},        // TLS ends at a proxy
		{"backend:8080", "https://chat.example.org", "same-origin", true}, // the proxy names the backend
		{"[::1]:8080", "http://[::1]:8080", "", true},
		{"localhost:8080", "http://localhost:8080", "same-origin", true},
		{host, "", "none", true}, // typed into the address bar, or a bookmark
		{"localhost:8080", "http://localhost:3000", "same-site", false},
		{"localhost:8080", "http://localhost:3000", "", false},
		{host, "null", "cross-site", false}, // a file, a sandboxed frame
		{host, "null", "", false},
	} {
		for _, call := range []struct{ method, path, body string }{
			{"POST", "/v1/apps/plain/chats/c1/messages", `{"message":"hi"}`}, {"POST", "/v1/apps/plain/chats/c1/stop", ""},
			{"DELETE", "/v1/apps/plain/chats/c1", ""}, {"GET", "/v1/apps", ""},
		} {
			req := httptest.NewRequest(call.method, call.path, strings.NewReader(call.body))
			req.Host = test.host
			for name, value := range map[string]string{"Content-Type": "application/json", "Origin": test.origin, "Sec-Fetch-Site": test.site} {
				if value != "" {
					req.Header.Set(name, value)
				}
			}
			w := httptest.NewRecorder()
			s.api.Handler().ServeHTTP(w, req)
			if want := test.ok || call.method == "GET"; (w.Code < 300) != want || !want && w.Code != 403 {
				t.Errorf("%s %+v: %d", call.method, test, w.Code)
			}
		}
	}
	if ref := engine.commands[0].Ref; ref.Tenant != "default" || ref.Subject != "anonymous" {
		t.Errorf("%+v", ref)
	}
}

func TestMetricsNeedARole(t *testing.T) {
	s := newServer(t, withKeys, nil)
	s.call("GET", "/metrics", "", "Authorization", "Bearer ag_alice").wantProblem(t, 403, "forbidden")
	if r := s.call("GET", "/metrics", "", "Authorization", "Bearer ag_ops"); r.StatusCode != 200 || !strings.Contains(string(r.body), "askgate_build_info{") {
		t.Errorf("%d", r.StatusCode)
	}
	open := newServer(t, nil, nil)
	if r := open.call("GET", "/metrics", ""); r.StatusCode != 200 {
		t.Errorf("%d", r.StatusCode)
	}
}

func TestAppsACallerMayUse(t *testing.T) {
	s := newServer(t, withKeys, nil)
	type app struct {
		ID, Name, Description string
		StarterPrompts        []string
		Demo                  bool
	}
	var list struct {
		Items      []app
		NextCursor *string
	}
	get := func(key, query string, headers ...string) []app {
		list.Items, list.NextCursor = nil, nil
		s.call("GET", "/v1/apps"+query, "", append(headers, "Authorization", "Bearer "+key)...).decode(t, 200, &list)
		return list.Items
	}
	if got := get("ag_alice", ""); len(got) != 1 || got[0].ID != "plain" || !got[0].Demo || list.NextCursor != nil {
		t.Errorf("alice: %+v", got)
	}
	if got := get("ag_ops", "?limit=1"); len(got) != 1 || got[0].ID != "plain" || list.NextCursor == nil {
		t.Fatalf("first page: %+v", got)
	}
	if got := get("ag_ops", "?limit=1&cursor="+*list.NextCursor); len(got) != 1 || got[0].ID != "staff" || list.NextCursor != nil {
		t.Errorf("second page: %+v", got)
	}
	if got := get("ag_alice", "", "Accept-Language", "de"); got[0].Name != "Schlicht" || len(got[0].StarterPrompts) != 1 || got[0].StarterPrompts[0] != "Hallo" {
		t.Errorf("German: %+v", got)
	}
	for app, status := range map[string]int{"plain": 200, "staff": 404, "off": 404, "nosuch": 404} {
		for _, path := range []string{"", "/chats", "/chats/c1"} {
			if r := s.call("GET", "/v1/apps/"+app+path, "", "Authorization", "Bearer ag_alice"); r.StatusCode != status {
				t.Errorf("%s%s: %d, want %d", app, path, r.StatusCode, status)
			}
		}
	}
}
