//go:build browser

package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/askgate/askgate/gateway/web"
	"github.com/askgate/askgate/locales"
)

// cardPage is a page with one card, under the policy of the chat page, and with helpers for tests:
// card, find (in the card), answers (those it has emitted).
const cardPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>One card</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script></head>
<body><main><h1>One card</h1><askgate-clarification></askgate-clarification></main></body></html>`

const cardStyle = `:root { color-scheme: light dark } body { margin: 0; padding: 16px; font-family: system-ui, sans-serif; background: light-dark(#f4f5f8, #111318); color: light-dark(#111, #eee) }
main { max-width: 40rem; margin: auto } h1 { position: absolute; clip-path: inset(50%) }`

const cardScript = `import "/assets/askgate.js";
globalThis.card = document.querySelector("askgate-clarification");
globalThis.find = (s) => card.shadowRoot.querySelector(s);
globalThis.within = (s) => find("askgate-arguments")?.shadowRoot?.querySelector(s); // in the arguments of a call
globalThis.all = (s) => [...find("askgate-arguments").shadowRoot.querySelectorAll(s)].map((e) => e.textContent.trim().replace(/\s*\n\s*/g, " "));
globalThis.online = (is) => {
  Object.defineProperty(navigator, "onLine", {value: is, configurable: true});
  dispatchEvent(new Event(is ? "online" : "offline"));
};
globalThis.answers = [];
card.addEventListener("askgate-answer", (e) => answers.push(e.detail));
globalThis.ready = true;`

const workerScript = `import { Client, AskgateClarification } from "/assets/askgate.js"; postMessage([typeof Client, typeof AskgateClarification, typeof document].join(" "))`

// cardSite serves the card alone; a test decides what to do with its answers.
func cardSite(t *testing.T) string {
	t.Helper()
	texts, err := locales.New()
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/assets/", web.Handler(texts, func() []string { return nil }))
	for path, f := range map[string][2]string{"/{$}": {"text/html", cardPage}, "/page.css": {"text/css", cardStyle}, "/page.js": {"text/javascript", cardScript}, "/worker.js": {"text/javascript", workerScript}} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", f[0]+"; charset=utf-8")
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types lit-html dompurify askgate test")
			fmt.Fprint(w, f[1])
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// question returns one question with its defaults.
func question(inputType, text string, more object) object {
	q := object{"question": text, "input_type": inputType, "allow_other": false, "allow_skip": false}
	for k, v := range more {
		q[k] = v
	}
	if inputType == "confirm" && q["options"] == nil {
		q["options"] = options("Yes", "yes", "No", "no")
	}
	return q
}

// options builds options from labels and values.
func options(pairs ...string) []object {
	var list []object
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, object{"label": pairs[i], "value": pairs[i+1]})
	}
	return list
}

// asked returns the clarification event of questions.
func asked(questions ...object) object {
	c := object{
		"chatId": "c1", "turnId": "turn_1", "clarificationId": "clr_1", "toolCallId": "call_1", "kind": "question", "questions": questions,
		"clarificationNumber": 1, "maxClarifications": 10, "timestamp": "2026-02-06T10:30:00.000Z", "expiresAt": nil,
	}
	if len(questions) == 1 {
		for k, v := range questions[0] {
			c[k] = v
		}
	}
	return c
}

// showCard opens a card with a clarification.
func showCard(t *testing.T, clarification object) *page {
	t.Helper()
	return showAt(t, clarification, 800)
}

func showAt(t *testing.T, clarification object, width int64) *page {
	t.Helper()
	p := open(t, cardSite(t), width)
	p.until("globalThis.ready")
	p.set("clarification", clarification)
	return p
}

// set gives the card a property, and waits until it is drawn.
func (p *page) set(name string, value any) {
	p.t.Helper()
	p.js("card[%s] = %s; await card.updateComplete; await card.updateComplete;", name, value)
}

// reopen creates the card as if the page had just been opened, and asks.
func (p *page) reopen(clarification object) {
	p.t.Helper()
	p.js(`sessionStorage.clear(); online(true); card.replaceChildren(); answers.length = 0;
		Object.assign(card, {clarification: null, state: "pending", error: null, answer: null, answeredAt: "", answeredBy: "", disabled: false, instant: false}); await card.updateComplete;`)
	p.set("clarification", clarification)
}
