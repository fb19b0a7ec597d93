package pattern_test

import (
	"testing"
)

// TestMatchesAsV8Does: each operation of the matcher, and both sides of each border of its classes, agree with V8, as
// recorded by testdata/v8-pairs.mjs.
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
					t.Errorf("/%s/%s on %q: %v, %v; V8: %v", p.Pattern, p.Flags, answer, matched, err, want)
				}
			}
		}
	}
	if pairsSeen < 3000 {
		t.Errorf("only %d pairs", pairsSeen)
	}
}
