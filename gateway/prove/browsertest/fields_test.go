//go:build browser

package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// enterNext are helpers: enter types into a field, pick chooses, next presses the main button.
const enterNext = `globalThis.enter = async (id, v) => { find(id).value = v; find(id).dispatchEvent(new Event("input")); await card.updateComplete; };
globalThis.next = async () => { find("button.main").click(); await card.updateComplete; await card.updateComplete; };
globalThis.pick = async (n) => { const p = card.shadowRoot.querySelectorAll(".pick")[n]; p.focus(); p.click(); await card.updateComplete; };
globalThis.where = () => find("[part=progress] span")?.textContent ?? "";
globalThis.news = () => find("[role=status]").textContent;
globalThis.says = (s) => [...card.shadowRoot.querySelectorAll(s)].map((e) => e.textContent.trim()).join("|");`

// Questions appear and disappear with the answers that they depend on; typed text stays, and a
// question that does not apply is not sent.
func TestQuestionsComeAndGoWithWhatTheyHangOn(t *testing.T) {
	t.Parallel()
	p := showCard(t, hanging())
	p.js(enterNext)
	said := func(script, want string) {
		t.Helper()
		if got := eval[string](p, script); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
	// No question depends on another: one question, which is sent at once.
	said(`where() + find("button.main").textContent.trim()`, "Send")
	p.js(`await pick(0)`)
	said(`where() + "; " + news() + "; " + find("button.main").textContent.trim()`, "1 of 2; 1 of 2; Next")
	said(`card.shadowRoot.activeElement?.matches(".pick:checked") ? "focus" : "none"`, "focus")
	p.js(`await pick(1)`)
	said(`where() + "; " + news()`, "; 1 of 1")
	p.js(`await pick(0); await next()`)
	said(`says("#title") + where()`, "In colour?2 of 2")
	p.js(`await pick(0)`)
	said(`where() + "; " + news()`, "2 of 3; 2 of 3")
	p.js(`await next(); await enter("#input", "7"); await next()`)
	said(`says(".review .asked")`, "How do you want the report?|In colour?|How many copies in colour?")
	// The first answer changes: the others no longer apply, and nothing is reviewed.
	p.js(`find(".review li button").click(); await card.updateComplete; await pick(1)`)
	said(`JSON.stringify(JSON.parse(sessionStorage.getItem("askgate:draft:clr_1")).drafts[2].input)`, `"7"`)
	p.js(`await next()`)
	said(`JSON.stringify(answers.map((a) => a.answers))`, `[[{"value":"file"},{"skipped":true},{"skipped":true}]]`)
	// It was refused, and the user goes back: the typed text is still there.
	p.js(`card.error = {status: 0, code: "offline"}; await card.updateComplete; await pick(0); await next(); await next()`)
	said(`says("#title") + find("#input").value`, "How many copies in colour?7")
	p.js(`await next(); await next()`)
	said(`JSON.stringify(answers.at(-1).answers)`, `[{"value":"paper"},{"value":true},{"value":7}]`)
}

func TestBackAndReloadPassWhatIsNotAsked(t *testing.T) {
	t.Parallel()
	ask := hanging()
	ask["questions"] = append(ask["questions"].([]object), question("text", "Anything else?", object{"id": "else", "allow_skip": true}))
	p := showCard(t, ask)
	p.js(enterNext)
	p.js(`await pick(1); await next()`)
	if got := eval[string](p, `says("#title") + where()`); got != "Anything else?2 of 2" {
		t.Errorf("the next is %q", got)
	}
	p.js(`find("[part=back]").click(); await card.updateComplete; await card.updateComplete`)
	if got := eval[string](p, `says("#title")`); got != "How do you want the report?" {
		t.Errorf("back is %q", got)
	}
	p.js(`await next(); card.clarification = null; await card.updateComplete; card.clarification = %s; await card.updateComplete; await card.updateComplete`, ask)
	if got := eval[string](p, `says("#title") + where()`); got != "Anything else?2 of 2" {
		t.Errorf("after a reload: %q", got)
	}
	p.js(`card.shadowRoot.querySelector(".aside .quiet").click(); await card.updateComplete; await next()`)
	if got := eval[string](p, `JSON.stringify(answers.at(-1).answers)`); got != `[{"value":"file"},{"skipped":true},{"skipped":true},{"skipped":true}]` {
		t.Errorf("sent %s", got)
	}
	p.js(`Object.assign(card, {state: "answered", answer: {answers: answers.at(-1).answers}}); await card.updateComplete`)
	if got := eval[string](p, `says(".said .asked")`); got != "How do you want the report?|Anything else?" {
		t.Errorf("the closed card shows %q", got)
	}
}

func TestAFormatHasItsKeyboardAndIsCheckedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, keyboard, offers, wrong, right, fault string }{
		{"email", "email", "email", "alice", "alice@example.org", "name@example.org"},
		{"uri", "url", "url", "example.org", "https://example.org", "https:"},
		{"phone", "tel", "tel", "12", "+49 30 123456", "+49 30 123456"},
		{"duration", "text", "off", "90", "1h30m", "1h30m"},
	} {
		t.Run(c.format, func(t *testing.T) {
			p := showCard(t, asked(question("text", "Which?", object{"format": c.format})))
			p.js(enterNext)
			if got := eval[string](p, `["inputmode", "autocomplete", "autocapitalize"].map((a) => find("#input").getAttribute(a)).join(" ")`); got != c.keyboard+" "+c.offers+" off" {
				t.Errorf("typed with %q", got)
			}
			p.js(fmt.Sprintf(`await enter("#input", %q); await next()`, c.wrong))
			if got := eval[string](p, `says("#error-value") + answers.length + find("#input").ariaInvalid`); !strings.Contains(got, c.fault) || !strings.HasSuffix(got, "0true") {
				t.Errorf("for %q the card shows %q", c.wrong, got)
			}
			p.js(fmt.Sprintf(`await enter("#input", %q); await next()`, c.right))
			if got := eval[string](p, `answers.at(-1).value`); got != c.right {
				t.Errorf("sent %q", got)
			}
		})
	}
}

// A preview is next to its option where there is room, otherwise below it: that of the option in
// focus, otherwise of the chosen one.
func TestPreviewsShowWhatAnOptionStandsFor(t *testing.T) {
	t.Parallel()
	const seen = `[...card.shadowRoot.querySelectorAll(".preview")].filter((e) => e.getClientRects().length).map((e) => e.getAttribute("aria-label")).join("|")`
	for _, width := range []int64{900, 400} {
		p := showAt(t, asked(question("select", "Which layout?", object{"options": previewed()})), width)
		wide := width > 800
		for _, step := range []struct{ does, wide, narrow string }{
			{"", "Preview: Table", ""},
			{`find(".pick").focus()`, "Preview: Letter", "Preview: Letter"},
			{`find(".item:nth-child(2) .pick").click()`, "Preview: Letter", "Preview: Letter"}, // the focus stays
			{`find(".item:nth-child(2) .pick").focus()`, "Preview: Table", "Preview: Table"},
			{`find(".item:nth-child(3) .pick").focus()`, "", ""},
			{`find("button.main").focus()`, "Preview: Table", "Preview: Table"},
		} {
			p.js(step.does + "; await card.updateComplete")
			want := step.narrow
			if wide {
				want = step.wide
			}
			if got := eval[string](p, seen); got != want {
				t.Errorf("%d px, %s: %q, want %q", width, step.does, got, want)
			}
		}
		right := eval[bool](p, `find("#preview-1").getBoundingClientRect().left > find(".option").getBoundingClientRect().right`)
		if right != wide {
			t.Errorf("%d px: next to the options %v", width, right)
		}
	}
}

// Nothing in a preview is interpreted as markup, is fetched or can be followed.
func TestPreviewsAreNotMarkup(t *testing.T) {
	t.Parallel()
	list := options("A", "a", "B", "b")
	list[0]["preview"] = "<img src=x onerror=alert(1)> <b>x</b> ![pic](https://x.example/p.png) [go](javascript:alert(1)) [**on**](https://x.example) `<i>` **b *i* b** snake_case_name a\\*b ~~old~~\n\n" +
		"    <script>\n\n1) one\n2) two\n\n<script>alert(1)</script>"
	p := showCard(t, asked(question("select", "Q", object{"options": list})))
	p.js(`find(".pick").click(); await card.updateComplete`)
	if got := eval[string](p, `[...card.shadowRoot.querySelectorAll(".preview :is(a, img, script, b, iframe)")].map((e) => e.outerHTML).join()`); got != "" {
		t.Errorf("it contains %s", got)
	}
	want := "<img src=x onerror=alert(1)> <b>x</b> pic go (javascript:alert(1)) on (https://x.example) <i> b i b snake_case_name a*b old"
	if got := eval[string](p, `find(".preview p").textContent`); got != want {
		t.Errorf("it reads\n%s\nwant\n%s", got, want)
	}
	if got := eval[string](p, `[...find(".preview").querySelectorAll("strong, em, s, code, ol > li, pre")].map((e) => e.localName + ":" + e.textContent.trim()).join("|")`); got != "strong:on|code:<i>|strong:b i b|em:i|s:old|pre:<script>|li:one|li:two" {
		t.Errorf("%s", got)
	}
}
