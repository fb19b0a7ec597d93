package documents_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tooltypes/documents"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// A field that is too large for a result, or for the description of a search, leaves room for the others.
func TestALargeFieldLeavesRoomForTheOthers(t *testing.T) {
	document := func(topics, long int) string {
		values := make([]string, topics)
		for i := range values {
			values[i] = fmt.Sprintf("%02d%s", i, strings.Repeat("é", long))
		}
		return front("status: draft\nabout: ["+strings.Join(values, ", ")+"]", "needle")
	}
	b := open(t, map[string]string{"a.md": document(20, 400)}, func(o *documents.Options) {
		o.Fields = map[string]passages.Kind{"about": passages.List, "status": passages.Enum}
	})
	b.finds(t, "needle", "needle")
	var p page
	b.ask(t, "search", args{"query": "needle"}, &p)
	if f := p.Items[0].Fields; len(f) != 1 || f["status"] != "draft" {
		t.Errorf("%v", f)
	}
	configtest.Files{"a.md": document(50, 90)}.Write(t, b.folder)
	until(t, "people see the values", func() bool { return len(b.Facets().Fields["about"].Values) == 50 })
	if d := b.Members("en")[0].Description; !strings.HasSuffix(d, ` instructions: status: "draft".`) {
		t.Error(d)
	}
}

// The section of another day is read in the same part; and that of a passage's own version is the
// passage, even if another section has its anchor and heading.
func TestTheSameSectionOfADay(t *testing.T) {
	body := func(year string) string {
		return "## § 5 Notice {#notice}\n\nfirst twin\n\n## § 5 Notice {#notice}\n\nsecond twin\n\n## § 6 Rent\n\n" + strings.Repeat("Long. ", 1400) + "\n\nneedle of " + year
	}
	b := openFacts(t, map[string]string{"1.md": version("2010-01-01", "", body("2010")), "2.md": version("2020-01-01", "", body("2020"))})
	b.finds(t, "needle", "2020")
	for _, c := range []struct{ query, asOf, want string }{{"needle", today, "needle of 2020"}, {"second twin", "2015-01-01", "second twin"}} {
		var p page
		b.ask(t, "search", args{"query": c.query, "asOf": "2015-01-01"}, &p)
		var h hit
		if refused := b.ask(t, "read", args{"id": p.Items[0].ID, "asOf": c.asOf}, &h); refused != "" || !strings.HasSuffix(h.Text, c.want) {
			t.Errorf("%s on %s: %s %.40q", c.query, c.asOf, refused, h.Text)
		}
	}
}

// A section may have several pages, here those of HTML with the anchors of a PDF.
func TestASectionOfSeveralPages(t *testing.T) {
	html := func(page int, second string) string {
		return fmt.Sprintf(`<meta name="title" content="Act"><h2 id="page=%d">§ 5</h2><p>First page.<h2 id="page=%d">§ 5</h2><p>%s needle.`, page, page+1, second)
	}
	b := openFacts(t, map[string]string{"act@2010-01-01.html": html(1, "Old"), "act@2020-01-01.html": html(2, "New")})
	b.finds(t, "needle", "New")
	var p page
	b.ask(t, "search", args{"query": "needle", "asOf": "2015-01-01"}, &p)
	id := p.Items[0].ID
	var h hit
	if refused := b.ask(t, "read", args{"id": id, "asOf": "2015-01-01"}, &h); refused != "" || h.ID != id {
		t.Errorf("%s %+v", refused, h)
	}
	b.ask(t, "search", args{"query": "first page", "asOf": "2015-01-01"}, &p)
	out, refused := b.run(t, "laws__diff", `{"id": "`+p.Items[0].ID+`", "from": "2015-01-01"}`)
	if refused != nil || !strings.Contains(out.Result, `"changes":[{"kind":"changed","before":"Old needle.","after":"New needle."}]`) {
		t.Error(out.Result, refused)
	}
}

// What a search says about versions is bounded: hits without room are left out.
func TestVersionsInAResultAreBounded(t *testing.T) {
	files := map[string]string{}
	long := strings.Repeat("é", 300)
	for i := range 49 {
		files[fmt.Sprintf("a%02d.md", i)] = front(fmt.Sprintf("id: %s\ntitle: %s\nvalid_from: 19%02d-01-01", long[:400], long[:300], i), "needle")
		files[fmt.Sprintf("b%02d.md", i)] = front(fmt.Sprintf("id: b%d\ntopics: [%s, x%s, y%s]", i, long, long, long), "needle "+long)
	}
	b := openFacts(t, files)
	until(t, "all are indexed", func() bool { return b.shelf.Statuses()[0].Ready })
	out, refused := b.run(t, "laws__search", `{"query": "needle 1950", "limit": 50}`)
	var p page
	if refused != nil || json.Unmarshal([]byte(out.Result), &p) != nil || len(out.Result) > 61<<10 {
		t.Fatal(len(out.Result), refused)
	}
	if n := len(p.Versions); n < 10 || n > 30 || len(p.Items) < 10 || len(p.Items) > 40 {
		t.Error(n, len(p.Items))
	}
}
