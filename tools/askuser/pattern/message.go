package pattern

import (
	"fmt"
	"math"
)

// unsafe tells the model what is wrong with its pattern, where, and how to fix it. exact means that the pattern is unsafe
// with its own counts, and not only if each count could be any number.
func (b *bounder) unsafe(length int, exact bool) *Refusal {
	t := b.t
	one, two := b.culprit(t.root, false)
	shorter := fmt.Sprintf(`or set "max" to allow fewer than %d characters`, length)
	var detail string
	switch {
	case one == nil:
		detail = "its optional parts and alternatives can read the same text in too many ways, so that a browser may hang; " +
			"make each begin with different characters, " + shorter
	case !exact:
		detail = fmt.Sprintf("its counts are too large to judge, and with other counts the repetition %s (character %d) could read the same text in too many ways; "+
			"merge nested counts, such as a{4000} for (?:a{1000}){4}, use smaller counts, %s",
			t.text(one.from, one.to), t.position(one.from), shorter)
	case one == two:
		detail = fmt.Sprintf("the repetition %s (character %d) can read the same text in too many ways, so that a browser may hang; "+
			"drop the inner quantifier or the alternatives that overlap, or separate the iterations by a character that they cannot contain, %s",
			t.text(one.from, one.to), t.position(one.from), shorter)
	default:
		detail = fmt.Sprintf("the repetitions %s (character %d) to %s (character %d) can read the same characters, so that a browser may hang; "+
			"separate them by a character that neither can contain, %s",
			t.text(one.from, one.to), t.position(one.from), t.text(two.from, two.to), t.position(two.from), shorter)
	}
	return &Refusal{Reason: ReasonUnsafe, Detail: detail}
}

// culprit finds the smallest part of a node that is over the limit like the node itself, if the part after it fails. It
// stops if no work is left. It returns the first and the last repetition in that part, nil if there is none.
func (b *bounder) culprit(n *node, behind bool) (first, last *node) {
	tooMuch := func(n *node) bool {
		b.gaveUp = false
		return math.IsInf(b.costs(n, behind, true)[b.n], 1) && !b.gaveUp
	}
	if n.kind == kindLook {
		behind = n.behind
	}
	for _, k := range n.kids {
		if tooMuch(k) {
			return b.culprit(k, behind)
		}
	}
	part := *n
	if n.kind == kindConcat {
		kids := n.kids
		for to := range kids { // drop kids that are not needed to exceed the limit, from the end and then from the start
			if part.kids = kids[:to+1]; tooMuch(&part) {
				break
			}
		}
		for kids = part.kids; len(kids) > 1; kids = kids[1:] {
			if part.kids = kids[1:]; !tooMuch(&part) {
				break
			}
		}
		part.kids = kids
	}
	part.walk(func(m *node) {
		if m.kind == kindLoop && m.max > 1 {
			if first == nil {
				first = m
			}
			last = m
		}
	})
	if n.kind == kindLoop {
		last = first
	}
	return first, last
}

func tooComplex() *Refusal {
	return &Refusal{Reason: ReasonTooComplex, Detail: "it is too complex to judge; " +
		"write a simpler one, with fewer alternatives and repetitions"}
}
