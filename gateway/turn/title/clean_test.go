package title

import (
	"strings"
	"testing"
)

func TestATitleIsOneShortLine(t *testing.T) {
	long := strings.Repeat("wandering ", 8)
	for said, want := range map[string]string{
		"A weekend":                      "A weekend",
		"# A weekend\n":                  "A weekend",
		"\n\n  „Ein Wochenende“.":        "Ein Wochenende",
		"Titre : « Un **week-end** »":    "Un week-end",
		"« Un week-end à Lisbonne »":     "Un week-end à Lisbonne",
		"**A *weekend***":                "A *weekend",
		"one\u2028two":                   "one",
		"a\x00b\u200bc\ufffd":            "abc",
		"C# or F#?":                      "C# or F#?",
		long:                             "wandering wandering wandering wandering wandering…",
		strings.Repeat("é", 61):          strings.Repeat("é", 59) + "…",
		strings.Repeat("é", 60):          strings.Repeat("é", 60),
		"می\u200cخواهم":                  "می\u200cخواهم",
		"***\n---\n\"Second line\"":      "---",
		" \n\"\"\n":                      "",
		"<script>alert(1)</script> rest": "<script>alert(1)</script> rest",
	} {
		if got := clean(said); got != want {
			t.Errorf("%q becomes %q, want %q", said, got, want)
		}
	}
}
