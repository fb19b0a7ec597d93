//go:build browser

package browsertest

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// belowPath starts a proxy that serves a site below /tools/ask, and keeps the path or strips it. It
// records requests for other paths.
func belowPath(t *testing.T, s *site, keep bool) (address string, elsewhere func() []string) {
	t.Helper()
	const path = "/tools/ask"
	to, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, FlushInterval: -1,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }}
	inner := http.Handler(proxy)
	if !keep {
		inner = http.StripPrefix(path, proxy)
	}
	var mu sync.Mutex
	var strays []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, path+"/") {
			inner.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		strays = append(strays, r.URL.Path)
		http.NotFound(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + path + "/", func() []string {
		mu.Lock()
		defer mu.Unlock()
		return strays
	}
}

// Below a path, which the proxy strips or keeps, a user signs in, asks, answers, reloads and signs
// out; the admin view works as well. Nothing outside of the path is requested.
func TestThePageBelowAPath(t *testing.T) {
	t.Parallel()
	for name, conf := range map[string]string{"stripped": "", "kept": `"publicUrl": "https://example.org/tools/ask", `} {
		t.Run(name, func(t *testing.T) {
			const key = "ag_browser_test_below_0123456789"
			s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{` + conf + `"models": {"default": {"provider": "demo"}}, "auth": {"mode": "apiKeys",
				"keys": [{"id": "a", "hash": "` + hashOf(key) + `", "tenant": "acme", "subject": "alice", "roles": ["admin"]}]}}`}))
			address, elsewhere := belowPath(t, s, conf != "")
			p := open(t, "about:blank", 1200)
			p.visit(address)
			p.until("find('#key')")
			p.js("find('#key').focus()")
			p.keys(key, kb.Enter)
			p.write("select")
			p.until("find('.pick')")
			p.js("const o = find('.pick'); o.focus(); o.click()")
			p.until("find('#undo') || log().some((s) => s.includes('You answered'))")
			p.keys(kb.Enter)
			p.until("log().some((s) => s.includes('You answered'))")
			p.do(chromedp.Reload())
			p.until("log().some((s) => s.includes('You answered'))")
			p.js("find('#admin').click()")
			p.until("location.pathname === '/tools/ask/admin' && document.querySelector('#report')")
			p.js("[...document.querySelectorAll('a')].find((a) => a.pathname === '/tools/ask/').click()")
			p.until("location.pathname === '/tools/ask/' && find('#message')")
			p.js("[...document.querySelectorAll('#side button')].find((b) => b.textContent === 'Sign out').click()")
			p.until("find('#key')")
			for _, path := range elsewhere() {
				if path != "/favicon.ico" {
					t.Errorf("%s, outside of the path, is requested", path)
				}
			}
		})
	}
}
