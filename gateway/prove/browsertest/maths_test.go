//go:build browser

package browsertest

import (
	"slices"
	"strings"
	"testing"
)

// mathsPage is the page with formulas(content), which draws a text and returns its formulas as TeX; one
// that stands on its own begins with "display ".
func mathsPage(t *testing.T) *page {
	t.Helper()
	p := markdownPage(t)
	p.js(`globalThis.formulas = async (content) => {
			globalThis.node = await drawn(content);
			await frame();
			return [...node.querySelectorAll(".formula")].map((f) => (f.matches(".display") ? "display " : "") + f.querySelector("annotation").textContent);
		};
		await drawn("$x$");`)
	p.until("find('.formula .katex')") // KaTeX is loaded
	return p
}

func TestFormulasAreTypeset(t *testing.T) {
	t.Parallel()
	p := mathsPage(t)
	for text, want := range map[string][]string{
		"Euler: $e^{i\\pi} + 1 = 0$.":                    {`e^{i\pi} + 1 = 0`},
		`So \(a_1 * b_1 * c\) and \[ x^2 \] hold.`:       {"a_1 * b_1 * c", "display x^2"},
		"$$\nx = 1\n$$":                                  {"display x = 1"},
		"Before:\n$$x$$\nafter":                          {"display x"},
		"Before:\n\\[\n\\frac{a}{b}\n\\]\n\nafter $n$th": {`display \frac{a}{b}`, "n"},
		"- one $x_1$ and $x_2$\n- $$y$$":                 {"x_1", "x_2", "display y"},
		"| a | b |\n|---|---|\n| $x$ | **$y$** |":        {"x", "y"},
		"$a$, $b$ and ($c$)-$d$":                         {"a", "b", "c", "d"},
		"\\$5 is not $\\$5$":                             {`\$5`},
		"> ## $x$":                                       {"x"},
	} {
		if got := eval[[]string](p, "formulas(%s)", text); !slices.Equal(got, want) {
			t.Errorf("%q has the formulas %q, want %q", text, got, want)
		}
		if eval[bool](p, "Boolean(node.querySelector('.formula em, code'))") {
			t.Errorf("%q: a part is drawn as Markdown: %s", text, eval[string](p, "node.innerHTML"))
		}
	}
}

func TestMoneyIsNoFormula(t *testing.T) {
	t.Parallel()
	p := mathsPage(t)
	for _, text := range []string{
		"$5 to $10", "from $5 to 10$", "$5, or 10$ each", "I paid $5 and got 3$ back.", "US$5 and US$6", "a $20 bill and a $50 bill", "$1,000 and $2,000.50", "cost: $ 5 $",
		"`$x$` and `\\(y\\)`", "```\n$x$\n$$y$$\n```", "\\$x\\$", "echo $HOME/$USER and ${A}$B", "$", "$$", "$$$", "$x", "$x\n\ny$", "$$\nx\n\ny\n$$", "\\\\(x\\\\)",
	} {
		if got := eval[[]string](p, "formulas(%s)", text); len(got) > 0 {
			t.Errorf("%q has the formulas %q", text, got)
		}
		shown, plain := eval[string](p, "node.textContent"), strings.NewReplacer("`", "", "\\$", "$", `\\`, `\`, "\n", "").Replace(text)
		if !strings.HasSuffix(strings.ReplaceAll(shown, "\n", ""), plain) {
			t.Errorf("%q shows %q", text, shown)
		}
	}
}

// What KaTeX cannot read, or has to refuse, stays as the model wrote it.
func TestAFormulaThatCannotBeReadStaysAsWritten(t *testing.T) {
	t.Parallel()
	p := mathsPage(t)
	for _, text := range []string{
		`$\frac{a}$`, `$\nosuchcommand$`, `$\def\a{\a\a}\a$`, `$\def\a{` + strings.Repeat("x", 900) + `}` + strings.Repeat(`\a`, 500) + `$`, "$" + strings.Repeat("x", 2001) + "$",
	} {
		if got := eval[[]string](p, "formulas(%s)", text); len(got) > 0 || eval[string](p, "node.textContent") != text {
			t.Errorf("%.60q has the formulas %q and shows %.80q", text, got, eval[string](p, "node.textContent"))
		}
	}
}

// A formula has no links, images, classes or styles of its own, and is cut where its text ends.
func TestAFormulaCannotPassForThePage(t *testing.T) {
	t.Parallel()
	p := mathsPage(t)
	for _, text := range []string{
		`$\href{javascript:hit=1}{x}$`, `$\url{https://evil.example.org}$`, `$\includegraphics{https://evil.example.org/a.png}$`, `$\htmlClass{main}{x}$`, `$\htmlId{message}{x}$`,
		`$\htmlStyle{position:fixed}{x}$`, `$\htmlData{a=b}{x}$`, `$\text{<img src=x onerror=hit=1>}$`, `$x$<img src=y onerror=hit=1>`,
	} {
		p.js("await formulas(%s)", text)
		if bad := eval[[]string](p, `[...node.querySelectorAll("a, img, script, [id], [href], [src], [onerror], .main, [data-a], [style*=fixed]")].map((e) => e.outerHTML)`); len(bad) > 0 {
			t.Errorf("%s became %s", text, bad)
		}
	}
	if eval[bool](p, "'hit' in globalThis") {
		t.Error("a formula ran")
	}
	// It is drawn over what is next to the text, if it can be.
	p.js("await formulas(%s)", `- $\kern-15em\rule{19em}{3em}$`)
	if !eval[bool](p, `(() => {
		const {left} = node.getBoundingClientRect(), rule = node.querySelector(".katex-rule").getBoundingClientRect();
		if (rule.left > left - 40) throw new Error("the formula stays inside anyway");
		return !node.contains(document.elementFromPoint(left - 30, rule.top + 5));
	})()`) {
		t.Error("a formula is drawn outside of its text")
	}
}

// While a text grows, its formulas stay typeset, and what is not yet a formula has no emphasis.
func TestFormulasDoNotFlickerWhileTheyArrive(t *testing.T) {
	t.Parallel()
	p := mathsPage(t)
	if bad := eval[[]string](p, `(async () => {
		const text = "Let $a_1 * b_1$ be, and \\(c_1\\):\n\n$$\nx_1 * y_1 * z_1\n+ 2\n$$\n\nThen $d_1$ follows.", bad = [];
		const node = document.createElement("askgate-markdown");
		document.querySelector("main").replaceChildren(node);
		node.open = true;
		let most = 0;
		for (let i = 1; i <= text.length; i++) {
			node.content = text.slice(0, i);
			await frame();
			for (let n = 0; n < 100 && node.textContent.trim().at(-1) !== text.slice(0, i).trim().at(-1) && !node.querySelector(".formula"); n++) await frame();
			const typeset = node.querySelectorAll(".formula").length;
			if (typeset < most) bad.push("fewer formulas after " + text.slice(0, i));
			if (node.querySelector("em")) bad.push("emphasis after " + text.slice(0, i));
			most = Math.max(most, typeset);
		}
		node.open = false;
		await frame();
		if (node.querySelectorAll(".formula").length !== 4) bad.push("in the end: " + node.innerHTML);
		return bad;
	})()`); len(bad) > 0 {
		t.Errorf("%q", bad)
	}
}

// KaTeX and the colors are loaded by the first text that needs them, from the gateway alone.
func TestMathsAndColorsAreLoadedWhenNeeded(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	const loaded = `performance.getEntriesByType("resource").map((e) => e.name).filter((name) => /katex|highlight|typeset|color/i.test(name))`
	p.js("await drawn('$5, `code` and\\n\\n```\\nplain\\n```'); await frame()")
	if early := eval[[]string](p, loaded); len(early) > 0 {
		t.Errorf("loaded without need: %q", early)
	}
	p.js("globalThis.node = await drawn('$x$\\n\\n```go\\nfunc a() {}\\n```')")
	p.until("node.querySelector('.formula') && node.querySelector('.hl-keyword')")
	p.until("document.fonts.size > 0 && [...document.fonts].some((f) => f.family.includes('KaTeX') && f.status === 'loaded')")
	for _, name := range eval[[]string](p, loaded) {
		if !strings.HasPrefix(name, eval[string](p, "location.origin")) {
			t.Errorf("loaded from elsewhere: %s", name)
		}
	}
}
