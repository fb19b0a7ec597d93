//go:build browser

package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// markdownPage is the page with text(content, open), which draws what a model wrote.
func markdownPage(t *testing.T) *page {
	t.Helper()
	p := openChatPage(t, newSite(t, "", fromSources), "", 1000)
	p.until("find('#message')")
	p.js(`await import("/assets/page/transcript.js");
		globalThis.frame = () => new Promise((r) => setTimeout(r));
		globalThis.drawn = async (content) => {
			const node = document.createElement("askgate-markdown");
			document.querySelector("main").replaceChildren(node);
			Object.assign(node, {content, open: false});
			do await frame(); while (node.ariaBusy); // a long text takes several tasks
			return node;
		}`)
	return p
}

// Drawing a text piece by piece gives the same result as drawing it at once.
func TestTextThatGrowsIsTheSameText(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	for _, text := range []string{
		sample,
		"- a\n\n- b\n-\n- c\n\n1. d\n\n   e\n2. f",
		"Title\n===\n\ntext\n---\nnot\n\n| a |\n|---|\n| b |\n\n```\n# no title\n\n\n```\nafter",
		"see [a][1] and [b][2]\n\nmore\n\n[1]: https://a.example.org\n\nmore\n\n[2]: https://b.example.org \"B\"\n",
		"a\r\nb\r\n\r\n> c\r\nd\r\n\r\n    code\r\n\r\n\r\ne",
		"<b>bold\n\n<div>\n\nx</div> &amp; &lt; **a",
		"one\n\n\n\n\ntwo  \nthree\\\nfour",
	} {
		got := eval[[]string](p, `(async () => {
			const text = %s, node = document.createElement("askgate-markdown");
			const whole = (await drawn(text)).innerHTML;
			document.querySelector("main").replaceChildren(node);
			node.open = true;
			for (let i = 1; i <= text.length; i++) { node.content = text.slice(0, i); await frame(); }
			const grown = node.innerHTML;
			node.open = false;
			await frame();
			return [whole, node.innerHTML, grown].map((s) => s.replace(/<span class="hl-\w+">([^<]*)<\/span>/g, "$1").replace(/>\s+</g, "><")); // colors come later
		})()`, text)
		if got[1] != got[0] {
			t.Errorf("%q\nat once  %s\nby piece %s", text, got[0], got[1])
		}
		if got[2] == "" {
			t.Errorf("%q: nothing is visible while it grows", text)
		}
	}
}

func TestBlocksThatAreCompleteAreDrawnOnce(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	if same := eval[bool](p, `(async () => {
		const node = document.createElement("askgate-markdown");
		document.querySelector("main").replaceChildren(node);
		Object.assign(node, {content: "one\n\ntwo\n\nthree\n\nfo", open: true});
		await frame();
		const before = [...node.children];
		node.content = "one\n\ntwo\n\nthree\n\nfour\n\nfive";
		await frame();
		node.open = false;
		await frame();
		const after = [...node.children];
		return after.length === 5 && [0, 1, 2].every((i) => after[i] === before[i]) && node.textContent === "onetwothreefourfive";
	})()`); !same {
		t.Error("a block was drawn again, or is missing")
	}
}

func TestAModelsTextIsNotMarkup(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	for _, tt := range []struct{ text, shows string }{
		{`<script>globalThis.hit = 1</script>`, `<script>globalThis.hit = 1</script>`},
		{`<img src=x onerror="globalThis.hit = 1">`, `<img src=x onerror="globalThis.hit = 1">`},
		{"a <iframe srcdoc='<script>parent.hit = 1</script>'></iframe> b", `<iframe srcdoc=`},
		{`<svg><style><img src=x onerror=globalThis.hit=1></style></svg>`, "<svg>"},
		{`<b onclick="globalThis.hit = 1">bold</b>`, `<b onclick=`},
		{"<form action='https://evil.example.org'><button formaction='javascript:hit=1'>x</button></form>", "<form"},
		{`[click](javascript:globalThis.hit=1) [d](data:text/html,<script>hit=1</script>) [v](vbscript:x)`, "click"},
		{"[relative](/v1/apps) [hash](#travel/x)", "relative"},
		{`[a](https://evil.example.org"onmouseover="globalThis.hit=1)`, "a"},
		{"![pixel](https://evil.example.org/pixel.png?secret=1)", "pixel"},
		{"![x][ref]\n\n[ref]: https://evil.example.org/y.png", "x"},
		{"<style>body { display: none }</style>", "<style>"},
		{"<a href='javascript:hit=1' id='message' name='body'>x</a>", "<a href="},
		{"```html\n<script>hit = 1</script>\n```", "<script>"},
		{"`<img src=x onerror=hit=1>`", "<img"},
		{"<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=hit=1&gt;\">", "<math>"},
		{"<u>under</u> <kbd>Tab</kbd><br>x", "underTab"},
	} {
		p.js("globalThis.node = await drawn(%s); for (const e of node.querySelectorAll('*')) e.click?.call; await frame()", tt.text)
		if !eval[bool](p, "node.innerText.replace(/\\s/g, '').includes(%s.replace(/\\s/g, ''))", tt.shows) {
			t.Errorf("%s shows %s", tt.text, eval[string](p, "node.innerText"))
		}
		for _, bad := range eval[[]string](p, `[...node.querySelectorAll("script, style, iframe, img, form, svg, math, object, embed, [onerror], [onclick], [onmouseover], [id], [name], [src], [action], [formaction]")].map((e) => e.outerHTML)
			.concat([...node.querySelectorAll("a")].filter((a) => !/^(https?|mailto|tel):/.test(a.href) || a.rel !== "noopener noreferrer" || a.target !== "_blank").map((a) => a.outerHTML))`) {
			t.Errorf("%s became %s", tt.text, bad)
		}
	}
	if eval[bool](p, "'hit' in globalThis") {
		t.Error("a text ran")
	}
	if from := eval[[]string](p, "performance.getEntriesByType('resource').map((e) => e.name).filter((n) => !n.startsWith(location.origin))"); len(from) > 0 {
		t.Errorf("fetched %q", from)
	}
}

// Texts whose parsing takes time quadratic in their length, or a stack as deep as they are long.
func TestNoTextOfAModelStopsThePage(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	for what, text := range map[string]string{
		"emphasis": strings.Repeat("_a", 100_000) + "end", "brackets": strings.Repeat("<", 100_000) + "end", "an address": strings.Repeat("a.", 100_000) + "@end",
		"quotes": strings.Repeat("> ", 20_000) + "end", "a list": strings.Repeat("1. ", 20_000) + "end",
	} {
		p.js("globalThis.node = await drawn(%s)", "before\n\n"+text)
		if !eval[bool](p, "node.textContent.startsWith('before') && node.textContent.trim().endsWith('end') && !node.querySelector('em')") {
			t.Errorf("%s: %.80q", what, eval[string](p, "node.textContent.slice(0, 80)"))
		}
	}
	p.js("globalThis.node = await drawn(%s)", strings.Repeat("_word_ ", 700)) // as people write
	if n := eval[int](p, "node.querySelectorAll('em').length"); n != 700 {
		t.Errorf("%d words are emphasized", n)
	}
}

func TestLinksSayWhereTheyLead(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	for text, want := range map[string]string{
		"[your bank](https://evil.example.org/login)":                                      "your bank evil.example.org",
		"[https://bank.example.com](https://evil.example.org)":                             "https://bank.example.com evil.example.org",
		"https://a.example.org/x":                                                          "https://a.example.org/x",
		"[a.example.org](https://a.example.org/x)":                                         "a.example.org",
		"www.example.org/x?y#z":                                                            "www.example.org/x?y#z",
		"ada@example.org":                                                                  "ada@example.org",
		"[HTTPS://A.example.org/](https://a.example.org)":                                  "HTTPS://A.example.org/",
		"[https://bank.example/?evil.example.org](https://evil.example.org)":               "https://bank.example/?evil.example.org evil.example.org",
		"[bank.example (evil.example.org)](https://evil.example.org)":                      "bank.example (evil.example.org) evil.example.org",
		"[https://evil.example.org.bank.example](https://evil.example.org)":                "https://evil.example.org.bank.example evil.example.org",
		"[bank.example evil.example.org](https://evil.example.org)":                        "bank.example evil.example.org evil.example.org",
		"[a.example.org/safe](https://a.example.org/other)":                                "a.example.org/safe a.example.org",
		"[\u202egro.elpmaxe.a](https://a.example.org/)":                                    "\u202egro.elpmaxe.a a.example.org",
		"https://bank.example@evil.example.org/":                                           "https://bank.example@evil.example.org/ evil.example.org",
		"[bank.example](mailto:x@evil.example.org)":                                        "bank.example x@evil.example.org",
		"[Ada](mailto:ada@example.org)":                                                    "Ada ada@example.org",
		"[a](https://bank.example.com@evil.example.org/)":                                  "a evil.example.org",
		"[b](https://b\u00e4nk.example.org/)":                                              "b xn--bnk-qla.example.org",
		"![A map](https://maps.example.org/coast.png)":                                     "A map maps.example.org",
		"[x](https://evil.example.org/https://x.example.com \"https://bank.example.com\")": "x evil.example.org",
	} {
		if got := eval[string](p, "drawn(%s).then((n) => n.querySelector('a').textContent)", text); got != want {
			t.Errorf("%s shows %q, want %q", text, got, want)
		}
	}
}

// 10,000 pieces in one answer: the page still responds to keys, and shows every word. The length of
// its tasks is logged, not judged: it depends on the machine.
func TestALongAnswerLeavesThePageResponsive(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]func(i int) string{
		"paragraphs": func(i int) string {
			return fmt.Sprint("word", i, map[bool]string{true: ".\n\n", false: " "}[i%50 == 49])
		},
		"one paragraph": func(i int) string { return fmt.Sprint("word", i, " ") },
		"one code block": func(i int) string {
			return map[bool]string{true: "```go\n", false: ""}[i == 0] + fmt.Sprintf("call(%d)%s", i, map[bool]string{true: "\n", false: "; "}[i%8 == 7])
		},
		"one list": func(i int) string {
			return map[bool]string{true: "\n- ", false: ""}[i%10 == 0] + fmt.Sprint("**item** ", i, " ")
		},
	} {
		t.Run(name, func(t *testing.T) {
			const pieces = 10_000
			var answer modeltest.Response
			for i := range pieces {
				if answer = append(answer, modeltest.Text(part(i))); i%20 == 0 {
					answer = append(answer, modeltest.Delay(8*time.Millisecond))
				}
			}
			model := modeltest.New(t, append(answer, modeltest.Finish("stop"), modeltest.Done()))
			s := newSite(t, "", func(s *site) { s.env = append(s.env, "OPENAI_BASE_URL="+model.URL) })
			p := openChatPage(t, s, "", 1000)
			p.until("find('#message')")
			p.js(`globalThis.tasks = []; new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration))).observe({type: "longtask"});
				globalThis.frames = 0; (function count() { frames++; requestAnimationFrame(count); })()`)
			p.write("go")
			p.until("find('#stop')")
			from := eval[float64](p, "performance.now()")
			p.js("find('#message').focus()")
			p.keys("typed meanwhile")
			p.until("find('#message').value === 'typed meanwhile'")
			p.until("find('askgate-markdown')?.textContent.includes(%s) && !find('#stop')", fmt.Sprint(pieces-1))
			if n := eval[int](p, `(find("askgate-markdown").textContent.match(/\d+/g) ?? []).length`); n != pieces {
				t.Errorf("%d pieces are shown, want %d", n, pieces)
			}
			t.Logf("%.1f s, %d frames; tasks over 50 ms: %s", (eval[float64](p, "performance.now()")-from)/1000, eval[int](p, "frames"),
				strings.TrimSpace(eval[string](p, "tasks.length + (tasks.length ? ', the longest ' + Math.round(Math.max(...tasks)) + ' ms, together ' + Math.round(tasks.reduce((a, b) => a + b)) + ' ms' : '')")))
		})
	}
}
