package api_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
)

// signer is an issuer's key.
type signer struct{ *ecdsa.PrivateKey }

func newSigner(t testing.TB) signer {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return signer{k}
}

func (k signer) set(t testing.TB) []byte {
	t.Helper()
	data, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: k.Public(), KeyID: "k"}}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// token is a token that is valid for an hour, unless claims change it.
func (k signer) token(t testing.TB, claims map[string]any) string {
	t.Helper()
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: k.PrivateKey, KeyID: "k"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"iss": "https://issuer", "aud": "askgate", "sub": "alice", "exp": time.Now().Add(time.Hour).Unix()}
	maps.Copy(all, claims)
	raw, err := jwt.Signed(s).Claims(all).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// withTokens is a gateway that accepts the tokens of an issuer whose key is set there.
func withTokens(where, more string) files {
	return files{
		"gateway.json": fmt.Sprintf(`{"models": {"default": {"provider": "demo"}}, "auth": {"mode": "jwt", "jwt":
			{"jwks": %q, "issuer": "https://issuer", "audience": ["askgate"] %s}}}`, where, more),
		"apps/staff.json": `{"id": "staff", "name": "Staff", "system": "s", "tools": [], "access": {"roles": ["staff"]}}`,
	}
}

func (k signer) file(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(name, k.set(t), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestTokensSayWhoCalls(t *testing.T) {
	k := newSigner(t)
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(k.set(t)) }))
	defer issuer.Close()
	for _, c := range []struct {
		more   string
		claims map[string]any
		want   chat.Ref
		staff  bool
	}{
		{``, nil, chat.Ref{Tenant: "default", Subject: "alice"}, false},
		{``, map[string]any{"sub": "auth0|Ünal 7"}, chat.Ref{Tenant: "default", Subject: "auth0|Ünal 7"}, false},
		{`, "tenant": "acme", "claims": {"roles": "scope"}`, map[string]any{"tenant": "evil", "scope": "user staff"}, chat.Ref{Tenant: "acme", Subject: "alice"}, true},
		{`, "claims": {"tenant": "org.id", "subject": "email", "roles": "realm_access.roles"}`,
			map[string]any{"org": map[string]any{"id": "acme"}, "email": "a@example.org", "realm_access": map[string]any{"roles": []string{"staff"}}},
			chat.Ref{Tenant: "acme", Subject: "a@example.org"}, true},
	} {
		engine := &fakeEngine{}
		s := newServer(t, withTokens(issuer.URL, c.more), withEngine(engine))
		bearer := "Bearer " + k.token(t, c.claims)
		if r := s.post("c1", `{"message":"hi"}`, "Authorization", bearer); r.StatusCode != 200 {
			t.Fatalf("%d: %s", r.StatusCode, r.body)
		}
		if ref := engine.only(t).Ref; ref.Tenant != c.want.Tenant || ref.Subject != c.want.Subject {
			t.Errorf("%+v, want %+v", ref, c.want)
		}
		if r := s.call("GET", "/v1/apps/staff", "", "Authorization", bearer); (r.StatusCode == 200) != c.staff {
			t.Errorf("staff: %d", r.StatusCode)
		}
		s.call("GET", "/v1/apps", "", "Authorization", bearer, "X-Askgate-User", "bob").wantProblem(t, 403, "forbidden")
		s.call("GET", "/metrics", "", "Authorization", bearer).wantProblem(t, 403, "forbidden")
		s.wantMetric("askgate_jwks_fetches_total{result=\"error\"} 0\naskgate_jwks_fetches_total{result=\"ok\"} 1\n")
	}
}

func TestBadTokensAreRefusedAndNotLogged(t *testing.T) {
	k, stranger := newSigner(t), newSigner(t)
	s := newServer(t, withTokens(k.file(t), `, "claims": {"tenant": "tid"}`), nil)
	ours := map[string]any{"tid": "acme"}
	with := func(name string, value any) map[string]any {
		claims := maps.Clone(ours)
		claims[name] = value
		return claims
	}
	refused := 0
	for name, raw := range map[string]string{
		"no token":       "",
		"a word":         "word",
		"an API key":     "ag_alice",
		"huge":           strings.Repeat("a", 50_000),
		"another's":      stranger.token(t, ours),
		"expired":        k.token(t, with("exp", time.Now().Add(-time.Minute).Unix())),
		"other audience": k.token(t, with("aud", "billing")),
		"no tenant":      k.token(t, nil),
		"tenant no text": k.token(t, with("tid", 7)),
		"no subject":     k.token(t, with("sub", "")),
		"control":        k.token(t, with("sub", "alice\x00")),
		"line break":     k.token(t, with("sub", "alice\nbob")),
		"direction":      k.token(t, with("sub", "alice\u202e")),
		"spaces":         k.token(t, with("sub", " alice")),
		"long":           k.token(t, with("sub", strings.Repeat("a", 256))),
	} {
		r := s.call("GET", "/v1/apps", "", "Authorization", "Bearer "+raw)
		r.wantProblem(t, 401, "unauthenticated")
		want := `Bearer error="invalid_token"`
		if name == "no token" || name == "huge" { // it is not a token
			want = "Bearer"
		}
		if got := r.Header.Get("WWW-Authenticate"); got != want {
			t.Errorf("%s: WWW-Authenticate %q", name, got)
		}
		if raw != "" && (strings.Contains(string(r.body), raw) || strings.Contains(s.log.String(), raw)) {
			t.Errorf("%s: the refusal repeats the token", name)
		}
		refused++
	}
	if r := s.call("GET", "/v1/apps", "", "Authorization", "Bearer "+k.token(t, ours)); r.StatusCode != 200 {
		t.Errorf("the valid one: %d %s", r.StatusCode, r.body)
	}
	// The operator learns why: all refusals are logged except the two of strings that are not
	// tokens.
	if got := strings.Count(s.log.String(), `"token refused"`); got != refused-2 {
		t.Errorf("%d of %d refusals are logged with a reason", got, refused)
	}
}

func TestWithoutKeysTokensCannotBeChecked(t *testing.T) {
	k := newSigner(t)
	issuer := httptest.NewServer(http.NotFoundHandler())
	defer issuer.Close()
	s := newServer(t, withTokens(issuer.URL, ""), nil)
	r := s.call("GET", "/v1/apps", "", "Authorization", "Bearer "+k.token(t, nil))
	r.wantProblem(t, 503, "auth_unavailable")
	if r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.wantMetric("askgate_jwks_fetches_total{result=\"error\"} 1\naskgate_jwks_fetches_total{result=\"ok\"} 0\n")
}

// An open stream ends with the token that it was requested with; the run goes on.
func TestStreamsEndWithTheirToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSigner(t)
		begin := time.Now()
		after := func(d time.Duration) (driven func(ctx context.Context, sink stream.Sink), ended *atomic.Int64) {
			ended = new(atomic.Int64)
			return func(_ context.Context, sink stream.Sink) {
				time.Sleep(d)
				_ = sink.Write(frame)
				ended.Store(int64(time.Since(begin)))
			}, ended
		}
		for _, c := range []struct {
			name, method, path, body string
			run                      time.Duration
			took                     time.Duration
			retry, done              bool
		}{
			// A clock may be off by a minute.
			{"a viewer", "GET", "/events", "", 0, 2 * time.Minute, true, false},
			{"a long run", "POST", "/messages", `{"message":"hi"}`, time.Hour, 2 * time.Minute, true, false},
			{"a short run", "POST", "/messages", `{"message":"hi"}`, time.Second, time.Second, false, true},
		} {
			drive, ended := after(c.run)
			engine := &fakeEngine{drive: drive, result: chat.Result{FinishReason: chat.FinishStop}}
			a, _, _ := newAPI(t, withTokens(k.file(t), ""), withEngine(engine))
			begin = time.Now()
			req := httptest.NewRequestWithContext(t.Context(), c.method, "/v1/apps/plain/chats/c1"+c.path, strings.NewReader(c.body))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", "Bearer "+k.token(t, map[string]any{"exp": begin.Add(time.Minute).Unix()}))
			w := httptest.NewRecorder()
			a.Handler().ServeHTTP(w, req)
			body := w.Body.String()
			if took := time.Since(begin); w.Code != 200 || took != c.took {
				t.Errorf("%s: %d after %v", c.name, w.Code, took)
			}
			if strings.Contains(body, "retry:") != c.retry || strings.Contains(body, "event: done") != c.done {
				t.Errorf("%s: %s", c.name, body)
			}
			time.Sleep(2 * time.Hour)
			if took := time.Duration(ended.Load()); c.body != "" && took != c.run {
				t.Errorf("%s: the run took %v", c.name, took)
			}
			if w.Body.String() != body {
				t.Errorf("%s: written to after its end", c.name)
			}
		}
	})
}

// A run that goes on without its stream keeps its place among the concurrent turns, and releases it
// at its end.
func TestARunKeepsItsPlaceBeyondItsToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSigner(t)
		f := withTokens(k.file(t), "")
		f["gateway.json"] = strings.Replace(f["gateway.json"], `"auth"`, `"limits": {"concurrentTurns": 1}, "auth"`, 1)
		engine := &fakeEngine{drive: func(context.Context, stream.Sink) { time.Sleep(time.Hour) }, result: chat.Result{FinishReason: chat.FinishStop}}
		a, _, _ := newAPI(t, f, withEngine(engine))
		post := func() int {
			req := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/apps/plain/chats/c1/messages", strings.NewReader(`{"message":"hi"}`))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", "Bearer "+k.token(t, map[string]any{"exp": time.Now().Add(time.Minute).Unix()}))
			w := httptest.NewRecorder()
			a.Handler().ServeHTTP(w, req)
			return w.Code
		}
		first, second := post(), post()
		time.Sleep(time.Hour)
		third := post()
		time.Sleep(time.Hour)
		if first != 200 || second != 429 || third != 200 {
			t.Errorf("%d, %d, %d; want 200, 429, 200", first, second, third)
		}
	})
}
