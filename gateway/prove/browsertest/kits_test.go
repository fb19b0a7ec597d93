//go:build browser

package browsertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// These are chats that people build with third-party kits, as shown in docs/fronts/kits*.md. Each
// asks, is answered and is reloaded, and must show exactly what the gateway has stored.

const (
	kitSources  = examples + "kits/"
	kitPackages = "kits/" // a folder with package.json and package-lock.json for each kit
	kitChat     = "c1"
)

// kit is a page that is built with a kit.
type kit struct {
	source   string // in docs/examples/kits, .jsx or .js
	packages string // the folder of its packages
	composer string // selects where messages are written; Enter sends them
	head     string // HTML of the page's own
	shadow   string // selects the element in whose shadow root the kit draws, if it does
}

// kitPage is such a page in the browser, and its gateway.
type kitPage struct {
	*page
	t        *testing.T
	kit      kit
	url      string
	at       *elsewhere
	requests atomic.Int32 // that the model received
}

// openKit bundles a kit's page and shows it, with a gateway whose model follows the first word of a
// message:
//
//	ask    says "One moment." and asks which city, then says what was answered
//	both   calls the calculator and asks which city, in one step, then says both results
//	plain  says "Good morning."
//	html   says HTML that runs a script where a page takes it for its own
func openKit(t *testing.T, k kit) *kitPage {
	t.Helper()
	p := &kitPage{t: t, kit: k}
	p.at = newElsewhere(t, false, upstream(t, func(said string, results []string, d deltas) {
		p.requests.Add(1)
		const city = `{"questions":[{"id":"city","question":"Which city?","input_type":"select","options":[{"label":"Berlin, Germany","value":"ber"},{"label":"Paris, France","value":"par"}]}]}`
		switch word, _, _ := strings.Cut(said, " "); {
		case word == "ask" && len(results) == 0:
			d.words("One moment. ")
			d.calls("ask_user", city)
		case word == "both" && len(results) == 0:
			d.calls("calculator", `{"expression":"2+3"}`, "ask_user", city)
		case word == "plain":
			d.words("Good morning.")
			d.end("stop")
		case word == "html":
			d.words("Look: <img src=\"none\" onerror=\"globalThis.ran = true\"> there.")
			d.end("stop")
		default:
			d.words("So it is: " + strings.Join(results, " and ") + ".")
			d.end("stop")
		}
	}))
	script, style := bundle(t, k)
	p.at.mux.HandleFunc("GET /chat.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, style)
	})
	p.at.mux.HandleFunc("GET /chat.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, strings.ReplaceAll(script, "http://127.0.0.1:8080", p.at.gateway))
	})
	p.at.mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><title>A kit</title><link rel="stylesheet" href="chat.css">%s<div id="root"></div><script type="module" src="chat.js"></script>`, k.head)
	})
	p.url = p.at.url + "/#" + kitChat
	p.page = open(t, p.url, 800)
	p.help()
	return p
}

// help loads the helpers of pages, and makes them look where the kit draws: in place.
func (p *kitPage) help() {
	p.t.Helper()
	p.js(exampleHelpers)
	p.js(`const shadow = %s;
		Object.defineProperty(globalThis, "place", {get: () => shadow ? document.querySelector(shadow).shadowRoot : document.body});
		Object.defineProperty(globalThis, "text", {get: () => shadow ? [...place.children].map((e) => e.innerText ?? "").join("\n") : place.innerText});
		Object.defineProperty(globalThis, "card", {get: () => [...place.querySelectorAll("askgate-clarification")].at(-1)})`, p.kit.shadow)
}

// bundle builds one script from a kit's page, as its developer does, and one style sheet from those
// that it imports.
func bundle(t *testing.T, k kit) (script, style string) {
	t.Helper()
	dir := npmtest.Install(t, k.packages)
	if err := os.CopyFS(dir, os.DirFS(kitSources)); err != nil {
		t.Fatal(err)
	}
	own, err := filepath.Abs(static)
	if err != nil {
		t.Fatal(err)
	}
	npmtest.Run(t, dir, filepath.Join(npmtest.Install(t, npmPackages), "node_modules/esbuild/bin/esbuild"), k.source, "--bundle", "--format=esm", "--jsx=automatic", "--log-level=error",
		"--loader:.woff2=empty", "--loader:.woff=empty", "--loader:.ttf=empty", // of the style sheets of libraries
		"--define:process.env.NODE_ENV=\"production\"", "--alias:askgate="+own+"/client.js", "--alias:askgate/card="+own+"/card.js", "--alias:askgate/react="+own+"/askgate.js", "--outfile=chat.js")
	js, err := os.ReadFile(filepath.Join(dir, "chat.js"))
	if err != nil {
		t.Fatal(err)
	}
	css, err := os.ReadFile(filepath.Join(dir, "chat.css"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(js), string(css)
}

// say writes a message into the kit's composer, and sends it.
func (p *kitPage) say(message string) {
	p.t.Helper()
	p.until("place.querySelector(%s) && !place.querySelector(%s).disabled", p.kit.composer, p.kit.composer)
	p.js("place.querySelector(%s).focus()", p.kit.composer)
	p.keys(message, kb.Enter)
}

// reload loads the page again, as a user does.
func (p *kitPage) reload() {
	p.t.Helper()
	p.do(chromedp.Reload())
	p.help()
}

// once waits until the page contains a text, and fails if it contains it twice.
func (p *kitPage) once(text string) {
	p.t.Helper()
	p.until("text.includes(%s)", text)
	if n := eval[int](p.page, "text.split(%s).length - 1", text); n != 1 {
		p.t.Errorf("%q is shown %d times: %s", text, n, eval[string](p.page, "text"))
	}
}

// asked waits for the card of the one question that waits.
func (p *kitPage) asked() {
	p.t.Helper()
	p.until("find('.title').textContent.includes('Which city?')")
}

// closed waits until the only card is folded, and shows the answer.
func (p *kitPage) closed(label string) {
	p.t.Helper()
	p.until("find('.closed.answered .answer').textContent === %s", label)
	if n := eval[int](p.page, "place.querySelectorAll('askgate-clarification').length"); n != 1 {
		p.t.Errorf("%d cards, want one", n)
	}
}

// choose answers the question by keyboard.
func (p *kitPage) choose(digit string) {
	p.t.Helper()
	p.start()
	p.keys(digit, kb.Enter)
}

// kept is a chat as stored by the gateway.
type kept struct {
	Status   string
	Messages []struct {
		Role, Content string
		ToolCalls     []struct {
			ToolCallID, ToolName string
			Result               *string
			Clarification        *struct {
				State  string
				Answer json.RawMessage
			}
		}
	}
	Pending []json.RawMessage
}

// kept returns the chat as the native API has it.
func (p *kitPage) kept() kept {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.at.gateway+"/v1/apps/assistant/chats/"+kitChat, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+elsewhereKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	var v kept
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil || resp.StatusCode != http.StatusOK {
		p.t.Fatalf("the chat: %s %v", resp.Status, err)
	}
	return v
}

// has fails unless the chat is stored as these lines: "role: text", and "tool = result" for calls.
func (p *kitPage) has(requests int, lines ...string) {
	p.t.Helper()
	v := p.kept()
	var got []string
	for _, m := range v.Messages {
		if m.Content != "" {
			got = append(got, m.Role+": "+strings.TrimSpace(m.Content))
		}
		for _, c := range m.ToolCalls {
			line := c.ToolName + " ="
			if c.Result != nil {
				line += " " + *c.Result
			}
			if a := c.Clarification; a != nil {
				line += " " + a.State
			}
			got = append(got, line)
		}
	}
	if strings.Join(got, "\n") != strings.Join(lines, "\n") {
		p.t.Errorf("stored:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
	if n := int(p.requests.Load()); n != requests {
		p.t.Errorf("the model got %d requests, want %d", n, requests)
	}
}

// asksAndAnswers tests what each kit must do whose tools the card draws.
func (k kit) asksAndAnswers(t *testing.T) {
	t.Run("and comes back", func(t *testing.T) {
		t.Parallel()
		p := openKit(t, k)
		p.say("ask me")
		p.asked()
		p.choose("2")
		p.once("So it is: Paris, France (par).")
		p.closed("Paris, France")
		ask := []string{"user: ask me", "assistant: One moment.", "ask_user = Paris, France (par) answered", "assistant: So it is: Paris, France (par)."}
		p.has(2, ask...)
		for range 2 {
			p.reload()
			p.once("So it is: Paris, France (par).")
			p.once("One moment.")
			p.once("ask me")
			p.closed("Paris, France")
		}
		p.has(2, ask...)
		p.say("plain talk")
		p.once("Good morning.")
		p.once("ask me")
		p.has(3, append(ask, "user: plain talk", "assistant: Good morning.")...)
	})
	t.Run("and comes back to a question", func(t *testing.T) {
		t.Parallel()
		p := openKit(t, k)
		p.say("both please")
		p.asked()
		both := []string{"user: both please", "calculator = 5", "ask_user = pending"}
		p.has(1, both...)
		for range 2 {
			p.reload()
			p.asked()
			p.once("both please")
		}
		p.has(1, both...)
		p.choose("1")
		p.once("So it is: 5 and Berlin, Germany (ber).")
		p.once("both please")
		p.closed("Berlin, Germany")
		done := []string{"user: both please", "calculator = 5", "ask_user = Berlin, Germany (ber) answered", "assistant: So it is: 5 and Berlin, Germany (ber)."}
		p.has(2, done...)
		p.reload()
		p.once("So it is: 5 and Berlin, Germany (ber).")
		p.closed("Berlin, Germany")
		p.has(2, done...)
	})
}

func TestUseChat(t *testing.T) {
	t.Parallel()
	kit{source: "usechat.jsx", packages: npmPackages, composer: "[name=message]"}.asksAndAnswers(t)
}

func TestAssistantUI(t *testing.T) {
	t.Parallel()
	kit{source: "assistant-ui.jsx", packages: kitPackages + "assistant-ui", composer: "textarea"}.asksAndAnswers(t)
}

func TestCopilotKit(t *testing.T) {
	t.Parallel()
	k := kit{source: "copilotkit.jsx", packages: kitPackages + "copilotkit", composer: "textarea"}
	k.asksAndAnswers(t)
	t.Run("and is answered in its composer", func(t *testing.T) {
		t.Parallel()
		p := openKit(t, k)
		p.say("both please")
		p.asked()
		p.say("2")
		p.once("So it is: 5 and Paris, France (par).")
		p.until("find('.closed.answered')") // the result is the text that the model gets
		done := []string{"user: both please", "calculator = 5", "ask_user = Paris, France (par) answered", "assistant: So it is: 5 and Paris, France (par)."}
		p.has(2, done...)
		p.reload()
		p.once("So it is: 5 and Paris, France (par).")
		p.closed("Paris, France")
		p.has(2, done...)
	})
	t.Run("and runs nothing that a model writes", k.runsNothing)
}
