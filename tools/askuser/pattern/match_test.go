package pattern_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/tools/askuser/pattern"
)

// recorded is the result of node 20 for a pattern: the flags with which it is valid (null: none), texts that match as a
// whole and texts that do not.
type recorded struct {
	Pattern        string
	Valid          *string
	Matches, Fails []string
}

// Parser and engine agree with those of a browser on random patterns composed from the whole grammar.
func TestAgreesWithNode(t *testing.T) {
	matched := 0
	for _, r := range lines[recorded](t, "testdata/node-agreement.jsonl") {
		flags, err := pattern.Check(r.Pattern, 4000)
		var why pattern.Reason
		if err != nil {
			why = reason(t, err)
		}
		if r.Valid == nil {
			if why != pattern.ReasonSyntax && why != pattern.ReasonUnsupported {
				t.Errorf("%q is not JavaScript, but Check returns %q %v", r.Pattern, flags, err)
			}
			continue
		}
		if why == pattern.ReasonSyntax {
			t.Errorf("%q is valid: %v", r.Pattern, err)
		}
		if err != nil {
			continue
		}
		if flags != *r.Valid {
			t.Errorf("%q: flags %q, want %q", r.Pattern, flags, *r.Valid)
		}
		for _, answer := range r.Matches {
			matched++
			if matched, err := match(r.Pattern, flags, answer); !matched {
				t.Errorf("%q does not match %q: %v", r.Pattern, answer, err)
			}
		}
		for _, answer := range r.Fails {
			if matched, err := match(r.Pattern, flags, answer); matched || err != nil {
				t.Errorf("%q matches %q (%v)", r.Pattern, answer, err)
			}
		}
	}
	if matched < 200 {
		t.Errorf("only %d matches were checked", matched)
	}
}

// match matches the only text of an answer.
func match(source, flags, text string) (bool, error) {
	err := new(pattern.Matcher).Match(source, flags, text)
	if errors.Is(err, pattern.ErrMismatch) {
		return false, nil
	}
	return err == nil, err
}

func TestMatch(t *testing.T) {
	cases := []struct {
		source, flags, answer string
		want                  bool
	}{
		{`[a-z]+`, "u", "abc", true},
		{`[a-z]+`, "u", "abc\n", false}, // the whole answer, including a final line break
		{`a|b`, "u", "ab", false},
		{`.`, "u", "😀", true},
		{`.`, "", "😀", false}, // two UTF-16 units
		{`..`, "", "😀", true},
		{`[😀]{2}`, "", "😀", true},
		{`\😀`, "", "😀", true},
		{`\d`, "u", "٣", false},
		{`\p{L}+`, "u", "Größe", true},
		{`(a)|b\1`, "u", "b", true},
		{``, "u", "", true},
		{`a`, "i", "a", false},       // flags that Check never returns
		{`(`, "u", "(", false},       // does not compile
		{`a`, "u", "a\xff", false},   // not UTF-8
		{"\xff", "u", "\xff", false}, //
	}
	for _, c := range cases {
		if got, _ := match(c.source, c.flags, c.answer); got != c.want {
			t.Errorf("Match(%q, %q, %.20q) = %v", c.source, c.flags, c.answer, got)
		}
	}
}

// A match that takes too long differs from a mismatch, and the time limit applies to all texts of an answer together.
func TestTheLimitIsNoMismatch(t *testing.T) {
	m := pattern.Spent(pattern.MatchTimeout - 50*time.Millisecond)
	for _, text := range []string{strings.Repeat("ab", 3000) + "!", "ab"} {
		if err := m.Match(`(?:(?:(\w+))\s?)+\1x`, "u", text); !errors.Is(err, pattern.ErrLimit) {
			t.Errorf("%.20s: %v", text, err)
		}
	}
}

// The timeout's clock never belongs to a bubble, even if a bubble is the first to match.
func TestMatchesInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if matched, err := match(`[a-z]+`, "u", "abc"); !matched {
			t.Error(err)
		}
	})
}

// Properties cover the whole character set, regardless of how their tables are read.
func TestProperties(t *testing.T) {
	for source, texts := range map[string][2]string{
		`\p{Emoji}`: {"😀", "a"}, `\p{Alphabetic}`: {"я", "-"}, `\p{Script_Extensions=Greek}`: {"α", "a"}, `\p{Any}`: {"\U0010FFFD", ""},
		`\p{ASCII}`: {"a", "é"}, `\p{White_Space}`: {"\u2003", "a"}, `\p{L}`: {"𐐀", "1"}, `\P{Uppercase}`: {"a", "A"},
	} {
		if matched, err := match(source, "u", texts[0]); !matched {
			t.Errorf("%s does not match %q: %v", source, texts[0], err)
		}
		if matched, _ := match(source, "u", texts[1]); matched {
			t.Errorf("%s matches %q", source, texts[1])
		}
	}
}
