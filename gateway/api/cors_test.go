package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
)

func TestListedPagesMayCall(t *testing.T) {
	f := files{"gateway.json": strings.Replace(withKeys["gateway.json"], `"auth"`, `"cors": {"origins": ["https://app.example.org", "http://localhost:3000"]}, "auth"`, 1)}
	s := newServer(t, f, nil)
	const path = "/v1/apps/plain/chats/c1/messages"
	for _, origin := range []string{"https://app.example.org", "http://localhost:3000"} {
		pre := s.call("OPTIONS", path, "", "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type")
		if pre.StatusCode != http.StatusNoContent || pre.Header.Get("Access-Control-Allow-Origin") != origin || pre.Header.Get("Access-Control-Max-Age") == "" {
			t.Errorf("preflight: %d %v", pre.StatusCode, pre.Header)
		}
		for name, words := range map[string][]string{
			"Access-Control-Allow-Methods": {"GET", "POST", "DELETE"},
			"Access-Control-Allow-Headers": {"Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID", "User-Agent"},
		} {
			for _, word := range words {
				if !strings.Contains(pre.Header.Get(name), word) {
					t.Errorf("%s: %q lacks %s", name, pre.Header.Get(name), word)
				}
			}
		}
		for _, key := range []string{"ag_alice", "wrong"} { // a page can read a refusal as well
			r := s.post("c1", `{"message":"hi"}`, "Origin", origin, "Authorization", "Bearer "+key)
			if r.Header.Get("Access-Control-Allow-Origin") != origin || r.Header.Get("Vary") != "Origin" || r.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s: %v", key, r.Header)
			}
			for _, name := range []string{"X-Request-Id", "RateLimit", "RateLimit-Policy", "Retry-After"} {
				if !strings.Contains(r.Header.Get("Access-Control-Expose-Headers"), name) {
					t.Errorf("%s cannot be read", name)
				}
			}
		}
	}
	for _, origin := range []string{"", "null", "*", "https://evil.example", "https://app.example.org.evil.example", "https://app.example.org:8443", "http://app.example.org", "HTTPS://APP.EXAMPLE.ORG"} {
		for _, method := range []string{"OPTIONS", "GET"} {
			r := s.call(method, "/v1/apps", "", "Origin", origin, "Access-Control-Request-Method", "GET", "Authorization", "Bearer ag_alice")
			for name := range r.Header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("%s from %q: %s", method, origin, name)
				}
			}
			if !strings.HasPrefix(strings.Join(r.Header.Values("Vary"), ", "), "Origin") {
				t.Errorf("Vary %v: a cache could give this to a listed page", r.Header.Values("Vary"))
			}
		}
	}
	for _, path := range []string{"/metrics", "/healthz"} { // only the API is shared
		if r := s.call("GET", path, "", "Origin", "http://localhost:3000"); r.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s is shared", path)
		}
	}
}

func TestNoPageIsListedByDefault(t *testing.T) {
	s := newServer(t, withKeys, nil)
	for _, method := range []string{"OPTIONS", "GET"} {
		r := s.call(method, "/v1/apps", "", "Origin", "https://app.example.org", "Access-Control-Request-Method", "GET", "Authorization", "Bearer ag_alice")
		if r.Header.Get("Access-Control-Allow-Origin") != "" || strings.Contains(strings.Join(r.Header.Values("Vary"), ","), "Origin") {
			t.Errorf("%s: %v", method, r.Header)
		}
	}
}

func TestAListedPageMaySendWhereNobodyHasKeys(t *testing.T) {
	s := newServer(t, files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "cors": {"origins": ["http://localhost:3000"]}}`}, nil)
	if r := s.post("c1", `{"message":"hi"}`, "Origin", "http://localhost:3000", "Sec-Fetch-Site", "same-site"); r.StatusCode != 200 {
		t.Errorf("listed: %d", r.StatusCode)
	}
	s.post("c1", `{"message":"hi"}`, "Origin", "http://localhost:3001", "Sec-Fetch-Site", "same-site").wantProblem(t, 403, string(chat.CodeForbidden))
}

// Any page may load the card's code; everything else is limited to the listed pages.
func TestEveryPageMayLoadWhatIsPublic(t *testing.T) {
	page := func(o *api.Options) {
		o.Page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/assets/nothing.js" {
				http.NotFound(w, r)
				return
			}
			_, _ = io.WriteString(w, "page")
		})
	}
	s := newServer(t, withKeys, page)
	for _, origin := range []string{"https://app.example.org", "null", ""} {
		for _, path := range []string{"/assets/askgate.js", "/assets/locales/de.json", "/assets/nothing.js", "/openapi.yaml"} {
			for _, method := range []string{"GET", "HEAD"} {
				h := s.call(method, path, "", "Origin", origin).Header
				if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Cross-Origin-Resource-Policy") != "cross-origin" || h.Get("Access-Control-Allow-Credentials") != "" {
					t.Errorf("%s %s from %q: %v", method, path, origin, h)
				}
			}
			pre := s.call("OPTIONS", path, "", "Origin", origin, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "x-anything")
			if h := pre.Header; pre.StatusCode != 204 || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Headers") != "*" || h.Get("Access-Control-Allow-Methods") != "GET, HEAD" {
				t.Errorf("preflight of %s: %d %v", path, pre.StatusCode, h)
			}
		}
		for _, path := range []string{"/", "/admin", "/assets", "/assetsx", "/openapi.yaml/", "/openapi.yamlx", "/page/texts", "/v1/apps", "/v1/session", "/v1/assets/", "/v1/openapi.yaml", "/metrics", "/healthz", "/x/assets/askgate.js"} {
			for _, method := range []string{"GET", "OPTIONS"} {
				r := s.call(method, path, "", "Origin", origin, "Access-Control-Request-Method", "GET", "Authorization", "Bearer ag_alice")
				if r.Header.Get("Access-Control-Allow-Origin") != "" || r.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
					t.Errorf("%s %s is shared: %v", method, path, r.Header)
				}
			}
		}
	}
	if r := s.call("GET", "/assets/../v1/apps", "", "Authorization", "Bearer ag_alice"); string(r.body) != "page" {
		t.Errorf("a public route leads to the API: %d %s", r.StatusCode, r.body)
	}
}
