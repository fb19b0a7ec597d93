package passages_test

import (
	"fmt"
	"strings"
	"testing"
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
		"Markdown": {"", "a.md", "---\ntitle: x\n---\nPreface.\n\n# Tenancy *Act*\n\nOne.\n\n## Notice {#s5}\n\n```\n# no heading\n```\n\n### [Form](x) #\n\nIn writing.\n\n## Notice\n\nTwo.",
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

func TestTitlesThatCannotBeFoundAreRefused(t *testing.T) {
	for _, title := range []string{"h1 >", "/a~2"} {
		if _, err := passages.New(passages.Settings{Title: title}); err == nil {
			t.Error(title)
		}
	}
}

// Whatever a file contains, passages stay within their limits, can be told apart, and show nothing
// that deceives.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"a.md", "a.html", "a.txt", "a.jsonl"} {
		f.Add(name, []byte("# A\n\n## B\n<h1 id=x>y</h1><p>{\"id\":1}"))
		f.Add(name, []byte(`{"id":"a","title":"T","text":"x","link":"https://a.example"}`))
	}
	r, _ := passages.New(passages.Settings{})
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		list, _ := r.Read(name, data)
		keys := map[string]bool{}
		for _, p := range list {
			if keys[p.Key] || !utf8.ValidString(p.Text+p.Title+p.Anchor) || utf8.RuneCountInString(p.Text) > passages.MaxText || utf8.RuneCountInString(p.Title) > 3*passages.MaxTitle ||
				p.Work == "" || strings.ContainsAny(p.Text+p.Title, "\x00\u202e") || strings.Contains(p.Title, "\n") {
				t.Fatalf("%+v", p)
			}
			keys[p.Key] = true
		}
	})
}
