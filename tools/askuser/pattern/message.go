package pattern

import "fmt"

// unsafe words a finding for the model that wrote the pattern: what is wrong, where, and how to mend it.
func unsafe(t *tree, f finding, length int) *Refusal {
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
	return &Refusal{Reason: ReasonUnsafe, Detail: detail}
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
