package pattern

import (
	"fmt"
	"math/bits"

	"github.com/askgate/askgate/tools"
)

// impossible refuses a pattern that no answer of shortest to longest code points can match. It may miss some: for
// lookarounds and back-references it assumes the best case.
func impossible(t *tree, shortest, longest int) *Refusal {
	refuse := func(format string, args ...any) *Refusal {
		return &Refusal{Reason: ReasonImpossible, Detail: fmt.Sprintf(format, args...)}
	}
	lo, hi, ok := t.lengths(t.root)
	if ahead := t.wants(t.root); ok && ahead > lo {
		lo = ahead
	}
	switch {
	case !ok:
		return refuse(`no text can match it, as an empty class such as [] matches no character; put characters between the brackets`)
	case (lo+1)/2 > longest:
		return refuse(`it needs at least %d characters, but an answer may have %d; raise "max", or shorten the pattern`, (lo+1)/2, longest)
	case hi/2 < shortest && hi < forever:
		return refuse(`it allows at most %d characters, but an answer must have %d; lower "min", or let the pattern match more`, hi/2, shortest)
	}
	if end := t.moves(t.root)[start]; !end.has(needEnd) {
		return refuse(`no text can match it, because of the characters next to \b, \B, ^ or $; drop these, the whole answer is matched anyway`)
	}
	if shortest > 0 && !t.visible(t.root) {
		return refuse(`it matches only blank text, which is not an answer; match visible characters`)
	}
	return nil
}

// wants returns the minimum length that lookaheads at the start require, in halves of a code point.
func (t *tree) wants(n *node) int {
	switch n.kind {
	case kindLook:
		if lo, _, _ := t.lengths(n.kids[0]); !n.negative && !n.behind {
			return lo
		}
	case kindGroup:
		return t.wants(n.kids[0])
	case kindConcat:
		most, before := 0, 0
		for _, k := range n.kids {
			most = max(most, before+t.wants(k))
			lo, _, _ := t.lengths(k)
			before = min(before+lo, forever)
		}
		return most
	}
	return 0
}

// visible reports whether the node reads any visible character.
func (t *tree) visible(n *node) bool {
	if n.kind == kindLook {
		return false
	}
	for _, s := range n.set {
		for r := s.lo; r <= s.hi; r++ {
			if !tools.Invisible(r) {
				return true
			}
		}
	}
	for _, k := range n.kids {
		if t.visible(k) {
			return true
		}
	}
	return false
}

// A place describes a position between two characters as assertions see it: what precedes it (nothing, a word character,
// another character), and what may follow.
const (
	prevStart = iota
	prevWord
	prevOther
)

const (
	needWord = 1 << iota
	needOther
	needEnd
	needAny = needWord | needOther | needEnd
)

const places = 3 * 8

func place(prev, need int) int { return prev*8 + need }

var start = place(prevStart, needAny)

// placeSet is a set of places.
type placeSet uint32

// has reports whether need may follow at one of the places.
func (s placeSet) has(need int) bool {
	for p := range places {
		if s>>p&1 == 1 && p%8&need != 0 {
			return true
		}
	}
	return false
}

// moves has, for each place, the places to which a node leads.
type moves [places]placeSet

func stay() (m moves) {
	for p := range m {
		m[p] = 1 << p
	}
	return m
}

// then returns m followed by n.
func (m moves) then(n moves) (out moves) {
	for p, s := range m {
		for ; s != 0; s &= s - 1 {
			out[p] |= n[bits.TrailingZeros32(uint32(s))]
		}
	}
	return out
}

func (m moves) or(n moves) moves {
	for p := range m {
		m[p] |= n[p]
	}
	return m
}

// times returns m repeated n times. 32 times reach all reachable places.
func (m moves) times(n int) moves {
	out := stay()
	for range min(n, 32) {
		out = out.then(m)
	}
	return out
}

func (t *tree) moves(n *node) (m moves) {
	switch n.kind {
	case kindChar:
		word, other := false, false
		for _, s := range n.set {
			inside := rune(0)
			for _, w := range wordSet {
				inside += max(0, min(s.hi, w.hi)-max(s.lo, w.lo)+1)
			}
			word, other = word || inside > 0, other || inside < s.hi-s.lo+1
		}
		for p := range m {
			if word && p%8&needWord != 0 {
				m[p] |= 1 << place(prevWord, needAny)
			}
			if other && p%8&needOther != 0 {
				m[p] |= 1 << place(prevOther, needAny)
			}
		}
		return m
	case kindAssert:
		for p := range m {
			allowed := needAny
			switch after := p/8 == prevWord; {
			case n.assert == '$':
				allowed = needEnd
			case n.assert == '^' && p/8 != prevStart:
				allowed = 0
			case n.assert == '^':
			case after == (n.assert == 'b'):
				allowed = needOther | needEnd
			default:
				allowed = needWord
			}
			if need := p % 8 & allowed; need != 0 {
				m[p] = 1 << place(p/8, need)
			}
		}
		return m
	case kindConcat:
		m = stay()
		for _, k := range n.kids {
			m = m.then(t.moves(k))
		}
		return m
	case kindAlt:
		for _, k := range n.kids {
			m = m.or(t.moves(k))
		}
		return m
	case kindGroup:
		return t.moves(n.kids[0])
	case kindLook:
		m = stay()
		if !n.negative && !n.behind {
			for p, s := range t.moves(n.kids[0]) {
				if s == 0 {
					m[p] = 0
				}
			}
		}
		return m
	case kindLoop:
		if n.max == 0 {
			return stay()
		}
		body := t.moves(n.kids[0])
		return body.times(n.min).then(body.or(stay()).times(n.max - n.min))
	case kindRef:
		any := moves{}
		for p := range any {
			any[p] = 1<<place(prevWord, needAny) | 1<<place(prevOther, needAny)
		}
		return stay().or(any)
	}
	return stay()
}
