package locales_test

import (
	"slices"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	c := catalog(t)
	for _, tt := range []struct{ tags, want string }{
		// One tag.
		{"de", "de"},
		{"DE", "de"},
		{"de-AT", "de"},
		{"de_CH", "de"},
		{"de-Latn-DE-1996", "de"},
		{"en-GB", "en"},
		{"fr-CA", "fr"},
		{"es-419", "es"},
		// A header.
		{"fr;q=0.5, es", "es"},
		{"es;q=0.4, fr;q=0.6, de;q=0.5", "fr"},
		{"de, fr", "de"},
		{"zh, ja;q=0.9, fr;q=0.1", "fr"},
		{"de-AT,de;q=0.9,en;q=0.8", "de"},
		{" de ; q=0.3 ,\ten;q=0.2", "de"},
		{"*, de;q=0.5", "de"},
		{"fr;q=0, es;q=0.1", "es"},
		{"@@@, de;q=0.5", "de"}, // one bad entry does not spoil the rest
		{",,de,,", "de"},
		// Without texts.
		{"zh", ""},
		{"pt-BR", ""},
		{"fr;q=0", ""},
		{"*", ""},
		{"und", ""},
		{"", ""},
		{",", ""},
		{"no such tag", ""},
		{"\x00\xff", ""},
		{"../../etc/passwd", ""},
		// Bounds.
		{strings.Repeat("zh,", 31) + "de", "de"},
		{strings.Repeat("zh,", 32) + "de", ""},
		{"de," + strings.Repeat("x", 1<<20), "de"},
		{strings.Repeat("d", 1<<20), ""},
		{strings.Repeat("-", 1<<20), ""},
	} {
		got, ok := c.Match(tt.tags)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Match(%.60q) = %q, %v, want %q", tt.tags, got, ok, tt.want)
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, s := range []string{"de", "de-AT", "fr;q=0.5, es", "*", "zh-Hant-TW;q=1", "x-a-b", "i-klingon", "de;q=", ";;;q", "\xff,en", strings.Repeat("a-", 600)} {
		f.Add(s)
	}
	c := catalog(f)
	f.Fuzz(func(t *testing.T, tags string) {
		lang, ok := c.Match(tags)
		if ok != slices.Contains(c.Languages(), lang) || !ok && lang != "" {
			t.Errorf("Match(%q) = %q, %v", tags, lang, ok)
		}
		if c.Text(tags, "confirm.yes", nil) == "confirm.yes" {
			t.Errorf("Text(%q) finds no text", tags)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	c := catalog(b)
	for b.Loop() {
		c.Match("de-AT,de;q=0.9,en-US;q=0.8,en;q=0.7")
	}
}

func BenchmarkText(b *testing.B) {
	c := catalog(b)
	data := map[string]any{"Count": 3}
	for b.Loop() {
		c.Text("de", "problem.rate_limited", data)
	}
}
