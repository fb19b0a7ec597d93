package pattern_test

import (
	"testing"
)

// TestMatchesAsV8Does: each operation of the matcher, and both sides of each border of its classes, are as V8 has them.
// testdata/v8-pairs.mjs recorded that.
func TestMatchesAsV8Does(t *testing.T) {
	type pairs struct {
		Pattern, Flags string
		Matches, Fails []string
	}
	pairsSeen := 0
	for _, p := range lines[pairs](t, "testdata/v8-pairs.jsonl") {
		for want, answers := range map[bool][]string{true: p.Matches, false: p.Fails} {
			for _, answer := range answers {
				pairsSeen++
				if matched, err := match(p.Pattern, p.Flags, answer); matched != want || err != nil {
					t.Errorf("/%s/%s on %q: %v, %v; V8 says %v", p.Pattern, p.Flags, answer, matched, err, want)
				}
			}
		}
	}
	if pairsSeen < 3000 {
		t.Errorf("only %d pairs", pairsSeen)
	}
}
