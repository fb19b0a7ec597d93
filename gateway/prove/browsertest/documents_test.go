//go:build browser

package browsertest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	foundTitles  = `[...document.querySelectorAll(".found summary")].map((s) => s.innerText.trim())`
	foundStatus  = `find("#documents-found").innerText`
	anyFound     = `document.querySelectorAll(".found summary").length > 0`
	documentsSet = `document.activeElement.id === "documents-q"`
)

// The search above the chats finds passages without a model. Each opens in place, and can be asked
// about in a new chat; the way back leads to the same results, also after a reload.
func TestDocumentsAreSearchedWithoutAModel(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", librarian(t), configured(t, harbour))
	p := openChatPage(t, s, "", 1000)
	p.until(`find("#find-documents")`)
	p.js(`find("#find-documents").focus()`)
	p.keys("NOTICE landlord\r")
	p.until(documentsSet + ` && find("#documents-q").value === "NOTICE landlord" && ` + anyFound)
	here := eval[string](p, "location.hash")
	for _, when := range []string{"at once", "after a reload", "on another device"} {
		p.until(anyFound)
		if got := eval[[]string](p, foundTitles); got[0] != "Tenancy Act › § 5 Notice" {
			t.Fatalf("%s: %q", when, got)
		}
		if got := eval[[]string](p, `[...document.querySelectorAll(".found li:first-child :is(h2, .snippet) mark")].map((m) => m.textContent.toLowerCase())`); !slices.Contains(got, "notice") || !slices.Contains(got, "landlord") {
			t.Errorf("%s: highlighted are %q", when, got)
		}
		p.js(`find(".found summary").focus()`)
		p.keys("\r")
		p.until(`find(".found .passage mark")`)
		if eval[bool](p, `"hit" in globalThis || find(".passage img, .passage a[href^='/']") !== null`) {
			t.Errorf("%s: a passage was rendered as markup", when)
		}
		p.keys("\t")
		p.until(`document.activeElement.matches(".passage") && document.activeElement.ariaLabel === "Tenancy Act › § 5 Notice"`)
		switch when {
		case "at once":
			p.do(chromedp.Reload())
		case "after a reload":
			p = openChatPage(t, s, here, 1000)
		}
	}
	p.js(`find(".found .acts button").focus()`)
	p.keys("\r")
	p.until(`document.activeElement.id === "message" && find("#message").value.startsWith("About “Tenancy Act › § 5 Notice” (/v1/apps/law/documents/laws/")`)
	p.keys("how long?")
	p.until(`find("#message").value.endsWith("): how long?") && location.hash === "#law" && !find("page-documents")`)
	p.js("history.back()")
	p.until(documentsSet + " && " + anyFound)
	p.js(`find("#new").click()`)
	p.until(`find("#message")?.value.endsWith("): how long?")`)
	p.keys("\r")
	p.says("Three months")
}

// What is typed is searched for after a pause, and at once with Enter. Other texts of the tool have
// their own link, and a choice of tools leads to them.
func TestSearchesFollowWhatIsTyped(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", librarian(t), configured(t, harbour))
	p := openChatPage(t, s, "#law/?documents=laws", 1000)
	p.until(documentsSet + ` && ` + foundStatus + `.startsWith("Type words")`)
	p.keys("employer")
	p.until(foundStatus + ` === "Passages found: 1" && location.hash === "#law/?documents=laws&q=employer"`)
	p.keys(" xyzzy")
	p.until(foundStatus + `.startsWith("Passages found")`) // any of the words
	p.js(`Object.assign(find("#documents-tool"), {value: "rules"}).dispatchEvent(new Event("change"))`)
	p.until(foundStatus + `.startsWith("Nothing found")`)
	p.js(`find("#documents-q").select()`)
	p.keys("moored\r")
	p.until(`find(".found a")?.href === "https://rules.example.org/mooring.txt"`)
	p.do(chromedp.Reload())
	p.until(`find(".found a") && find("#documents-tool").value === "rules"`)
	p.js(`find("#documents-q").select()`)
	p.keys("…")
	p.until(`!find(".found li") && ` + foundStatus + `.startsWith("Type words")`)
	if pages := eval[int](p, "history.length"); pages > 3 {
		t.Errorf("each search added an entry to the history: %d", pages)
	}
}

// What is open is closed by the next search, and opens again with the words of that search.
func TestTheNextSearchClosesWhatIsOpen(t *testing.T) {
	t.Parallel()
	p := openChatPage(t, newSite(t, "", librarian(t), configured(t, harbour)), "#law/?documents=laws&q=landlord", 1000)
	for _, word := range []string{"landlord", "tenant"} {
		p.until(anyFound+` && find(".found .snippet mark")?.innerText.toLowerCase() === %s && !find(".found details[open]")`, word)
		p.click(".found summary")
		p.until(`find(".found .passage mark")?.innerText.toLowerCase() === %s && !find(".found details[open] .hint")`, word)
		p.js(`find("#documents-q").select()`)
		p.keys("tenant")
	}
}

// A response that arrives late never replaces that of a newer search.
func TestALateSearchReplacesNothing(t *testing.T) {
	t.Parallel()
	p := openChatPage(t, newSite(t, "", librarian(t), configured(t, harbour)), "#law/?documents=laws", 1000)
	p.until(documentsSet)
	p.js(`const real = fetch; globalThis.fetch = async (path, init) => {
		if (!String(path).includes("q=employer")) return real(path, init);
		const response = await real(path); // as if it could not be aborted
		await new Promise((go) => { globalThis.go = go; });
		setTimeout(() => { globalThis.gone = true; }, 50);
		return response;
	}`)
	p.keys("employer\r")
	p.until(`"go" in globalThis`)
	p.js(`find("#documents-q").select()`)
	p.keys("landlord\r")
	p.until(anyFound)
	p.js("go()")
	p.until(`"gone" in globalThis`)
	if got := eval[[]string](p, foundTitles); !slices.Equal(got, []string{"Tenancy Act › § 5 Notice"}) {
		t.Errorf("found are %q", got)
	}
}

// More results come below those that are there, and the focus moves to the first of them.
func TestMoreDocumentsAreFound(t *testing.T) {
	t.Parallel()
	files := maps.Clone(harbour)
	for i := range 45 {
		files[fmt.Sprintf("laws/a%d.md", i)] = fmt.Sprintf("# Act %d\n\nA lighthouse stands.\n", i)
	}
	p := openChatPage(t, newSite(t, "", librarian(t), configured(t, files)), "#law/?documents=laws&q=lighthouse", 1000)
	p.until(foundStatus + ` === "The 20 best passages"`)
	for known, n := 20, 40; known < n; known, n = n, min(n+20, 45) {
		p.js(`find("#documents-more").focus()`)
		p.keys("\r")
		p.until(`document.querySelectorAll(".found summary").length === %s`, n)
		p.until(`document.activeElement === document.querySelectorAll(".found summary")[%s]`, known)
	}
	p.until(foundStatus + ` === "Passages found: 45" && !find("#documents-more")`)
	if n := eval[int](p, `new Set([...document.querySelectorAll(".found details")].map((d) => d.dataset.address)).size`); n != 45 {
		t.Errorf("%d different passages", n)
	}
}

// A search that fails says so. One that found no connection is repeated once there is one again. A
// passage that is gone is reported.
func TestASearchThatFailsIsRepeated(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", librarian(t), configured(t, harbour))
	p := openChatPage(t, s, "#law/?documents=laws&q=landlord", 1000)
	p.until(anyFound)
	s.disconnect()
	p.js(`find("#documents-q").focus()`)
	p.keys("s")
	p.until(`find("page-documents [role=alert]") && find(".connection span")`)
	p.accessible("documents, away")
	s.reconnect()
	p.until(anyFound + ` && !find("page-documents [role=alert]")`)
	dir := s.args[slices.Index(s.args, "--config")+1]
	if err := os.Remove(filepath.Join(dir, "laws", "tenancy.md")); err != nil {
		t.Fatal(err)
	}
	p.js(`while ((await fetch(find("[data-address]").dataset.address)).status !== 404) await new Promise((go) => setTimeout(go, 200))`)
	p.click(".found summary")
	p.until(`find(".found [role=alert]")?.textContent.includes("no longer exists")`)
	p.accessible("documents, gone")
}

// An app without documents has no search in them, whatever its address says.
func TestAnAppWithoutDocumentsHasNoSearch(t *testing.T) {
	t.Parallel()
	files := maps.Clone(harbour)
	files["apps/bare.json"] = `{"id": "bare", "name": "Bare", "tools": []}`
	p := openChatPage(t, newSite(t, "", librarian(t), configured(t, files)), "#bare/?documents=laws&q=landlord", 1000)
	p.until(`find("#message")`)
	if eval[bool](p, `find("#find-documents, page-documents") !== null`) {
		t.Error("there is a search")
	}
}

// library returns a page whose search finds whatever a gateway would: globalThis.asked has what was asked
// for.
func library(t *testing.T, width int64) *page {
	t.Helper()
	p := openChatPage(t, newSite(t, "", librarian(t), configured(t, harbour)), "", width)
	p.until(`find("#find-documents")`)
	p.js(`globalThis.asked = [];
		const real = fetch, hit = (n, title, more) => ({ id: "aaaaaaaaaaaaaaa" + n, title, work: "Act", link: "https://laws.example.org/" + n, snippet: "The <b>notice</b> period is …", ...more });
		globalThis.fetch = async (path, init) => {
			const url = new URL(path, location);
			if (url.pathname === "/v1/apps/law") {
				const app = await (await real(path, init)).json();
				app.documents = [{ tool: "laws", name: "Laws", versions: true, fields: { status: { type: "enum", values: ["current", "repealed"] }, topics: { type: "list", values: ["tax", "<i>work</i>"] }, authors: { type: "list" }, published_at: { type: "date" }, rank: { type: "number" } } }];
				return Response.json(app);
			}
			if (!/documents\/laws$/.test(url.pathname)) return real(path, init);
			asked.push(url.searchParams);
			const versions = url.searchParams.get("q").includes("2015") ? [{ work: "Act on the Notice Periods of Tenants and Landlords", validFrom: "2015-01-01", validTo: "2019-12-31" }, { work: "Act", validFrom: "2020-01-01" }] : undefined;
			return Response.json({ versions, items: [hit(2, "Act (– 2019-12-31) › § 1 Notice", { validFrom: "2015-01-01", validTo: "2019-12-31", date: "2014-11-30", fields: { status: "repealed", topics: ["tax", "<i>work</i>"], rank: 3 } }),
				hit(3, "Act › § 1 Notice", { validFrom: "2020-01-01", fields: { status: "current" } })], nextCursor: null, note: "indexing" });
		};`)
	p.js(`import("/assets/page/texts.js")`)
	return p
}

// asks waits for a search with these parameters.
func (p *page) asks(name, want string) {
	p.t.Helper()
	p.until(`asked.at(-1)?.get(%s) === %s`, name, want)
}

// Filters and the day narrow a search, as the app says that they can.
func TestDocumentsAreFiltered(t *testing.T) {
	t.Parallel()
	p := library(t, 1000)
	p.js(`find("#find-documents").focus()`)
	p.keys("notice\r")
	p.until(`find("#documents-as-of") && ` + anyFound)
	if got := eval[string](p, `[...document.querySelectorAll(".found .facts")].map((f) => f.innerText).join("|")`); got != "Valid from Jan 1, 2015 to Dec 31, 2019 · Nov 30, 2014 · status: repealed · topics: tax, <i>work</i> · rank: 3|Valid from Jan 1, 2020 · status: current" {
		t.Errorf("said is %s", got)
	}
	p.until(foundStatus + `.endsWith("there may be more.")`)
	set := func(selector, value string) {
		t.Helper()
		p.js(`(() => { const e = find(%s); e.value = %s; e.dispatchEvent(new Event("input", {bubbles: true})); e.dispatchEvent(new Event("change", {bubbles: true})); })()`, selector, value)
	}
	set("#documents-as-of", "0002-01-01") // being typed
	set("#documents-as-of", "2018-06-30")
	p.asks("asOf", "2018-06-30")
	p.click(".filters summary")
	p.click(".filters .values label:first-child input")
	p.asks("filter", `{"status":["current"]}`)
	set(".filters input[type=date]", "2010-01-01")
	p.asks("filter", `{"status":["current"],"published_at":{"after":"2009-12-31"}}`)
	set(".filters label + label input[type=date]", "2019-12-31")
	p.asks("filter", `{"status":["current"],"published_at":{"after":"2009-12-31","before":"2020-01-01"}}`)
	set(".filters label + label input[type=number]", "3.5")
	p.asks("filter", `{"status":["current"],"published_at":{"after":"2009-12-31","before":"2020-01-01"},"rank":{"before":3.5}}`)
	set(".filters input[type=text]", "Smith")
	p.asks("filter", `{"status":["current"],"published_at":{"after":"2009-12-31","before":"2020-01-01"},"rank":{"before":3.5},"authors":["Smith"]}`)
	p.click("#documents-versions")
	p.asks("versions", "all")
	if eval[bool](p, `asked.at(-1).has("asOf") || !find("#documents-as-of").disabled`) {
		t.Error("a day of all versions")
	}
	if eval[bool](p, `asked.some((a) => a.get("asOf")?.startsWith("0"))`) {
		t.Error("a year was searched that was still being typed")
	}
	p.accessible("documents, filtered")
	p.click("#documents-unfiltered")
	p.until(`!asked.at(-1).has("filter") && find(".filters summary").innerText.trim() === "Filters"`)
}

func TestDocumentsAreAccessibleInEveryLight(t *testing.T) {
	t.Parallel()
	p := library(t, 1000)
	p.js(`find("#find-documents").focus()`)
	p.keys("notice 2015\r")
	p.until(`find(".which")`)
	p.click(".which li:first-child button")
	p.until(`find(".which [aria-pressed=true]")`)
	for _, state := range []string{"found", "open"} {
		if state == "open" {
			p.js(`document.querySelectorAll("page-documents details").forEach((d) => { d.open = true; })`)
			p.until(`find(".found [role=alert]")`) // such a passage does not exist here
		}
		for _, look := range []struct {
			light string
			width int64
			dir   string
		}{{"light", 1000, "ltr"}, {"dark", 1000, "ltr"}, {"light", 320, "ltr"}, {"dark", 320, "rtl"}} {
			name := strings.Join([]string{"documents", state, look.light, look.dir, strconv.FormatInt(look.width, 10)}, "-")
			p.resize(look.width)
			p.media("prefers-color-scheme", look.light)
			p.js(`document.documentElement.dir = %s; scrollTo(0, 0)`, look.dir)
			p.accessible(name)
			p.fits(name)
			p.largeEnough(name)
			p.shot(name)
		}
	}
}

// On a phone, the drawer has the search, and closes when it begins. Escape does not lead away.
func TestDocumentsAreSearchedOnAPhone(t *testing.T) {
	t.Parallel()
	p := openChatPage(t, newSite(t, "", librarian(t), configured(t, harbour)), "", 320)
	p.until(`find(".menu")`)
	p.click(".menu")
	p.until(`find("#side").matches(":popover-open")`)
	p.accessible("documents, drawer")
	p.shot("documents-drawer")
	p.js(`find("#find-documents").focus()`)
	p.keys("landlord\r")
	p.until(`!find("#side").matches(":popover-open") && ` + anyFound)
	p.keys(kb.Escape)
	p.until(anyFound)
	p.fits("documents")
}

// The page of the first command: the law app finds the ordinance of today, or that of an earlier
// day, and filters by language.
func TestTheLawAppFindsTheLawOfADay(t *testing.T) {
	t.Parallel()
	p := openChatPage(t, newSite(t, ""), "#law", 1000)
	p.until(`find("#find-documents")`)
	p.js(`find("#find-documents").focus()`)
	p.keys("tenant leaving\r")
	const first = `document.querySelector(".found li")?.innerText`
	p.until(first + `.includes("one month before leaving") && find(".filters")`)
	p.js(`Object.assign(find("#documents-as-of"), {value: "2020-06-30"}).dispatchEvent(new Event("change"))`)
	p.until(first + `.includes("(2010-01-01 – 2024-12-31)") && ` + first + `.includes("three months before leaving") && ` + first + `.includes("Valid from Jan 1, 2010 to Dec 31, 2024")`)
	p.do(chromedp.Reload()) // the values are there once all is indexed
	p.until(`find(".filters .values label:nth-child(2)") && find("#documents-as-of").value === "2020-06-30"`)
	p.js(`find(".filters").open = true`)
	p.click(".filters .values label:nth-child(1) input")
	p.until(`find("#documents-unfiltered") && !(` + first + ` ?? "").includes("Larkhaven")`)
	p.click("#documents-unfiltered")
	p.until(first + `?.includes("Larkhaven")`)
	p.js(`find(".filters").open = false`)
	p.click(".found summary")
	p.until(`find(".passage mark")`)
	p.accessible("law, documents")
	p.js("scrollTo(0, 0)")
	p.shot("documents-law")
}
