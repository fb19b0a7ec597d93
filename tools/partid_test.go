package tools_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
)

func TestIsPartID(t *testing.T) {
	for _, id := range []string{"a", "q1", "home city", "Straße.nr-2", "日本", strings.Repeat("😀", 64), `{"a":"b"}`} {
		if !tools.IsPartID(id) {
			t.Errorf("%q is not an id", id)
		}
	}
	for _, id := range []string{
		"", " ", " a", "a ", "a\nb", "a\x00", "a\u200bb", "\u202ea", "a\u00a0b", "\u3164", "\xff", strings.Repeat("a", 65), strings.Repeat("😀", 65),
		"__proto__",
	} {
		if tools.IsPartID(id) {
			t.Errorf("%q is an id", id)
		}
	}
}

func TestIdentify(t *testing.T) {
	for given, want := range map[string]string{
		"":       "q1",
		",":      "q1,q2",
		"a,":     "a,q2",
		"q2,":    "q2,q1",
		",q1,":   "q2,q1,q3",
		",,q1":   "q3,q2,q1", // the second keeps its place
		"q2,,q1": "q2,q3,q1",
		"q9,,":   "q9,q2,q3",
		"b,a":    "b,a",
	} {
		var parts []tools.Part
		for id := range strings.SplitSeq(given, ",") {
			parts = append(parts, tools.Part{ID: id})
		}
		for range 2 { // existing ids stay
			tools.Identify(parts)
			var got []string
			for _, p := range parts {
				got = append(got, p.ID)
			}
			if got := strings.Join(got, ","); got != want {
				t.Errorf("%q became %q, want %q", given, got, want)
			}
		}
	}
	tools.Identify(nil)
}
