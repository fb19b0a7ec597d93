package confusable_test

import (
	"testing"

	"github.com/askgate/askgate/tools/confusable"
)

// Texts that a person cannot tell apart are alike, in either order, and a Set accepts only one of them.
func TestLookAlikes(t *testing.T) {
	for name, pair := range map[string][2]string{
		"zero width":       {"Paris", "Pa\u200bris"},
		"soft hyphen":      {"Lieferung", "Liefe\u00adrung"},
		"joiner":           {"Berlin", "Ber\u200dlin"},
		"variation":        {"❤", "❤\ufe0f"},
		"accent apart":     {"Café", "Cafe\u0301"},
		"accent behind":    {"é", "e\u200b\u0301"},
		"width":            {"PDF", "ＰＤＦ"},
		"ligature":         {"Office", "Oﬃce"},
		"no-break space":   {"New York", "New\u00a0York"},
		"two spaces":       {"New York", "New  York"},
		"blank at the end": {"Yes", "Yes\u2800"},
		"filler":           {"Yes", "Yes\u3164"},
		"Cyrillic":         {"paypal", "p\u0430yp\u0430l"},
		"Greek":            {"AMOUNT", "\u0391MOUNT"},
		"Cyrillic I":       {"Iran", "\u0406ran"},
		"mathematical":     {"Alpha", "𝐀lpha"},
		"both not Latin":   {"\u0430bc é", "abc é"},
		"one swapped":      {"p\u0430ypal", "payp\u0430l"},
		"rn and m":         {"modem", "modern"},
		"O and 0":          {"Gate O7", "Gate 07"},
		"l and I":          {"Plan Il", "Plan lI"},
		"with an umlaut":   {"Großes Modem", "Großes Modern"},
		"width of both":    {"Ｍodem", "Modern"},
	} {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			if !confusable.Alike(p[0], p[1]) {
				t.Errorf("%s: %+q and %+q are not alike", name, p[0], p[1])
			}
			var s confusable.Set
			s.Add(p[0])
			if like, alike := s.Add(p[1]); !alike || like != p[0] {
				t.Errorf("%s: after %+q the set accepts %+q: %+q", name, p[0], p[1], like)
			}
		}
	}
}

// Legitimate options stay distinct.
func TestHonestChoices(t *testing.T) {
	for name, pair := range map[string][2]string{
		"digits":       {"Model 1l", "Model 11"},
		"case":         {"US", "us"},
		"one letter":   {"Ort", "Art"},
		"accents":      {"Cote", "Côte"},
		"with umlauts": {"Süd 1l", "Süd 11"},
		"flags":        {"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"},
		"scripts":      {"東京", "京都"},
		"Arabic":       {"نعم", "لا"},
		"empty":        {"", "a"},
	} {
		var s confusable.Set
		s.Add(pair[0])
		if _, alike := s.Add(pair[1]); alike || confusable.Alike(pair[0], pair[1]) {
			t.Errorf("%s: %q and %q count as alike", name, pair[0], pair[1])
		}
	}
}

// For any texts, Alike is symmetric, a text is like itself, and the Set agrees.
func FuzzAlike(f *testing.F) {
	f.Add("paypal", "p\u0430ypal")
	f.Add("\xff", "🏴\U000e0067")
	f.Add("Süd 1l", "Süd 11")
	f.Add("rn0Il1", "mOlI1")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !confusable.Alike(a, a) || confusable.Alike(a, b) != confusable.Alike(b, a) || confusable.Fold(confusable.Fold(a)) != confusable.Fold(a) {
			t.Fatalf("%+q %+q", a, b)
		}
		var s confusable.Set
		s.Add(a)
		if _, alike := s.Add(b); alike != confusable.Alike(a, b) {
			t.Fatalf("%+q %+q: the set returns %v", a, b, alike)
		}
	})
}

// Names with another case and other signs are also the same name.
func TestSameName(t *testing.T) {
	for _, a := range []string{"Assistant", "ASSISTANT", "assistant", "As-sis tant!", "Àssistant", "\u0410ssist\u0430nt", "\u0430SSistant", "ASSlSTANT", "Ass|stant", "AsslStant", "✔ Assistant", "Assistant\u200b"} {
		if !confusable.SameName(a, "Assistant") || !confusable.SameName("Assistant", a) && a == "ASSISTANT" {
			t.Errorf("%+q is another name", a)
		}
	}
	for _, a := range []string{"", "!", "Assistants", "Assist", "An assistant", "Resistant", "助手"} {
		if confusable.SameName(a, "Assistant") || confusable.SameName(a, "") {
			t.Errorf("%+q is the same name", a)
		}
	}
}
