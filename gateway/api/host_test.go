package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/turn"
)

// byHost is a gateway.json with an auth mode without keys, and further settings.
func byHost(mode, more string) files {
	auth := map[string]string{
		"none":    `{"mode": "none"}`,
		"proxy":   `{"mode": "proxy", "proxy": {"from": ["127.0.0.1", "192.0.2.1"]}}`,
		"apiKeys": `{"mode": "apiKeys", "keys": [` + keyEntry("k", "ag_alice", "alice", "", false) + `]}`,
	}[mode]
	return files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "auth": ` + auth + more + `}`}
}

// sendTo sends a request for a host from this machine, as a browser does for a page of that host.
func sendTo(h http.Handler, method, path, host string, headers ...string) *httptest.ResponseRecorder {
	body := ""
	if method == http.MethodPost {
		body = `{"message":"hi"}`
	}
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.RemoteAddr, req.Host = "127.0.0.1:5000", host
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", "http://"+host)
	req.Header.Set("X-Remote-User", "alice")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

var hostCalls = [][2]string{
	{"GET", "/v1/apps"}, {"HEAD", "/v1/apps"}, {"GET", "/v1/apps/plain/chats/c1"}, {"POST", "/v1/apps/plain/chats/c1/messages"},
	{"DELETE", "/v1/apps/plain/chats/c1"}, {"OPTIONS", "/v1/apps"}, {"GET", "/"}, {"GET", "/admin"}, {"GET", "/assets/app.js"},
	{"GET", "/page/texts"}, {"GET", "/metrics"}, {"GET", "/v1/admin/config"}, {"POST", "/v1/doctor"}, {"GET", "/nowhere"}, {"PUT", "/v1/apps"},
	{"POST", "/healthz"},
}

// A page on another host, whose name was made to resolve to this gateway, learns nothing, whatever
// it requests.
func TestRebindingLeadsNowhere(t *testing.T) {
	for _, mode := range []string{"none", "proxy"} {
		page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("the page")) })
		engine := &fakeEngine{}
		a, _, _ := newAPI(t, byHost(mode, ""), func(o *api.Options) { o.Page, o.Engine = page, engine })
		for _, host := range []string{
			"evil.example:8080", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.localhost", "notlocalhost",
			"10.0.0.5", "0.0.0.0:8080", "[2001:db8::1]:8080", "128.0.0.1", "127.1", "", "localhost, evil.example", "evil.example#localhost", "localhost:80:80",
		} {
			for _, call := range hostCalls {
				w := sendTo(a.Handler(), call[0], call[1], host)
				if w.Code != 421 || w.Header().Get("Content-Type") != "application/problem+json" || !strings.Contains(w.Body.String(), `"code":"misdirected_request"`) {
					t.Errorf("%s: %s for %q: %d %s", mode, call, host, w.Code, w.Body)
				}
			}
			for _, path := range []string{"/metrics", "/nowhere"} {
				if w := sendTo(a.AdminHandler(), "GET", path, host); w.Code != 421 {
					t.Errorf("%s: admin listener, %s for %q: %d", mode, path, host, w.Code)
				}
			}
			for _, path := range []string{"/healthz", "/readyz", "/readyz?verbose"} {
				for _, method := range []string{"GET", "HEAD"} {
					if w, admin := sendTo(a.Handler(), method, path, host), sendTo(a.AdminHandler(), method, path, host); w.Code != 200 || admin.Code != 200 {
						t.Errorf("%s: %s for %q: %d, %d", mode, path, host, w.Code, admin.Code)
					}
				}
			}
		}
		for _, name := range []string{"X-Forwarded-Host", "Forwarded", "X-Original-Host", "X-Host"} {
			if w := sendTo(a.Handler(), "GET", "/v1/apps", "evil.example", name, "localhost"); w.Code != 421 {
				t.Errorf("%s counts: %d", name, w.Code)
			}
		}
		if len(engine.commands) > 0 {
			t.Errorf("%s: a message was accepted", mode)
		}
	}
}

func TestOwnHostsAreAnswered(t *testing.T) {
	for _, mode := range []string{"none", "proxy"} {
		a, _, _ := newAPI(t, byHost(mode, `, "hosts": ["Chat.Example.ORG", "10.0.0.5", "FD00::0:1", "[fd00::2]", "askgate_1"]`), nil)
		for _, host := range []string{
			"localhost", "localhost:8080", "LocalHost.:80", "127.0.0.1:8080", "127.8.8.8", "[::1]:8080", "[::1]", "[::ffff:127.0.0.1]:80",
			"chat.example.org", "CHAT.example.org:443", "chat.example.org.", "10.0.0.5:9090", "[fd00::1]:80", "[FD00:0::2]", "askgate_1:8080",
		} {
			if w := sendTo(a.Handler(), "GET", "/v1/apps", host); w.Code != 200 {
				t.Errorf("%s: %q: %d %s", mode, host, w.Code, w.Body)
			}
			if w := sendTo(a.AdminHandler(), "GET", "/metrics", host); w.Code != 200 {
				t.Errorf("%s: admin listener, %q: %d", mode, host, w.Code)
			}
		}
		for _, host := range []string{"example.org", "x.chat.example.org", "chat.example.org.evil.example", "10.0.0.50", "[fd00::3]"} {
			if w := sendTo(a.Handler(), "GET", "/v1/apps", host); w.Code != 421 {
				t.Errorf("%s: %q: %d", mode, host, w.Code)
			}
		}
	}
	// With keys, a page of another site has none.
	a, _, _ := newAPI(t, byHost("apiKeys", `, "hosts": ["chat.example.org"]`), nil)
	if w := sendTo(a.Handler(), "GET", "/v1/apps", "any.example", "Authorization", "Bearer ag_alice"); w.Code != 200 {
		t.Errorf("apiKeys: %d", w.Code)
	}
}

// The refusal names, in the caller's language, the setting to change, and repeats no host.
func TestMisdirectedNamesTheFix(t *testing.T) {
	a, _, _ := newAPI(t, nil, nil)
	for lang, key := range map[string]string{"en": `\"hosts\"`, "de": "„hosts“", "fr": "«\u202fhosts\u202f»", "es": "«hosts»"} {
		w := sendTo(a.Handler(), "GET", "/v1/apps", "evil.example", "Accept-Language", lang)
		for _, part := range []string{key, "gateway.json", "localhost"} {
			if !strings.Contains(w.Body.String(), part) {
				t.Errorf("%s lacks %s: %s", lang, part, w.Body)
			}
		}
		if strings.Contains(w.Body.String(), "evil.example") || w.Header().Get("Content-Language") != lang {
			t.Errorf("%s: %v %s", lang, w.Header(), w.Body)
		}
	}
}

func TestHostsAreReloaded(t *testing.T) {
	var now atomic.Pointer[turn.Setup]
	now.Store(setup(loadConfig(t, byHost("none", "")))())
	a, _, _ := newAPI(t, nil, func(o *api.Options) { o.Setup = now.Load })
	for _, want := range []int{421, 200, 421} {
		if w := sendTo(a.Handler(), "GET", "/v1/apps", "chat.example.org"); w.Code != want {
			t.Errorf("%d, want %d", w.Code, want)
		}
		more := ""
		if want == 421 {
			more = `, "hosts": ["chat.example.org"]`
		}
		now.Store(setup(loadConfig(t, byHost("none", more)))())
	}
}
