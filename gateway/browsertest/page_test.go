//go:build browser

package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// pageHelpers are at hand in every document of the chat page: find looks into the
// card of the open question, then into the page; violations are what its policy refused.
const pageHelpers = `globalThis.violations = [];
document.addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample));
globalThis.find = (s) => document.querySelector("#question")?.shadowRoot?.querySelector(s) ?? document.querySelector(s);
globalThis.log = () => [...document.querySelectorAll(".transcript > .item")].map((li) => li.querySelector("askgate-clarification")?.shadowRoot.querySelector(".closed")?.innerText
	?? li.querySelector(".bubble, askgate-markdown")?.innerText ?? li.innerText).map((s) => s.replace(/\s+/g, " ").trim());
Object.defineProperty(globalThis, "card", {get: () => document.querySelector("#question") ?? [...document.querySelectorAll("askgate-clarification")].at(-1), configurable: true});`

// openChatPage shows the chat page of a gateway, at address behind its root.
func openChatPage(t *testing.T, s *site, address string, width int64) *page {
	t.Helper()
	p := open(t, "about:blank", width)
	p.visit(s.url + "/" + address)
	return p
}

// visit opens the chat page in this tab.
func (p *page) visit(url string) {
	p.t.Helper()
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: pageHelpers})
		return chromedp.Void{}, err
	}, chromedp.Navigate(url))
	p.t.Cleanup(func() {
		if v := eval[[]string](p, "globalThis.violations ?? []"); len(v) > 0 {
			p.t.Errorf("the page's policy refused %q", v)
		}
	})
}

// beside is the same page in a second tab of the same profile.
func (p *page) beside(url string) *page {
	p.t.Helper()
	q := p.another("about:blank")
	q.visit(url)
	return q
}

// write types a message and sends it.
func (p *page) write(message string) {
	p.t.Helper()
	p.until("find('#message')")
	p.js("find('#message').focus()")
	p.keys(message, "\r")
}

// says waits for a text in the transcript.
func (p *page) says(text string) {
	p.t.Helper()
	p.until("find('.transcript').innerText.includes(%s)", text)
}

// idle waits until the composer is there and nothing runs.
func (p *page) idle() {
	p.t.Helper()
	p.until("find('#message') && !find('#stop') && !find('.work')")
}

// upstream is a model whose answers come when the test wants them: play is called for
// each request, and gets a function that sends a piece, as Chat Completions does.
func upstream(t *testing.T, play func(n int, send func(delta object))) func(*site) {
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(delta object) {
			choice := object{"index": 0, "delta": delta}
			if finish, ok := delta["finish"]; ok {
				choice = object{"index": 0, "delta": object{}, "finish_reason": finish}
			}
			raw, _ := json.Marshal(object{"id": "c", "object": "chat.completion.chunk", "choices": []object{choice}})
			fmt.Fprintf(w, "data: %s\n\n", raw)
			w.(http.Flusher).Flush()
		}
		play(n, send)
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	return func(s *site) { s.env = append(s.env, "OPENAI_BASE_URL="+server.URL+"/v1", "OPENAI_API_KEY=sk-test", "ASKGATE_MODEL=test") }
}

// says is an upstream that always answers this.
func answers(t *testing.T, text string) func(*site) {
	return upstream(t, func(_ int, send func(object)) {
		for _, word := range strings.SplitAfter(text, " ") {
			send(object{"content": word})
		}
		send(object{"finish": "stop"})
	})
}

// configured writes files of a configuration directory.
func configured(t *testing.T, files map[string]string) func(*site) {
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(s *site) { s.args = append(s.args, "--config", dir) }
}
