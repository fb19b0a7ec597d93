package api_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
)

// A page's user signs in with a key, is then identified by the cookie alone, and signs out.
func TestACookieStandsForAKey(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, withKeys, withEngine(engine))
	r := s.call("POST", "/v1/session", "", bearerOf("ag_alice")...)
	if r.StatusCode != 204 || r.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v %s", r.StatusCode, r.Header, r.body)
	}
	set := r.Header.Get("Set-Cookie")
	for _, want := range []string{"askgate=", "; Path=/", "; Max-Age=431", "; HttpOnly", "; SameSite=Strict"} {
		if !strings.Contains(set, want) {
			t.Errorf("Set-Cookie %q lacks %q", set, want)
		}
	}
	cookie := r.Cookies()[0]
	if opened, _ := base64.RawURLEncoding.DecodeString(cookie.Value); strings.Contains(set+string(opened), "ag_alice") || strings.Contains(string(opened), "sha256") || cookie.Secure {
		t.Errorf("Set-Cookie %q", set)
	}
	with := []string{"Cookie", cookie.Name + "=" + cookie.Value}
	if r := s.post("c1", `{"message":"hi"}`, with...); r.StatusCode != 200 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	if ref := engine.only(t).Ref; ref.Tenant != "acme" || ref.Subject != "alice" {
		t.Errorf("%+v", ref)
	}
	shown := s.call("GET", "/v1/session", "", with...)
	loadSchemas(t).check("Session", shown.body)
	if got := string(shown.body); !strings.Contains(got, `"subject":"alice","roles":["user"],"signedIn":true`) {
		t.Error(got)
	}
	if got := string(s.call("GET", "/v1/session", "", bearerOf("ag_alice")...).body); !strings.Contains(got, `"signedIn":false,"expiresAt":null`) {
		t.Error(got)
	}
	out := s.call("DELETE", "/v1/session", "", with...)
	if set := out.Header.Get("Set-Cookie"); out.StatusCode != 204 || !strings.HasPrefix(set, "askgate=;") || !strings.Contains(set, "Max-Age=0") {
		t.Errorf("%d %q", out.StatusCode, set)
	}
	if strings.Contains(s.log.String(), cookie.Value) || strings.Contains(s.log.String(), "ag_alice") {
		t.Error("the cookie or the key is in the log")
	}
}

// Over TLS, by the gateway itself or by a proxy, the cookie is limited to this host and to TLS, and
// no other cookie is read.
func TestCookiesOverTLSAreForTLS(t *testing.T) {
	s := newServer(t, withKeys, nil)
	proxied := []string{"X-Forwarded-Proto", "https"}
	r := s.call("POST", "/v1/session", "", bearerOf("ag_alice", proxied...)...)
	cookie := r.Cookies()[0]
	if cookie.Name != "__Host-askgate" || !cookie.Secure || cookie.Path != "/" || cookie.Domain != "" {
		t.Errorf("%q", r.Header.Get("Set-Cookie"))
	}
	for _, proto := range []string{"https", "https, http"} {
		if r := s.call("GET", "/v1/apps", "", "X-Forwarded-Proto", proto, "Cookie", "__Host-askgate="+cookie.Value); r.StatusCode != 200 {
			t.Errorf("%s: %d", proto, r.StatusCode)
		}
	}
	s.call("GET", "/v1/apps", "", append(proxied, "Cookie", "askgate="+cookie.Value)...).wantProblem(t, 401, "unauthenticated")

	a, _, _ := newAPI(t, withKeys, nil)
	own := httptest.NewTLSServer(a.Handler())
	defer own.Close()
	s.Server = own
	if c := s.call("POST", "/v1/session", "", bearerOf("ag_alice")...).Cookies(); len(c) != 1 || c[0].Name != "__Host-askgate" || !c[0].Secure {
		t.Errorf("%v", c)
	}
}

// A session is valid as long as the key or token it was made from, and has its current rights.
func TestASessionEndsWithItsKey(t *testing.T) {
	var source atomic.Pointer[turn.Setup]
	entry := func(key, roles string, acts bool) files {
		return files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "auth": {"mode": "apiKeys", "keys": [` + keyEntry("web", key, "alice", roles, acts) + `],
			"session": {"secret": "0123456789abcdef0123456789abcdef"}}}`, "apps/staff.json": withKeys["apps/staff.json"]}
	}
	source.Store(setup(loadConfig(t, entry("ag_alice", ``, false)))())
	s := newServer(t, nil, func(o *api.Options) { o.Setup = source.Load })
	with := []string{"Cookie", s.signIn("ag_alice")}
	for _, step := range []struct {
		name       string
		key, roles string
		acts       bool
		apps, app  int
	}{
		{"unchanged", "ag_alice", ``, false, 200, 404},
		{"a role more", "ag_alice", `"staff"`, false, 200, 200},
		{"a role less", "ag_alice", ``, false, 200, 404},
		{"the key is another", "ag_other", `"staff"`, false, 401, 401},
		{"the key is a backend's now", "ag_alice", `"staff"`, true, 401, 401},
		{"unchanged again", "ag_alice", ``, false, 200, 404},
	} {
		source.Store(setup(loadConfig(t, entry(step.key, step.roles, step.acts)))())
		if got := s.call("GET", "/v1/apps", "", with...).StatusCode; got != step.apps {
			t.Errorf("%s: %d", step.name, got)
		}
		if got := s.call("GET", "/v1/apps/staff", "", with...).StatusCode; got != step.app {
			t.Errorf("%s: the app %d", step.name, got)
		}
	}
	changed := entry("ag_alice", ``, false)
	changed["gateway.json"] = strings.Replace(changed["gateway.json"], "0123", "3210", 1)
	source.Store(setup(loadConfig(t, changed))())
	s.call("GET", "/v1/apps", "", with...).wantProblem(t, 401, "unauthenticated")
}

// Nodes with the same secret accept each other's sessions; without one, each accepts only its own.
func TestNodesShareSessionsByTheirSecret(t *testing.T) {
	shared := files{"gateway.json": strings.Replace(withKeys["gateway.json"], `"mode"`, `"session": {"secret": "0123456789abcdef0123456789abcdef"}, "mode"`, 1)}
	for name, c := range map[string]struct {
		files files
		want  int
	}{"one secret": {shared, 200}, "none": {withKeys, 401}} {
		a, b := newServer(t, c.files, nil), newServer(t, c.files, nil)
		if got := b.call("GET", "/v1/apps", "", "Cookie", a.signIn("ag_alice")).StatusCode; got != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func TestSigningInIsForThoseWithKeys(t *testing.T) {
	open := newServer(t, nil, nil)
	open.call("POST", "/v1/session", "", bearerOf("ag_alice")...).wantProblem(t, 404, "not_found")
	if r := open.call("GET", "/v1/session", ""); r.StatusCode != 200 || !strings.Contains(string(r.body), `"signedIn":false`) {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
	s := newServer(t, withKeys, nil)
	s.call("POST", "/v1/session", "").wantProblem(t, 401, "unauthenticated")
	s.call("POST", "/v1/session", "", bearerOf("ag_backend")...).wantProblem(t, 403, "forbidden")
	// A proxy's password in the request does not take precedence over the cookie; a key does.
	cookie := s.signIn("ag_alice")
	if got := s.call("GET", "/v1/apps", "", "Cookie", cookie, "Authorization", "Basic YTpi").StatusCode; got != 200 {
		t.Errorf("a password: %d", got)
	}
	s.call("GET", "/v1/apps", "", "Cookie", cookie, "Authorization", "Bearer ag_wrong").wantProblem(t, 401, "unauthenticated")
}

// Requests that change something must come from the gateway's own page, even where pages of other
// sites are listed: those have keys of their own.
func TestCookiesAreOfNoUseToOtherSites(t *testing.T) {
	f := files{"gateway.json": strings.Replace(withKeys["gateway.json"], "{", `{"cors": {"origins": ["https://listed.example"]}, `, 1)}
	engine := &fakeEngine{}
	s := newServer(t, f, withEngine(engine))
	cookie := s.signIn("ag_alice")
	for name, c := range map[string]struct {
		headers []string
		want    int
	}{
		"its own page":         {[]string{"Sec-Fetch-Site", "same-origin"}, 200},
		"an older browser":     {[]string{"Origin", s.URL}, 200},
		"no browser":           {nil, 200},
		"another site":         {[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		"a sibling":            {[]string{"Sec-Fetch-Site", "same-site"}, 403},
		"an older one's other": {[]string{"Origin", "https://evil.example"}, 403},
		"no origin":            {[]string{"Origin", "null"}, 403},
		"a listed one":         {[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://listed.example"}, 403},
	} {
		headers := append([]string{"Cookie", cookie}, c.headers...)
		if r := s.post("c1", `{"message":"hi"}`, headers...); r.StatusCode != c.want {
			t.Errorf("%s: message: %d", name, r.StatusCode)
		}
		want := 204
		if c.want == 403 {
			want = 403
		}
		for _, call := range []struct{ method, path string }{{"POST", "/v1/apps/plain/chats/c1/stop"}, {"DELETE", "/v1/apps/plain/chats/c1"}, {"DELETE", "/v1/session"}} {
			if r := s.call(call.method, call.path, "", headers...); r.StatusCode != want {
				t.Errorf("%s: %s %s: %d", name, call.method, call.path, r.StatusCode)
			}
		}
		if r := s.call("POST", "/v1/session", "", append(c.headers, bearerOf("ag_alice")...)...); r.StatusCode != want {
			t.Errorf("%s: signing in: %d", name, r.StatusCode)
		}
		if r := s.call("GET", "/v1/apps", "", headers...); r.StatusCode != 200 || r.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %d %v", name, r.StatusCode, r.Header)
		}
	}
	if len(engine.commands) != 3 {
		t.Errorf("%d messages arrived", len(engine.commands))
	}
}

// A session expires, at the latest together with the token it was made from, and its streams end
// with it.
func TestSessionsOfTokensLapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSigner(t)
		driven := new(atomic.Int64)
		engine := &fakeEngine{
			drive:  func(context.Context, stream.Sink) { time.Sleep(time.Hour); driven.Add(1) },
			result: chat.Result{FinishReason: chat.FinishStop},
		}
		a, _, _ := newAPI(t, withTokens(k.file(t), `, "claims": {"roles": "roles"}`), withEngine(engine))
		do := func(method, path, body string, headers ...string) *http.Response {
			req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
			req.Header.Set("Content-Type", "application/json")
			for i := 0; i < len(headers); i += 2 {
				req.Header.Set(headers[i], headers[i+1])
			}
			w := httptest.NewRecorder()
			a.Handler().ServeHTTP(w, req)
			return w.Result()
		}
		signIn := func(lasts time.Duration, more map[string]any) *http.Response {
			claims := map[string]any{"exp": time.Now().Add(lasts).Unix()}
			for name, value := range more {
				claims[name] = value
			}
			return do("POST", "/v1/session", "", "Authorization", "Bearer "+k.token(t, claims))
		}
		cookie := func(r *http.Response) []string {
			if r.StatusCode != 204 {
				t.Fatalf("signing in: %d", r.StatusCode)
			}
			return []string{"Cookie", "askgate=" + r.Cookies()[0].Value}
		}
		begin := time.Now()
		short := cookie(signIn(time.Minute, map[string]any{"roles": []string{"staff"}}))
		if r := do("GET", "/v1/apps/staff", "", short...); r.StatusCode != 200 {
			t.Errorf("its role: %d", r.StatusCode)
		}
		if r := do("POST", "/v1/apps/plain/chats/c1/messages", `{"message":"hi"}`, short...); r.StatusCode != 200 || time.Since(begin) > 2*time.Minute+time.Second {
			t.Errorf("a stream: %d after %v", r.StatusCode, time.Since(begin))
		}
		if r := do("GET", "/v1/apps", "", short...); r.StatusCode != 401 {
			t.Errorf("after the token: %d", r.StatusCode)
		}
		long := cookie(signIn(1000*time.Hour, nil))
		time.Sleep(12*time.Hour - time.Second)
		if r := do("GET", "/v1/apps", "", long...); r.StatusCode != 200 {
			t.Errorf("before the end: %d", r.StatusCode)
		}
		time.Sleep(time.Second)
		if r := do("GET", "/v1/apps", "", long...); r.StatusCode != 401 {
			t.Errorf("after 12 h: %d", r.StatusCode)
		}
		if r := signIn(time.Hour, map[string]any{"roles": strings.Repeat("a-role-with-a-long-name ", 300)}); r.StatusCode != 413 || r.Header.Get("Set-Cookie") != "" {
			t.Errorf("too many roles: %d", r.StatusCode)
		}
		if driven.Load() != 1 {
			t.Error("the run did not go on without its stream")
		}
	})
}

// A session is worth no more than the token it was made from: it ends when the issuer withdraws the
// key that signed the token.
func TestASessionEndsWithTheKeyOfItsToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, next := newSigner(t), newSigner(t)
		file := k.file(t)
		a, _, _ := newAPI(t, withTokens(file, ""), nil)
		do := func(method, path string, headers ...string) *http.Response {
			req := httptest.NewRequestWithContext(t.Context(), method, path, nil)
			for i := 0; i < len(headers); i += 2 {
				req.Header.Set(headers[i], headers[i+1])
			}
			w := httptest.NewRecorder()
			a.Handler().ServeHTTP(w, req)
			return w.Result()
		}
		signedIn := do("POST", "/v1/session", "Authorization", "Bearer "+k.token(t, nil))
		if signedIn.StatusCode != 204 {
			t.Fatalf("signing in: %d", signedIn.StatusCode)
		}
		cookie := signedIn.Cookies()[0]
		use := func(want int) {
			t.Helper()
			time.Sleep(5 * time.Second)
			if r := do("GET", "/v1/apps", "Cookie", cookie.Name+"="+cookie.Value); r.StatusCode != want {
				t.Errorf("%d, want %d", r.StatusCode, want)
			}
		}
		publish := func(data []byte) {
			t.Helper()
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		use(200)
		publish(next.set(t)) // under the same id
		use(401)
		publish(k.set(t))
		use(200)
		publish([]byte("no keys"))
		use(200) // the earlier ones stay
	})
}

// The page links to the admin view for users who may open it.
func TestASessionSaysWhoMayOpenTheAdminView(t *testing.T) {
	open, s := newServer(t, nil, nil), newServer(t, withKeys, nil)
	for name, c := range map[string]struct {
		s       *server
		headers []string
		want    bool
	}{
		"this machine": {open, nil, true},
		"by a proxy":   {open, []string{"X-Forwarded-For", "203.0.113.9"}, false},
		"an admin":     {s, admin, true},
		"a user":       {s, bearerOf("ag_alice"), false},
	} {
		var got struct{ Admin bool }
		c.s.call("GET", "/v1/session", "", c.headers...).decode(t, 200, &got)
		if got.Admin != c.want {
			t.Errorf("%s: %v", name, got.Admin)
		}
	}
}
