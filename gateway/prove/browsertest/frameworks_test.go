//go:build browser

package browsertest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/askgate/askgate/gateway/prove/npmtest"
	"github.com/askgate/askgate/gateway/prove/testenv"
)

// frameworks has the npm packages with which the examples are checked and built.
const frameworks = "../frameworks"

// node runs a program of npm's packages in a folder.
func node(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testenv.Node(t), args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("node %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// installed returns a folder with the examples and, below node_modules, what npm makes of the package
// askgate.
func installed(t *testing.T) string {
	t.Helper()
	dir := npmtest.Install(t, frameworks)
	shared, err := filepath.EvalSymlinks(filepath.Join(dir, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	own := t.TempDir()
	packed := filepath.Join(own, "node_modules", "askgate")
	if err := os.MkdirAll(packed, 0o755); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(shared)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(shared, e.Name()), filepath.Join(own, "node_modules", e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	source, err := filepath.Abs(static)
	if err != nil {
		t.Fatal(err)
	}
	pack := exec.CommandContext(t.Context(), testenv.NPM(t), "pack", "--json", "--ignore-scripts", "--pack-destination", own, source)
	pack.Dir = own
	out, err := pack.Output()
	var names []struct{ Filename string }
	if err == nil {
		err = json.Unmarshal(out, &names)
	}
	if err != nil || len(names) != 1 {
		t.Fatalf("npm pack: %v: %s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), "tar", "-xzf", filepath.Join(own, names[0].Filename), "-C", packed, "--strip-components", "1").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.CopyFS(filepath.Join(own, "examples"), os.DirFS(examples+"frameworks")); err != nil {
		t.Fatal(err)
	}
	return own
}

// The examples with the hooks compile in the compilers' strictest mode, build with Vite, and ask and
// answer in front of a real gateway: drawn by hand, and with the ready-made chat.
func TestTheFrameworksExamplesAskAndAnswer(t *testing.T) {
	t.Parallel()
	for name, check := range map[string][]string{
		"react":  {"node_modules/typescript/bin/tsc", "-p", "examples/react"},
		"vue":    {"node_modules/vue-tsc/bin/vue-tsc.js", "--noEmit", "-p", "examples/vue"},
		"svelte": {"node_modules/svelte-check/bin/svelte-check", "--workspace", "examples/svelte", "--tsconfig", "tsconfig.json", "--fail-on-warnings"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := installed(t)
			node(t, dir, check...)
			e := newElsewhere(t, false)
			gateway := filepath.Join(dir, "examples", "gateway.ts")
			text, err := os.ReadFile(gateway)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(gateway, bytes.ReplaceAll(text, []byte("http://127.0.0.1:8080"), []byte(e.gateway)), 0o600); err != nil {
				t.Fatal(err)
			}
			built := t.TempDir()
			node(t, dir, "node_modules/vite/bin/vite.js", "build", "examples/"+name, "--outDir", built, "--emptyOutDir")
			e.mux.Handle("GET /", http.FileServer(http.Dir(built)))
			p := open(t, e.url, 800)
			p.byHand()
			q := open(t, e.url+"/#whole", 800)
			q.readyMade()
		})
	}
}

// On a server, hooks and components give what a browser continues from, without a connection; a token
// is not part of it.
func TestTheFrameworksRenderOnAServer(t *testing.T) {
	t.Parallel()
	dir := installed(t)
	got := node(t, dir, "--input-type=module", "-e", `
		import { createElement } from "react";
		import { renderToString as react } from "react-dom/server";
		import { createSSRApp, h } from "vue";
		import { renderToString as vue } from "vue/server-renderer";
		import * as R from "askgate/react";
		import * as V from "askgate/vue";
		globalThis.fetch = () => { throw new Error("a request"); };
		const props = { app: "assistant", base: "https://g.example.org", headers: { Authorization: "Bearer secret" } };
		const Hook = () => createElement("p", null, R.useAskGate(props).state.status);
		console.log(react(createElement(R.AskGateChat, props)), react(createElement(Hook)));
		console.log(await vue(createSSRApp({ setup: () => {
			const chat = V.useAskGate(props);
			return () => [h(V.AskGateChat, props), h("p", chat.state.status)];
		} })));`)
	if strings.Count(got, "<askgate-chat") != 2 || strings.Count(got, "<p>idle</p>") != 2 || strings.Contains(got, "secret") {
		t.Error(got)
	}
}

// byHand has questions answered on a page that draws them with buttons and fields of its own.
func (p *page) byHand() {
	p.t.Helper()
	p.js(`globalThis.find = (s) => document.querySelector(s);
		globalThis.write = (selector, text) => {
			const input = find(selector);
			Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, text); // as typing does, past the framework
			input.dispatchEvent(new Event("input", {bubbles: true}));
		};
		globalThis.say = (text) => { write("[name=message]", text); document.forms[0].requestSubmit(); };`)
	p.until("find('[name=message]')")
	p.js("say('select')")
	p.until("find('legend')?.textContent.includes('Which language')")
	p.js("find('.answer').click()")
	p.until("find('[role=alert]')?.textContent === 'Choose an option.'")
	p.js("[...document.querySelectorAll('fieldset button')].find((b) => b.textContent === 'German').click()")
	p.until("find('[aria-pressed=true]')?.textContent === 'German' && !find('[role=alert]')")
	p.js("find('.answer').click()")
	p.until("find('#log').textContent.includes('You answered: German (de)') && !find('.question')")

	p.js("say('text')")
	p.until("find('.question input')")
	p.js("write('.question input', 'AB-1234')")
	p.js("find('.answer').click()")
	p.until("find('[role=alert]')?.textContent.startsWith('Two capital letters')")
	p.js("write('.question input', 'AB-123')")
	p.until("!find('[role=alert]')")
	p.js("find('.answer').click()")
	p.until("find('#log').textContent.includes('You answered: AB-123')")
}

// readyMade has a question answered in <askgate-chat>.
func (p *page) readyMade() {
	p.t.Helper()
	p.js(`globalThis.chat = () => document.querySelector("askgate-chat")?.shadowRoot;
		Object.defineProperty(globalThis, "card", {get: () => chat()?.querySelector("askgate-clarification[data-open]"), configurable: true});
		globalThis.find = (s) => card?.shadowRoot.querySelector(s);`)
	p.until("chat()?.querySelector('textarea')")
	p.js("chat().querySelector('textarea').focus()")
	p.keys("select", kb.Enter)
	p.until("find('.title')?.textContent.includes('Which language')")
	p.accessible("a question in the ready-made chat")
	p.start()
	p.keys("2", kb.Enter)
	p.until("chat().querySelector('.log').innerText.includes('You answered: German (de)') && chat().querySelector('textarea')")
	p.accessible("the ready-made chat")
	p.fits("the ready-made chat")
}
