//go:build browser

package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// colored draws a block of code and waits for its colors.
func (p *page) colored(language, code string) {
	p.t.Helper()
	p.js("globalThis.node = await drawn(%s)", "````"+language+"\n"+code+"\n````")
	p.until("node.querySelector('code [class^=hl-]')")
}

func TestColorsNeverChangeTheCode(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	var long strings.Builder
	for i := range 700 {
		fmt.Fprintf(&long, "func f%d() string { return \"<&> \U0001F600\" } /* a\ncomment */\n", i)
	}
	for language, code := range map[string]string{
		"go":         "package main // no \"string\" here\n\nvar s = `a\n\"b\"\n` + \"<>&'\\\"\"\n",
		"Python":     "def f(x: int) -> str:\n    \"\"\"doc\"\"\"\n    return f'{x!r}' # \U0001F600 \u202e\n",
		"js":         "const a = `${b} <i>`; // </script>\nexport default /[/]\\/+/u;",
		"html":       "<p class=\"a\">&amp; &#x27; <b>x</b></p>\n<script>let a = 1 < 2;</script>\n<style>a { color: red }</style>",
		"c++":        "#include <vector>\ntemplate <typename T> auto f(T&& t) -> decltype(t);",
		"c#":         "var s = $\"{x}\"; // c",
		"sh":         "for f in *; do echo \"$f\" | sed 's/a/b/'; done # x",
		"diff":       "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y",
		"sql":        "SELECT a, 'b' FROM c WHERE d = 1 -- e",
		"yaml":       "a: 1\nb:\n  - \"c\" # d",
		"json":       "{\"a\": [1, null, \"\\u00e9\"]}",
		"css":        "a:hover { color: #fff; }",
		"rust":       "fn main() { let x: &'static str = \"a\"; }",
		"typescript": long.String(),
	} {
		p.colored(language, code)
		p.until("node.querySelectorAll('code [class^=hl-]').length > 1")
		if got := eval[string](p, "node.querySelector('code').textContent"); strings.TrimRight(got, "\n") != strings.TrimRight(code, "\n") {
			t.Errorf("%s: the code is\n%.400s\nwant\n%.400s", language, got, code)
		}
	}
	p.until("node.querySelectorAll('.piece [class^=hl-]').length > 100 && node.querySelectorAll('.code').length === 1 || !node.querySelector('.piece')")
}

// Of a block that was cut into pieces, a comment that goes on is a comment in all of them.
func TestColorsGoOnInContinuedCode(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	p.colored("go", "/*\n"+strings.Repeat("no func here\n", 400)+"*/\nfunc a() {}")
	p.until(`node.querySelectorAll(".piece").length > 0 && node.querySelectorAll(".hl-keyword").length === 1
		&& [...node.querySelectorAll(".piece")].some((piece) => piece.firstElementChild?.matches(".hl-comment"))`)
}

// Code that is very long, or takes very long to read, stays as it is, and does not block the page.
func TestCodeThatIsHardToReadStaysAsItIs(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	p.js("globalThis.slow = await drawn(%s)", "```java\n"+strings.Repeat("a", 49_000)+"\n```") // takes seconds
	p.js("globalThis.node = document.createElement('div'); document.querySelector('main').append(node); globalThis.beats = 0; setInterval(() => beats++, 10)")
	p.until("beats > 10")
	p.js("const next = document.createElement('askgate-markdown'); node.append(next); next.content = '```go\\nfunc a() {}\\n```'")
	p.until("node.querySelector('.hl-keyword')") // the next block has its turn
	if eval[int](p, "slow.textContent.match(/a+/g).at(-1).length") != 49_000 {
		t.Error("the text is not complete")
	}
	p.js("globalThis.node = await drawn(%s)", "```go\n"+strings.Repeat("func a() {}\n", 5000)+"```\n\n```go\nfunc b() {}\n```")
	p.until("node.querySelectorAll('.code')[1].querySelector('.hl-keyword') && !node.querySelector('.code').querySelector('.hl-keyword')")
}

// Code that grows keeps its colors; nothing moves when it gets them.
func TestCodeThatGrowsKeepsItsColors(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	p.colored("go", "func a() {}")
	got := eval[map[string]int](p, `(async () => {
		const node = document.createElement("askgate-markdown");
		document.querySelector("main").replaceChildren(node);
		node.open = true;
		const text = %s;
		let colored = false, lost = 0, heights = 0, before = 0;
		for (let i = 20; i <= text.length; i++) {
			node.content = text.slice(0, i);
			await frame();
			const now = Boolean(node.querySelector(".hl-keyword"));
			if (colored && !now) lost++;
			colored ||= now;
			while (!colored) { await frame(); colored = Boolean(node.querySelector(".hl-keyword")); }
		}
		node.open = false;
		await frame();
		before = node.offsetHeight;
		const plain = node.cloneNode(true);
		for (const code of plain.querySelectorAll("code")) code.textContent = code.textContent;
		node.replaceWith(plain);
		heights = Math.abs(plain.offsetHeight - before);
		return {lost, heights};
	})()`, "```go\nfunc main() {\n\treturn 1\n}\n"+strings.Repeat("// more\nvar x = 2\n", 20))
	if got["lost"] > 0 || got["heights"] > 0 {
		t.Errorf("the colors were lost %d times, and the height changes by %d px", got["lost"], got["heights"])
	}
}

func TestColorsAndFormulasAreAccessible(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	for _, scheme := range []string{"light", "dark"} {
		p.media("prefers-color-scheme", scheme)
		for language, code := range map[string]string{
			"go": "// c\nfunc A(b string) error { return f(\"d\", 1, nil) }", "diff": "-a\n+b\n@@ 1", "html": "<a href=\"b\">&amp;</a><!-- c -->", "yaml": "a: \"b\"",
		} {
			p.js("globalThis.node = await drawn(%s)", "Text $x^2$:\n\n$$"+strings.Repeat("x + ", 60)+"y$$\n\n```"+language+"\n"+code+"\n```")
			p.until("node.querySelector('.formula.display') && node.querySelector('code [class^=hl-]')")
			p.js("node.before(Object.assign(document.createElement('h1'), {textContent: 'Chat'}))")
			p.accessible(scheme + " " + language)
		}
	}
	p.resize(375)
	p.js("globalThis.node = await drawn(%s)", "Text $"+strings.Repeat(`\frac{aaaaaaaa}{b}`, 30)+"$ and\n\n$$"+strings.Repeat("x + ", 60)+"y$$")
	p.until("node.querySelector('.formula.display')")
	p.fits("formulas at 375 px")
	p.shot("formulas-narrow")
}
