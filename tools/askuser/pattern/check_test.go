package pattern_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/askuser/pattern"
)

func reason(t testing.TB, err error) pattern.Reason {
	t.Helper()
	var refusal *pattern.Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("the error is not a *Refusal: %v", err)
	}
	return refusal.Reason
}

// A refusal has a known reason, and tells the model what is wrong, where, and how to fix it.
func TestRefusals(t *testing.T) {
	cases := []struct {
		source string
		reason pattern.Reason
		says   []string
	}{
		{`a(b`, pattern.ReasonSyntax, []string{"never closed", "character 2", `\(`}},
		{`ab)`, pattern.ReasonSyntax, []string{`unmatched ")"`, "character 3"}},
		{`[a-`, pattern.ReasonSyntax, []string{"never closed", "character 1"}},
		{`é+*`, pattern.ReasonSyntax, []string{"repeats nothing", "character 3"}},
		{`[z-a]`, pattern.ReasonSyntax, []string{"out of order", "z-a"}},
		{`a{3,1}`, pattern.ReasonSyntax, []string{"out of order", "{3,1}"}},
		{`(?>a)`, pattern.ReasonSyntax, []string{"atomic", "(?:...)"}},
		{`(?P<n>a)`, pattern.ReasonSyntax, []string{"(?<name>...)"}},
		{`(?<n>a)\k<m>`, pattern.ReasonSyntax, []string{`"m"`}},
		{`x\`, pattern.ReasonSyntax, []string{`\\`}},
		{"a\xff", pattern.ReasonSyntax, []string{"UTF-8"}},
		{`(?i)yes`, pattern.ReasonUnsupported, []string{"[Aa]"}},
		{`(?i:yes)`, pattern.ReasonUnsupported, []string{"[Aa]"}},
		{`(?<n>a)|(?<n>b)`, pattern.ReasonUnsupported, []string{`"n"`}},
		{`\p{L}+\-`, pattern.ReasonUnsupported, []string{"u flag", "character 1"}},
		{`\u{61}]`, pattern.ReasonUnsupported, []string{"u flag"}},
		{`[\p{L}--[a-z]]`, pattern.ReasonUnsupported, []string{"u flag"}},
		{`a{99999999999}`, pattern.ReasonUnsupported, []string{"count"}},
		{strings.Repeat("a", 1001), pattern.ReasonTooLong, []string{"1001", "1000"}},
		{strings.Repeat("(", 150) + strings.Repeat(")", 150), pattern.ReasonTooComplex, []string{"nested"}},
		{`x(?:\w+\s?)+`, pattern.ReasonUnsafe, []string{`(?:\w+\s?)+`, "character 2", "inner quantifier", `"max"`, "4000"}},
		{`\d*\w*\d*x`, pattern.ReasonUnsafe, []string{`\d*`, "separate", `"max"`}},
		{strings.Repeat("(k|k)", 28), pattern.ReasonUnsafe, []string{"alternatives"}},
	}
	for _, c := range cases {
		_, err := pattern.Check(c.source, 4000)
		if err == nil {
			t.Errorf("%q is accepted", c.source)
			continue
		}
		if got := reason(t, err); got != c.reason {
			t.Errorf("%q: reason %s, want %s: %v", c.source, got, c.reason, err)
		}
		for _, part := range c.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %q lacks %q", c.source, err, part)
			}
		}
	}
}

// u is chosen if the pattern is valid with it; other patterns are sent without flags.
func TestFlags(t *testing.T) {
	for source, want := range map[string]string{
		``: "u", `\d+`: "u", `\p{L}+`: "u", `\u{1F600}`: "u", `[^}{]+`: "u",
		`\w+\@x`: "", `[\w-.]+`: "", `a{,3}`: "", `]`: "", `\07`: "", `(?=a)*b`: "",
	} {
		if got, err := pattern.Check(source, 4000); err != nil || got != want {
			t.Errorf("%q: flags %q, %v; want %q", source, got, err, want)
		}
	}
}

// A shorter answer can make a pattern safe, as the refusal advises.
func TestMaxFixes(t *testing.T) {
	for source, safe := range map[string]int{`\s*\s*\s*x`: 300, `(?:x+)+y`: 14, `.*a.*b.*c`: 200} {
		if _, err := pattern.Check(source, 4000); err == nil {
			t.Errorf("%q is accepted at 4000", source)
		}
		if _, err := pattern.Check(source, safe); err != nil {
			t.Errorf("%q is refused at %d: %v", source, safe, err)
		}
	}
	for length, fits := range map[int]bool{-1: false, 0: false, 1: false, 2: true, 1 << 40: true} {
		if _, err := pattern.Check(`[a-z]{2,8}`, length); (err == nil) != fits {
			t.Errorf("length %d: %v", length, err)
		}
	}
}

// hostile has patterns that attack the analysis itself.
func hostile() []string {
	rep := strings.Repeat
	return []string{
		"((((a{1,1000}){1,1000}){1,1000}){1,1000}){1,1000}",
		"(?:(?:){1000000000}){1000000000}",
		"(?:(?:(?:(?:(?:a{9}){9}){9}){9}){9}){9}",
		rep("(?:a{0,9}", 20) + rep("){0,9}", 20),
		rep("(", 99) + "a" + rep(")*", 99),
		rep("(?:", 99) + "a" + rep(")+", 99),
		rep("(?=a*", 40) + rep(")", 40),
		rep("(?<=.*a)", 25),
		"(?:" + rep("a|", 98) + "a)*",
		"(?:" + rep("(a|ab)", 30) + ")*b",
		rep("a*", 100), rep(`\w*`, 66), rep(`\b`, 100), rep("a{0,99}", 28), rep("(a?){9}", 28),
		rep("(?:a?|b)", 25), rep("[ab]?", 40), rep(`(\d?\w?)`, 22), rep("a{4000}", 28),
		"(a*)" + rep(`\1`, 95), rep("(a*)", 9) + `\1\2\3\4\5\6\7\8\9`,
		rep(`\p{L}`, 40), "[" + rep(`\p{L}\P{N}`, 19) + "]*", rep(`(?:\p{Script=Greek}|\p{Emoji})*`, 6),
		"(?:(?:a{2000}){2000}){2000}b*", rep(`[\s\S]{0,4000}`, 13), rep("a{2147483646}", 15),
	}
}

// The analysis is limited for any pattern: it allocates less than 32 MB in total, so it uses less at any time.
func TestHostilePatternsAreBounded(t *testing.T) {
	for _, source := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = pattern.Check(source, 4000)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
			t.Errorf("%.40q: allocates %d bytes", source, used)
		}
	}
}

// The verdict is exactly the same each time.
func TestDeterministic(t *testing.T) {
	sources := hostile()
	for _, c := range corpus(t) {
		sources = append(sources, c.Pattern)
	}
	for _, source := range sources {
		flags, err := pattern.Check(source, 4000)
		flags2, err2 := pattern.Check(source, 4000)
		if flags != flags2 || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Errorf("%.60q: %q %v, then %q %v", source, flags, err, flags2, err2)
		}
	}
}
