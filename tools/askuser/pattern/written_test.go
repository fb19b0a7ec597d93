package pattern

import "testing"

// What shows only in long texts that keep the counts is found: V8 takes seconds and more for these, some of them with
// answers that match. Beside each stands one that looks alike and is quick.
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

// Counts within counts that are too large to be written out are refused, since no attack may show how slow they are: V8
// takes seconds for the slow ones here. Where the inner counts are fixed, the outer ones small, or
// the iterations told apart, nothing is refused.
func TestCountsWithinCounts(t *testing.T) {
	judged(t, map[string]string{
		`(?:\.?(?:[ACGT]{103,153}\W+){0,28}){25,82}\p{L}{113}`:                     `(?:\.?(?:[ACGT]{103}\W){0,28}\d){2}\p{L}{113}`,
		`(?:(?:a{31,62}[,;]+){7,40}_?){5}(?:[a-z]{1,7}\D??){1,13}`:                 `(?:(?:a{31}[,;]){7}_?){5}(?:[a-z]\d?){1,13}`,
		`[ACGT]{137,138}?\d(?:(?:[^\s@]{2,}@?){9,34}:?){121}`:                      `[ACGT]{137,138}?\d(?:(?:[^\s@]{2}@){9}:){121}`,
		`[ACGT]a+[ACGT](?:(?:(?:[^\n]?|[a-zA-Z ]{5,39})){0,26}\s?){133,145}`:       `[ACGT]a+[ACGT](?:[a-zA-Z ]{5}){0,26}\s?`,
		`(?:\S\n*)+[^"]{0,24}(?:(?:(?:[a-zA-Z ]{1,28}|\p{Lu}{7,45})){147}_){0,24}`: `(?:(?:(?:[a-zA-Z ]{28}|\p{Lu}{45})){14}_){2}`,
		`(?:(?:\w{1,100},?){1,100};?){0,100}`:                                      `(?:\w{1,100}, ){0,100}\w{1,100}`,
	})
}

// Loops are attacked with a beginning that satisfies what looks around, with the characters that they share with nothing
// before them, with iterations of the right length, and where the match succeeds in the end. V8 takes seconds for these.
func TestLoopsBehindOthers(t *testing.T) {
	judged(t, map[string]string{
		`[a-z](?=[ACGT]{34})(?:(?:[^,]|\d{92,146}))+[A-Z0-9]`:       `[a-z](?=[ACGT]{34})(?:(?:[^,0-9]|\d{92,146}))+[A-Z0-9]`,
		`(?:[0-9a-f]{4}\W?)*(?<=[^"]*[01])(?: ?[A-Z]*){3,}`:         `(?:[0-9a-f]{4}\W?)*(?<=[01])(?: [A-Z]*){3,}`,
		`,(?:[0-9a-f]{5})?(?:(?:[^\n]*\n?){1,51}/?){0,29}`:          `,(?:[0-9a-f]{5})?(?:(?:[^\n]*\n){51}/){0,29}`,
		`(?:[^,]_*)+(?:\D+\D*){4,29}(?:[A-Za-z0-9+/=]*\D?)+`:        `(?:[^,_]_*)+\d(?:\D+\d)+`,
		`[\w.-]+(?:[\w.-]*?\W*)*?(?:[A-Z0-9]+:*)*`:                  `[\w.-]+(?:[A-Z0-9]+:+)*`,
		`(?:[01]{2}\n){2,24}(?:\w\W*)*(?:(?:(?:\W+[01]){50}|\D*))+`: `(?:[01]{2}\n){2,24}(?:\w\W)*(?:(?:\W[01]){50}|\D)`,
		`(?:(?:[\w.-]+\n+){5}\W?){6,15}(?:\p{Lu}/+)+(?:a\W?)?`:      `(?:(?:[\w.-]+\n){5}!?){6,15}(?:\p{Lu}/+)+(?:a\W?)?`,
	})
}

// judged refuses the slow pattern of each pair, and accepts the quick one that looks alike.
func judged(t *testing.T, pairs map[string]string) {
	t.Helper()
	for slow, quick := range pairs {
		if _, err := Check(slow, 4000); err == nil {
			t.Errorf("%s is accepted", slow)
		}
		if _, err := Check(quick, 4000); err != nil {
			t.Errorf("%s: %v", quick, err)
		}
	}
}
