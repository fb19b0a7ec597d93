package confusable_test

import (
	"testing"
	"unicode"

	"github.com/askgate/askgate/tools/confusable"
)

func TestWhatCannotBeSeenIsWritten(t *testing.T) {
	for in, want := range map[string]string{
		"rm -rf /tmp\n\tls":      "rm -rf /tmp\n\tls",
		"naïve 日本 🙂":             "naïve 日本 🙂",
		"a\u202eb\u200bc\u00add": "a⟨U+202E⟩b⟨U+200B⟩c⟨U+00AD⟩d",
		"a\r\nb\rc\x1b[2K\x00":   "a⟨U+000D⟩\nb⟨U+000D⟩c⟨U+001B⟩[2K⟨U+0000⟩",
		"a\u00a0b\u2003c\u2028d": "a⟨U+00A0⟩b⟨U+2003⟩c⟨U+2028⟩d",
		"\u2800\U000e0041\u180e": "⟨U+2800⟩⟨U+E0041⟩⟨U+180E⟩",
		"\xff\ufffd":             "⟨0xFF⟩\ufffd",
	} {
		if got := confusable.Visible(in); got != want || confusable.Visible(got) != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\u202e\r\n\x00")
	f.Fuzz(func(t *testing.T, s string) {
		once := confusable.Visible(s)
		if confusable.Visible(once) != once {
			t.Errorf("%q: %q is written again", s, once)
		}
		for _, r := range once {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) {
				t.Errorf("%q: %q still has %U", s, once, r)
			}
		}
	})
}
