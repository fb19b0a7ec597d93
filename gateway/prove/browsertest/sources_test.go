//go:build browser

package browsertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// harbour contains documents, some with a link of their own, and a text that would be markup.
var harbour = map[string]string{
	"gateway.json": guideConfig,
	"tools.json": `[{"id": "laws", "type": "documents", "documents": {"path": "laws"}},
		{"id": "rules", "type": "documents", "documents": {"path": "rules", "link": "https://rules.example.org/{path}#{anchor}"}}]`,
	"apps/law.json": `{"id": "law", "name": "Law", "tools": ["laws", "rules"]}`,
	"laws/tenancy.md": "# Tenancy Act\n\n## § 5 Notice\n\nThe landlord gives **notice** in writing, three months before the end of the tenancy.\n\n" +
		"1. A tenant gives notice within one month.\n2. <img src=x onerror=\"globalThis.hit = 1\"> [home](/v1/apps) [site](https://laws.example.org/5)\n\n" + strings.Repeat("Nothing else is said of that here.\n\n", 20) + "Last, a NOTICE by post counts.\n",
	"laws/labour.md":    "# Labour Act\n\n## § 9 Notice\n\nThe employer gives notice four weeks before.\n",
	"rules/mooring.txt": "Mooring rules\n\nShips are <b>moored</b> at the north quay.\nNo notice is needed.\n",
}

// librarian is a model that searches, reads one passage, and cites it and one that it only found.
func librarian(t *testing.T) func(*site) {
	type hit struct{ ID, Title, Link string }
	hits := func(result string) []hit {
		var found struct{ Items []hit }
		if err := json.Unmarshal([]byte(result), &found); err != nil {
			t.Error(err)
		}
		return found.Items
	}
	return upstream(t, func(said string, results []string, d deltas) {
		switch len(results) {
		case 0:
			d.calls("laws__search", `{"query": "the notice of a landlord"}`, "rules__search", `{"query": "moored"}`)
		case 2:
			d.calls("laws__read", `{"id": "`+hits(results[0])[0].ID+`"}`)
		default:
			laws, rules := hits(results[0]), hits(results[1])
			d.words("Three months, as the [Tenancy Act](" + laws[0].Link + ") has it: “in writing, three months before the end”. Ships: [Mooring rules](" + rules[0].Link + ").")
			d.end("stop")
		}
	})
}

const sourceTitles = `[...document.querySelectorAll("page-sources summary")].map((s) => s.innerText.trim())`

func TestAnAnswersSourcesOpenInPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", librarian(t), configured(t, harbour))
	p := openChatPage(t, s, "", 1000)
	p.write("How long is the notice?")
	p.says("Three months")
	here := eval[string](p, "location.hash")
	for _, when := range []string{"at once", "after a reload", "on another device"} {
		p.until(`document.querySelectorAll("page-sources summary").length > 0`)
		if got, want := eval[[]string](p, sourceTitles), []string{"Tenancy Act › § 5 Notice", "Mooring rules"}; !slices.Equal(got, want) {
			t.Fatalf("%s: sources %q, want %q", when, got, want)
		}
		p.js(`document.querySelector("page-sources summary").focus()`)
		p.keys("\r")
		p.until(`find(".passage mark")`)
		if got, want := eval[[]string](p, `[...document.querySelectorAll(".passage mark")].map((m) => m.textContent)`), []string{"landlord", "notice", "in writing, three months before the end", "notice", "NOTICE"}; !slices.Equal(got, want) {
			t.Errorf("%s: highlighted are %q, want %q", when, got, want)
		}
		if got := eval[string](p, `find(".passage").innerText`); !strings.Contains(got, `<img src=x onerror="globalThis.hit = 1">`) || !strings.Contains(got, "home site (laws.example.org)") && !strings.Contains(got, "home site laws.example.org") {
			t.Errorf("%s: shown is %s", when, got)
		}
		if eval[bool](p, `"hit" in globalThis || find(".passage img, .passage a[href^='/']") !== null`) {
			t.Errorf("%s: a passage was rendered as markup", when)
		}
		p.keys("\t") // into the passage, whose end can be reached by keyboard
		p.until(`document.activeElement.matches(".passage") && document.activeElement.ariaLabel === "Tenancy Act › § 5 Notice"`)
		p.keys(kb.End)
		p.until(`find(".passage").scrollTop > 100`)
		p.click(`page-sources li:nth-child(2) summary`)
		p.until(`document.querySelectorAll(".passage").length === 2`)
		if got := eval[string](p, `(() => { const box = document.querySelector("page-sources li:nth-child(2) details"); return box.querySelector("mark").textContent + "|" + box.querySelector(".verbatim").innerHTML + "|" + box.querySelector("a").href; })()`); got != "moored|Ships are &lt;b&gt;<mark>moored</mark>&lt;/b&gt; at the north quay.\nNo notice is needed.|https://rules.example.org/mooring.txt" {
			t.Errorf("%s: the second is %s", when, got)
		}
		switch when {
		case "at once":
			p.do(chromedp.Reload())
		case "after a reload":
			p = openChatPage(t, s, here, 1000)
		}
	}
}

// A link in an answer to a passage's own address opens the passage, in place.
func TestALinkToAPassageOpensIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", librarian(t), configured(t, harbour))
	p := openChatPage(t, s, "", 1000)
	p.write("How long is the notice?")
	p.until(`find("page-sources summary")`)
	p.js(`document.querySelector("a.to-passage").focus()`)
	p.keys("\r")
	p.until(`find(".passage mark") && document.activeElement === find("page-sources summary")`)
	if got := eval[string](p, `document.querySelector("a.to-passage").textContent`); got != "Tenancy Act" {
		t.Errorf("the link says %q", got)
	}
	if pages := eval[int](p, "history.length"); eval[string](p, "location.pathname") != "/" || pages > 3 {
		t.Errorf("the page was left: %s", eval[string](p, "location.href"))
	}
}

// A passage that is gone is reported in the reader's language; the others still open.
func TestASourceThatIsGoneIsReported(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", librarian(t), configured(t, harbour))
	p := openChatPage(t, s, "", 1000)
	p.write("How long is the notice?")
	p.until(`find("page-sources summary")`)
	address := eval[string](p, `find("[data-address]").dataset.address`)
	if err := os.Remove(filepath.Join(s.args[slices.Index(s.args, "--config")+1], "laws", "tenancy.md")); err != nil {
		t.Fatal(err)
	}
	p.js(`while ((await fetch(%s)).status !== 404) await new Promise((go) => setTimeout(go, 200))`, address)
	for language, want := range map[string]string{"en": "no longer exists", "de": "gibt es nicht mehr", "fr": "n’existe plus", "es": "ya no existe"} {
		p.js(`localStorage.setItem("askgate:language", %s)`, language)
		p.do(chromedp.Reload())
		p.until(`find("page-sources summary")`)
		p.click("page-sources summary")
		p.until(`find("page-sources [role=alert]")?.textContent.includes(%s)`, want)
		p.accessible("gone, " + language)
	}
	p.click(`page-sources li:nth-child(2) summary`)
	p.until(`find(".passage mark")`)
}

// The sources that an answer cites are recognized by whole links, ids and its own addresses, and
// only documents count.
func TestOnlyWhatIsCitedIsASource(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	const a, b, c = "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccc"
	address := func(id string) string { return "/v1/apps/law/documents/laws/" + id }
	hit := func(id, link string) object { return object{"id": id, "title": strings.ToUpper(id[:1]), "link": link} }
	call := func(name string, result any) object {
		raw, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		return object{"toolName": name, "result": string(raw)}
	}
	search := call("laws__search", object{"items": []object{hit(a, "https://x.example.org/l#s1"), hit(b, "https://x.example.org/l#s10"), hit(c, address(c))}})
	for _, tt := range []struct {
		content string
		calls   []object
		want    string
	}{
		{"See [x](https://x.example.org/l#s10) and https://x.example.org/l#s1.", []object{search}, "B A"},
		{"See https://x.example.org/l#s10", []object{search}, "B"},
		{"By its id, " + c, []object{search}, "C"},
		{"By [its own address](" + address(c) + ")", []object{search}, "C"},
		{"[Unfound](" + address(c) + ")", nil, "Unfound"},
		{"[x][1]\n\n[1]: " + address(c), nil, c},
		{"elsewhere: https://evil.example.org" + address(c) + " or " + address(c) + "x", nil, ""},
		{"Nothing is cited.", []object{search}, ""},
		{"Parts of one section: https://x.example.org/l", []object{call("laws__search", object{"items": []object{hit(a, "https://x.example.org/l"), hit(b, "https://x.example.org/l")}}), call("laws__read", hit(b, "https://x.example.org/l"))}, "B"},
		{"No documents: https://x.example.org/l", []object{call("mail__search", object{"items": []object{{"id": "17", "title": "Mail", "link": "https://x.example.org/l"}}})}, ""},
		{"Damaged: " + a, []object{call("laws__search", object{"items": []any{nil}}), call("laws__read", nil), {"toolName": "laws__read"}}, ""},
	} {
		got := eval[string](p, `import("/assets/page/sources.js").then(({cited}) => cited("law", %s, %s).map((s) => s.title).join(" "))`, tt.content, append([]object{}, tt.calls...))
		if got != tt.want {
			t.Errorf("%s cites %q, want %q", tt.content, got, tt.want)
		}
	}
}

// Search terms are highlighted as the search matches them, and a quotation as a whole.
func TestWordsAreHighlightedAsTheyAreFound(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	for _, tt := range []struct{ content, query, text, want string }{
		{"", "STRASSE", "Die Straße, Strassen, Landstraße.", "Straße|Strassen"},
		{"", "the law of café", "The law of the CAFÉ: cafe\u0301s.", "CAFÉ|cafe\u0301s"},
		{"", "of it", "Of course it is.", "Of|it"},
		{"", "section 5", "Section 5, and 55.", "Section|5"},
		{"", "契約の解約", "この契約は解約できます。", "契約|解約"},
		{"", `(.*)+ [a-z] "AND" <b>`, "(.*)+ <b> and", "b|and"},
		{"He says “within four weeks” of it.", "", "It ends within four\nweeks, and four days.", "within four\nweeks"},
		{"> Ships wait … at the north quay\n\nso it says", "", "Ships wait. They wait at the north-quay.", "at the north-quay"},
		{"nothing", "", "nothing", ""},
	} {
		got := eval[string](p, `import("/assets/page/passage.js").then(({highlights, highlight}) => {
			const root = document.createElement("p"), pattern = highlights(%s, [%s]);
			root.textContent = %s;
			if (pattern) highlight(root, pattern);
			return [...root.querySelectorAll("mark")].map((m) => m.textContent).join("|");
		})`, tt.content, tt.query, tt.text)
		if got != tt.want {
			t.Errorf("%q, %q: %q is highlighted, want %q", tt.content, tt.query, got, tt.want)
		}
	}
}

func TestSourcesAreAccessibleInEveryLight(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", librarian(t), configured(t, harbour))
	p := openChatPage(t, s, "", 1000)
	p.write("How long is the notice?")
	p.until(`find("page-sources summary")`)
	for _, state := range []string{"folded", "open"} {
		if state == "open" {
			p.js(`document.querySelectorAll("page-sources details").forEach((d) => { d.open = true; })`)
			p.until(`document.querySelectorAll(".passage mark").length > 3`)
		}
		for _, look := range []struct {
			light string
			width int64
			dir   string
		}{{"light", 1000, "ltr"}, {"dark", 1000, "ltr"}, {"light", 375, "ltr"}, {"dark", 375, "rtl"}} {
			name := strings.Join([]string{"sources", state, look.light, look.dir, strconv.FormatInt(look.width, 10)}, "-")
			p.resize(look.width)
			p.media("prefers-color-scheme", look.light)
			p.js(`document.documentElement.dir = %s; scrollTo(0, document.documentElement.scrollHeight)`, look.dir)
			p.accessible(name)
			p.fits(name)
			p.largeEnough(name)
			p.shot(name)
		}
	}
}

// The page of the first command: the law app asks which ordinance is meant, and the source of its
// answer opens.
func TestTheLawAppShowsWhatItCites(t *testing.T) {
	t.Parallel()
	p := openChatPage(t, newSite(t, ""), "#law", 1000)
	p.until(`find(".prompts button")`)
	p.click(".prompts button")
	p.until(`find(".pick")`)
	p.start()
	p.keys("2")
	p.until(`find("#undo")`)
	p.keys(kb.Enter)
	p.until(`find("page-sources summary")?.innerText.includes("Harbour Ordinance of Larkhaven › § 4 Notice period")`)
	p.click("a.to-passage")
	p.until(`find(".passage mark")?.textContent.includes("two months' notice")`)
	p.idle()
	p.accessible("law")
	p.shot("sources-law")
}
