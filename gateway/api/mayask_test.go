package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A caller may ask the roles that its token, its cookie or a proxy lists.
func TestTokensAndProxiesSayWhomToAsk(t *testing.T) {
	k := newSigner(t)
	robots := `"roles": {"robots": {"mayAsk": ["carol"]}, "oncalls": {"mayAsk": ["role:oncall"]}}, `
	signed := withTokens(k.file(t), `, "claims": {"roles": "roles"}`)
	signed["gateway.json"] = strings.Replace(signed["gateway.json"], `"jwt":`, robots+`"jwt":`, 1)
	signed["gateway.json"] = strings.Replace(signed["gateway.json"], `"auth":`, `"limits": {"requestsPerMinute": 0}, "auth":`, 1)
	s := newServer(t, signed, withEngine(&fakeEngine{}))
	ask := func(to string, headers ...string) int {
		t.Helper()
		return s.call("POST", "/v1/apps/plain/clarifications", `{"question": "Q", "to": `+to+`}`, headers...).StatusCode
	}
	for _, c := range []struct {
		claims map[string]any
		want   string // whether it may ask alice, bob, the role oncall, carol
	}{
		{nil, "201 403 403 403"},
		{map[string]any{"mayAsk": "*"}, "201 403 403 403"},
		{map[string]any{"roles": "others"}, "201 403 403 403"},
		{map[string]any{"roles": []string{"others", "oncalls"}}, "201 403 201 403"},
		{map[string]any{"roles": "robots"}, "201 403 403 201"},
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

	behind := files{"gateway.json": strings.Replace(withProxy["gateway.json"], `"mode"`, robots+`"mode"`, 1)}
	a, _, _ := newAPI(t, behind, withEngine(&fakeEngine{}))
	for _, c := range []struct {
		roles, to string
		want      int
	}{{"robots", `"bob"`, 403}, {"robots", `"carol"`, 201}, {"robots, oncalls", `{"role": "oncall"}`, 201}, {"oncalls", `"carol"`, 403}, {"", `"carol"`, 403}} {
		r := httptest.NewRequest("POST", "/v1/apps/plain/clarifications", strings.NewReader(`{"question": "Q", "to": `+c.to+`}`))
		r.RemoteAddr = "10.0.0.5:1"
		r.Header = http.Header{"Content-Type": {"application/json"}, "X-Tenant": {"acme"}, "X-Remote-User": {"alice"}, "X-Remote-Groups": {c.roles}}
		w := httptest.NewRecorder()
		if a.Handler().ServeHTTP(w, r); w.Code != c.want {
			t.Errorf("%s asks %s: %d, want %d: %s", c.roles, c.to, w.Code, c.want, w.Body)
		}
	}
}
