package documents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/config/configtest"
)

func version(from, to, body string) string {
	members := "id: ley-35\ntitle: Tenancy Act"
	if from != "" {
		members += "\nvalid_from: " + from
	}
	if to != "" {
		members += "\nvalid_to: " + to
	}
	return front(members, body)
}

var versioned = map[string]string{
	"v1.md":                version("", "", "## § 5 Notice\n\nOne needle month.\n\n## § 6 Old\n\nGone needle."),
	"v2.md":                version("2010-01-01", "", "## § 5 Notice\n\nTwo needle months."),
	"ley-35@2015-01-01.md": "---\ntitle: Tenancy Act\n---\n## § 5 Notice\n\nThree needle months.",
	"v4.md":                version("2030-01-01", "2039-12-31", "## § 5 Notice {#moved}\n\nOther words.\n\n## § 5 Termination {#-5-notice}\n\nFour needle months."),
	"plain.md":             "# Harbour Code\n\n## Berths\n\nneedle",
}

func TestASearchFindsTheVersionOfADay(t *testing.T) {
	b := openFacts(t, versioned)
	b.finds(t, "three", "Three")
	for asOf, want := range map[string]string{
		"":           "Tenancy Act › § 5 Notice|Harbour Code › Berths",
		"2009-12-31": "Tenancy Act (– 2009-12-31) › § 5 Notice|Tenancy Act (– 2009-12-31) › § 6 Old|Harbour Code › Berths",
		"0001-01-01": "Tenancy Act (– 2009-12-31) › § 5 Notice|Tenancy Act (– 2009-12-31) › § 6 Old|Harbour Code › Berths",
		"2010-01-01": "Tenancy Act (2010-01-01 – 2014-12-31) › § 5 Notice|Harbour Code › Berths",
		"2014-12-31": "Tenancy Act (2010-01-01 – 2014-12-31) › § 5 Notice|Harbour Code › Berths",
		"2015-01-01": "Tenancy Act › § 5 Notice|Harbour Code › Berths",
		"2029-12-31": "Tenancy Act › § 5 Notice|Harbour Code › Berths",
		"2039-12-31": "Tenancy Act (2030-01-01 – 2039-12-31) › § 5 Termination|Harbour Code › Berths",
		"2040-01-01": "Harbour Code › Berths", // none is in force
		"9998-12-31": "Harbour Code › Berths",
	} {
		a := args{"query": "needle"}
		if asOf != "" {
			a["asOf"] = asOf
		}
		if got := b.titles(t, a); sorted(got) != sorted(want) {
			t.Errorf("%s: %s, want %s", asOf, got, want)
		}
	}
	if got := b.titles(t, args{"query": "needle", "versions": "all"}); strings.Count(got, "|") != 5 {
		t.Error(got)
	}
	// Which of them are in force today is a matter of the day in UTC, not of the index.
	b.until(t, "2029-12-31")
	if got := b.titles(t, args{"query": "three needle"}); !strings.HasPrefix(got, "Tenancy Act › § 5 Notice") {
		t.Error(got)
	}
	b.until(t, "2031-01-01")
	if got := b.titles(t, args{"query": "needle", "asOf": "2029-12-31"}); sorted(got) != "Harbour Code › Berths|Tenancy Act (2015-01-01 – 2029-12-31) › § 5 Notice" {
		t.Error(got)
	}
	if strings.Contains(b.log.String(), "level=WARN") { // a version that does not say when it ends overlaps none
		t.Error(b.log)
	}
}

func TestACitationNeverChangesWhatItCites(t *testing.T) {
	b := openFacts(t, versioned)
	b.finds(t, "three", "Three")
	var p page
	b.ask(t, "search", args{"query": "two months", "asOf": "2012-01-01"}, &p)
	id := p.Items[0].ID
	read := func(a args) string {
		var h hit
		if refused := b.ask(t, "read", a, &h); refused != "" {
			return refused
		}
		return fmt.Sprintf("%s|%s|%s|%s", h.Title, h.Text, h.ValidFrom, h.ValidTo)
	}
	for asOf, want := range map[string]string{
		"":           "Tenancy Act (2010-01-01 – 2014-12-31) › § 5 Notice|Two needle months.|2010-01-01|2014-12-31",
		"2012-01-01": "Tenancy Act (2010-01-01 – 2014-12-31) › § 5 Notice|Two needle months.|2010-01-01|2014-12-31",
		"1999-01-01": "Tenancy Act (– 2009-12-31) › § 5 Notice|One needle month.||2009-12-31",
		today:        "Tenancy Act › § 5 Notice|Three needle months.|2015-01-01|2029-12-31",
		"2035-01-01": "Tenancy Act (2030-01-01 – 2039-12-31) › § 5 Termination|Four needle months.|2030-01-01|2039-12-31", // the anchor is the same
		"2050-01-01": "NOT_FOUND: No version of this work is in force on 2050-01-01. Its versions are in force: – 2009-12-31; 2010-01-01 – 2014-12-31; 2015-01-01 – 2029-12-31; 2030-01-01 – 2039-12-31.",
	} {
		a := args{"id": id}
		if asOf != "" {
			a["asOf"] = asOf
		}
		if got := read(a); got != want {
			t.Errorf("%s: %s, want %s", asOf, got, want)
		}
	}
	passage, _, err := b.Passage(t.Context(), id)
	if err != nil || passage.Title != "Tenancy Act (2010-01-01 – 2014-12-31) › § 5 Notice" || passage.ValidTo != "2014-12-31" {
		t.Errorf("%+v %v", passage, err)
	}
	out, _ := b.run(t, "laws__read", `{"id": "`+id+`"}`)
	if !strings.Contains(string(out.Content[0].Part), `"title":"Tenancy Act (2010-01-01 – 2014-12-31) › § 5 Notice"`) {
		t.Errorf("the source has another title: %s", out.Content[0].Part)
	}
	b.ask(t, "search", args{"query": "gone", "versions": "all"}, &p)
	if got := read(args{"id": p.Items[0].ID, "asOf": today}); got != `NOT_FOUND: The version that is in force on 2026-06-15 has no such section. Search it with `+"`asOf`"+`: "2026-06-15", and use an id from the result.` {
		t.Error(got)
	}
	b.ask(t, "search", args{"query": "berths"}, &p)
	if got := read(args{"id": p.Items[0].ID, "asOf": "1990-01-01"}); !strings.HasPrefix(got, "Harbour Code › Berths|needle") {
		t.Errorf("a work without versions: %s", got)
	}
}

// If a query has a year that is in the name of no work found, the search lists the versions that it may
// mean.
func TestAYearThatNoWorkHasListsVersions(t *testing.T) {
	files := map[string]string{"other.md": front("id: act-1999\ntitle: Needle Act", "needle"), "numbered.md": "# Code of 1871\n\nneedle", "single.md": front("id: s\ntitle: Salt Act\nvalid_from: 2001-01-01", "salt"), "ever.md": front("id: e\ntitle: Egg Act", "egg")}
	for name, text := range versioned {
		files[name] = text
	}
	b := openFacts(t, files)
	b.finds(t, "three", "Three")
	for query, want := range map[string]int{
		"tenancy 2010": 4, "tenancy (2010)": 4, "tenancy 1800": 4, "tenancy 2199": 4, "tenancy, 1999 and 2010": 4,
		"tenancy": 0, "tenancy 1799": 0, "tenancy 2200": 0, "tenancy 20100": 0, "tenancy a2010": 0, "tenancy 12": 0,
		"needle 1871": 0,                // the title of a work found has it
		"needle 1999": 0,                // its id
		"berths 2010": 0,                // without versions
		"salt 2005":   1, "egg 2005": 0, // it has always been so
	} {
		var p page
		b.ask(t, "search", args{"query": query}, &p)
		if len(p.Versions) != want {
			t.Errorf("%s: %+v", query, p.Versions)
		}
	}
	var p page
	b.ask(t, "search", args{"query": "tenancy 2010"}, &p)
	if v := p.Versions[1]; v.Work != "Tenancy Act" || v.WorkID != "ley-35" || v.ValidFrom != "2010-01-01" || v.ValidTo != "2014-12-31" || p.Versions[0].ValidFrom != "" {
		t.Errorf("%+v", p.Versions)
	}
}

func TestFaultsOfValidityAreNamedOnce(t *testing.T) {
	b := openFacts(t, map[string]string{
		"a.md": version("2010-01-01", "2020-12-31", "apple"), "b.md": version("2015-01-01", "", "pear"), "c.md": version("2015-01-01", "", "quince"),
		"d.md": front("id: x\ntitle: X\nvalid_from: 2011-01-01\nvalid_to: 2010-01-01", "plum"),
	})
	b.finds(t, "pear", "pear")
	for query, want := range map[string]int{"apple": 0, "quince": 0, "plum": 1} { // overlapped, the same version, without versions
		if r := b.search(t, query); len(r.Items) != want {
			t.Errorf("%s: %+v", query, r)
		}
	}
	if got := b.titles(t, args{"query": "quince", "versions": "all"}); got != "Tenancy Act (–)" {
		t.Errorf("a version that never is in force: %s", got)
	}
	var p page
	if b.ask(t, "search", args{"query": "pear 2016"}, &p); len(p.Versions) != 2 {
		t.Errorf("%+v", p.Versions)
	}
	if got := b.titles(t, args{"query": "apple", "asOf": "2014-12-31"}); got != "Tenancy Act (2010-01-01 – 2014-12-31)" {
		t.Error(got)
	}
	configtest.Files{"b.md": version("2015-01-01", "", "pears, cherry")}.Write(t, b.folder)
	b.finds(t, "cherry", "cherry")
	for _, line := range []string{`file=a.md error="overlaps with b.md`, `file=c.md error="is the same version as b.md`} {
		until(t, line, func() bool { return strings.Contains(b.log.String(), line) })
		if n := strings.Count(b.log.String(), line); n != 1 {
			t.Errorf("%s: %d times in\n%s", line, n, b.log)
		}
	}
	if !strings.Contains(b.log.String(), "file=d.md") {
		t.Error(b.log)
	}
	// When a version is removed, the one that it hid is in force.
	configtest.Files{"b.md": "# Other"}.Write(t, b.folder)
	until(t, "quince is in effect", func() bool { return len(b.search(t, "quince").Items) == 1 })
	// A file that went and comes back with its fault is named again.
	const again = `file=e.md error="is the same version as c.md`
	for n := range 2 {
		configtest.Files{"e.md": version("2015-01-01", "", "medlar")}.Write(t, b.folder)
		until(t, again, func() bool { return strings.Count(b.log.String(), again) == n+1 })
		if err := os.Remove(filepath.Join(b.folder, "e.md")); err != nil {
			t.Fatal(err)
		}
		until(t, "e.md is gone", func() bool { return b.titles(t, args{"query": "medlar", "versions": "all"}) == "" })
	}
}
