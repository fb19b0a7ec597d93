package passages_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// settings have a field of each kind, and versions.
var settings = passages.Settings{
	Fields:   map[string]passages.Kind{"status": passages.Enum, "materias": passages.List, "published_at": passages.Date, "rank": passages.Number},
	Versions: &passages.Versions{Key: "id", From: "valid_from", To: "valid_to"},
}

// facts returns what a file's first document says about itself, and the faults, a line for each.
func facts(t *testing.T, s passages.Settings, name, text string) string {
	t.Helper()
	r, err := passages.New(s)
	if err != nil {
		t.Fatal(err)
	}
	list, faults := r.Read(name, []byte(text))
	var b strings.Builder
	if len(list) > 0 {
		p := list[0]
		b.WriteString(p.Work)
		if p.Link != "" {
			b.WriteString(" " + p.Link)
		}
		if f := p.Facts; f != nil {
			fmt.Fprintf(&b, " id=%s", f.ID)
			if f.Date != "" {
				b.WriteString(" date=" + f.Date)
			}
			for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
				v := f.Fields[name]
				if v.Kind != s.Fields[name] {
					t.Errorf("%s has kind %s", name, v.Kind)
				}
				if fmt.Fprintf(&b, " %s=", name); v.Kind == passages.Number {
					fmt.Fprint(&b, v.Number)
				} else {
					b.WriteString(strings.Join(v.Texts, "|"))
				}
			}
			if f.Key != "" {
				fmt.Fprintf(&b, " %s:%s-%s", f.Key, f.From, f.To)
			}
		}
		b.WriteString("\n")
	}
	for _, f := range faults {
		if !f.Read {
			b.WriteString("left out: ")
		}
		fmt.Fprintf(&b, "line %d %s\n", f.Line, f.Why)
	}
	return b.String()
}

type factsCase struct{ file, text, want string }

func checkFacts(t *testing.T, cases map[string]factsCase) {
	t.Helper()
	for name, c := range cases {
		if got := facts(t, settings, c.file, c.text); got != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
	}
}

func TestWhatDocumentsSayAboutThemselves(t *testing.T) {
	const all = "Ley 35/2006 https://boe.example/1 id=BOE-1 date=2006-11-29 materias=tax|work published_at=2006-11-28 rank=12.5 status=in force BOE-1:2007-01-01-2014-12-31\n"
	checkFacts(t, map[string]factsCase{
		"YAML": {"a.md", "---\ntitle: Ley 35/2006\nid: BOE-1\nlink: https://boe.example/1\ndate: 2006-11-29\nstatus: in force\nmaterias:\n  - tax\n  - work\n  - tax\npublished_at: 2006-11-29T00:30:00+01:00\nrank: 12.5\n" +
			"valid_from: 2007-01-01\nvalid_to: 2014-12-31\nunknown: {a: [1]}\n---\n\n## Artículo 1\n\nx", all},
		"TOML": {"a.md", "+++\ntitle = 'Ley 35/2006'\nid = \"BOE-1\"\nlink = \"https://boe.example/1\"\ndate = 2006-11-29\nstatus = \"in force\"\nmaterias = [\"tax\",\n \"work\"]\npublished_at = 2006-11-29T00:30:00+01:00\nrank = 12.5\n" +
			"valid_from = 2007-01-01\nvalid_to = \"2014-12-31\"\n[params]\nrank = 'x'\n+++\n\n## Artículo 1\n\nx", all},
		"JSON": {"a.jsonl", `{"id": "BOE-1", "title": "Ley 35/2006", "text": "x", "link": "https://boe.example/1", "date": "2006-11-29", "status": "in force", "materias": ["tax", "work", null], "published_at": "2006-11-29T00:30:00+01:00", "rank": 12.5, "valid_from": "2007-01-01", "valid_to": "2014-12-31", "unknown": {"a": [1]}}`, all},
		"HTML": {"a.html", `<meta name="title" content="Ley 35/2006"><meta name=ID content="BOE-1"><meta name=link content="https://boe.example/1"><meta name=date content="2006-11-29"><meta name=Status content="in force">
			<meta name=materias content=tax><meta name=materias content=work><meta name=published_at content="2006-11-29T00:30:00+01:00"><meta name=rank content="12.5"><meta name=valid_from content="2007-01-01"><meta name=valid_to content="2014-12-31"><title>Site</title><h2>Artículo 1</h2><p>x`, all},
		"nothing":                         {"a.md", "# A\n\nx", "A\n"},
		"a link with spaces":              {"a.md", "---\nlink: https://boe.example/a b\n---\n# A", "A https://boe.example/a%20b\n"},
		"a link of JSON with spaces":      {"b.jsonl", `{"id": 7, "text": "x", "link": "https://boe.example/a b"}`, "b 1 https://boe.example/a%20b id=7 7:-\n"},
		"nothing that is used":            {"a.md", "---\nlayout: post\n---\n# A\n\nx", "A\n"},
		"empty":                           {"a.md", "---\n---\n# A\n\nx", "A\n"},
		"only a comment":                  {"a.md", "---\n# title: x\n---\n# A\n\nx", "A\n"},
		"no values":                       {"a.md", "---\ntitle:\nid: ~\ndate: null\nstatus: ''\nmaterias: []\nrank:\nvalid_from: \"\"\n---\n# A\n\nx", "A\n"},
		"no text":                         {"a.md", "---\ntitle: T\n---", "T\n"},
		"a title that is a number":        {"a.md", "---\ntitle: 1984\n---\nx", "1984\n"},
		"one text as a list":              {"a.md", "---\nmaterias: tax\n---\n# A", "A id= materias=tax\n"},
		"texts of several lines":          {"a.md", "---\ntitle: >\n  Ley\n  35/2006\nstatus: |\n  in\n  force\n---\nx", "Ley 35/2006 id= status=in force\n"},
		"texts that deceive":              {"a.md", "---\ntitle: \"L\\u202Eey\"\nstatus: \"in\\0\\tforce\"\n---\nx", "Ley id= status=in force\n"},
		"an object in JSON's form":        {"a.md", "---\n{\n  \"title\": \"T\",\n  \"rank\": 3\n}\n---\nx", "T id= rank=3\n"},
		"Windows, with a mark":            {"a.md", "\ufeff---\r\ntitle: T\r\nrank: 3\r\n---\r\nx", "T id= rank=3\n"},
		"ended by dots, spaces behind":    {"a.md", "--- \ntitle: T\n... \nx", "T\n"},
		"no header of a table":            {"a.md", "+++\n[a]\ntitle = 'x'\n+++\n# A", "A\n"},
		"yes and on":                      {"a.md", "---\nstatus: yes\nmaterias: [on, no, NULL, 2015-01-01, 00123, true]\n---\n# A", "A id= materias=on|no|2015-01-01|00123|true status=yes\n"},
		"an id that is a day":             {"a.md", "---\nid: 2015-01-01\n---\n# A", "A id=2015-01-01 2015-01-01:-\n"},
		"numbers of JSON":                 {"a.md", "---\nrank: -1.5e3\n---\n# A", "A id= rank=-1500\n"},
		"a number with a tag":             {"a.md", "---\nstatus: !!str 5\n---\n# A", "A id= status=5\n"},
		"TOML's own numbers":              {"a.md", "+++\nrank = 1_000\nstatus = 0x1F\n+++\n# A", "A id= rank=1000 status=31\n"},
		"a moment without a zone":         {"a.md", "---\npublished_at: 2020-08-21 23:30\n---\n# A", "A id= published_at=2020-08-21\n"},
		"a day of another zone":           {"a.md", "---\npublished_at: 2020-12-31 23:30:00 -0200\n---\n# A", "A id= published_at=2021-01-01\n"},
		"plain text has no front":         {"a.txt", "---\ntitle: x\n---\ny", "---\n"},
		"meta elements of the body":       {"a.html", "<body><h1>A</h1><meta name=status content=x><p>y", "A\n"},
		"a number for an id":              {"a.jsonl", `{"id": 7, "text": "x"}`, "a 1 id=7 7:-\n"},
		"front matter after a blank line": {"a.md", "\n---\ntitle: y\n---\n", "a\n"},
	})
}

// What cannot be used is named with its line, and left out of the document; all else of it is read.
func TestWhatCannotBeUsedIsNamed(t *testing.T) {
	deep := "x: " + strings.Repeat("[", 65_000)
	var wide, wideTOML strings.Builder
	for i := range passages.MaxMembers + 1 {
		fmt.Fprintf(&wide, "k%d: 1\n", i)
		fmt.Fprintf(&wideTOML, "k%d = 1\n", i)
	}
	const (
		noYAML = `has front matter that is not YAML, or has a key twice; correct it (put a text in quotation marks if it contains ": " or begins with a sign); until then, all front matter is ignored`
		noKeys = `has front matter without keys; write each line as "key: value", or remove the lines that enclose it; until then, all front matter is ignored`
		noTOML = "has front matter that is not TOML; correct it; until then, all front matter is ignored"
		alias  = "has front matter with an anchor or alias; write the value itself (put a text in quotation marks if it begins with & or *); until then, all front matter is ignored"
		nested = "has front matter that is nested more than 20 deep; flatten it; until then, all front matter is ignored"
		many   = "has front matter of more than 1000 members; remove some; until then, all front matter is ignored"
		large  = "has front matter of more than 64 KiB, which is ignored; shorten it"
		noEnd  = "begins with --- like front matter, but no other such line ends it, so all of it is read as text; add the line, or remove the first"
	)
	yaml := func(front string) string { return "---\n" + front + "\n---\n# A\n\nx" }
	toml := func(front string) string { return "+++\n" + front + "\n+++\n# A\n\nx" }
	checkFacts(t, map[string]factsCase{
		"broken":                      {"a.md", yaml("title: T\nid: [1,\nstatus: x"), "A\nline 3 " + noYAML + "\n"},
		"a colon in a text":           {"a.md", yaml("id: x\ntitle: Ley: reforma"), "A\nline 3 " + noYAML + "\n"},
		"a key twice":                 {"a.md", yaml("title: T\ntitle: U"), "A\nline 3 " + noYAML + "\n"},
		"a key twice, quoted":         {"a.md", yaml("title: T\n\"title\": U"), "A\nline 3 " + noYAML + "\n"},
		"a list":                      {"a.md", yaml("- title"), "A\nline 2 " + noKeys + "\n"},
		"a text":                      {"a.md", yaml("Only text."), "A\nline 2 " + noKeys + "\n"},
		"several documents":           {"a.md", yaml("a: 1\n--- b"), "A\nline 3 " + noYAML + "\n"},
		"an alias":                    {"a.md", yaml("title: T\nid: &x 1\nstatus: *x"), "A\nline 3 " + alias + "\n"},
		"emphasis":                    {"a.md", yaml("title: *T*"), "A\nline 2 " + alias + "\n"},
		"a merge":                     {"a.md", yaml("<<: {title: T}"), "A\nline 2 " + alias + "\n"},
		"deep":                        {"a.md", yaml("id: 1\n" + deep), "A\nline 3 " + nested + "\n"},
		"deep, by dashes":             {"a.md", yaml(strings.Repeat("- ", 30_000)), "A\nline 2 " + nested + "\n"},
		"wide":                        {"a.md", yaml(wide.String()), "A\nline 1002 " + many + "\n"},
		"too large":                   {"a.md", yaml("title: " + strings.Repeat("x", 1<<20)), "A\nline 1 " + large + "\n"},
		"endless":                     {"a.md", "---\ntitle: T\n# A\n\nx", "A\nline 1 " + noEnd + "\n"},
		"broken TOML":                 {"a.md", toml("title = 'T'\nid = x"), "A\nline 3 " + noTOML + "\n"},
		"a key of TOML twice":         {"a.md", toml("title = 'T'\ntitle = 'U'"), "A\nline 3 " + noTOML + "\n"},
		"deep TOML":                   {"a.md", toml("x = " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000)), "A\nline 2 " + nested + "\n"},
		"deep TOML that does not end": {"a.md", toml("x = " + strings.Repeat("[", 60_000)), "A\nline 2 " + noTOML + "\n"},
		"empty lines":                 {"a.md", yaml("status: |\n  in\n" + strings.Repeat("  \n", 10_000) + "  force"), "A\nline 1004 has front matter of more than 1000 empty lines; remove some; until then, all front matter is ignored\n"},
		"wide TOML":                   {"a.md", toml(wideTOML.String()), "A\nline 1002 " + many + "\n"},
		"TOML, a long key":            {"a.md", toml("a" + strings.Repeat(".a", 30_000) + " = 1"), "A\nline 2 " + many + "\n"},
		"a title that is not a text":  {"a.md", yaml("id: 1\ntitle: [a]"), "A id=1 1:-\nline 3 has a member \"title\" that is not a text; write one\n"},
		"a link that is none":         {"a.md", yaml("link: javascript:alert(1)"), "A\nline 2 has a member \"link\" that is not a web address; write https://..., or leave it out\n"},
		"a link of another kind":      {"a.md", yaml("link: \"[[Link]]\""), "A\nline 2 has a member \"link\" that is not a web address; write https://..., or leave it out\n"},
		"other types": {"a.md", yaml("id: {a: 1}\ndate: soon\nstatus: [a]\nmaterias: [[a]]\npublished_at: 2015-02-30\nrank: \"3\""), "A\n" +
			"line 2 has a member \"id\" that is not one text; write one\nline 3 has a member \"date\" that is not a day; write it like 2026-01-31\nline 4 has a member \"status\" that is not one text; write one\n" +
			"line 5 has a member \"materias\" that is not a list of texts; write texts\nline 6 has a member \"published_at\" that is not a day; write it like 2026-01-31\nline 7 has a member \"rank\" that is not a number; write it without quotation marks, like 12.5\n"},
		"numbers that JSON has not":    {"a.md", yaml("rank: 0x1F"), "A\nline 2 has a member \"rank\" that is not a number; write it without quotation marks, like 12.5\n"},
		"a number that is too large":   {"a.md", yaml("rank: 1e999"), "A\nline 2 has a member \"rank\" that is not a number; write it without quotation marks, like 12.5\n"},
		"no number of TOML":            {"a.md", toml("rank = nan"), "A\nline 2 has a member \"rank\" that is not a number; write it without quotation marks, like 12.5\n"},
		"truth for a number":           {"a.jsonl", `{"id": "b", "text": "x", "rank": true}`, "a 1 id=b b:-\nline 1 has a member \"rank\" that is not a number; write it without quotation marks, like 12.5\n"},
		"a title of JSON":              {"a.jsonl", `{"id": "b", "text": "x", "title": ["x"]}`, "a 1 id=b b:-\nline 1 has a title that is not a text; write one\n"},
		"a link of JSON leaves it out": {"a.jsonl", `{"id": "b", "text": "x", "link": "x"}`, "left out: line 1 has a \"link\" that is not a web address; write https://..., or leave it out\n"},
		"HTML, with its line":          {"a.html", "<title>A</title>\n<meta name=status content=a>\n<meta name=date content=soon>\n<meta name=status content=b>\n<script>\n<meta name=date></script>x", "A\nline 2 has a member \"status\" that is not one text; write one\nline 3 has a member \"date\" that is not a day; write it like 2026-01-31\n"},
		"a long value":                 {"a.md", yaml("status: " + strings.Repeat("ñ", 501)), "A\nline 2 has a member \"status\" of more than 500 characters; shorten it\n"},
		"the longest value":            {"a.md", yaml("status: " + strings.Repeat("ñ", 500)), "A id= status=" + strings.Repeat("ñ", 500) + "\n"},
		"a long value of a list":       {"a.md", yaml("materias: [a, " + strings.Repeat("ñ", 501) + "]"), "A\nline 2 has a member \"materias\" with a value of more than 500 characters; shorten it\n"},
		"many values":                  {"a.md", yaml("materias: [" + strings.Repeat("a, ", 1001) + "]"), "A\nline 2 has a member \"materias\" with more than 1000 values; remove some\n"},
		"many values of JSON":          {"a.jsonl", `{"id": "b", "text": "x", "materias": [1` + strings.Repeat(",1", 100_000) + `]}`, "a 1 id=b b:-\nline 1 has a member \"materias\" with more than 1000 values; remove some\n"},
	})
}

// Versions: the name of a file says from which day on it is in force, if the text does not.
func TestVersionsOfAWork(t *testing.T) {
	const noKey = `has a first or last day in force, but no member "id", so it counts as a document without versions; add that member`
	checkFacts(t, map[string]factsCase{
		"by name":                  {"x/law@2015-01-01.md", "Text.", "law id=law law:2015-01-01-\n"},
		"front matter wins":        {"law@2015-01-01.md", "---\nid: BOE-1\nvalid_from: 2016-01-01\nvalid_to: 2017-01-01\n---\nText.", "law id=BOE-1 BOE-1:2016-01-01-2017-01-01\n"},
		"one day":                  {"a.md", "---\nid: x\nvalid_from: 2016-01-01\nvalid_to: 2016-01-01\n---\n", "a id=x x:2016-01-01-2016-01-01\n"},
		"always so":                {"a.md", "---\nid: x\n---\n", "a id=x x:-\n"},
		"lines of a dated file":    {"law@2015-01-01.jsonl", `{"id": "a", "text": "x"}`, "law 1 id=a a:2015-01-01-\n"},
		"plain text by name":       {"law@2015-01-01.txt", "Text.", "law id=law law:2015-01-01-\n"},
		"HTML by name":             {"law@2015-01-01.html", "Text.", "law id=law law:2015-01-01-\n"},
		"a mail address":           {"me@example.md", "Text.", "me@example\n"},
		"a name of only a day":     {"@2015-01-01.md", "Text.", "@2015-01-01\n"},
		"ends before it begins":    {"a.md", "---\nid: x\nvalid_from: 2016-01-02\nvalid_to: 2016-01-01\n---\n", "a id=x\nline 4 has a member \"valid_to\" before its first day in force, so it counts as a document without versions; correct it\n"},
		"ends before its name":     {"x@2016-01-02.md", "---\nvalid_to: 2016-01-01\n---\n", "x\nline 2 has a member \"valid_to\" before its first day in force, so it counts as a document without versions; correct it\n"},
		"no such day":              {"a.md", "---\nid: x\nvalid_from: 2015-02-30\n---\n", "a id=x\nline 3 has a member \"valid_from\" that is not a day; write it like 2026-01-31\n"},
		"no such day in its name":  {"x@2015-02-30.md", "Text.", "x\nline 0 has a name that ends with a day that does not exist; rename it, or add the member \"valid_from\"\n"},
		"no key":                   {"a.md", "---\nvalid_from: 2015-01-01\n---\n", "a\nline 2 " + noKey + "\n"},
		"no key, an end":           {"a.md", "---\nstatus: x\nvalid_to: 2015-01-01\n---\n", "a id= status=x\nline 3 " + noKey + "\n"},
		"a key that is not a text": {"x@2015-01-01.md", "---\nid: [x]\n---\n", "x\nline 2 has a member \"id\" that is not one text; write one\n"},
	})
	// Without versions in the configuration, names are only names.
	if got := facts(t, passages.Settings{}, "law@2015-01-01.md", "---\nid: x\nvalid_to: 2015\n---\n"); got != "law@2015-01-01 id=x\n" {
		t.Error(got)
	}
	// The name does not stand for another member than the id.
	other := settings
	other.Versions = &passages.Versions{Key: "elı", From: "valid_from", To: "valid_to"}
	if got := facts(t, other, "law@2015-01-01.md", "Text."); got != "law id= law:2015-01-01-\n" {
		t.Error(got)
	}
	// Nor for that of lines: all of them would be one version.
	if got := facts(t, other, "law@2015-01-01.jsonl", `{"id": "a", "text": "x"}`); got != "law 1 id=a\n" {
		t.Error(got)
	}
}

// A file of lines names what is wrong with its name once, and bounds what it names at all. A fault does
// not cost more the more there are.
func TestFaultsOfLinesAreBounded(t *testing.T) {
	r, _ := passages.New(settings)
	var once, many, all strings.Builder
	all.WriteString(strings.Repeat("{}\n", 500_000))
	for i := range 5000 {
		fmt.Fprintf(&once, `{"id": %d, "text": "x"}`+"\n", i)
		fmt.Fprintf(&many, `{"id": %d, "text": "x", "rank": "x", "date": "x"}`+"\n", i)
	}
	for i := range 50_000 {
		fmt.Fprintf(&all, `{"id": %d, "text": "", "rank": "x"}`+"\n", i)
	}
	if list, faults := r.Read("a@2015-02-30.jsonl", []byte(once.String())); len(list) != 5000 || len(faults) != 1 {
		t.Error(len(list), len(faults))
	}
	if list, faults := r.Read("a.jsonl", []byte(many.String())); len(list) != 5000 || len(faults) != 100 {
		t.Error(len(list), len(faults))
	}
	if list, faults := r.Read("a.jsonl", []byte(all.String())); len(list) != 50_000 || len(faults) != 500_100 {
		t.Error(len(list), len(faults))
	}
}

// A preamble is not above the articles that follow it, and a title that is elsewhere makes each
// first-level heading one of a passage.
func TestFirstLevelHeadingsAreNoParents(t *testing.T) {
	for name, c := range map[string]struct{ title, file, text, want string }{
		"a preamble":            {"", "a.md", "# Law\n\n0\n\n## A\n\n1\n\n# Preamble\n\n2\n\n## B\n\n3\n\n### C\n\n4", "Law: |Law › A: A|Law › Preamble: Preamble|Law › B: B|Law › B › C: B › C"},
		"a title in front":      {"", "a.md", "---\ntitle: Law\n---\n0\n\n# Preamble\n\n1\n\n## A\n\n2\n\n# Annex\n\n3\n\n## B\n\n4", "Law: |Law › Preamble: Preamble|Law › A: A|Law › Annex: Annex|Law › B: B"},
		"the title again":       {"", "a.md", "---\ntitle: Law\n---\n# Law\n\n0\n\n## A\n\n1", "Law: |Law › A: A"},
		"no title":              {"", "a.md", "---\nid: x\n---\n## A\n\n0\n\n# B\n\n1\n\n## C\n\n2", "A: |A › B: B|A › C: C"},
		"HTML":                  {"", "a.html", "<meta name=title content=Law><h1>Preamble</h1>1<h2>A</h2>2", "Law › Preamble: Preamble|Law › A: A"},
		"HTML, a chosen title":  {".t", "a.html", "<meta name=title content=Other><p class=t>Law</p><h1>Preamble</h1>1<h2>A</h2>2", "Law: |Law › Preamble: Preamble|Law › A: A"},
		"HTML, no chosen title": {".u", "a.html", "<meta name=title content=Other><h1>Preamble</h1>1", "Other › Preamble: Preamble"},
		"a pointer":             {"/x", "a.jsonl", `{"id": "a", "title": "Other", "x": "Law", "text": "t"}`, "Law: "},
	} {
		r, err := passages.New(passages.Settings{Title: c.title})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		list, faults := r.Read(c.file, []byte(c.text))
		for _, p := range list {
			got = append(got, p.Title+": "+p.Heading)
		}
		if strings.Join(got, "|") != c.want || len(faults) > 0 {
			t.Errorf("%s: %q %v, want %q", name, got, faults, c.want)
		}
	}
}

// Front matter in the forms that the documentations of Hugo (gohugo.io/content-management/front-matter),
// Jekyll (jekyllrb.com/docs/front-matter) and Obsidian (help.obsidian.md/properties) describe, as of
// November 2026. Values are examples of our own.
func TestFrontMatterOfOtherPrograms(t *testing.T) {
	fields := passages.Settings{Fields: map[string]passages.Kind{
		"draft": passages.Enum, "tags": passages.List, "categories": passages.List, "weight": passages.Number, "date": passages.Date, "time": passages.Date, "year": passages.Number, "reply": passages.Enum,
	}}
	for name, c := range map[string]struct{ text, want string }{
		"Hugo, YAML":    {"---\ndate: 2023-05-06T23:14:54-08:00\ndraft: false\nparams:\n  author: Ana\ntags: [a, b]\ntitle: Harbour\nweight: 10\n---\nx", "Harbour id= date=2023-05-07 date=2023-05-07 draft=false tags=a|b weight=10\n"},
		"Hugo, TOML":    {"+++\ndate = 2023-05-06T23:14:54-08:00\ndraft = false\ntags = ['a', 'b']\ntitle = 'Harbour'\nweight = 10\n[params]\n  author = 'Ana'\n[[cascade]]\n  draft = true\n+++\nx", "Harbour id= date=2023-05-07 date=2023-05-07 draft=false tags=a|b weight=10\n"},
		"Jekyll":        {"---\nlayout: null\ntitle:  \"Harbour\"\ndate:   2009-03-04 23:30:00 -0100\ncategories: port sea\n---\nx", "Harbour id= date=2009-03-05 categories=port sea date=2009-03-05\n"},
		"Jekyll, empty": {"---\n---\n\nx", "a\n"},
		"Obsidian":      {"---\naliases:\n  - Port\ntags:\n  - a/b\n  - \"[[c]]\"\nyear: 1977\nreply: false\ndate: 2020-08-21\ntime: 2020-08-21T10:30:00\nlast: # none\n---\n# Harbour", "Harbour id= date=2020-08-21 date=2020-08-21 reply=false tags=a/b|[[c]] time=2020-08-21 year=1977\n"},
	} {
		if got := facts(t, fields, "a.md", c.text); got != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
	}
}
