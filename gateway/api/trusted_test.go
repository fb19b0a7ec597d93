package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/front"
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
		"no one":         {with("X-Remote-User"), 401},
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
		"of other sites": {with("Sec-Fetch-Site", "cross-site"), 200}, // nothing is changed, and nothing can be read
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

// Where callers have no key, a page of another site can make the user's browser send GET requests.
// It cannot read the responses, but it could use up streams, places to wait, and the admin's
// servers.
func TestPagesOfOtherSitesHoldNothing(t *testing.T) {
	for mode, conf := range map[string]string{
		"none":  `{"models": {"default": {"provider": "demo"}}, "cors": {"origins": ["https://app.example.org"]}}`,
		"proxy": `{"models": {"default": {"provider": "demo"}}, "cors": {"origins": ["https://app.example.org"]}, "auth": {"mode": "proxy", "proxy": {"from": ["127.0.0.1"], "headers": {"subject": "X-Remote-User"}}}}`,
		"keys":  strings.Replace(askFiles["gateway.json"], `"auth"`, `"cors": {"origins": ["https://app.example.org"]}, "auth"`, 1),
	} {
		s := newServer(t, files{"gateway.json": conf}, func(o *api.Options) { o.Fronts = []front.Front{toy{}} })
		for _, path := range []string{
			"/v1/events", "/v1/apps/plain/chats/c1/events", "/v1/clarifications/clr_x?wait=300", "/v1/clarifications/clr_x/options", "/v1/apps/plain/chats/c1/clarifications/clr_x/options",
			"/v1/apps/plain/documents/d?q=x", "/v1/apps/plain/documents/d/p", "/v1/admin/audit", "/v1/clarifications", "/v1/memory", "/v1/apps/plain/chats/c1", "/v1/toys",
		} {
			for name, c := range map[string]struct {
				h       []string
				foreign bool
			}{
				"an image":         {[]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, true},
				"a fetch":          {[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, true},
				"an old browser's": {[]string{"Origin", "https://evil.example"}, true},
				"a sibling's":      {[]string{"Sec-Fetch-Site", "same-site"}, true},
				"a listed page's":  {[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://app.example.org"}, false},
				"its own page's":   {[]string{"Sec-Fetch-Site", "same-origin"}, false},
				"typed by hand":    {[]string{"Sec-Fetch-Site", "none"}, false},
				"a program's":      {nil, false},
			} {
				ctx, cancel := context.WithCancel(t.Context())
				req := httptest.NewRequestWithContext(ctx, "GET", s.URL+path, nil)
				req.RemoteAddr = "127.0.0.1:1"
				req.Header.Set("X-Remote-User", "u"+name)
				for i := 0; i < len(c.h); i += 2 {
					req.Header.Set(c.h[i], c.h[i+1])
				}
				w := httptest.NewRecorder()
				cancel() // a stream that is admitted ends
				s.api.Handler().ServeHTTP(w, req)
				if refused := w.Code == http.StatusForbidden && strings.Contains(w.Body.String(), "cors.origins"); refused != (c.foreign && mode != "keys") {
					t.Errorf("%s, %s, %s: %d %s", mode, path, name, w.Code, w.Body)
				}
			}
		}
	}
}
