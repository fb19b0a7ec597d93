//go:build browser

package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// trains starts a tool's server whose result has 25 rows.
func trains(t *testing.T) (tools string) {
	t.Helper()
	var rows []string
	for i := range 25 {
		rows = append(rows, fmt.Sprintf(`{"train": "RE %d", "from": "Ulm", "to": "Lindau \u200bInsel", "price": %d.50, "seats": null, "id": 1234567890123456789%d, "ticket": "https://trains.example.org/t/%d", "via": ["Ravensburg", "Meckenbeuren"], "direct": true, "note": %q}`,
			i, 20+i, i, i, strings.Repeat("Bring your own bicycle. ", 1+15*(i%2))))
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "[%s]", strings.Join(rows, ", "))
	}))
	t.Cleanup(s.Close)
	return `[{"id": "trains", "type": "http", "description": {"en": "All trains."}, "parameters": {"type": "object"}, "http": {"url": "` + s.URL + `"}}]`
}

func TestAToolsResultCanBeLookedAt(t *testing.T) {
	t.Parallel()
	model := upstream(t, func(_ string, results []string, d deltas) {
		if len(results) == 0 {
			d.calls("trains", `{}`)
			return
		}
		d.words("Here they are:\n\n```sh\necho 'one'\n```")
		d.end("stop")
	})
	s := newSite(t, "", model, configured(t, map[string]string{
		"gateway.json": guideConfig, "tools.json": trains(t), "apps/travel.json": `{"id": "travel", "name": "Travel guide", "tools": ["trains"]}`,
	}))
	p := openChatPage(t, s, "", 1200)
	p.write("Which trains are there?")
	p.says("Here they are")
	p.idle()
	for _, when := range []string{"at once", "after a reload"} {
		p.js("find('.fold summary').click()")
		p.until("document.querySelectorAll('tool-result tbody tr').length === 20 && document.querySelectorAll('tool-result thead th').length === 8")
		got := eval[[]string](p, "[...find('tool-result tbody tr').children].map((td) => td.innerText)")
		want := []string{"RE 0", "Ulm", `Lindau \u200bInsel`, "20.50", "null", "12345678901234567890", "https://trains.example.org/t/0", "Ravensburg\nMeckenbeuren"}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
		p.js("find('.all').click()")
		p.until("document.querySelectorAll('tool-result tbody tr').length === 25 && document.querySelectorAll('tool-result thead th').length === 10 && find('tool-result tbody tr:nth-child(2)').innerText.length > 350")
		p.js("find('.all').click()")
		p.until("document.querySelectorAll('tool-result tbody tr').length === 20")
		p.js("find('.exact summary').click()")
		p.until(`find('.exact pre').innerText.startsWith('[\n  {\n    "train": "RE 0",\n    "from": "Ulm",\n    "to": "Lindau \\u200bInsel",\n    "price": 20.50,\n    "seats": null,\n    "id": 12345678901234567890,')`)
		if when == "at once" {
			for _, look := range []struct {
				name, scheme, dir string
				width             int64
			}{{"light", "light", "ltr", 1200}, {"phone", "light", "ltr", 375}, {"dark", "dark", "ltr", 1200}, {"rtl", "dark", "rtl", 375}} {
				p.resize(look.width)
				p.media("prefers-color-scheme", look.scheme)
				p.js("document.documentElement.dir = %s; find('.fold').scrollIntoView()", look.dir)
				p.accessible("result " + look.name)
				p.fits("result " + look.name)
				p.shot("page-" + look.name + "-result")
			}
			p.resize(1200)
		}
		p.do(chromedp.Reload())
		p.says("Here they are")
		p.idle()
	}

	// The copied text is the stored one, and copying is announced.
	p.js(`find('.fold summary').click(); globalThis.copied = []; navigator.clipboard.writeText = async (words) => { copied.push(words); };
		globalThis.said = []; new MutationObserver(() => said.push(find("#news").textContent)).observe(find("#news"), {childList: true, characterData: true, subtree: true})`)
	for i, of := range []struct{ button, holds string }{
		{"tool-result .copy", "copied.at(-1).startsWith('[{\"train\": \"RE 0\"') && copied.at(-1).includes('\\\\u200b') && JSON.parse(copied.at(-1)).length === 25"},
		{".code .copy", `copied.at(-1).trim() === "echo 'one'"`},
		{".acts .copy", "copied.at(-1).startsWith('Here they are:\\n\\n```sh')"},
	} {
		p.js("const b = find(%s); b.focus(); if (document.activeElement !== b) throw new Error('no focus')", of.button)
		p.keys("\r")
		p.until(of.holds+" && said.filter((s) => s === 'Copied').length === %s", i+1)
	}
}

// A result shows what is stored and nothing else, whatever it is.
func TestAResultIsShownAsItIsWritten(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	for _, tt := range []struct{ content, shows string }{
		{`plain words`, "plain words"},
		{`[1.0, 1e3, -0, 123456789012345678901234567890]`, "1.0\n1e3\n-0\n123456789012345678901234567890"},
		{`{"b": 1, "1": 2, "b": 3}`, "b\t1\n1\t2\nb\t3"},
		{`[{"a": 1, "a": 2}]`, "a\t1\na\t2"},
		{`[{"a": 1}, {"b": "1"}]`, "a\tb\n1\t\n\t1"},
		{`{"a": "", "": " ", "n": null, "o": {}, "l": []}`, "a\t\"\"\n\"\"\t\" \"\nn\tnull\no\t{}\nl\t[]"},
		{"{\"a\": \"x\u202ecod.exe\", \"k\u200b\": \"\\u0000\"}", `a	x\u202ecod.exe` + "\n" + `k\u200b	\u0000`},
		{"a\u202eb\r\nc\u00a0d", `a\u202eb` + "\n" + `c\u00a0d`},
		{`{"a": {"b": {"c": {"d": 1.50}}}}`, `a b c { "d": 1.50 }`},
		{`<img src=x onerror="hit = 1">`, `<img src=x onerror="hit = 1">`},
		{`{"__proto__": {"x": 1}, "constructor": 2}`, "__proto__\tx\t1\nconstructor\t2"},
		{`{"a": 1`, `{"a": 1`}, // not JSON: unchanged
		{`"a string"`, `"a string"`},
		{strings.Repeat("[", 100) + strings.Repeat("]", 100), strings.Repeat("[", 100) + strings.Repeat("]", 100)},
		{"see https://a.example.org/x, (https://b.example.org) javascript:alert(1)", "see https://a.example.org/x, (https://b.example.org) javascript:alert(1)"},
	} {
		got := eval[string](p, `(async () => {
			const node = document.createElement("tool-result");
			document.querySelector("main").replaceChildren(node);
			node.content = %s;
			await node.updateComplete;
			for (const away of node.querySelectorAll(".result-head, details")) away.remove();
			return node.innerText.trim().replace(/\s+/g, " ");
		})()`, tt.content)
		if want := strings.Join(strings.Fields(tt.shows), " "); got != want {
			t.Errorf("%s shows %q, want %q", tt.content, got, want)
		}
	}
	links := eval[[]string](p, `[...document.querySelectorAll("tool-result a")].map((a) => a.href + " " + a.rel + " " + a.target)`)
	if want := []string{"https://a.example.org/x noopener noreferrer _blank", "https://b.example.org/ noopener noreferrer _blank"}; strings.Join(links, "|") != strings.Join(want, "|") {
		t.Errorf("links %q, want %q", links, want)
	}
	// A result of the maximum size is drawn without a table that is mostly empty.
	for _, content := range []string{"[" + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 3000), ",") + "]", strings.Repeat("https://a.example.org ", 1000) + "https://a" + strings.Repeat(")", 300_000) + "a"} {
		p.js(`const node = document.createElement("tool-result"); document.querySelector("main").replaceChildren(node); node.content = %s; await node.updateComplete;
			node.querySelector(".all").click(); await node.updateComplete; if (node.querySelectorAll("tr, a").length < 1000) throw new Error("not all")`, content)
	}
	if eval[bool](p, "'hit' in globalThis") {
		t.Error("a result ran")
	}
}
