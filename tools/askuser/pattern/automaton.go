package pattern

import "slices"

// automaton is a position (Glushkov) automaton: one spot for every character class of the pattern, entered by reading a
// character of the class. It has at least as many ways to read a text as a browser can try: large counts are unlimited,
// and lookarounds and back-references exclude nothing. Assertions do.
type automaton struct {
	spots []spot
	first []arc
	empty float64 // ways to match nothing
	fails float64 // as in spot
	final float64 //
	exact bool    // it matches exactly what the pattern matches
	looks bool    // it has lookarounds
}

// spot is a character class of the pattern, or a copy of it. Some spots only have a cost: no arcs leave them.
type spot struct {
	class  int // its number, or none
	word   wordness
	cost   float64 // of an attempt to enter it
	follow []arc
	ends   float64 // ways to the end from here
	fails  float64 // steps for assertions from here, and for ways that they exclude
	final  float64 // steps only at the end of the text, after a $

	// a lookaround: its cost by the length of the text it reads; whether that text is empty
	look          []float64
	behind, begin bool

	// a back-reference: the symbols that it may read, and whether it may read several
	repeats []bool
	long    bool
	late    bool // a back-reference may precede: ways that arrive here are at different positions of the text
}

const none = -1

// wordness is whether a spot reads characters of \w.
type wordness int8

const (
	either wordness = iota
	word
	other
)

// arc leads to a spot in a number of ways without reading a character. Two such ways make (.*)* explode.
type arc struct {
	to    int
	ways  float64
	steps float64 // for assertions on all these ways
	needs needs

	ruledOut bool // excluded by its needs, which costs steps to find out
}

// needs is a set of assertions on a way.
type needs uint8

const (
	needsStart    needs = 1 << iota // ^
	needsEnd                        // $
	needsBoundary                   // \b
	needsInside                     // \B
	needsBegun                      // something before, for a lookbehind
	needsLast                       // nothing after, or a lookahead may fail
)

var asserted = map[byte]needs{'^': needsStart, '$': needsEnd, 'b': needsBoundary, 'B': needsInside}

// pass is a way to match the empty text.
type pass struct {
	ways  float64
	steps float64 // for assertions on all these ways
	needs needs
}

// fragment is a part of the automaton under construction.
type fragment struct {
	empty       []pass
	first, last []arc
}

// builder builds an automaton.
type builder struct {
	*automaton
	t      *tree
	alpha  *alphabet
	most   int                   // larger counts are unlimited
	behind bool                  // texts are read backwards
	whole  bool                  // the whole pattern, not the body of a lookaround
	look   func(*node) []float64 // returns the cost of a lookaround
	arcs   int
}

// errTooBig stops the construction.
type errTooBig struct{}

const maxArcs = 120_000

// maxWays is the maximum number of ways to one spot without reading a character. V8 compiles the rest of the pattern
// once for each: for a dozen of (?:|\b) in a loop it takes 3 s, regardless of the text.
const maxWays = 256

// build builds the automaton of a node. It returns nil if the automaton is too big, or if unlimited counts would hide ways.
func (b *builder) build(n *node) (a *automaton) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(errTooBig); !ok {
				panic(r)
			}
			a = nil
		}
	}()
	b.automaton = &automaton{exact: true}
	f := b.node(n)
	a = b.automaton
	for p := range a.spots {
		s := &a.spots[p]
		s.follow, s.fails, s.final = b.merge(s.follow)
	}
	for _, p := range f.empty {
		if a.empty += p.ways; a.empty > maxWays {
			panic(errTooBig{})
		}
		a.fails += p.steps
	}
	for _, x := range f.last {
		if x.ways > maxWays {
			panic(errTooBig{})
		}
		s := &a.spots[x.to]
		s.fails += x.steps
		if !b.whole || b.meets(x.needs&^needsEnd, s.word, other) {
			s.ends += x.ways
		} else {
			s.fails += x.ways
		}
	}
	for _, x := range f.first {
		s := &a.spots[x.to]
		if x.needs&needsBegun != 0 && b.whole {
			x.ruledOut = s.look == nil // otherwise the other spot of the lookbehind counts it, or another one fails first
			if !x.ruledOut {
				continue
			}
		}
		x.ruledOut = x.ruledOut || b.whole && s.look == nil && !b.meets(x.needs&^needsStart, other, s.word)
		x.needs &^= b.before() // which is met here
		b.exact = b.exact && x.needs&needsLast == 0
		a.first = append(a.first, x)
	}
	var fails float64
	a.first, fails, a.final = b.merge(a.first)
	a.fails += fails
	if b.t.refs {
		a.later()
	}
	return a
}

// later marks the spots after back-references.
func (a *automaton) later() {
	var queue []int
	for p := range a.spots {
		if a.spots[p].repeats != nil {
			a.spots[p].late = true
			queue = append(queue, p)
		}
	}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		for _, x := range a.spots[p].follow {
			if q := &a.spots[x.to]; !q.late {
				q.late = true
				queue = append(queue, x.to)
			}
		}
	}
}

// meets reports whether assertions can be met between two characters.
func (b *builder) meets(n needs, before, after wordness) bool {
	switch {
	case n&(needsStart|needsEnd) != 0:
		return false
	case before == either || after == either:
		return true
	case before == after:
		return n&needsBoundary == 0
	}
	return n&needsInside == 0
}

// merge adds up arcs to the same spot, and the steps for assertions and for excluded arcs.
func (b *builder) merge(arcs []arc) (out []arc, fails, final float64) {
	slices.SortFunc(arcs, func(x, y arc) int { return x.to - y.to })
	out = arcs[:0]
	same, ways := -1, 0.0
	for _, x := range arcs {
		if x.to != same {
			same, ways = x.to, 0
		}
		if ways += x.ways; ways > maxWays {
			panic(errTooBig{})
		}
		fails += x.steps
		if x.ruledOut {
			switch cost := x.ways * b.spots[x.to].cost; {
			case x.needs&(needsStart|needsEnd) == 0:
				fails += cost
			case x.needs&b.before() == 0:
				final += cost
			}
			continue
		}
		if n := len(out); n > 0 && out[n-1].to == x.to {
			out[n-1].ways += x.ways
			continue
		}
		out = append(out, x)
	}
	return out, fails, final
}

func (b *builder) count(n int) {
	if b.arcs += n; b.arcs > maxArcs {
		panic(errTooBig{})
	}
}

// join lets every end lead to every start.
func (b *builder) join(ends, starts []arc) {
	b.count(len(ends) * len(starts))
	for _, e := range ends {
		p := &b.spots[e.to]
		for _, s := range starts {
			b.exact = b.exact && (e.needs|s.needs)&needsLast == 0
			x := arc{to: s.to, ways: e.ways * s.ways, steps: e.ways*s.steps + e.steps*s.ways, needs: e.needs | s.needs}
			if to := &b.spots[s.to]; to.look == nil {
				x.ruledOut = !b.meets(x.needs, p.word, to.word)
			} else { // a lookaround is not tried if an assertion before it fails
				x.ruledOut = to.begin || x.needs&b.before() != 0
			}
			p.follow = append(p.follow, x)
		}
	}
}

// before returns the assertion that fails after a character was read.
func (b *builder) before() needs {
	if b.behind {
		return needsEnd
	}
	return needsStart
}

// through extends arcs through parts that match the empty text.
func (b *builder) through(arcs []arc, empty []pass) (out []arc) {
	b.count(len(arcs) * len(empty))
	for _, p := range empty {
		for _, x := range arcs {
			out = append(out, arc{to: x.to, ways: x.ways * p.ways, steps: x.ways*p.steps + x.steps*p.ways, needs: x.needs | p.needs})
		}
	}
	return out
}

func (b *builder) concat(x, y fragment) fragment {
	b.join(x.last, y.first)
	b.count(len(x.last) + len(y.first))
	f := fragment{
		first: append(x.first[:len(x.first):len(x.first)], b.through(y.first, x.empty)...),
		last:  append(y.last[:len(y.last):len(y.last)], b.through(x.last, y.empty)...),
	}
	b.count(len(x.empty) * len(y.empty))
	for _, p := range x.empty {
		for _, q := range y.empty {
			f.empty = addPass(f.empty, pass{p.ways * q.ways, p.ways*q.steps + p.steps*q.ways, p.needs | q.needs})
		}
	}
	return f
}

func addPass(all []pass, p pass) []pass {
	for i, o := range all {
		if o.needs == p.needs {
			all = slices.Clone(all)
			all[i].ways += p.ways
			all[i].steps += p.steps
			return all
		}
	}
	return append(all[:len(all):len(all)], p)
}

var free = []pass{{ways: 1}}

// add adds a spot and returns an arc to it.
func (b *builder) add(s spot) arc {
	b.count(1)
	b.spots = append(b.spots, s)
	return arc{to: len(b.spots) - 1, ways: 1}
}
