package textsearch_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/tools/textsearch"
)

func TestWordsAreFoundAsPeopleWriteThem(t *testing.T) {
	for _, test := range []struct {
		query, text string
		want        bool
	}{
		{"weekend", "Plan my WEEKEND trip", true},
		{"trip plan", "Plan my weekend trip", true},
		{"trip plans", "Plan my weekend trip", false},
		{"munchen", "Ein Wochenende in München", true},
		{"münchen", "Ein Wochenende in Mu\u0308nchen", true}, // separate accents
		{"MÜNCHEN", "munchen", true},
		{"strasse", "Die Straße", true},
		{"Straße", "STRASSE", true},
		{"istanbul", "İstanbul", true},
		{"ＡＢＣ", "abc", true}, // wide letters
		{"zusammen", "zu\u00adsam\u200bmen", true},
		{"京都", "東京都へ", true},
		{"привет", "ПРИВЕТ", true},
		{"οδος", "Οδός", true},
		{"かぎ", "かき", false}, // another word
		{"कि", "की", false},
		{`"a" OR b*`, `say "A" or nothing, B* too`, true}, // no syntax
		{`%_`, "anything", false},
		{"a\x00b", "a\x00B", true},
		{"\xff", "\ufffd", true},
	} {
		f := textsearch.Finder{Words: textsearch.NewWords(test.query)}
		if got := f.In(test.text) == f.All(); got != test.want {
			t.Errorf("%q in %q: %v, want %v", test.query, test.text, got, test.want)
		}
	}
	for _, nothing := range []string{"", " \n", "\u200b", "\u0301"} {
		if !textsearch.NewWords(nothing).None() {
			t.Errorf("%q has words", nothing)
		}
	}
	many := textsearch.NewWords(strings.Join(strings.Split(strings.Repeat("abcdefghijklmnopqrstuvwxyz0123456789", 1), ""), " "))
	f := textsearch.Finder{Words: many}
	if f.In("abcdefghijklmnopqrstuvwxyz0123456789") != f.All() || f.All() != 1<<textsearch.MaxWords-1 {
		t.Errorf("all of many words: %b", f.All())
	}
}

func TestASnippetShowsTheWordsWhereTheyStand(t *testing.T) {
	for _, test := range []struct{ query, text, want string }{
		{"munchen", "Nach München, bitte", "Nach [München], bitte"},
		{"s", "Straße", "[S]tra[ß]e"}, // ß folds to ss; all of it matches
		{"weekend trip", "A trip\n\n  on the weekend", "A [trip] on the [weekend]"},
		{"ab ba", "xabax", "x[aba]x"},
		{"none", "of it", ""},
		{"needle", strings.Repeat("hay ", 100) + "needle" + strings.Repeat(" straw", 100), "…[needle]…"},
		{"needle", strings.Repeat("h", 500) + "needle" + strings.Repeat("s", 500), "…[needle]…"},
	} {
		var got strings.Builder
		for _, p := range textsearch.NewWords(test.query).Snippet(test.text) {
			if p.Match {
				got.WriteString("[" + p.Text + "]")
			} else {
				got.WriteString(p.Text)
			}
		}
		s := got.String()
		if before, behind, cut := strings.Cut(test.want, "…["); cut && before == "" {
			if word, _, _ := strings.Cut(behind, "]"); !strings.HasPrefix(s, "…") || !strings.HasSuffix(s, "…") || !strings.Contains(s, "["+word+"]") || utf8.RuneCountInString(s) > 170 {
				t.Errorf("%q: %q", test.query, s)
			}
		} else if s != test.want {
			t.Errorf("%q in %q: %q, want %q", test.query, test.text, s, test.want)
		}
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("munchen ss", "Straße nach München")
	f.Add("\u0301 a", "a\u0301\xffb")
	f.Fuzz(func(t *testing.T, query, text string) {
		w := textsearch.Finder{Words: textsearch.NewWords(query)}
		found := w.In(strings.ToValidUTF8(text, "\ufffd"))
		pieces := w.Snippet(text)
		if (found != 0) != (pieces != nil) {
			t.Fatalf("found %b, pieces %+v", found, pieces)
		}
		matched := false
		for _, p := range pieces {
			matched = matched || p.Match
			if p.Text == "" || !utf8.ValidString(p.Text) {
				t.Fatalf("pieces %+v", pieces)
			}
		}
		if pieces != nil && !matched {
			t.Fatalf("no match in %+v", pieces)
		}
	})
}

func BenchmarkIn(b *testing.B) {
	text := strings.Repeat("Plan my weekend trip to the sea, and say what it costs. ", 10)
	for name, text := range map[string]string{"ASCII": text, "accents": strings.ReplaceAll(text, "e", "é")} {
		b.Run(name, func(b *testing.B) {
			f := textsearch.Finder{Words: textsearch.NewWords("needle haystack")}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f.In(text)
			}
		})
	}
}

func TestDistanceCountsEdits(t *testing.T) {
	for _, c := range []struct {
		a, b       string
		most, want int
	}{
		{"", "", 3, 0}, {"abc", "abc", 3, 0}, {"abc", "", 3, 3}, {"abc", "", 2, 3}, {"kitten", "sitting", 5, 3},
		{"form", "from", 3, 1}, {"ca", "abc", 5, 3}, {"Größe", "Grosse", 5, 3}, {"abcdef", "uvwxyz", 2, 3},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := textsearch.Distance([]rune(pair[0]), []rune(pair[1]), c.most); got != c.want {
				t.Errorf("%q to %q, at most %d: %d, want %d", pair[0], pair[1], c.most, got, c.want)
			}
		}
	}
}
