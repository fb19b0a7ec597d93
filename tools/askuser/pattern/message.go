package pattern

import (
	"fmt"
	"strings"
)

// unsafe words a finding for the model that wrote the pattern: what is wrong, where, and how to mend it.
func (s *analysis) unsafe(f finding, length int) *Refusal {
	t := s.t
	shorter := fmt.Sprintf(`or set "max" to allow fewer than %d characters`, length)
	one, two := t.loopAround(f.at), t.loopAround(f.tail)
	var detail string
	switch {
	case one == nil:
		detail = "its optional parts and alternatives can read the same text in too many ways, so that a browser hangs; " +
			"let no two of them begin with the same characters, " + shorter
	case f.exponential || two == nil:
		detail = fmt.Sprintf("the repetition %s (character %d) can read the same text in too many ways, so that a browser hangs; "+
			"drop the inner quantifier or the alternatives that overlap, or separate the iterations by a character that they cannot contain, %s",
			t.text(one.from, one.to), t.position(one.from), shorter)
	case one == two:
		detail = fmt.Sprintf("the repetition %s (character %d) makes a browser read long text again and again; "+
			"use one plain repetition of one character class, %s",
			t.text(one.from, one.to), t.position(one.from), shorter)
	default:
		detail = fmt.Sprintf("the repetitions %s (character %d) and %s (character %d) can read the same characters, so that a browser hangs; "+
			"separate what overlaps by a character that neither can contain, %s",
			t.text(one.from, one.to), t.position(one.from), t.text(two.from, two.to), t.position(two.from), shorter)
	}
	return &Refusal{Reason: ReasonUnsafe, Detail: detail, Attack: s.spell(f)}
}

// spell writes what a finding's text is made of. Of several words that are repeated, all but the last stand in the
// beginning, a hundred times.
func (s *analysis) spell(f finding) (text [3]string) {
	letters := func(word []uint16) string {
		out := make([]rune, len(word))
		for i, c := range word {
			out[i] = s.alpha.sample[c]
		}
		return unitsToText(out)
	}
	if f.attack == nil {
		return text
	}
	text[0], text[2] = letters(f.attack.literal), letters(f.ending)
	for i, segment := range f.attack.segments {
		word := letters(segment.word)
		switch {
		case segment.pumped && i == len(f.attack.segments)-1:
			text[1] = word
		case segment.pumped:
			text[0] += strings.Repeat(word, 100)
		default:
			text[0] += word
		}
	}
	return text
}

func tooComplex() *Refusal {
	return &Refusal{Reason: ReasonTooComplex, Detail: "it is too complex to be judged; " +
		"write a simpler one, with fewer alternatives and repetitions"}
}

// loopAround finds the outermost loop that holds the node and can run more than once; nil when there is none.
func (t *tree) loopAround(n *node) *node {
	if n == nil {
		return nil
	}
	var found *node
	t.root.walk(func(m *node) {
		if found == nil && m.kind == kindLoop && m.max > 1 && m.from <= n.from && n.to <= m.to {
			found = m
		}
	})
	return found
}
