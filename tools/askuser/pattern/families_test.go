package pattern_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/askuser/pattern"
)

// Loops with a maximum, and large counts inside a loop, explode like unlimited and small ones. Each of these blocked V8 for
// over a second with 4,000 characters, and was once accepted.
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

// A loop explodes although the shortest way to it passes a lookaround that its text does not match. The first took V8 over
// a second with 4,000 characters; all were once accepted.
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

// Counts with only one way to read a text are harmless.
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

// A loop that can read a text in many ways is harmless if it cannot fail, or if an assertion excludes all ways but one.
func TestAmbiguityIsNoReason(t *testing.T) {
	for _, source := range []string{
		`(?:.|\s)+`, `(?:\S+\s*)+`, `(?:.*\s*)*`, `(?:[^,]*,?\s*)+`, `(?:[\s\S]*)+(?=$|y)`, `(?:\b\w+)+`, `(?:\b\w+\b\s?)+`,
		`(?:(?:;|^)a+)+`, `(?:ab|ac)*d`, `(?:true|false|t|f|tr)*;`, `(?=.*\d.*\d)(?=.*[a-z].*[a-z]).{8,}`, `(?!.*(.).*\1).+`,
	} {
		if _, err := pattern.Check(source, 4000); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// Iterations may be empty, in several ways each: V8 takes seconds for the slow ones here.
func TestEmptyIterations(t *testing.T) {
	for source, safe := range map[string]bool{
		`(?:a?|b?){30}`: false, `(?:(?:a?|b?){30})*x`: false, `c(?<!(?:a?|b?){30}x)d`: false,
		`(?:a?|b?){4}`: true, `(?:(?:a?|b?){3}c){2}x`: true, `(?:)*x`: true,
	} {
		if _, err := pattern.Check(source, 4000); (err == nil) != safe {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// In each iteration, V8 has to keep the captures of nested groups, and to try them empty. For 70 of them this takes 0.6 and
// 38 s, while a loop without groups takes 8 ms.
func TestNestingCosts(t *testing.T) {
	for _, close := range []string{")", ")?"} {
		for groups, safe := range map[int]bool{0: true, 2: true, 70: false} {
			source := "a*(?:" + strings.Repeat("(", groups) + "a" + strings.Repeat(close, groups) + ")*x"
			if _, err := pattern.Check(source, 4000); (err == nil) != safe {
				t.Errorf("%d groups: %v", groups, err)
			}
		}
	}
}

// Patterns that are slow only for long texts that match the counts are refused: V8 takes seconds and more for these, for
// some of them with answers that match. Each has a similar one next to it that is quick.
func TestLongTexts(t *testing.T) {
	judged(t, map[string]string{
		`[^"],(?:[^\n]{0,18}\D?){79,104}?`:                  `[^"],(?:[^\n]{18}\D){79,104}?`,
		`(?:(?:,|(?:@+[\w.-]{110})*)){146,163}\d`:           `(?:(?:,|@[\w.-]{110})){146,163}\d`,
		`(?:(?:[ACGT]+|\S?))?\d(?:(?!\S*-)[ -]+)+`:          `(?:(?:[ACGT]+|\S?))?\d(?:(?!\S*-)[ -])+`,
		`(?:\D[^\n]{0,24}){6,31}(?:(?:\w*|\p{Lu})){6,27}`:   `(?:-_{0,24}){6,31}(?:(?:\w|!)){6,27}`,
		`[ -](?:(?:[01]*?|(?:(?:[^/]|[^"]?)){0,24})){2,19}`: `[ -](?:(?:[01]|-)){2,19}`,
		`([0-9a-f]+)[0-9a-f]+[ACGT]{0,18}[ACGT]{0,7}\d\1`:   `([0-9a-f]+)[ACGT]{0,18}\d\1`,
		`(?:(?:(?:a{8,22}|\p{Lu}{5})){5}\.+){1,4}`:          `(?:(?:(?:a{8}|\p{Lu}{5})){5}\.+){1,4}`,
		`[A-Z0-9](?:(?:[\p{L}\p{N}]{73,84}@*){5}\s+)*`:      `[A-Z0-9](?:(?:[\p{L}\p{N}]{73}@*){5}\s+)*`,
	})
}

// Nested counts are refused if nothing prevents many ways to read a text: V8 takes seconds for the slow ones here. They are
// accepted if the inner counts are fixed, the outer ones small, or the iterations distinguishable.
func TestCountsWithinCounts(t *testing.T) {
	judged(t, map[string]string{
		`(?:\.?(?:[ACGT]{103,153}\W+){0,28}){25,82}\p{L}{113}`:                     `(?:\.?(?:[ACGT]{103}\W){0,28}\d){2}\p{L}{113}`,
		`(?:(?:a{31,62}[,;]+){7,40}_?){5}(?:[a-z]{1,7}\D??){1,13}`:                 `(?:(?:a{31}[,;]){7}_?){5}(?:[a-z]\d?){1,13}`,
		`[ACGT]{137,138}?\d(?:(?:[^\s@]{2,}@?){9,34}:?){121}`:                      `[ACGT]{137,138}?\d(?:(?:[^\s@]{2}@){9}:){121}`,
		`[ACGT]a+[ACGT](?:(?:(?:[^\n]?|[a-zA-Z ]{5,39})){0,26}\s?){133,145}`:       `[ACGT]a+[ACGT](?:[a-zA-Z ]{5}){0,26}\s?`,
		`(?:\S\n*)+[^"]{0,24}(?:(?:(?:[a-zA-Z ]{1,28}|\p{Lu}{7,45})){147}_){0,24}`: `(?:(?:(?:[a-z ]{28}|\p{Lu}{45})){14}_){2}`,
		`(?:(?:\w{1,100},?){1,100};?){0,100}`:                                      `(?:\w{1,100}, ){0,100}\w{1,100}`,
		`[A-Z0-9](?:\D*\S*){7,41}(?:[^"]{1,6} ?)*(?:[0-9a-f]* ?){0,16}`:            `[A-Z0-9](?:\D\d){7,41}(?:[^"]{6} )*(?:[0-9a-f]* ){0,16}`,
	})
}

// Loops are refused after lookarounds, after other loops, and with iterations that must have the right length. V8 takes
// seconds for the slow ones.
func TestLoopsBehindOthers(t *testing.T) {
	judged(t, map[string]string{
		`[a-z](?=[ACGT]{34})(?:(?:[^,]|\d{92,146}))+[A-Z0-9]`:       `[a-z](?=[ACGT]{34})(?:(?:[^,0-9]|\d{92,146}-))+[A-Z0-9]`,
		`(?:[0-9a-f]{4}\W?)*(?<=[^"]*[01])(?: ?[A-Z]*){3,}`:         `(?:[0-9a-f]{4}\W?)*(?<=[01])(?: [A-Z]*){3,}`,
		`,(?:[0-9a-f]{5})?(?:(?:[^\n]*\n?){1,51}/?){0,29}`:          `,(?:[0-9a-f]{5})?(?:(?:[^\n/]*\n){51}/){0,29}`,
		`(?:[^,]_*)+(?:\D+\D*){4,29}(?:[A-Za-z0-9+/=]*\D?)+`:        `(?:[^,_]_*)+\d(?:\D+\d)+`,
		`[\w.-]+(?:[\w.-]*?\W*)*?(?:[A-Z0-9]+:*)*`:                  `[\w.-]+(?:[A-Z0-9]+:+)*`,
		`(?:[01]{2}\n){2,24}(?:\w\W*)*(?:(?:(?:\W+[01]){50}|\D*))+`: `(?:[01]{2}\n){2,24}(?:\w\W)*(?:(?:\W[01]){50}|\D)`,
		`(?:(?:[\w.-]+\n+){5}\W?){6,15}(?:\p{Lu}/+)+(?:a\W?)?`:      `(?:(?:[\w.-]+\n){5}!?){6,15}(?:\p{Lu}/+)+(?:a\W?)?`,
	})
}

// judged checks that the slow pattern of each pair is refused, and the similar quick one accepted.
func judged(t *testing.T, pairs map[string]string) {
	t.Helper()
	for slow, quick := range pairs {
		if _, err := pattern.Check(slow, 4000); err == nil {
			t.Errorf("%s is accepted", slow)
		}
		if _, err := pattern.Check(quick, 4000); err != nil {
			t.Errorf("%s: %v", quick, err)
		}
	}
}
