package tools_test

import (
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
)

func TestTextsAreCutBetweenCodePoints(t *testing.T) {
	const s = "aé€😀"
	for n := range len(s) + 2 {
		got := tools.Clip(s, n)
		if len(got) > n || !utf8.ValidString(got) || n >= len(s) && got != s {
			t.Errorf("%d bytes: %q", n, got)
		}
	}
	for n, want := range map[int]string{1: "…", 3: "aé…", 4: s, 5: s} {
		if got := tools.Shorten(s, n); got != want {
			t.Errorf("%d code points: %q, want %q", n, got, want)
		}
	}
}

func TestBlankIsWhatShowsNothing(t *testing.T) {
	for _, s := range []string{"", " \t\n", "\u00a0\u3000", "\u200b\u200d\ufeff", "\u2800", "\u00ad", "\ufe0f", "\x00\x7f"} {
		if !tools.Blank(s) {
			t.Errorf("%q is blank", s)
		}
	}
	for _, s := range []string{"a", " . ", "\u200bé", "😀"} {
		if tools.Blank(s) {
			t.Errorf("%q is not blank", s)
		}
	}
}

func TestCleanTextsHideNothing(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "a\u202eb\u2069c": "abc", "\x1b[2J\a\x7f\u0085": "[2J", "a\r\n\tb": "a\r\n\tb",
		"می\u200cخواهم": "می\u200cخواهم", "👩\u200d💻": "👩\u200d💻", "שלום\u200f!": "שלום\u200f!", "a\u00adb": "a\u00adb",
	} {
		if got := tools.Clean(s); got != want {
			t.Errorf("%+q: %+q, want %+q", s, got, want)
		}
	}
}

func TestVisibleShowsWhatMovesTheCursor(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "plain\n\ttext \u2014 \u05d0\u200d": "plain\n\ttext \u2014 \u05d0\u200d", "a\r\nb": "a\r\nb", "a\rb": `a\rb`, "\x1b[2J": `\u001b[2J`, "\u009b1m": `\u009b1m`, "\u202eevil": `\u202eevil`, "\x00\x7f": `\u0000\u007f`,
	} {
		if got := tools.Visible(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
