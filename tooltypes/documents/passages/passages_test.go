package passages_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// said returns the result for a file, a line for each passage and error.
func said(t *testing.T, title, name, text string) string {
	t.Helper()
	r, err := passages.New(passages.Settings{Title: title})
	if err != nil {
		t.Fatal(err)
	}
	list, faults := r.Read(name, []byte(text))
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "%s [%s] %s: %s\n", p.Title, p.Anchor, p.Link, strings.ReplaceAll(p.Text, "\n", "/"))
	}
	for _, f := range faults {
		fmt.Fprintf(&b, "line %d %s\n", f.Line, f.Why)
	}
	return b.String()
}

func TestFilesBecomePassages(t *testing.T) {
	for name, c := range map[string]struct{ title, file, text, want string }{
		"Markdown": {"", "a.md", "---\nlayout: x\n---\nPreface.\n\n# Tenancy *Act*\n\nOne.\n\n## Notice {#s5}\n\n```\n# no heading\n```\n\n### [Form](x) #\n\nIn writing.\n\n## Notice\n\nTwo.",
			"Tenancy Act [] : Preface.\nTenancy Act [tenancy-act] : One.\nTenancy Act › Notice [s5] : ```/# no heading/```\nTenancy Act › Notice › Form [form] : In writing.\nTenancy Act › Notice [notice] : Two.\n"},
		"headings that are underlined": {"", "a.md", "Law\n===\n\nOne.\n\nPart\n----\nTwo.\n\n- item\n---\n", "Law [law] : One.\nLaw › Part [part] : Two.//- item/---\n"},
		"no heading":                   {"", "b/rules.md", "Only text.", "rules [] : Only text.\n"},
		"a heading alone":              {"", "b/rules.md", "# Rules", "Rules [] : \n"},
		"the same heading twice":       {"", "a.md", "# A\n\n## B\n\n1\n\n## B\n\n2", "A › B [b] : 1\nA › B [b-1] : 2\n"},
		"HTML": {"", "a.html", `<title>Site</title><nav>Menu</nav><main><h1 id="top">Tenancy Act</h1><p>One
			<b>bold</b>.</p><script>alert(1)</script><section id="s5"><h2>Notice</h2><ul><li>a<li>b</ul><p hidden>no</p><table><tr><td>1<td>2</table><pre>x
 y</pre></section><h2><a name="s6"></a>End</h2>Text&nbsp;&lt;b&gt;</main><footer>no</footer>`,
			"Tenancy Act [top] : One bold.\nTenancy Act › Notice [s5] : - a/- b//1 | 2//x/ y\nTenancy Act › End [s6] : Text <b>\n"},
		"HTML with its own title":   {"meta + h2", "a.htm", `<body><meta><h2>Short</h2><p>x`, "Short [short] : x\n"},
		"HTML in another encoding":  {"", "a.html", "<meta charset=iso-8859-1><h1>K\xfcndigung</h1>x", "Kündigung [kündigung] : x\n"},
		"HTML without a heading":    {"", "a.html", "<title>T</title><p>x", "T [] : x\n"},
		"plain text":                {"", "a.txt", "\ufeffA title\r\n\r\nThe text.", "A title [] : The text.\n"},
		"plain text, one line":      {"", "note.txt", "The text.", "note [] : The text.\n"},
		"text that deceives":        {"", "a.txt", "A\u202etitle\n\nx\u202ey\x07", "Atitle [] : xy\n"},
		"bytes":                     {"", "a.txt", "a\x00b", "line 0 is not UTF-8 text; convert it\n"},
		"another encoding":          {"", "a.md", "K\xfcndigung", "line 0 is not UTF-8 text; convert it\n"},
		"too large":                 {"", "a.md", strings.Repeat("x", passages.MaxFile+1), "line 0 is larger than 10 MiB; split it\n"},
		"lines":                     {"", "a.jsonl", `{"id":"a","title":"A","text":"One.","link":"https://x.example/1"}` + "\n\n" + `{"id":2,"text":"Two."}`, "A [a] https://x.example/1: One.\na 3 [2] : Two.\n"},
		"lines, a title further in": {"/head/0", "a.jsonl", `{"id":"a","head":["T"],"text":"x"}`, "T [a] : x\n"},
		"lines that are invalid": {"", "a.jsonl", "{\n" + `{"text":"x"}` + "\n" + `{"id":"a"}` + "\n" + `{"id":"b","text":"x"}` + "\n" + `{"id":"b","text":"y"}` + "\n" + `{"id":"c","text":"x","link":"javascript:alert(1)"}`, "a 4 [b] : x\n" +
			"line 1 is not a JSON object with \"id\", \"title\", \"text\" and \"link\"; fix it\nline 2 has no \"id\"; add a string or number that no other line has\nline 3 has no \"text\"; add it\n" +
			"line 5 has the same \"id\" as a line above; make it unique\nline 6 has a \"link\" that is not a web address; write https://..., or leave it out\n"},
	} {
		if got := said(t, c.title, c.file, c.text); got != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
	}
}

func TestLongSectionsAreSplitAtParagraphs(t *testing.T) {
	r, _ := passages.New(passages.Settings{})
	paragraph := strings.Repeat("wörter ", 300)
	list, _ := r.Read("a.md", []byte("# A\n\n"+strings.Repeat(paragraph+"\n\n", 10)))
	if len(list) != 4 || list[1].Title != "A (2)" || list[1].Anchor != "a" || list[0].Key == list[1].Key || !strings.HasPrefix(list[1].Text, "wörter") {
		t.Errorf("%d %+v", len(list), list[1].Title)
	}
	for _, p := range list[:3] {
		if n := utf8.RuneCountInString(p.Text); n > passages.MaxText || n < passages.MaxText/2 {
			t.Error(n)
		}
	}
}

// Passages can be told apart, whatever a document calls its sections.
func TestAnchorsThatImitateOthers(t *testing.T) {
	r, _ := passages.New(passages.Settings{})
	for _, anchor := range []string{"x", "x~1+", "x~2+", "x~3+"} {
		list, _ := r.Read("a.html", []byte(`<h2 id=x>A</h2>a<h2 id="`+anchor+`">B</h2>b<h2 id=x>C</h2>c<h2 id=x>D</h2>d`))
		keys := map[string]bool{}
		for _, p := range list {
			keys[p.Key] = true
		}
		if len(list) != 4 || len(keys) != 4 {
			t.Errorf("%s: %d passages, %v", anchor, len(list), keys)
		}
	}
}

func TestTitlesThatCannotBeFoundAreRefused(t *testing.T) {
	for _, title := range []string{"h1 >", "/a~2"} {
		if _, err := passages.New(passages.Settings{Title: title}); err == nil {
			t.Error(title)
		}
	}
}

// Whatever a file contains, passages and facts stay within their limits, can be told apart, and show
// nothing that deceives.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"a.md", "a.html", "a.txt", "a.jsonl", "a@2015-01-01.md"} {
		f.Add(name, []byte("# A\n\n## B\n<h1 id=x>y</h1><p>{\"id\":1}"))
		f.Add(name, []byte(`{"id":"a","title":"T","text":"x","link":"https://a.example","status":["x"],"materias":[1,[2]],"rank":1e3,"valid_to":"2015-01-01"}`))
		f.Add(name, []byte("---\ntitle: T\nid: !!str x\nstatus: >-\n  in\n  force\nmaterias: [a, {b: c}]\nrank: 1\nvalid_from: 2015-01-01\n---\n# A\n\nx"))
		f.Add(name, []byte("---\n? a\n: &b [*b, <<: c]\n- |2\n  x\n...\n---\n"))
		f.Add(name, []byte("+++\ntitle = 'T'\nmaterias = [1, {a.b = 2}]\npublished_at = 1979-05-27 07:32:00\nrank = nan\n[id]\n[[status]]\n+++\n# A"))
		f.Add(name, []byte("<meta name=Title content=T><meta name=rank content=1><meta name=rank content=2><meta name=published_at content=x>\n<h1>A</h1>"))
	}
	f.Add("\u202e.md", []byte("# \u202e"))
	f.Add("\xc6@2015-01-01", []byte("x"))
	f.Add("a.html", []byte("<h2 id=x>A</h2>a<h2 id=x~2+>B</h2>b<h2 id=x>C</h2>c"))
	f.Add("a.html", []byte("\u066a<h1 id=\xe8>\xe8"))
	r, err := passages.New(settings)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		list, faults := r.Read(name, data)
		keys := map[string]bool{}
		for _, p := range list {
			if keys[p.Key] || !utf8.ValidString(p.Text+p.Title+p.Anchor+p.Heading) || utf8.RuneCountInString(p.Text) > passages.MaxText || utf8.RuneCountInString(p.Title) > 3*passages.MaxTitle ||
				p.Work == "" || strings.ContainsAny(p.Text+p.Title, "\x00\u202e") || strings.Contains(p.Title, "\n") {
				t.Fatalf("%+v", p)
			}
			keys[p.Key] = true
			if p.Facts != nil {
				sound(t, p.Facts)
			}
		}
		for _, f := range faults {
			if f.Line < 0 || f.Line > strings.Count(string(data), "\n")+1 || !utf8.ValidString(f.Why) || f.Why == "" {
				t.Fatalf("%+v", f)
			}
		}
	})
}

// sound checks facts.
func sound(t *testing.T, f *passages.Facts) {
	t.Helper()
	texts := []string{f.ID, f.Key}
	days := []string{f.Date, f.From, f.To}
	for name, v := range f.Fields {
		if v.Kind != settings.Fields[name] || len(v.Texts) > passages.MaxValues || (v.Kind == passages.Number) != (len(v.Texts) == 0) || math.IsInf(v.Number, 0) || math.IsNaN(v.Number) {
			t.Fatalf("%s: %+v", name, v)
		}
		if v.Kind == passages.Date {
			days = append(days, v.Texts...)
		}
		texts = append(texts, v.Texts...)
		if slices.Contains(v.Texts, "") {
			t.Fatalf("%s: %+v", name, v)
		}
	}
	for _, text := range texts {
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) > passages.MaxValue || strings.ContainsAny(text, "\x00\u202e\n") || text != strings.TrimSpace(text) {
			t.Fatalf("%q", text)
		}
	}
	for _, day := range days {
		if _, err := time.Parse(time.DateOnly, day); day != "" && (err != nil || day < "0001") {
			t.Fatalf("%q", day)
		}
	}
	if f.Key == "" && f.From+f.To != "" || f.From != "" && f.To != "" && f.To < f.From {
		t.Fatalf("%+v", f)
	}
}

// Of headings that are too long together, the lowest stays: it has the number of the article.
func TestTheLowestHeadingStays(t *testing.T) {
	r, err := passages.New(passages.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 120)
	list, _ := r.Read("a.md", []byte("# Code\n\n## Book "+long+"\n\n### Part "+long+"\n\n#### § 573c Terms\n\ntext"))
	if want := "… › Part " + long + " › § 573c Terms"; len(list) != 1 || list[0].Heading != want || list[0].Title != "Code › "+want {
		t.Errorf("%+v", list)
	}
	list, _ = r.Read("a.md", []byte("# Code\n\n## § 1 "+strings.Repeat("y", 300)+"\n\ntext"))
	if len(list) != 1 || !strings.HasPrefix(list[0].Heading, "§ 1 yyy") || !strings.HasSuffix(list[0].Heading, "y…") {
		t.Errorf("%+v", list)
	}
}
