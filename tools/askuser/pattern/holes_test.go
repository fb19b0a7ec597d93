package pattern_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/askuser/pattern"
)

// Each of these took V8 over a second, most of them forever, and was once accepted.
func TestHoles(t *testing.T) {
	categories := `\p{Lu}|\p{Ll}|\p{Lt}|\p{Lm}|\p{Lo}|\p{Nd}|\p{Nl}|\p{No}|\p{Mn}|\p{Mc}|\p{Me}|\p{Pc}|\p{Pd}|\p{Ps}|\p{Pe}|\p{Pi}|\p{Pf}|\p{Po}`
	for name, source := range map[string]string{
		"the lookahead at the begin may say no":       `(?!a)(?:.|[^])+|(?:.|[^])+b`,
		"a lookbehind after $ is looked at":           `[^]*$(?<!b(?:a|a)*)`,
		"and before a ^ read backwards":               `[^]*(?<=(?=(?:a|a)*b)^a*)`,
		"empty ways before what \\b rules out":        `a\b(?:x?|y?){30}b|a.`,
		"empty ways before what $ rules out":          `x$(?:x?|y?){30}y|x.`,
		"classes that do not have a dear character":   `\p{So}*(?:` + categories + `|\p{So})*x`,
		"assertions in an inner loop":                 `a*(?:` + strings.Repeat(`(?:^b|^c|^d|^e|^f|^g|^h|^i|^j|^k)|`, 28) + `a)*x`,
		"empty ways are compiled one by one":          strings.Repeat(`(?:\B|^)`, 24) + `a`,
		"in a loop":                                   `(?:` + strings.Repeat(`(?:|\b)`, 14) + `a)*x`,
		"and in lookaheads":                           `(?:` + strings.Repeat(`(?=\b|)`, 26) + `a)*x`,
		"a lookahead that may match nothing can fail": `(?=(?:a|a)*[]|).*`,
	} {
		if _, err := pattern.Check(source, 4000); err == nil {
			t.Errorf("%s: %s is accepted", name, source)
		}
	}
	for _, source := range []string{
		`(?!a)(?:.|[^])+`, `[^]*$(?<!ba*)`, `a\b(?:x?|y?){4}b|a.`, `\p{So}*(?:\p{Lu}|\p{Ll}|\p{So})*x`, `a*(?:^b|^c|a)*x`,
		`(?:(?:|\b)(?:|\b)(?:|\b)a)*x`, `(?:(?=\b|c)(?=\b|c)a)*x`, `(?=.*\d)(?!.*b)(?:.|\s)+`, `(?:[acegi]?){12}b`, `(?=(?:a|b)*[]|).*`,
	} {
		if _, err := pattern.Check(source, 4000); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}
