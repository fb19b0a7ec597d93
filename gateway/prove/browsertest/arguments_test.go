//go:build browser

package browsertest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/askgate/askgate/tools/arguments"
)

// calling returns an approval of a call with these arguments, as the gateway asks for it.
func calling(t *testing.T, given, schema string) object {
	t.Helper()
	canonical, err := arguments.Canonical(given)
	if err != nil {
		t.Fatal(err)
	}
	ask := editable()
	ask["arguments"], ask["argumentsText"] = json.RawMessage(canonical), arguments.Text(canonical)
	ask["argumentFields"] = arguments.Fields(canonical, arguments.Titles([]byte(schema)), arguments.Unknown(canonical, []byte(schema)))
	return ask
}

// jsonOf returns a value as JSON.
func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// readBack reads the values on the screen as a person does, from their words, frames and boxes, and
// returns them as [path, value] pairs of JSON texts.
const readBack = `globalThis.readBack = () => {
	const unbox = (e) => {
		const words = e.textContent, named = /^U\+([0-9A-F]+) .*?(?: × ([0-9]+))?$/u.exec(words);
		if (named) return String.fromCodePoint(parseInt(named[1], 16)).repeat(named[2] ?? 1);
		if (words === "CRLF") return "\r";
		const [, n, of, crlf] = /^([0-9]+) (empty lines|spaces)( CRLF)?$/.exec(words);
		return of === "spaces" ? " ".repeat(n) : (crlf ? "\r\n" : "\n").repeat(Number(n) + 1);
	};
	const text = (node) => [...node.childNodes].map((e) => (e.nodeType === Node.TEXT_NODE ? e.data : e.nodeType !== Node.ELEMENT_NODE ? "" :
		e.matches(".gap") ? unbox(e.querySelector(".box")) : e.matches(".box") ? unbox(e) : e.matches(".end") ? "" : text(e))).join("");
	const value = (node) => {
		const words = text(node);
		if (words.startsWith('"')) return JSON.stringify(words.slice(1, -1));
		try { JSON.parse(words); return words; } catch { return JSON.stringify(words); }
	};
	return [...find("askgate-arguments").shadowRoot.querySelectorAll(".row")].filter((row) => !row.querySelector(".diff"))
		.map((row) => [JSON.stringify([...row.querySelectorAll("code, .index")].map((e) => (e.matches(".index") ? e.textContent : JSON.parse(value(e).replace(/^[^"].*/s, (s) => JSON.stringify(s)))))), value(row.querySelector("dd"))]);
};`

// leaves lists the values of arguments in the same way.
func leaves(t *testing.T, path []string, v any, list [][2]string) [][2]string {
	t.Helper()
	switch v := v.(type) {
	case members:
		if len(v) > 0 {
			for _, m := range v {
				list = leaves(t, append(slices.Clone(path), m.name), m.value, list)
			}
			return list
		}
	case []any:
		if len(v) > 0 {
			for i, item := range v {
				list = leaves(t, append(slices.Clone(path), fmt.Sprintf("[%d]", i)), item, list)
			}
			return list
		}
	}
	return append(list, [2]string{jsonOf(t, path), jsonOf(t, v)})
}

// members are those of an object, in order.
type members []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (m members) MarshalJSON() ([]byte, error) {
	var parts []string
	for _, one := range m {
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.value)
		if err != nil {
			return nil, err
		}
		parts = append(parts, string(name)+":"+string(value))
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

// hostileParts are what random texts are made of.
var hostileParts = []string{"a", "b c", "\n", "\n\n\n\n\n", "\r\n", "\r", "\t", " ", strings.Repeat(" ", 120), `"`, `\`, `\n`, `\u202e`, "\u202e", "\u200b", "\u200b\u200b", "\u2066", "\u00a0", "\ufeff", "\ufe0f",
	"\u0301", strings.Repeat("\u0301", 9), "é", "שלום", "раураl", "😀", "👩\u200d💻", "\U000e0041", "\u2028", "\x00", "\x1b[2J", "true", "12", "null", "{}", "[", "U+202E RIGHT-TO-LEFT OVERRIDE", "5 empty lines", "CRLF", " × 3", "<b>x</b>", "**x**", "$x$", "\ue000"}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString(hostileParts[r.IntN(len(hostileParts))])
	}
	return b.String()
}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(12); {
	case n < 2 && depth < 4:
		var object members
		for i := range r.IntN(4) {
			object = append(object, member{fmt.Sprint(randomText(r), i), randomValue(r, depth+1)})
		}
		return object
	case n < 4 && depth < 4:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, randomValue(r, depth+1))
		}
		return list
	case n < 5:
		return json.RawMessage([]string{"12345678901234567890", "1e300", "-0", "1.50", "0.1e-7"}[r.IntN(5)])
	case n < 6:
		return []any{true, false, nil}[r.IntN(3)]
	}
	return randomText(r)
}

// What is shown can be read in one way only: read back from the screen, it is the values of the call.
func TestShownArgumentsReadBackAsTheirValues(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	p.js(readBack)
	r := rand.New(rand.NewPCG(34, 8))
	for range 60 {
		var given members
		for i := range 8 {
			given = append(given, member{fmt.Sprint(randomText(r), i), randomValue(r, 0)})
		}
		p.reopen(calling(t, jsonOf(t, given), `{}`))
		p.until("within('dd')")
		got, want := eval[[][2]string](p, "readBack()"), leaves(t, nil, given, nil)
		if len(got) != len(want) {
			t.Fatalf("%d values of %d are shown", len(got), len(want))
		}
		for i := range want {
			var is, wanted any
			if got[i][0] != want[i][0] && jsonOf(t, json.RawMessage(got[i][0])) != want[i][0] || json.Unmarshal([]byte(got[i][1]), &is) != nil || json.Unmarshal([]byte(want[i][1]), &wanted) != nil || !reflect.DeepEqual(is, wanted) {
				t.Errorf("%q is shown as %q", want[i], got[i])
			}
			if want[i][1][0] != '"' && got[i][1] != want[i][1] {
				t.Errorf("%s is shown as %s", want[i][1], got[i][1])
			}
		}
	}
}

func TestTitledArgumentsAreFieldsAndTheTextIsAtHand(t *testing.T) {
	t.Parallel()
	p := showCard(t, calling(t, `{"to":"a","note":"","t\u043e":"b","x":{"y":[1,{"z":"12"}]}}`, `{"properties":{"to":{"title":"Recipient"},"note":{},"x":{}}}`))
	p.until("within('dd')")
	want := `Recipient to|a|note|""|tо Not one of the tool’s parameters|b|x › y › [0]|1|x › y › [1] › z|"12"`
	if got := eval[string](p, "all('dt, dd').join('|')"); got != want {
		t.Errorf("shown: %s", got)
	}
	if got := eval[string](p, "all('pre').join() "); !strings.HasPrefix(got, `{ "to": "a"`) {
		t.Errorf("as JSON: %s", got)
	}
	p.until("!find('.decide[aria-disabled=true]') && within('.warning').textContent.includes('not parameters of the tool')")
}

func TestNothingIsAllowedBeforeEachEndWasInView(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 3000)
	p := showCard(t, calling(t, jsonOf(t, members{{"a", long}, {"b", members{{"c", long}, {"d", long}}}, {"zz", true}}), `{}`))
	p.until("within('.end') && find('#allow[aria-disabled=true]')")
	p.js("card.focus()")
	p.until("card.shadowRoot.activeElement === find('#title') && find('#refuse[aria-disabled=false]')")
	p.keys(kb.Enter, "1", kb.Enter)
	p.until("find('.error')?.textContent === 'Scroll to the end first.' && card.shadowRoot.activeElement === find('#call')") // so that keys scroll it
	see := func(end int) {
		t.Helper()
		p.js(`find("#call").shadowRoot.querySelectorAll(".end")[%s].scrollIntoView({block: "center"}); for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame)`, end)
	}
	see(3)
	see(0)
	p.js("find('#allow').click()")
	if eval[bool](p, "answers.length > 0 || find('#allow').getAttribute('aria-disabled') !== 'true'") {
		t.Error("allowed before the end of a nested value was in view")
	}
	see(1)
	p.until("!find('.decide[aria-disabled=true]')")

	other := calling(t, jsonOf(t, members{{"a", long}, {"b", members{{"c", long}, {"d", long}}}, {"zz", false}}), `{}`)
	p.js("scrollTo(0, 0)")
	p.set("clarification", with(other, "clarificationId", "clr_2"))
	p.until("find('#allow[aria-disabled=true]')") // another call in the same elements
	see(0)
	see(1)
	see(3)
	p.until("!find('.decide[aria-disabled=true]')")
}

// No argument passes for the page or leaves its frame, however it is made.
func TestArgumentsStayInTheirFrames(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"k":`, 20) + `"end"` + strings.Repeat("}", 20)
	var many members
	for i := range 500 {
		many = append(many, member{fmt.Sprintf("property_%d", i), i})
	}
	evil := `<img src=x onerror="globalThis.hit = true"><button id="allow">Allow once</button>`
	for name, given := range map[string]string{
		"HTML":             jsonOf(t, members{{evil, evil}, {"list", []any{evil, members{{evil, evil}}}}}),
		"Markdown":         jsonOf(t, members{{"text", "# Allow\n\n[Allow once](https://evil.example) ![x](https://evil.example/x.png) $x^2$ `code`\n\n| [ Allow ] | [ Deny ] |\n"}}),
		"the page's words": jsonOf(t, members{{"text", "\n\n\nScroll to the end to allow\n  ┌────────────┐\n  │ Allow once │\n  └────────────┘\nThis call is safe. AskGate checked it."}}),
		"empty lines":      jsonOf(t, members{{"text", "first" + strings.Repeat("\n", 10_000) + "last"}}),
		"spaces":           jsonOf(t, members{{"text", "first" + strings.Repeat(" ", 10_000) + "last"}}),
		"overrides":        jsonOf(t, members{{"a\u202eb", "\u202e\u2066\u2067\u202b abc"}, {"\u2069", "\u2069\u2069\u202c"}}),
		"unseen":           jsonOf(t, members{{"a", strings.Repeat("\u200b", 10_000)}, {strings.Repeat("\u200b\u200c", 500), strings.Repeat("\u200b\u200c", 10_000)}, {"old", strings.Repeat("\u200b\u200c", 500)}, {"new", "שלום"}}),
		"marks":            jsonOf(t, members{{"a", "Z" + strings.Repeat("\u0301\u0321", 2_000)}, {"b", strings.Repeat("\u030d", 50)}}),
		"one line":         jsonOf(t, members{{"a", strings.Repeat("x", 60_000)}}),
		"a name":           jsonOf(t, members{{strings.Repeat("n", 5_000), 1}}),
		"deep":             `{"k":` + deep + `}`,
		"many":             jsonOf(t, many),
		"names":            `{"__proto__":{"constructor":1},"":2,"toString":"x","Recipient":3," to ":4,"12":5}`,
		"numbers":          `{"a":12345678901234567890,"b":1.000,"c":-0,"d":1e300,"e":["1e400",0.1]}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := showAt(t, calling(t, given, `{}`), 375)
			p.until("within('dd')")
			if eval[bool](p, `Boolean(globalThis.hit) || within("img, a, b, strong, h1, #allow, table") !== null || card.shadowRoot.querySelectorAll("#allow").length !== 1`) {
				t.Error("a text became an element")
			}
			p.fits(name)
			p.js(`for (const rtl of find("askgate-arguments").shadowRoot.querySelectorAll(".frame")) if (rtl.textContent === "שלום" && rtl.dir !== "rtl") throw new Error("its direction is lost");
				for (const frame of find("askgate-arguments").shadowRoot.querySelectorAll(".frame")) {
				const style = getComputedStyle(frame);
				if (style.contain !== "paint" || style.unicodeBidi !== "isolate" || frame.scrollHeight > frame.clientHeight + 1 || frame.scrollWidth > frame.clientWidth + 1) throw new Error("it leaves its frame: " + frame.textContent.slice(0, 80));
			}`)
			p.js(`const root = find("askgate-arguments").shadowRoot;
				for (const end of root.querySelectorAll(".end")) { end.scrollIntoView({block: "center"}); await new Promise(requestAnimationFrame); }`)
			p.until("!find('.decide[aria-disabled=true]')")
		})
	}
}

// The difference of two texts is the one that the call states, and is told without colors.
func TestTextsBeforeAndAfterAreCompared(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("same\n", 8)
	p := showCard(t, calling(t, jsonOf(t, members{{"path", "a.txt"}, {"old_string", lines + "old\u202e\nend"}, {"new_string", lines + "new\nend"}}), `{}`))
	p.until("within('.diff')")
	if got, want := eval[string](p, "all('.diff p').join('|')"), "5 unchanged lines|same|same|same|−Removed: oldU+202E RIGHT-TO-LEFT OVERRIDE|+Added: new|end"; got != want {
		t.Errorf("shown: %s", got)
	}
	if got := eval[string](p, "all('dt').at(-1)"); !strings.Contains(got, "as the call says") {
		t.Errorf("headed %q", got)
	}
	p.reopen(calling(t, jsonOf(t, members{{"edits", []any{members{{"oldText", "a"}, {"newText", "b"}}, members{{"old", "1"}, {"new", 1}}}}}), `{}`))
	p.until("all('.diff p').join('|') === '−Removed: a|+Added: b'")
	for name, texts := range map[string][2]string{
		"nothing":        {"", ""},
		"the same":       {"a\nb", "a\nb"},
		"all of it":      {"a\nb", "c\nd"},
		"repeated lines": {"a\nb\na\nb\na", "b\na\na\na\nb"},
		"no last end":    {"a\n", "a"},
	} {
		raw := eval[string](p, `import("/assets/card/diff.js").then(({compare}) => JSON.stringify([["-", " "], ["+", " "]].map((of) => compare(%s, %s).filter(({sign}) => of.includes(sign)).map(({line}) => line).join("\n"))))`, texts[0], texts[1])
		if raw != jsonOf(t, texts) {
			t.Errorf("%s: the lines give %s", name, raw)
		}
	}
	p.reopen(calling(t, jsonOf(t, members{{"old", strings.Repeat("x\n", 2000)}, {"new", ""}}), `{}`))
	p.until("all('.diff p').join() === 'Changes are shown for texts of up to 2000 lines.'")
	if got := eval[int](p, `import("/assets/card/diff.js").then(({compare}) => compare("x\n".repeat(1999), "y\n".repeat(1999)).length)`); got != 3999 {
		t.Errorf("%d lines of two long texts", got)
	}
}

func TestNoButtonStandsOutForMadeUpArguments(t *testing.T) {
	t.Parallel()
	ask := with(with(calling(t, `{"to":"a\u200b","x":{"y":"раураl"},"n":1}`, `{"properties":{"to":{"title":"Recipient"},"x":{}}}`), "unfounded", []string{"/x"}), "warning", "You didn’t give “x”. The assistant filled this in: please check.")
	p := showCard(t, ask)
	p.until("within('dd')")
	if got := eval[string](p, "[...card.shadowRoot.querySelectorAll('.warning'), ...find('#call').shadowRoot.querySelectorAll('.warning')].map((e) => [...e.children].map((e) => e.textContent).join('|')).join('||')"); got != "You didn’t give “x”. The assistant filled this in: please check.|Some of these arguments are not parameters of the tool. They are marked.|Some characters are invisible. Boxes show their names.|Some words mix look-alike letters from different alphabets. They are underlined." {
		t.Errorf("the warnings are %s", got)
	}
	if eval[bool](p, "find('button.main') !== null || !(within('.warning').compareDocumentPosition(within('dl')) & Node.DOCUMENT_POSITION_FOLLOWING)") {
		t.Error("a button stands out, or the warnings come after the arguments")
	}
	if got := eval[string](p, "all('dt').join('|')"); got != "Recipient to|x › y Filled in by the assistant|n Not one of the tool’s parameters" {
		t.Errorf("marked: %s", got)
	}
	p.set("clarification", with(with(calling(t, `{"n":1}`, `{}`), "clarificationId", "clr_2"), "unfounded", []string{}))
	p.until("find('#allow.main') && within('dd').textContent === '1' && !within('.warning')")
}

func TestTheCallOfAClosedApprovalIsAtHand(t *testing.T) {
	t.Parallel()
	p := showCard(t, calling(t, `{"to":"a\u202e"}`, `{}`))
	p.set("state", "superseded")
	p.until("find('.asked-for:not([open]) askgate-arguments').shadowRoot.querySelector('.box').textContent.startsWith('U+202E')")
}

func TestTheExactArgumentsCanBeCopied(t *testing.T) {
	t.Parallel()
	ask := calling(t, `{"n":12345678901234567890}`, `{}`)
	p := showCard(t, ask)
	p.until("within('summary')")
	p.js(`within("details").open = true; Object.defineProperty(navigator, "clipboard", {value: {writeText: async (text) => { globalThis.copied = text; }}}); within("button").click()`)
	p.until("copied === %s && within('button').textContent === 'Copied'", ask["argumentsText"])
	p.js(`navigator.clipboard.writeText = async () => { throw new Error("refused"); }; within("button").click()`)
	p.until("getSelection().toString().includes('12345678901234567890') || find('askgate-arguments').shadowRoot.getSelection?.().toString().includes('12345678901234567890')")
}

// On the page, a call that was decided shows its arguments in the same way, with the digits that ran.
func TestThePageShowsTheArgumentsThatRan(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"tools.json": `[{"id": "calculator", "needsApproval": true, "editable": true}]`}))
	p := openChatPage(t, s, "", 375)
	p.do(chromedp.EmulateViewport(375, 440)) // lower than the card
	p.write("calculate 1" + strings.Repeat(" + 1", 40))
	const within = `find("#call").shadowRoot`
	p.until(within + `.querySelector("dd").textContent.startsWith("1 +")`)
	p.js(within + `.querySelector(".end").scrollIntoView()`)
	p.until("find('#allow[aria-disabled=false]')")
	p.js(within + `.querySelector(".end").scrollIntoView(); await new Promise(requestAnimationFrame);
		` + within + `.querySelector("details").open = true; for (let i = 0; i < 5; i++) await new Promise(requestAnimationFrame)`)
	if eval[bool](p, "find('.title').getBoundingClientRect().bottom > 0") {
		t.Error("the page went back to the top of the card while the call was read")
	}
	p.until("!find('#edit-arguments').disabled && find('#allow[aria-disabled=false]')")
	p.click("#edit-arguments")
	p.rewrite(`{"expression": "12345678901234567890 + 1"}`)
	p.keys(kb.Escape, "1", kb.Enter)
	p.idle()
	for range 2 { // from events, and from the snapshot
		p.until(`[...document.querySelectorAll("details askgate-arguments")].some((e) => e.shadowRoot.querySelector("dd")?.textContent === "12345678901234567890 + 1")`)
		p.do(chromedp.Reload())
	}
}
