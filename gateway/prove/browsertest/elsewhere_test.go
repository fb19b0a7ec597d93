//go:build browser

package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// These are pages of another origin than the gateway's, with nothing between them and the gateway.

const (
	examples     = "../../../docs/examples/"
	static       = "../../web/static"
	npmPackages  = "../npm"
	elsewhereKey = "ag_browser_test_elsewhere_0123456789"
	anyHost      = "askgate.test" // for the browser, hosts below it are this machine, but not a secure context
)

// elsewhere is the server of such a page: it serves the page, further files, and a key for
// everyone.
type elsewhere struct {
	url     string // with a name in place of the address, if there is one
	gateway string // its address, likewise
	server  *httptest.Server
	mux     *http.ServeMux
}

// newElsewhere starts such a server, and a gateway that lists its origin. named makes both use a
// name.
func newElsewhere(t *testing.T, named bool, set ...func(*site)) *elsewhere {
	t.Helper()
	e := &elsewhere{mux: http.NewServeMux()}
	e.server = httptest.NewServer(e.mux)
	t.Cleanup(e.server.Close)
	e.url = e.server.URL
	if named {
		e.url = byName(t, e.url, "page")
	}
	gate := newSite(t, "", append(set, configured(t, map[string]string{"gateway.json": fmt.Sprintf(`{"cors": {"origins": [%q]},
		"auth": {"mode": "apiKeys", "keys": [{"id": "web", "hash": %q, "tenant": "acme", "subject": "alice"}]}}`, e.url, hashOf(elsewhereKey))}))...)
	e.gateway = gate.target.String()
	if named {
		e.gateway = byName(t, e.gateway, "gateway")
	}
	e.mux.HandleFunc("GET /key", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, elsewhereKey) })
	return e
}

// byName returns an address with a host name that the browser resolves to this machine.
func byName(t *testing.T, address, name string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = name + "." + anyHost + ":" + u.Port()
	return u.String()
}

// example serves a file of the examples at a path, with this gateway's address in it.
func (e *elsewhere) example(t *testing.T, path, file string, headers ...string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	own := strings.ReplaceAll(string(text), "http://127.0.0.1:8080", e.gateway)
	e.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
		kind := "text/html; charset=utf-8"
		if strings.HasSuffix(file, ".js") {
			kind = "text/javascript"
		}
		w.Header().Set("Content-Type", kind)
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		fmt.Fprint(w, own)
	})
}

// talk has a question of each of two kinds answered on the page, the second one first with an
// invalid answer.
func (p *page) talk() {
	p.t.Helper()
	p.js(exampleHelpers)
	p.until("document.forms[0]")
	p.say("select")
	p.until("find('.title').textContent.includes('Which language')")
	p.start()
	p.keys("2", kb.Enter)
	p.until("find('.closed.answered .answer').textContent === 'German'")
	p.shows("You answered: German (de)")
	p.say("text")
	p.until("find('#input')")
	p.start()
	p.keys("AB-1234", kb.Enter)
	p.until("find('#error-value').textContent.startsWith('Two capital letters')")
	p.keys(kb.Backspace, kb.Enter)
	p.shows("You answered: AB-123")
}

// A page with the strictest policy, which allows the gateway and nothing else.
func TestTheCardStandsOnAPageOfAnotherOrigin(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t, false)
	e.example(t, "/{$}", examples+"card.html", "Cross-Origin-Embedder-Policy", "require-corp", "Cross-Origin-Opener-Policy", "same-origin",
		"Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src 'unsafe-inline' %[1]s; connect-src 'self' %[1]s; img-src %[1]s; worker-src blob: %[1]s; "+
			"require-trusted-types-for 'script'; trusted-types lit-html askgate", e.gateway))
	p := open(t, e.url, 800)
	p.talk()
	if !eval[bool](p, "crossOriginIsolated") {
		t.Error("the page is not isolated: it would load anything")
	}
	p.js(`const icon = new Image(); icon.src = %s; await icon.decode()`, e.gateway+"/assets/icon.svg")
	got := eval[[]any](p, `(async () => {
		const {matchesInWorker: matches} = await import(%[1]s + "/assets/card/match.js"), {loadMessages} = await import(%[1]s + "/assets/askgate.js");
		return [await matches({pattern: "[A-Z]{2}"}, "AB"), await matches({pattern: "[A-Z]{2}"}, "ABC"), (await loadMessages("de"))["card.send"]];
	})()`, e.gateway)
	if want := []any{true, false, "Senden"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the worker and the texts of another origin: %v, want %v", got, want)
	}
	// Resources that are not public stay limited to the listed origins, and no origin gets the
	// cookie.
	if refused := eval[string](p, `Promise.allSettled(["/page/texts", "/healthz", "/"].map((path) => fetch(%s + path))).then((all) => all.map((r) => r.status).join())`, e.gateway); refused != "rejected,rejected,rejected" {
		t.Errorf("another origin reads a resource that is not public: %s", refused)
	}
}

func TestAPageThatIsNotListedHasTheCardAndNoChat(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t, false)
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>A stranger</title><askgate-clarification></askgate-clarification>")
	}))
	t.Cleanup(stranger.Close)
	p := open(t, stranger.URL, 800)
	p.js(exampleHelpers)
	p.js(`const {Client} = await import(%[1]s + "/assets/askgate.js");
		globalThis.client = new Client({base: %[1]s, app: "assistant", headers: {Authorization: "Bearer " + %[2]s}});`, e.gateway, elsewhereKey)
	p.set("clarification", asked(question("select", "Which?", object{"options": options("A", "a")})))
	p.until("find('.title').textContent.includes('Which?')")
	if code := eval[string](p, `client.snapshot().then(() => "read", (problem) => problem.code)`); code != "offline" {
		t.Errorf("a page that is not listed: %s", code)
	}
}

func TestTheVueExampleAsksAndAnswers(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t, false)
	e.example(t, "/{$}", examples+"vue.html")
	e.mux.Handle("/node_modules/", http.FileServer(http.Dir(npmtest.Install(t, npmPackages))))
	open(t, e.url, 800).talk()
}

// The example as a bundler builds it, with the package in it.
func TestTheReactExampleAsksAndAnswers(t *testing.T) {
	t.Parallel()
	dir := npmtest.Install(t, npmPackages)
	if err := os.CopyFS(filepath.Join(dir, "react"), os.DirFS(examples+"react")); err != nil {
		t.Fatal(err)
	}
	card, err := filepath.Abs(static + "/askgate.js")
	if err != nil {
		t.Fatal(err)
	}
	npmtest.Run(t, dir, "node_modules/esbuild/bin/esbuild", "react/chat.tsx", "--bundle", "--format=esm", "--jsx=automatic",
		"--define:process.env.NODE_ENV=\"production\"", "--alias:askgate/react="+card, "--outfile=react/chat.js")
	e := newElsewhere(t, false)
	e.example(t, "/{$}", filepath.Join(dir, "react", "index.html"))
	e.example(t, "/chat.js", filepath.Join(dir, "react", "chat.js"))
	open(t, e.url, 800).talk()
}

// A page that brings the package along does not load its modules from a gateway: it sets where the
// texts are.
func TestAPackagedCardGetsItsTextsFromTheGateway(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t, false)
	e.mux.Handle("/askgate/", http.StripPrefix("/askgate/", http.FileServer(http.Dir(static))))
	e.mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><html lang="de"><title>Eine Seite</title><askgate-clarification></askgate-clarification>`)
	})
	p := open(t, e.url, 800)
	p.js(exampleHelpers)
	p.js(`globalThis.gate = await import("/askgate/askgate.js")`)
	ask := asked(question("text", "Wie?", nil))
	p.set("clarification", ask)
	p.until("find('button.main').textContent.trim() === 'Send'") // English as the fallback
	p.js(`await gate.loadMessages("de", %s); card.remove(); document.body.append(document.createElement("askgate-clarification"))`, e.gateway)
	p.set("clarification", ask)
	p.until("find('button.main').textContent.trim() === 'Senden'")
	p.js(`document.documentElement.lang = "fr"; card.remove(); document.body.append(document.createElement("askgate-clarification"))`)
	p.set("clarification", ask)
	p.until("find('button.main').textContent.trim() === 'Envoyer'")
}

// Without TLS, and not on this machine: browsers disable features that need a secure context.
func TestPlainHTTPIsEnough(t *testing.T) {
	t.Parallel()
	const insecure = "!isSecureContext && crypto.randomUUID === undefined && crypto.subtle === undefined"
	e := newElsewhere(t, true)
	e.example(t, "/{$}", examples+"card.html")
	p := open(t, e.url, 800)
	if !eval[bool](p, insecure) {
		t.Fatal("the page is a secure context: this tests nothing")
	}
	p.talk()

	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"hosts": ["gateway.` + anyHost + `"]}`}))
	q := open(t, "about:blank", 800)
	q.visit(byName(t, s.target.String(), "gateway"))
	if !eval[bool](q, insecure) {
		t.Fatal("the chat page is a secure context: this tests nothing")
	}
	q.write("select")
	q.until("find('.title').textContent.includes('Which language')")
	q.start()
	q.keys("2", kb.Enter)
	q.says("You answered: German (de)")
	q.do(chromedp.Reload())
	q.says("You answered: German (de)")
}

// useChat of the AI SDK, with the card for questions.
func TestTheUseChatExampleAsksAndAnswers(t *testing.T) {
	t.Parallel()
	dir := npmtest.Install(t, npmPackages)
	if err := os.CopyFS(filepath.Join(dir, "usechat"), os.DirFS(examples+"usechat")); err != nil {
		t.Fatal(err)
	}
	card, err := filepath.Abs(static + "/askgate.js")
	if err != nil {
		t.Fatal(err)
	}
	npmtest.Run(t, dir, "node_modules/esbuild/bin/esbuild", "usechat/chat.jsx", "--bundle", "--format=esm", "--jsx=automatic",
		"--define:process.env.NODE_ENV=\"production\"", "--alias:askgate/react="+card, "--outfile=usechat/chat.js")
	e := newElsewhere(t, false)
	e.example(t, "/{$}", filepath.Join(dir, "usechat", "index.html"))
	e.example(t, "/chat.js", filepath.Join(dir, "usechat", "chat.js"))
	p := open(t, e.url, 800)
	p.js(exampleHelpers)
	p.until("document.forms[0]")
	p.say("select")
	p.until("find('.title').textContent.includes('Which language')")
	p.start()
	p.keys("2", kb.Enter)
	p.until("find('.closed.answered .answer').textContent === 'German'")
	p.shows("You answered: German (de)")
	p.say("text")
	p.until("find('#input')")
	p.start()
	p.keys("AB-1234", kb.Enter)
	// The card's verdict or, if a busy machine has none in time, the gateway's.
	p.until("[...card.shadowRoot.querySelectorAll('#error-value, .alert')].some((e) => e.textContent.includes('Two capital letters'))")
	p.start()
	p.keys(kb.Backspace, kb.Enter)
	p.shows("You answered: AB-123")
}
