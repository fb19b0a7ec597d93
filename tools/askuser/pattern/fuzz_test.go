package pattern_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/askgate/askgate/tools/askuser/pattern"
)

var seeds = []string{
	``, `\`, `(`, `[`, `[^`, `a{`, `a{1`, `a{1,`, `(?`, `(?<`, `(?<n`, `\k<`, `\u{`, `\x`, `\c`, `\p{`, `[\`, `[a-`, `[\d-z]`,
	`(?:a+)+b`, `(a|a)*`, `(?=(a+)+)b`, `(?<!a*)b`, `(.)\1+`, `(?<n>a)\k<n>`, `\b\B`, `[^]`, `[]`, `😀[😀]`, `\ud83d\ude00`,
	`a{0}`, `(){9}`, `(a?){3,}?`, `\p{Script=Greek}`, "\xff", "a\x00b",
}

// Check never panics, always returns the same verdict, and only accepts patterns that Match can run.
func FuzzCheck(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, 4000)
	}
	for _, s := range hostile() {
		f.Add(s, 100)
	}
	f.Fuzz(func(t *testing.T, source string, length int) {
		flags, err := pattern.Check(source, length)
		flags2, err2 := pattern.Check(source, length)
		if flags != flags2 || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("%q %v, then %q %v", flags, err, flags2, err2)
		}
		if err != nil {
			if reason(t, err) == "" || len(err.Error()) > 1000 {
				t.Fatalf("a poor refusal: %v", err)
			}
			return
		}
		if flags != "" && flags != "u" {
			t.Fatalf("flags %q", flags)
		}
		if _, err := match(source, flags, "a1 -é😀"); err != nil && !errors.Is(err, pattern.ErrLimit) {
			t.Fatalf("accepted, but not run: %v", err)
		}
	})
}

// Match never panics, for any pattern, flags and answer.
func FuzzMatch(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "u", "aab")
		f.Add(s, "", "😀\n")
	}
	f.Fuzz(func(t *testing.T, source, flags, answer string) {
		if len(source) < 300 && len(answer) < 300 {
			_, _ = match(source, flags, answer)
		}
	})
}
