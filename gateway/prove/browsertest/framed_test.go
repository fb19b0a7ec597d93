//go:build browser

package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"testing"

	"github.com/chromedp/chromedp"
)

// framedPage is a page that shows the chat page in a frame, at /parent of the gateway's origin, so
// that a test sees into the frame. The gateway lists that origin.
func framedPage(t *testing.T) (p *page, url string) {
	t.Helper()
	const key = "ag_browser_test_framed_0123456789"
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s := newSite(t, "", configured(t, map[string]string{
		"tools.json": `[{"id": "calculator", "needsApproval": true}]`,
		"gateway.json": fmt.Sprintf(`{"models": {"default": {"provider": "demo"}}, "frameAncestors": [%q],
			"auth": {"mode": "apiKeys", "keys": [{"id": "a", "hash": %q, "tenant": "acme", "subject": "alice"}]}}`, server.URL, hashOf(key)),
	}))
	mux.HandleFunc("/parent", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><html lang="en"><title>Intranet</title><iframe title="Chat" src="/" width="780" height="700"></iframe></html>`)
	})
	mux.Handle("/", &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(s.target)
			r.Out.Host = s.target.Host
			r.Out.Header.Del("Origin")
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	})
	server.Config.ErrorLog = nil
	t.Cleanup(server.CloseClientConnections)
	p = open(t, server.URL+"/parent", 800)
	p.js(`globalThis.inside = (s) => document.querySelector("iframe").contentDocument.querySelector(s)`)
	p.until("inside('#key')")
	p.js(`await fetch("/v1/session", {method: "POST", headers: {Authorization: %s}})`, "Bearer "+key)
	p.do(chromedp.Reload())
	p.js(`globalThis.inside = (s) => document.querySelector("iframe").contentDocument.querySelector(s);
		globalThis.say = (message) => { const area = inside("#message"); area.value = message; area.dispatchEvent(new Event("input", {bubbles: true})); area.form.requestSubmit(); }`)
	p.until("inside('#message')")
	return p, server.URL
}

// A page that is allowed to frame the chat page gets it, with questions and answers. An approval has
// nothing in the frame that allows it: the link leads to a window of its own, and its decision
// arrives in the frame.
func TestAnApprovalInAFrameOpensInAWindowOfItsOwn(t *testing.T) {
	t.Parallel()
	p, url := framedPage(t)
	p.js("say('calculate 2+3')")
	p.until("inside('.apart a')")
	if eval[bool](p, "inside('askgate-clarification') !== null") {
		t.Error("there is a card of the approval in the frame")
	}
	link := eval[[]string](p, "[inside('.apart a').href, inside('.apart a').target, inside('.apart a').rel]")
	if len(link) != 3 || link[1] != "_blank" || link[2] != "noopener" {
		t.Fatalf("%q", link)
	}

	q := p.another(link[0])
	q.js(`Object.defineProperty(globalThis, "card", {get: () => document.querySelector("#question")});
		globalThis.find = (s) => document.querySelector("#question")?.shadowRoot?.querySelector(s) ?? document.querySelector(s)`)
	q.until("find('#question') && find('.title')")
	if at := eval[string](q, "location.origin"); at != url {
		t.Errorf("the window shows %s", at)
	}
	q.start()
	q.keys("1", "\r")
	p.until("!inside('.apart') && inside('.transcript').innerText.includes('5')")
}
