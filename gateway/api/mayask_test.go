package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Whom a caller may ask, a token, its cookie and a proxy say, too, and the roles that they name.
func TestTokensAndProxiesSayWhomToAsk(t *testing.T) {
	k := newSigner(t)
	robots := `"roles": {"robots": {"mayAsk": ["carol"]}}, `
	signed := withTokens(k.file(t), `, "claims": {"mayAsk": "askgate.ask", "roles": "roles"}`)
	signed["gateway.json"] = strings.Replace(signed["gateway.json"], `"jwt":`, robots+`"jwt":`, 1)
	signed["gateway.json"] = strings.Replace(signed["gateway.json"], `"auth":`, `"limits": {"requestsPerMinute": 0}, "auth":`, 1)
	s := newServer(t, signed, withEngine(&fakeEngine{}))
	ask := func(to string, headers ...string) int {
		t.Helper()
		return s.call("POST", "/v1/apps/plain/clarifications", `{"question": "Q", "to": `+to+`}`, headers...).StatusCode
	}
	for _, c := range []struct {
		claims map[string]any
		want   string // of alice, bob, the role oncall, carol
	}{
		{nil, "201 403 403 403"},
		{map[string]any{"askgate": map[string]any{"ask": []string{"bob", "role:oncall"}}}, "201 201 201 403"},
		{map[string]any{"askgate": map[string]any{"ask": "bob role:other"}}, "201 201 403 403"},
		{map[string]any{"askgate.ask": "*"}, "201 201 201 201"},
		{map[string]any{"askgate.ask": 7, "roles": "robots"}, "201 403 403 201"},
	} {
		raw := k.token(t, c.claims)
		r := s.call("POST", "/v1/session", "", bearerOf(raw)...)
		if r.StatusCode != 204 {
			t.Fatalf("%d %s", r.StatusCode, r.body)
		}
		cookie := r.Cookies()[0]
		for name, headers := range map[string][]string{"token": bearerOf(raw), "cookie": {"Cookie", cookie.Name + "=" + cookie.Value, "Sec-Fetch-Site", "same-origin"}} {
			var got []string
			for _, to := range []string{`"alice"`, `"bob"`, `{"role": "oncall"}`, `"carol"`} {
				got = append(got, http.StatusText(ask(to, headers...)))
			}
			want := strings.NewReplacer("201", "Created", "403", "Forbidden").Replace(c.want)
			if strings.Join(got, " ") != want {
				t.Errorf("%v by %s: %v, want %s", c.claims, name, got, want)
			}
		}
	}

	behind := files{"gateway.json": strings.Replace(strings.Replace(withProxy["gateway.json"], `"roles": "X-Remote-Groups"`, `"roles": "X-Remote-Groups", "mayAsk": "X-May-Ask"`, 1), `"mode"`, robots+`"mode"`, 1)}
	a, _, _ := newAPI(t, behind, withEngine(&fakeEngine{}))
	for _, c := range []struct {
		header []string
		to     string
		want   int
	}{
		{nil, `"bob"`, 403}, {[]string{"bob, role:oncall"}, `"bob"`, 201}, {[]string{"bob, role:oncall"}, `{"role": "oncall"}`, 201}, {[]string{"bob, role:oncall"}, `"carol"`, 201},
		{[]string{"bobby"}, `"bob"`, 403}, {[]string{"bob", "*"}, `"bob"`, 403}, // of two, one may be the client's
	} {
		r := httptest.NewRequest("POST", "/v1/apps/plain/clarifications", strings.NewReader(`{"question": "Q", "to": `+c.to+`}`))
		r.RemoteAddr = "10.0.0.5:1"
		r.Header = http.Header{"Content-Type": {"application/json"}, "X-Tenant": {"acme"}, "X-Remote-User": {"alice"}, "X-Remote-Groups": {"robots"}, "X-May-Ask": c.header}
		w := httptest.NewRecorder()
		if a.Handler().ServeHTTP(w, r); w.Code != c.want {
			t.Errorf("%v asks %s: %d, want %d: %s", c.header, c.to, w.Code, c.want, w.Body)
		}
	}
}
