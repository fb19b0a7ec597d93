package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/api"
)

// Below a path prefix, whether the proxy keeps it or a trusted proxy reports that it stripped it:
// the same content is served, and the session's cookie is limited to that path.
func TestBelowAPath(t *testing.T) {
	const trusted = `"trustedProxies": ["127.0.0.1/32", "::1/128"], `
	for name, test := range map[string]struct {
		conf, path string
		headers    []string
		want       string // path of the cookie; "": the call is not found
		cookie     string
	}{
		"at the top":                       {"", "", nil, "/", "askgate"},
		"kept":                             {`"publicUrl": "https://h/tools/ask/", `, "/tools/ask", nil, "/tools/ask/", "askgate"},
		"kept, and TLS":                    {`"publicUrl": "https://h/ask", `, "/ask", []string{"X-Forwarded-Proto", "https"}, "/ask/", "__Secure-askgate"},
		"reported with a slash at the end": {`"publicUrl": "https://h/ask", `, "", nil, "/", "askgate"},
		"stripped, and said":               {trusted, "", []string{"X-Forwarded-Prefix", "/a.b/c~d"}, "/a.b/c~d/", "askgate"},
		"said with a slash at the end":     {trusted, "", []string{"X-Forwarded-Prefix", "/ask/"}, "/ask/", "askgate"},
		"said, and kept":                   {trusted + `"publicUrl": "https://h/ask", `, "/ask", []string{"X-Forwarded-Prefix", "/outer"}, "/outer/ask/", "askgate"},
		"reported by an untrusted client":  {`"trustedProxies": ["192.0.2.1/32"], `, "", []string{"X-Forwarded-Prefix", "/ask"}, "/", "askgate"},
		"reported by an untrusted peer":    {"", "", []string{"X-Forwarded-Prefix", "/ask"}, "/", "askgate"},
		"no path":                          {trusted, "", []string{"X-Forwarded-Prefix", "ask"}, "/", "askgate"},
		"another host":                     {trusted, "", []string{"X-Forwarded-Prefix", "//evil.example"}, "/", "askgate"},
		"a cookie's attribute":             {trusted, "", []string{"X-Forwarded-Prefix", "/a; Domain=x"}, "/", "askgate"},
		"dots":                             {trusted, "", []string{"X-Forwarded-Prefix", "/a/../b"}, "/", "askgate"},
		"too long":                         {trusted, "", []string{"X-Forwarded-Prefix", "/" + strings.Repeat("a", 200)}, "/", "askgate"},
		"twice":                            {trusted, "", []string{"X-Forwarded-Prefix", "/a, /b"}, "/", "askgate"},
		"another path":                     {`"publicUrl": "https://h/ask", `, "/other", nil, "", ""},
		"a path that starts the same":      {`"publicUrl": "https://h/ask", `, "/asks", nil, "", ""},
		"the path in a different case":     {`"publicUrl": "https://h/ask", `, "/ASK", nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			conf := files{}
			for file, text := range withKeys {
				conf[file] = text
			}
			conf["gateway.json"] = "{" + test.conf + strings.TrimPrefix(conf["gateway.json"], "{")
			s := newServer(t, conf, withEngine(&fakeEngine{}))
			headers := append([]string{"Authorization", "Bearer ag_alice"}, test.headers...)
			r := s.call("POST", test.path+"/v1/session", "", headers...)
			if test.want == "" {
				r.wantProblem(t, 404, "not_found")
				return
			}
			if r.StatusCode != http.StatusNoContent || len(r.Cookies()) != 1 {
				t.Fatalf("%d %v %s", r.StatusCode, r.Header, r.body)
			}
			c := r.Cookies()[0]
			if c.Path != test.want || c.Name != test.cookie {
				t.Errorf("cookie %s for %s, want %s for %s", c.Name, c.Path, test.cookie, test.want)
			}
			in := append([]string{"Cookie", c.Name + "=" + c.Value}, test.headers...)
			if r := s.call("GET", test.path+"/v1/session", "", in...); r.StatusCode != 200 || !strings.Contains(string(r.body), `"signedIn":true`) {
				t.Errorf("signed in: %d %s", r.StatusCode, r.body)
			}
			r = s.call("DELETE", test.path+"/v1/session", "", in...)
			if out := r.Cookies(); len(out) != 1 || out[0].Path != test.want || out[0].Name != test.cookie || out[0].MaxAge >= 0 {
				t.Errorf("signing out: %v", out)
			}
		})
	}
}

// The path itself redirects to the page, whose path ends with a slash.
func TestThePathItselfLeadsToThePage(t *testing.T) {
	s := newServer(t, files{"gateway.json": `{"publicUrl": "https://h/ask", "models": {"default": {"provider": "demo"}}}`}, func(o *api.Options) {
		o.Page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.URL.Path)) })
	})
	s.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if r := s.call("GET", "/ask", ""); r.StatusCode != http.StatusPermanentRedirect || r.Header.Get("Location") != "/ask/" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	for path, want := range map[string]string{"/ask/": "/", "/ask/admin": "/admin", "/ask/assets/a%2Fb.js": "/assets/a/b.js", "/assets/x.js": "/assets/x.js"} {
		if r := s.call("GET", path, ""); string(r.body) != want {
			t.Errorf("%s is served as %s", path, r.body)
		}
	}
}
