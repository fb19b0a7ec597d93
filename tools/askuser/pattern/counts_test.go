package pattern_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/askuser/pattern"
)

// TestReasonsAreTrue: the refusal of nested large counts does not claim that they read a text in many ways, the refusal of
// a real ambiguity does. A repetition of nothing is not refused, since browsers run it once.
func TestReasonsAreTrue(t *testing.T) {
	for _, source := range []string{`(?:a{1000}){4}`, `(?:a{100}){40}`} {
		_, err := pattern.Check(source, 4000)
		if err == nil || !strings.Contains(err.Error(), "counts are too large to judge") || strings.Contains(err.Error(), "a browser may hang") {
			t.Errorf("%s: %v", source, err)
		}
	}
	for _, source := range []string{`(?:a+)+b`, `(?:a|a)*b`} {
		if _, err := pattern.Check(source, 4000); err == nil || !strings.Contains(err.Error(), "can read the same text in too many ways") {
			t.Errorf("%s: %v", source, err)
		}
	}
	for _, source := range []string{`(?:){5}a`, `(?:){1000}a`, `(?:\b){6}a`, `(?:(?=a)){300}a`, `(?:(?:){9}){9}a`} {
		flags, err := pattern.Check(source, 4000)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if matched, err := match(source, flags, "a"); !matched || err != nil {
			t.Errorf("%s does not match a: %v", source, err)
		}
	}
}
