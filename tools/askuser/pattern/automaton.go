package pattern

import "slices"

// automaton is a position (Glushkov) automaton: one spot for every character class of the pattern, entered by reading a
// character of it. It has at least as many ways to read a text as a browser can try: large counts are endless, and
// lookarounds and back-references rule nothing out. Assertions do.
type automaton struct {
	spots []spot
	first []arc
	empty float64 // ways to match nothing
	fails float64 // as of a spot
	final float64 //
	exact bool    // it matches what the pattern matches, no more
	looks bool    // it has lookarounds
}

// spot is a character class of the pattern, or a copy of it. Some spots only cost: nothing leads on from them.
type spot struct {
	class  int // its number, or none
	word   wordness
	cost   float64 // of trying to enter it
	follow []arc
	ends   float64 // ways to the end from here
	fails  float64 // steps for assertions from here, and for ways that these rule out
	final  float64 // steps at the end of the text alone, past a $

	// a lookaround: what it costs, by the length of what it looks at; whether that is nothing
	look          []float64
	behind, begin bool

	// a back-reference: the symbols that it may read, and whether it may read many
	repeats []bool
	long    bool
	late    bool // one may have been read: ways that come here are at different places of the text
}

const none = -1

// wordness says whether a spot reads characters of \w.
type wordness int8

const (
	either wordness = iota
	word
	other
)

// arc leads to a spot in so many ways without reading a character. Two such ways make (.*)* explode.
type arc struct {
	to    int
	ways  float64
	steps float64 // for assertions on all these ways
	needs needs

	ruledOut bool // by its needs: it costs to find that out
}

// needs are assertions on the way.
type needs uint8

const (
	needsStart    needs = 1 << iota // ^
	needsEnd                        // $
	needsBoundary                   // \b
	needsInside                     // \B
	needsBegun                      // something before, for a lookbehind
	needsLast                       // nothing after, or a lookahead may say no
)

var asserted = map[byte]needs{'^': needsStart, '$': needsEnd, 'b': needsBoundary, 'B': needsInside}

// pass is a way to match nothing.
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
	most   int                   // larger counts are endless
	behind bool                  // texts are read backwards
	whole  bool                  // it is all of the pattern, not the body of a lookaround
	look   func(*node) []float64 // what a lookaround costs
	arcs   int
}

// errTooBig stops the construction.
type errTooBig struct{}

const maxArcs = 120_000

// maxWays bounds the ways to one spot without reading a character. V8 compiles what follows once for each: a dozen of
// (?:|\b) in a loop take it 3 s, whatever the text.
const maxWays = 256

// build builds the automaton of a node; nil when it is too big, or when larger counts hide ways.
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
			x.ruledOut = s.look == nil // else the other spot of the lookbehind stands for it, or another one fails before
			if !x.ruledOut {
				continue
			}
		}
		x.ruledOut = x.ruledOut || b.whole && s.look == nil && !b.meets(x.needs&^needsStart, other, s.word)
		x.needs &^= b.before() // which holds here
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

// later marks what comes after back-references.
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

// meets says whether assertions can hold between a character and another one.
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

// merge adds up arcs to the same spot, and the steps for assertions and for those that are ruled out.
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
			} else { // nothing is looked at where an assertion before it fails
				x.ruledOut = to.begin || x.needs&b.before() != 0
			}
			p.follow = append(p.follow, x)
		}
	}
}

// before is the assertion that fails behind a character that was read.
func (b *builder) before() needs {
	if b.behind {
		return needsEnd
	}
	return needsStart
}

// through leads arcs on through what matches nothing.
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

// add adds a spot and leads to it.
func (b *builder) add(s spot) arc {
	b.count(1)
	b.spots = append(b.spots, s)
	return arc{to: len(b.spots) - 1, ways: 1}
}
