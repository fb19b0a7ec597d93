package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

var withProxy = files{
	"gateway.json": `{"models": {"default": {"provider": "demo"}}, "hosts": ["example.com"], "cors": {"origins": ["https://app.example.org"]}, "auth": {"mode": "proxy", "proxy":
		{"from": ["10.0.0.5", "192.168.0.0/16", "fd00::/8"], "headers": {"tenant": "X-Tenant", "roles": "X-Remote-Groups"}}}}`,
	"apps/staff.json": `{"id": "staff", "name": "Staff", "system": "s", "tools": [], "access": {"roles": ["staff"]}}`,
}

func TestATrustedProxySaysWhoCalls(t *testing.T) {
	engine := &fakeEngine{}
	a, _, _ := newAPI(t, withProxy, withEngine(engine))
	call := func(peer, method, path string, h http.Header) int {
		req := httptest.NewRequest(method, path, strings.NewReader(`{"message":"hi"}`))
		req.RemoteAddr, req.Header = peer, h.Clone()
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, req)
		if w.Code == http.StatusUnauthorized && w.Header().Get("WWW-Authenticate") == "" {
			t.Error("401 without WWW-Authenticate")
		}
		return w.Code
	}
	alice := http.Header{"X-Tenant": {"acme"}, "X-Remote-User": {"alice"}, "X-Remote-Groups": {"users, staff"}}
	with := func(name string, values ...string) http.Header {
		h := alice.Clone()
		if h[name] = values; values == nil {
			h.Del(name)
		}
		return h
	}
	for peer, want := range map[string]int{
		"10.0.0.5:1000": 200, "[::ffff:10.0.0.5]:1000": 200, "192.168.3.4:1": 200, "[fd00::1]:1": 200,
		"10.0.0.6:1000": 401, "127.0.0.1:1": 401, "[::1]:1": 401, "[fe80::1%eth0]:1": 401, "": 401, "@": 401,
	} {
		if got := call(peer, "GET", "/v1/apps/staff", alice); got != want {
			t.Errorf("from %q: %d, want %d", peer, got, want)
		}
		// A forged X-Forwarded-For does not change the peer.
		for _, name := range []string{"X-Forwarded-For", "X-Real-Ip", "Forwarded", "True-Client-Ip"} {
			if got := call(peer, "GET", "/v1/apps/staff", with(name, "10.0.0.5")); got != want {
				t.Errorf("from %q with %s: %d, want %d", peer, name, got, want)
			}
		}
	}
	for name, c := range map[string]struct {
		h    http.Header
		want int
	}{
		"nobody":         {with("X-Remote-User"), 401},
		"an empty name":  {with("X-Remote-User", ""), 401},
		"two names":      {with("X-Remote-User", "alice", "root"), 401},
		"no tenant":      {with("X-Tenant"), 401},
		"two tenants":    {with("X-Tenant", "acme", "globex"), 401},
		"a control":      {with("X-Remote-User", "al\x01ice"), 401},
		"no UTF-8":       {with("X-Remote-User", "al\xffice"), 401},
		"long":           {with("X-Remote-User", strings.Repeat("a", 256)), 401},
		"no groups":      {with("X-Remote-Groups"), 404},
		"other groups":   {with("X-Remote-Groups", "staffers,,user"), 404},
		"two groups":     {with("X-Remote-Groups", "user", "staff"), 404}, // one may be the client's
		"acts as":        {with("X-Askgate-User", "bob"), 403},
		"of other sites": {with("Sec-Fetch-Site", "cross-site"), 200}, // nothing is changed, nothing can be read
	} {
		if got := call("10.0.0.5:1", "GET", "/v1/apps/staff", c.h); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	const path = "/v1/apps/plain/chats/c1/messages"
	if got := call("10.0.0.5:1", "POST", path, with("Sec-Fetch-Site", "cross-site")); got != 403 {
		t.Errorf("another site's page sends with the proxy's cookies: %d", got)
	}
	listed := with("Sec-Fetch-Site", "cross-site")
	listed.Set("Origin", "https://app.example.org")
	if got := call("10.0.0.5:1", "POST", path, listed); got != 200 {
		t.Errorf("a listed page: %d", got)
	}
	if ref := engine.only(t).Ref; ref.Tenant != "acme" || ref.Subject != "alice" {
		t.Errorf("%+v", ref)
	}
}
