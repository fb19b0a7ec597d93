package pattern_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/askuser/pattern"
)

// A pattern that no answer can match is refused, with what to change.
func TestPatternsThatNothingMeets(t *testing.T) {
	for _, c := range []struct {
		source   string
		min, max int
		says     string
	}{
		{`[]`, 1, 4000, "empty class"}, {`a[]+b`, 1, 4000, "empty class"}, {`(?:[]|a[])x*`, 1, 4000, "empty class"},
		{`a\bb`, 1, 4000, `\b`}, {`\d\b\w+`, 1, 4000, `\b`}, {`\w+\B-`, 1, 4000, `\B`}, {`a^b`, 1, 4000, "^"}, {`$a`, 1, 4000, "$"},
		{`(?:x\b){2}`, 1, 4000, `\b`},
		{`\d{10}`, 1, 5, "at least 10"}, {`(?=.{8,})\w+`, 1, 5, "at least 8"}, {`(?:ab){3,}`, 1, 5, "at least 6"},
		{`\d{3}`, 5, 10, "at most 3"}, {`a?b?`, 3, 10, "at most 2"}, {`^$`, 1, 10, "at most 0"}, {`(?:a|bb)`, 3, 9, "at most 2"},
		{`\s+`, 1, 10, "blank"}, {`[ \t]*`, 1, 10, "blank"},
	} {
		_, err := pattern.CheckRange(c.source, c.min, c.max)
		if err == nil {
			t.Errorf("%s is accepted", c.source)
		} else if got := reason(t, err); got != pattern.ReasonImpossible || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %s: %v", c.source, got, err)
		}
	}
	for _, c := range []struct {
		source   string
		min, max int
	}{
		{`\d{10}`, 1, 10}, {`\d{3}`, 3, 3}, {`\bfoo\b`, 1, 9}, {`\w+\b.?`, 1, 9}, {`a\B\w`, 1, 9}, {`^abc$`, 1, 9}, {`(?:^a|b)c`, 1, 9},
		{`[]|a`, 1, 9}, {`a[]*`, 1, 9}, {`[^]`, 1, 9}, {`\s*x`, 1, 9}, {`(?:x\b ?){2}`, 1, 9}, {`(a|b)\1`, 2, 2}, {`[😀]\w?`, 1, 1},
		{`\-?[😀😁]{2}`, 2, 2}, {`(?!a)\w{5}`, 5, 5}, {`(?<=a)b|c`, 1, 1}, {`(?:\d{4}|\d{2})`, 3, 9}, {`\b`, 0, 5},
	} {
		if _, err := pattern.CheckRange(c.source, c.min, c.max); err != nil && reason(t, err) == pattern.ReasonImpossible && c.source != `\b` {
			t.Errorf("%s: %v", c.source, err)
		}
	}
}

// For script names that other engines accept directly, the refusal has the JavaScript form.
func TestScriptsAreNamed(t *testing.T) {
	for source, says := range map[string]string{
		`\p{Han}+`: `\p{Script=Han}`, `[\p{Greek}\d]`: `\p{Script=Greek}`, `\P{IsCyrillic}`: `\P{Script=Cyrillic}`, `\p{han}`: `\p{Script=Han}`,
		`\p{Nonsense}`: `\p{Lu}`,
	} {
		_, err := pattern.Check(source, 100)
		if err == nil || reason(t, err) != pattern.ReasonSyntax || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", source, err)
		}
	}
}
