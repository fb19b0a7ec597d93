package options_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/options"
)

func mapping(t testing.TB, rows, label, value, description string) options.Mapping {
	t.Helper()
	m, err := options.Compile(rows, label, value, description)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func read(t testing.TB, result string, m options.Mapping) *options.List {
	t.Helper()
	l, err := options.Read(result, m, nil)
	if err != nil {
		t.Fatalf("%s: %v", result, err)
	}
	return l
}

func said(list []tools.Option) string {
	var b strings.Builder
	for _, o := range list {
		fmt.Fprintf(&b, "%s=%s", o.Label, o.Value)
		if o.Description != "" {
			fmt.Fprintf(&b, "[%s]", o.Description)
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

func TestRowsBecomeOptions(t *testing.T) {
	people := mapping(t, "", "/name", "/id", "/team")
	long := strings.Repeat("ä", 150)
	for name, c := range map[string]struct {
		result string
		m      options.Mapping
		want   string
	}{
		"a list":                  {`[{"name":"Alpha","id":"a","team":"Red"},{"name":"Beta","id":"b"}]`, people, "Alpha=a[Red] Beta=b"},
		"the only list":           {`{"count":1,"items":[{"name":"Alpha","id":"a"}]}`, people, "Alpha=a"},
		"a list below":            {`{"data":{"rows":[{"n":{"de":"Eins"}}]}}`, mapping(t, "/data/rows", "/n/de", "", ""), "Eins=Eins"},
		"texts":                   {`["x","y"]`, mapping(t, "", "", "", ""), "x=x y=y"},
		"a row that is a list":    {`[["1","One"]]`, mapping(t, "", "/1", "/0", ""), "One=1"},
		"an escaped name":         {`[{"a/b~":"x"}]`, mapping(t, "", "/a~1b~0", "", ""), "x=x"},
		"numbers keep digits":     {`[{"name":"N","id":12345678901234567890},{"name":"T","id":true}]`, people, "N=12345678901234567890 T=true"},
		"white space goes":        {`[{"name":" A ","id":" a ","team":"  "}]`, people, "A=a"},
		"no label, no option":     {`[{"id":"a"},{"name":"\u200b","id":"b"},{"name":null,"id":"c"},{"name":["x"],"id":"d"},5]`, people, ""},
		"no value, no option":     {`[{"name":"A"},{"name":"B","id":{}},{"name":"C","id":"  "},{"name":"D","id":"x\u0000"}]`, people, ""},
		"a value that is long":    {`[{"name":"A","id":"` + long + `"}]`, people, ""},
		"a label that is long":    {`[{"name":"` + long + `","id":"a"}]`, people, strings.Repeat("ä", 100) + "=a"},
		"no U+0000":               {`[{"name":"A","id":"a","team":"x\u0000"},{"name":"B\u0000","id":"b"}]`, people, "A=a"},
		"one value once":          {`[{"name":"A","id":"x"},{"name":"B","id":"x"}]`, people, "A=x"},
		"one label, two values":   {`[{"name":"A","id":"x"},{"name":"A","id":"y"}]`, people, "A=x A (y)=y"},
		"a label made by another": {`[{"name":"A","id":"x"},{"name":"A (y)","id":"z"},{"name":"A","id":"y"}]`, people, "A=x A (y)=z"},
		"nothing":                 {`[]`, people, ""},
	} {
		if got := said(read(t, c.result, c.m).First(99)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestWhatIsNoListIsRefused(t *testing.T) {
	for _, result := range []string{
		``, `null`, `5`, `"text"`, `{}`, `{"a":[],"b":[]}`, `{"a":5}`, `[{"name":`, `[1`, `[1,`, `<html>`, `{"items":[1}`,
	} {
		if l, err := options.Read(result, mapping(t, "", "/name", "", ""), nil); err == nil {
			t.Errorf("%s: %d options", result, l.Len())
		}
	}
	if _, err := options.Read(`{"a":[1]}`, mapping(t, "/b", "", "", ""), nil); err == nil {
		t.Error("no member of that name")
	}
	for _, p := range []string{"name", "/a~2", "/~"} {
		if _, err := options.Compile("", p, "", ""); err == nil {
			t.Errorf("the pointer %q is accepted", p)
		}
	}
}

func TestTheSameResultIsNotReadAgain(t *testing.T) {
	m := mapping(t, "", "", "", "")
	first := read(t, `["a"]`, m)
	if again, err := options.Read(`["a"]`, m, first); again != first || err != nil {
		t.Error("it was read again")
	}
	if other, err := options.Read(`["b"]`, m, first); other == first || err != nil {
		t.Error("a new result was taken for the old one")
	}
}

func TestSearch(t *testing.T) {
	l := read(t, `[{"n":"New Zürich","v":"p1"},{"n":"Zuricher Allee","v":"p2"},{"n":"Genf","v":"zur-3"},{"n":"Bazuri","v":"p4"},
		{"n":"STRASSE","v":"p5"},{"n":"Straße  am Ring","v":"p6"},{"n":"Łódź","v":"p7"},{"n":"ﬁne","v":"p8"}]`, mapping(t, "", "/n", "/v", ""))
	for query, want := range map[string]string{
		"zur":       "Zuricher Allee=p2 New Zürich=p1 Genf=zur-3 Bazuri=p4",
		"ZÜR":       "Zuricher Allee=p2 New Zürich=p1 Genf=zur-3 Bazuri=p4",
		"strasse":   "STRASSE=p5 Straße  am Ring=p6",
		"ring stra": "Straße  am Ring=p6",
		"am  ring":  "Straße  am Ring=p6",
		"fine":      "ﬁne=p8",
		"\u200bgen": "Genf=zur-3",
		"x.*":       "",
	} {
		found, total := l.Search(query, 0, 10)
		if said(found) != want || total != len(found) {
			t.Errorf("%q: %s (%d), want %s", query, said(found), total, want)
		}
	}
	for _, query := range []string{"", "   ", "\u200b"} {
		if found, total := l.Search(query, 0, 3); len(found) != 3 || total != 8 || found[0].Value != "p1" {
			t.Errorf("%q: %s of %d", query, said(found), total)
		}
	}
}

func TestPagesOfASearchAreTheWhole(t *testing.T) {
	l := big(t, 1000)
	for _, query := range []string{"", "item 1", "9", "none"} {
		all, total := l.Search(query, 0, 5000)
		var pages []tools.Option
		for {
			found, n := l.Search(query, len(pages), 7)
			if n != total {
				t.Fatalf("%q: %d in all, then %d", query, total, n)
			}
			if len(found) == 0 {
				break
			}
			pages = append(pages, found...)
		}
		if !slices.Equal(pages, all) || len(all) != total {
			t.Errorf("%q: %d in pages, %d at once, %d told", query, len(pages), len(all), total)
		}
	}
}

func TestHundredThousandAreSearched(t *testing.T) {
	l := big(t, 100_000)
	for query, want := range map[string]int{"zurich": 100_000, "item 99999": 1, "ITEM 9999 ZUR": 19, "nothing": 0} {
		if found, total := l.Search(query, 0, 20); total != want || len(found) != min(want, 20) {
			t.Errorf("%q: %d of %d", query, len(found), total)
		}
	}
}

func TestNamed(t *testing.T) {
	l := read(t, `[{"n":"Alpha","v":"a"},{"n":"Béta","v":"beta"},{"n":"a","v":"x"},{"n":"ALPHA","v":"b"}]`, mapping(t, "", "/n", "/v", ""))
	for text, want := range map[string]string{"a": "a", " beta ": "beta", "BETA": "beta", "alpha": "", "X": "x", "": "", "gamma": ""} {
		if o, ok := l.Named(text); o.Value != want || ok != (want != "") {
			t.Errorf("%q: %q", text, o.Value)
		}
	}
}

func big(t testing.TB, n int) *options.List {
	return read(t, bigResult(n), mapping(t, "/items", "/name", "/id", "/team"))
}

func bigResult(n int) string {
	var b strings.Builder
	b.WriteString(`{"items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"p-%d","name":"Item %d of the Zürich department","team":"Team %d"}`, i, i, i%50)
	}
	b.WriteString(`]}`)
	return b.String()
}

// 100,000 rows are searched in less than 50 ms.
func BenchmarkSearch100000(b *testing.B) {
	l := big(b, 100_000)
	for _, query := range []string{"item 99999", "zur", "department 7", "no such thing"} {
		b.Run(strings.ReplaceAll(query, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				l.Search(query, 0, 20)
			}
		})
	}
}

func BenchmarkRead100000(b *testing.B) {
	result := bigResult(100_000)
	m := mapping(b, "/items", "/name", "/id", "/team")
	b.SetBytes(int64(len(result)))
	for b.Loop() {
		if _, err := options.Read(result, m, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// For any list of a tool, the options are valid, each value occurs once, and Find and Search
// agree with the list.
func FuzzRead(f *testing.F) {
	f.Add(`[{"name":"Alpha","id":"a","team":"Red"}]`, "", "/name", "/id", "/team")
	f.Add(`{"items":["a","b"]}`, "/items", "", "", "")
	f.Add(`{"items":[["a",1],["a",2]]}`, "", "/0", "/1", "/5")
	f.Fuzz(func(t *testing.T, result, rows, label, value, description string) {
		m, err := options.Compile(rows, label, value, description)
		if err != nil {
			return
		}
		l, err := options.Read(result, m, nil)
		if err != nil {
			return
		}
		values, labels := map[string]bool{}, map[string]bool{}
		for _, o := range l.First(l.Len()) {
			if strings.ContainsRune(o.Label+o.Value+o.Description, 0) || values[o.Value] || labels[o.Label] || strings.TrimSpace(o.Label) == "" || strings.TrimSpace(o.Value) == "" ||
				utf8.RuneCountInString(o.Label) > 100 || utf8.RuneCountInString(o.Value) > 100 || utf8.RuneCountInString(o.Description) > 300 {
				t.Fatalf("%+v", o)
			}
			values[o.Value], labels[o.Label] = true, true
			if found, ok := l.Find(o.Value); !ok || found != o {
				t.Fatalf("%+v is not found", o)
			}
			if found, _ := l.Search(o.Label, 0, l.Len()); !slices.Contains(found, o) {
				t.Fatalf("a search for the label of %+v does not find it", o)
			}
		}
	})
}

func FuzzSearch(f *testing.F) {
	l := big(f, 50)
	for _, q := range []string{"", "item", "Ü", "\x00", "\xff", "İ", "p-4 item"} {
		f.Add(q, 0, 5)
	}
	f.Fuzz(func(t *testing.T, query string, skip, limit int) {
		skip, limit = max(skip, 0)%100, max(limit, 0)%100
		found, total := l.Search(query, skip, limit)
		if len(found) > limit || len(found) > max(total-skip, 0) || total > l.Len() || len(found) < min(limit, max(total-skip, 0)) {
			t.Fatalf("%q from %d, %d: %d of %d", query, skip, limit, len(found), total)
		}
	})
}

// The options of a tool may look alike: then their values are added to the labels. An option is
// left out if its value has invisible characters.
func TestRowsThatLookAlike(t *testing.T) {
	m, err := options.Compile("", "/name", "/id", "")
	if err != nil {
		t.Fatal(err)
	}
	l, err := options.Read(`[{"name":"paypal","id":"a"},{"name":"p\u0430ypal","id":"b"},{"name":"re\u202eport","id":"c"},{"name":"D","id":"d\u202e"}]`, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range l.First(l.Len()) {
		got = append(got, o.Label+"="+o.Value)
	}
	if want := []string{"paypal=a", "p\u0430ypal (b)=b", "report=c"}; !slices.Equal(got, want) {
		t.Errorf("%+q, want %+q", got, want)
	}
}
