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

func (b *builder) node(n *node) fragment {
	b.count(1)
	switch n.kind {
	case kindChar:
		return b.char(n)
	case kindConcat:
		f := fragment{empty: free}
		for i, k := range n.kids {
			if b.behind {
				k = n.kids[len(n.kids)-1-i]
			}
			f = b.concat(f, b.node(k))
		}
		return f
	case kindAlt:
		var f fragment
		for _, k := range n.kids {
			g := b.node(k)
			b.count(len(g.first) + len(g.last))
			for _, p := range g.empty {
				f.empty = addPass(f.empty, p)
			}
			f.first = append(f.first, g.first...)
			f.last = append(f.last, g.last...)
		}
		return f
	case kindGroup:
		return b.node(n.kids[0])
	case kindLoop:
		return b.loop(n)
	case kindAssert:
		b.exact = b.exact && b.whole
		p := pass{1, assertStep, asserted[n.assert]}
		if p.needs == needsStart {
			p.steps = startStep
		}
		return fragment{empty: []pass{p}}
	case kindLook:
		return b.lookaround(n)
	case kindRef:
		return b.ref(n)
	}
	return fragment{empty: free}
}

// char makes the spot of a class, and two where it matters which of its characters are in \w.
func (b *builder) char(n *node) (f fragment) {
	class := b.alpha.setNo[n]
	kinds := []wordness{either}
	if b.t.boundaries {
		kinds = nil
		for _, k := range [...]wordness{word, other} {
			for c, in := range b.alpha.members[class] {
				if in && b.alpha.word[c] == (k == word) {
					kinds = append(kinds, k)
					break
				}
			}
		}
		if kinds == nil { // [] is tried too
			kinds = []wordness{either}
		}
	}
	for _, k := range kinds {
		x := b.add(spot{class: class, word: k, cost: 1})
		f.first, f.last = append(f.first, x), append(f.last, x)
	}
	return f
}

// lookaround makes a spot that costs what the lookaround does.
func (b *builder) lookaround(n *node) fragment {
	b.looks = true
	s := spot{class: none, look: b.look(n), behind: n.behind}
	f := fragment{first: []arc{b.add(s)}}
	ways := 1.0
	if !n.negative { // a browser tries one, but compiles what follows for each, see maxWays
		ways = max(1, blanks(n.kids[0]))
	}
	f.empty = []pass{{ways: ways}}
	lo, _, _ := b.t.lengths(n.kids[0])
	if b.guards(n) {
	} else if b.whole && !n.behind && (n.negative && lo > 0 || !n.negative && lo == 0 && plain(n.kids[0])) {
		f.empty[0].needs = needsLast // at the end it holds
	} else {
		b.exact = false
	}
	if n.behind { // at the begin there is nothing to look at
		f.first[0].needs = needsBegun
		s.begin = true
		f.first = append(f.first, b.add(s))
		f.first[1].needs = needsStart
		if !n.negative && lo > 0 {
			f.empty[0].needs = needsBegun
		}
	}
	return f
}

// guards says whether a lookahead stands at the begin of all: where it says no, nothing else is tried.
func (b *builder) guards(n *node) bool {
	if b.whole && b.t.root.kind == kindConcat && !n.behind {
		for _, k := range b.t.root.kids {
			switch {
			case k == n:
				return true
			case k.kind != kindLook && k.kind != kindAssert:
				return false
			}
		}
	}
	return false
}

// blanks counts the ways through empty alternatives and assertions alone.
func blanks(n *node) float64 {
	ways := 0.0
	switch n.kind {
	case kindChar:
	case kindConcat:
		ways = 1
		for _, k := range n.kids {
			ways *= blanks(k)
		}
	case kindAlt:
		for _, k := range n.kids {
			ways += blanks(k)
		}
	case kindGroup:
		ways = blanks(n.kids[0])
	case kindLook:
		ways = 1
		if !n.negative {
			ways = max(1, blanks(n.kids[0]))
		}
	case kindLoop:
		if ways = blanks(n.kids[0]); n.min == 0 {
			ways++
		}
	default:
		ways = 1
	}
	return ways
}

// plain says whether what a node matches depends on nothing around it but the end.
func plain(n *node) bool {
	ok := true
	n.walk(func(m *node) {
		ok = ok && m.kind != kindLook && m.kind != kindRef && (m.kind != kindAssert || m.assert == '$')
	})
	return ok
}

// ref makes the spot of a back-reference. The text that it repeats is read in one way; it may be empty. A short one is
// read at once, as one character that costs as much: that leaves more for others.
func (b *builder) ref(n *node) fragment {
	const short = 50
	b.exact = false
	s := spot{class: none, cost: refStep, repeats: make([]bool, b.alpha.size)}
	b.t.root.walk(func(m *node) {
		if m.kind != kindGroup || m.capture != n.ref {
			return
		}
		_, hi, _ := b.t.lengths(m.kids[0])
		if s.long = hi > 2*short; !s.long {
			s.cost = max(1, float64(refStep*hi/2))
		}
		m.walk(func(k *node) {
			for c := range s.repeats {
				s.repeats[c] = s.repeats[c] || k.kind == kindRef || k.kind == kindChar && b.alpha.members[b.alpha.setNo[k]][c]
			}
		})
	})
	x := []arc{b.add(s)}
	return fragment{empty: free, first: x, last: x}
}

// What an assertion takes, in steps (measured in V8: 0.6 ns for ^, 0.3 for the others).
const (
	startStep  = 0.7
	assertStep = 0.4
)

// What it takes, in steps, to keep what a group captures in one more iteration (measured in V8: 1 ns), and to find an
// iteration empty that must not be (3 ns).
const (
	captureStep = 1.5
	emptyStep   = 4
)

// body is an iteration of a loop.
func (b *builder) body(n *node) fragment {
	f := b.node(n.kids[0])
	for _, x := range f.first {
		b.spots[x.to].cost += captureStep * float64(n.end-n.first)
	}
	return f
}

// iteration is one that may not be empty. Each way to be empty is tried.
func (b *builder) iteration(n *node) fragment {
	f := b.body(n)
	cost := 0.0
	for _, p := range f.empty {
		cost += emptyStep*p.ways + p.steps
	}
	if cost > 0 {
		f.first = append(f.first[:len(f.first):len(f.first)], b.add(spot{class: none, cost: cost}))
	}
	return f
}

func (b *builder) loop(n *node) fragment {
	body := n.kids[0]
	lo, hi := n.min, n.max
	switch {
	case hi == 0:
		return fragment{empty: free}
	case lo > b.most || hi != unbounded && hi > b.most:
		if lo > b.most && nullable(body) {
			panic(errTooBig{}) // which iterations are empty makes ways that an endless loop does not have
		}
		b.exact = false
		lo = min(lo, b.most)
		hi = unbounded
	}
	f := fragment{empty: free}
	if hi == unbounded {
		for range lo - 1 {
			f = b.concat(f, b.body(n))
		}
		if lo > 0 && nullable(body) {
			f = b.concat(f, b.body(n))
			lo = 0
		}
		g := b.iteration(n)
		b.join(g.last, g.first)
		if lo == 0 {
			g.empty = free
		} else {
			g.empty = nil
		}
		return b.concat(f, g)
	}
	for range lo {
		f = b.concat(f, b.body(n))
	}
	// the optional iterations: each after the one before, and the end after any of them
	tail := fragment{empty: free}
	var before []arc
	for i := lo; i < hi; i++ {
		g := b.iteration(n)
		if i == lo {
			tail.first = g.first
		} else {
			b.join(before, g.first)
		}
		before = g.last
		b.count(len(g.last))
		tail.last = append(tail.last, g.last...)
	}
	return b.concat(f, tail)
}

// copies counts the spots of an automaton that writes out counts up to most, up to a limit.
func copies(n *node, most int) int {
	const limit = 1 << 20
	total := 0
	switch n.kind {
	case kindChar, kindRef, kindLook:
		return 1
	case kindLoop:
		times := n.max
		if times == unbounded || times > most {
			times = max(1, min(n.min, most))
		}
		return min(limit, copies(n.kids[0], most)*times)
	}
	for _, k := range n.kids {
		total = min(limit, total+copies(k, most))
	}
	return total
}
