package api_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
)

// harmlessHeader is the form in which a response carries the request's id.
var harmlessHeader = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Whatever the headers contain that the gateway reads: it does not panic or fail, lets no caller
// in, and repeats no part of it in a header.
func FuzzHeaders(f *testing.F) {
	for _, s := range [][6]string{
		{"", "", "", "", "", ""},
		{"Bearer ag_alice", "alice", "askgate=AAAA", "de-DE,de;q=0.9", "17952212424450000000001", "my-id"},
		{"bearer\t ag_wrong ", "a b", "askgate=\"quoted\"; askgate=; =x", "x-;q=x, *;q=0", strings.Repeat("9", 100), "a b"},
		{"Basic YTpi", "\xff", "__Host-askgate=x", "und-x-y", "\x00", "a%0d%0ab"},
		{"Bearer a.b.c", "..", "askgate=" + strings.Repeat("A", 5000), ",,,;;;", "-1", strings.Repeat("i", 65)},
	} {
		f.Add(s[0], s[1], s[2], s[3], s[4], s[5])
	}
	quiet := func(o *api.Options) { o.Log = slog.New(slog.DiscardHandler) }
	keys, _, _ := newAPI(f, withKeys, quiet)
	k := newSigner(f)
	tokens, _, _ := newAPI(f, withTokens(k.file(f), ""), quiet)
	open, _, _ := newAPI(f, nil, func(o *api.Options) {
		quiet(o)
		o.Engine = &fakeEngine{err: &chat.Error{Code: chat.CodeNotFound}}
	})
	f.Fuzz(func(t *testing.T, authorization, actor, cookie, languages, last, id string) {
		for _, c := range []struct {
			name   string
			a      *api.API
			path   string
			status map[int]bool
		}{
			{"keys", keys, "/v1/apps", map[int]bool{401: true}},
			{"tokens", tokens, "/v1/apps", map[int]bool{401: true}},
			{"none", open, "/v1/apps/plain/chats/c1/events", map[int]bool{403: true, 404: true}},
		} {
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			for name, value := range map[string]string{
				"Authorization": authorization, "Cookie": cookie, "Accept-Language": languages, "Last-Event-Id": last, "X-Request-Id": id, "Origin": actor,
			} {
				r.Header[name] = []string{value} // including what no client could send
			}
			if c.name == "none" && actor != "" {
				r.Header["X-Askgate-User"] = []string{actor}
			}
			w := httptest.NewRecorder()
			c.a.Handler().ServeHTTP(w, r)
			known := c.name == "keys" && strings.Contains(authorization, "ag_")
			if !c.status[w.Code] && !known || w.Code >= 500 {
				t.Errorf("%s: %d: %s", c.name, w.Code, w.Body)
			}
			for name, values := range w.Header() {
				if strings.ContainsAny(strings.Join(values, ""), "\r\n\x00") || name == "X-Request-Id" && !harmlessHeader.MatchString(values[0]) {
					t.Errorf("%s: %s: %q", c.name, name, values)
				}
			}
		}
	})
}
