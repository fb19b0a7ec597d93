//go:build browser

package browsertest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// reformed returns a configuration whose laws have versions and fields.
func reformed() map[string]string {
	law := func(status, days, months string) string {
		return "---\nid: TA\nstatus: " + status + "\n" + days + "---\n# Tenancy Act\n\n## § 5 Notice\n\nThe landlord gives notice " + months + " before the end.\n"
	}
	return map[string]string{
		"gateway.json":      guideConfig,
		"tools.json":        `[{"id": "laws", "type": "documents", "documents": {"path": "laws", "fields": {"status": {"type": "enum"}}, "versions": {"key": "id"}}}]`,
		"apps/law.json":     `{"id": "law", "name": "Law", "tools": ["laws"]}`,
		"laws/tenancy-1.md": law("repealed", "valid_to: 2009-12-31\n", "six months"),
		"laws/tenancy-2.md": law("repealed", "valid_from: 2010-01-01\n", "two months"),
		"laws/tenancy-3.md": law("current", "valid_from: 2020-01-01\n", "three months"),
	}
}

// If a search names a year that is in no title, the versions of what it found can be chosen: each is
// the search as of its first day, or its last one if it always applied.
func TestAYearLeadsToAVersion(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", librarian(t), configured(t, reformed()))
	p := openChatPage(t, s, "#law/?documents=laws&q=notice", 1000)
	p.until(foundStatus + ` === "Passages found: 1" && !find(".which")`)
	p.js(`find("#documents-q").focus()`)
	p.keys(kb.End, " 2015")
	p.until(foundStatus + `.includes("Which version do you mean?") && document.querySelectorAll(".which button").length === 3`)
	if got := eval[string](p, `[...document.querySelectorAll(".which button")].map((b) => b.innerText.replace("\n", ": ")).join("|")`); got != "Tenancy Act: Valid until Dec 31, 2009|Tenancy Act: Valid from Jan 1, 2010 to Dec 31, 2019|Tenancy Act: Valid from Jan 1, 2020" {
		t.Errorf("offered are %s", got)
	}
	p.accessible("a year, asked")
	const first = `(document.querySelector(".found li")?.innerText ?? "")`
	for _, tt := range []struct{ says, day string }{{"six months", "2009-12-31"}, {"two months", "2010-01-01"}, {"three months", "2020-01-01"}} {
		p.js(`find("#documents-versions").checked || find("#documents-versions").click()`)
		p.until(`find("#documents-as-of").disabled && document.querySelectorAll(".found li").length === 3 && !find(".which [aria-pressed=true]")`)
		at := slices.Index([]string{"2009-12-31", "2010-01-01", "2020-01-01"}, tt.day)
		p.js(`document.querySelectorAll(".which button")[%s].focus()`, at)
		p.keys("\r")
		p.until(first+`.includes(%s) && document.querySelectorAll(".found li").length === 1 && find("#documents-as-of").value === %s`, tt.says, tt.day)
		p.until(`document.activeElement === document.querySelectorAll(".which button")[%s] && document.activeElement.ariaPressed === "true"`, at)
	}
	p.accessible("a year, chosen")
	p.do(chromedp.Reload())
	p.until(`find(".which [aria-pressed=true]")?.innerText.includes("2020") && location.hash.includes("asOf=2020-01-01")`)
	p.click(".which [aria-pressed=true]")
	p.until(`find("#documents-as-of").value === "" && !find(".which [aria-pressed=true]") && document.querySelectorAll(".found li").length === 1`)
	p.js(`find("#documents-q").select()`)
	p.keys("notice")
	p.until(foundStatus + ` === "Passages found: 1" && !find(".which")`)
}

// The values of a filter follow the documents, without a reload. One that is chosen can be taken away
// also when no document has it any more; the filters stay open meanwhile.
func TestFiltersFollowTheDocuments(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", librarian(t), configured(t, reformed()))
	p := openChatPage(t, s, "#law/?documents=laws&q=notice&versions=all", 1000)
	const offered = `[...document.querySelectorAll(".filters .values label")].map((l) => l.textContent.trim()).join()`
	p.until(offered + ` === "current,repealed"`)
	dir := filepath.Join(s.args[slices.Index(s.args, "--config")+1], "laws")
	if err := os.WriteFile(filepath.Join(dir, "labour.md"), []byte("---\nstatus: planned\n---\n# Labour Act\n\nThe employer gives notice.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.knows("current", "planned", "repealed")
	p.js(`globalThis.instead = (url) => (url.endsWith("/v1/apps/law") ? new Response("", {status: 503}) : null); find("#documents-q").select()`)
	p.keys("landlord\r")
	p.until(foundStatus + ` === "Passages found: 3" && ` + offered + ` === "current,repealed"`)
	p.js(`globalThis.instead = null; find("#documents-q").focus()`)
	p.keys(kb.End, " employer")
	p.until(offered + ` === "current,planned,repealed"`)
	p.click(".filters summary")
	p.click(".filters .values label:nth-child(2) input")
	p.until(foundTitles + `.join() === "Labour Act" && find(".filters summary").innerText.trim() === "Filters: 1"`)
	if err := os.Remove(filepath.Join(dir, "labour.md")); err != nil {
		t.Fatal(err)
	}
	p.knows("current", "repealed")
	p.js(`find("#documents-q").select()`)
	p.keys("notice\r")
	p.until(offered + ` === "current,repealed,planned" && ` + foundStatus + `.includes("fewer filters")`)
	p.click(".filters .values label:nth-child(3) input")
	p.until(offered + ` === "current,repealed" && ` + anyFound + ` && find(".filters").open`)
	p.click(".filters .values label:nth-child(1) input")
	p.until(`find("#documents-unfiltered")`)
	p.js(`find("#documents-unfiltered").focus()`)
	p.keys("\r")
	p.until(`!find("#documents-unfiltered") && find(".filters").open && document.activeElement === find(".filters summary")`)
}

// knows waits until the gateway offers these values of the field.
func (p *page) knows(values ...string) {
	p.t.Helper()
	p.js(`while ((await (await fetch("/v1/apps/law")).json()).documents[0].fields.status.values.join() !== %s) await new Promise((go) => setTimeout(go, 200))`, strings.Join(values, ","))
}

// A search that is refused says why, and shows no passages of the search before. When it is tried again,
// the focus stays in the search.
func TestARefusedSearchSaysWhy(t *testing.T) {
	t.Parallel()
	p := openChatPage(t, newSite(t, "", librarian(t), configured(t, reformed())), "#law/?documents=laws&q=notice+2015", 1000)
	p.until(anyFound + ` && find(".which")`)
	p.js(`globalThis.instead = (url) => (url.includes("/documents/") ? new Response('{"code": "overloaded", "detail": "The service is busy."}', {status: 503, headers: {"Content-Type": "application/problem+json"}}) : null)`)
	p.js(`find("#documents-q").select()`)
	p.keys("landlord 2015\r")
	p.until(`find("page-documents [role=alert]")?.innerText.includes("The service is busy.") && !find(".found li, .which")`)
	p.accessible("documents, busy")
	p.js(`globalThis.instead = null; find("page-documents [role=alert] button").focus()`)
	p.keys("\r")
	p.until(anyFound + ` && find(".which") && !find("page-documents [role=alert]") && ` + documentsSet)
	p.js(`location.hash += "&asOf=2015-02-31"`)
	p.until(`find("page-documents [role=alert]")?.innerText.includes("\u0060asOf\u0060") && !find(".found li, .which")`)
}
