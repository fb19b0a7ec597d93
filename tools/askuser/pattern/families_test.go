package pattern_test

import (
	"testing"

	"github.com/askgate/askgate/tools/askuser/pattern"
)

// Loops with an upper count, and long counts inside a loop, explode like endless and short ones. Each of these froze
// V8 for over a second with 4,000 characters, and was once accepted.
func TestCountsAreNoWayAround(t *testing.T) {
	for _, source := range []string{
		`(?:\S+\s*){1,30}`, `(?:\w+\W*){1,5}`, `(?:[^,]*,?){1,10}`, `(?:\S*\s?){1,10}`, `(?:[^\n]*\n?){0,20}`,
		`(?:.+\s*){1,6}`, `(?:\d+\D*){1,4}`, `(?:[^/]*/?){0,8}`,
		`(?:[A-Za-z0-9+/=]{64,76}\s?)+`, `(?:[0-9a-f]{96}|[0-9a-f]{128})+x`, `(?:[ACGT]{100,150}\s?)+\.`,
		`(?:a{100,101})*b`,
	} {
		_, err := pattern.Check(source, 4000)
		if err == nil {
			t.Errorf("%s is accepted", source)
		} else if got := reason(t, err); got != pattern.ReasonUnsafe {
			t.Errorf("%s: reason %s", source, got)
		}
	}
}

// A loop explodes although the shortest way to it leads past a lookaround that its text does not meet. The first
// took V8 over a second with 4,000 characters; all were once accepted.
func TestALookaroundIsNotTheOnlyWay(t *testing.T) {
	for _, source := range []string{
		`\p{Lu}{104}(?:-|(?<=[\w.-]*/))(?:/+\S){0,9}`, `[A-Z]{40}(?:-|(?<=x))(?:/+\S){0,9}`, `[A-Z]{40}(?:-|(?<=x))(?:a+)+`,
	} {
		if _, err := pattern.Check(source, 4000); err == nil {
			t.Errorf("%s is accepted", source)
		} else if got := reason(t, err); got != pattern.ReasonUnsafe {
			t.Errorf("%s: reason %s", source, got)
		}
	}
}

// Counts that leave only one way to read a text are harmless.
func TestCountsAreNoReason(t *testing.T) {
	for _, source := range []string{
		`\S+(?:\s+\S+){0,29}`, `(?:\w+\W){1,5}`, `[^,]*(?:,[^,]*){0,9}`, `(?:[A-Za-z0-9+/=]{76}\s)+`, `(?:\d{1,3}\.){3}\d{1,3}`,
		`(?:[0-9a-f]{96}-)+x`, `(?:[ACGT]{100}\s?)+\.`, `(?:[0-9A-F]{2}[:-]?){6}`, `.{0,2000}`, `(?:\d{4}[ -]?){4}`,
	} {
		if _, err := pattern.Check(source, 4000); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}
