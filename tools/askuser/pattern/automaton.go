package pattern

import "slices"

// arc leads to position `to` in `mult` different ways without reading a character. Two such ways make (.*)* explode.
type arc struct {
	to   int32
	mult float64
}

// automaton is a position (Glushkov) automaton: one state for every character class of the pattern, entered by reading
// a character of it. It is used twice: loose, every loop that can run twice is an endless one and no position is
// copied, so that it stays small and shows where loops overlap; exact, counts are written out, so that it knows how
// many ways a browser can try. Both treat assertions and back-references as empty, and a lookahead as a side branch
// that leads nowhere, so they overestimate rather than underestimate; what they propose is confirmed by the machine.
type automaton struct {
	nodes  []*node // by position
	setNo  []int
	follow [][]arc
	first  []arc
	begin  []arc  // where the bodies of lookbehinds begin
	last   []bool // the pattern can end here
	side   []bool // the body of a lookaround can end here
	exact  bool   // all counts are written out
	// bounded says that some loop ends after more than one iteration
	bounded bool
}

// fragment is a part of the automaton under construction.
type fragment struct {
	empty       float64 // ways to match the empty text
	first, last []arc
}

type builder struct {
	a        *automaton
	alphabet *alphabet
	counts   counts
	arcs     int
	maxArcs  int
	root     *node
	inRef    bool
}

// counts says how an automaton writes out repetition counts.
type counts struct {
	loose bool // every loop that can run twice is endless
	least int  // loose: minimums up to here are written out
	most  int  // exact: larger counts are endless
	skip  bool // exact: iterations that may be empty need not be there
	refs  bool // a back-reference reads what its group reads, instead of nothing
	plain bool // nothing passes a positive lookaround, a word boundary or an anchor: ways that need none
}

// errTooBig stops the construction.
type errTooBig struct{}

// newAutomaton builds an automaton; nil when there would be more than maxArcs arcs.
func newAutomaton(t *tree, alpha *alphabet, how counts, maxArcs int) (a *automaton) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(errTooBig); !ok {
				panic(r)
			}
			a = nil
		}
	}()
	b := &builder{a: &automaton{exact: true}, alphabet: alpha, counts: how, maxArcs: maxArcs, root: t.root}
	root := b.node(t.root)
	a = b.a
	for p := range a.follow {
		a.follow[p] = merge(a.follow[p])
	}
	a.first = merge(root.first)
	a.last = make([]bool, len(a.nodes))
	for _, l := range root.last {
		a.last[l.to] = true
	}
	return a
}

// merge adds up arcs to the same position.
func merge(arcs []arc) []arc {
	slices.SortFunc(arcs, func(x, y arc) int { return int(x.to) - int(y.to) })
	out := arcs[:0]
	for _, x := range arcs {
		if n := len(out); n > 0 && out[n-1].to == x.to {
			out[n-1].mult += x.mult
			continue
		}
		out = append(out, x)
	}
	return out
}

func (b *builder) count(n int) {
	if b.arcs += n; b.arcs > b.maxArcs {
		panic(errTooBig{})
	}
}

// join lets every end lead to every start.
func (b *builder) join(ends, starts []arc) {
	b.count(len(ends) * len(starts))
	for _, e := range ends {
		for _, s := range starts {
			b.a.follow[e.to] = append(b.a.follow[e.to], arc{s.to, e.mult * s.mult})
		}
	}
}

func scaled(arcs []arc, by float64) []arc {
	if by == 0 {
		return nil
	}
	out := make([]arc, len(arcs))
	for i, x := range arcs {
		out[i] = arc{x.to, x.mult * by}
	}
	return out
}

func (b *builder) concat(x, y fragment) fragment {
	b.join(x.last, y.first)
	b.count(len(x.last) + len(y.first))
	return fragment{
		empty: x.empty * y.empty,
		first: append(x.first[:len(x.first):len(x.first)], scaled(y.first, x.empty)...),
		last:  append(y.last[:len(y.last):len(y.last)], scaled(x.last, y.empty)...),
	}
}

func (b *builder) node(n *node) fragment {
	b.count(1)
	switch n.kind {
	case kindChar:
		p := int32(len(b.a.nodes))
		b.a.nodes = append(b.a.nodes, n)
		b.a.setNo = append(b.a.setNo, b.alphabet.setNo[n])
		b.a.follow = append(b.a.follow, nil)
		b.a.side = append(b.a.side, false)
		return fragment{first: []arc{{p, 1}}, last: []arc{{p, 1}}}
	case kindConcat:
		f := fragment{empty: 1}
		for _, k := range n.kids {
			f = b.concat(f, b.node(k))
		}
		return f
	case kindAlt:
		var f fragment
		for _, k := range n.kids {
			g := b.node(k)
			b.count(len(g.first) + len(g.last))
			f.empty += g.empty
			f.first = append(f.first, g.first...)
			f.last = append(f.last, g.last...)
		}
		return f
	case kindGroup:
		return b.node(n.kids[0])
	case kindLook:
		if b.counts.plain && !n.negative {
			return fragment{}
		}
		body := b.node(n.kids[0])
		for _, l := range body.last {
			b.a.side[l.to] = true
		}
		if n.behind {
			b.a.begin = append(b.a.begin, body.first...)
			return fragment{empty: 1, last: body.last}
		}
		return fragment{empty: 1, first: body.first}
	case kindLoop:
		return b.loop(n)
	case kindAssert:
		if b.counts.plain {
			return fragment{}
		}
	case kindRef:
		if body := b.group(n); body != nil {
			b.inRef = true
			defer func() { b.inRef = false }()
			return b.node(body)
		}
	}
	return fragment{empty: 1}
}

// group finds what a back-reference repeats; nil when it counts as empty.
func (b *builder) group(ref *node) (body *node) {
	if b.inRef || !b.counts.refs {
		return nil
	}
	b.root.walk(func(n *node) {
		if n.kind == kindGroup && n.capture == ref.ref && (ref.from < n.from || ref.from >= n.to) {
			body = n.kids[0]
		}
	})
	return body
}

func (b *builder) loop(n *node) fragment {
	body := n.kids[0]
	lo, hi := n.min, n.max
	switch {
	case hi == 0 || copies(body, counts{}) == 0:
		return fragment{empty: 1}
	case b.counts.loose:
		if hi > 1 && (hi > lo || lo > b.counts.least) {
			hi = unbounded
		}
		lo = min(lo, b.counts.least)
	case b.counts.skip && nullable(body) && lo > 1 && hi != unbounded && hi <= b.counts.most:
		lo = 0 // iterations that must be may be empty: the same texts, by far fewer arcs
	case lo > b.counts.most || hi != unbounded && hi > b.counts.most:
		b.a.exact = false
		lo = min(lo, b.counts.most)
		hi = unbounded
	}
	f := fragment{empty: 1}
	if hi == unbounded {
		for range lo - 1 {
			f = b.concat(f, b.node(body))
		}
		g := b.node(body)
		b.join(g.last, g.first) // an iteration is never empty
		if lo == 0 {
			g.empty = 1
		} else if g.empty > 0 { // the first iteration may be an empty one, and the next begin the same way
			g.first = scaled(g.first, 1+g.empty)
		}
		return b.concat(f, g)
	}
	for range lo {
		f = b.concat(f, b.node(body))
	}
	b.a.bounded = b.a.bounded || hi > 1
	// the optional iterations: each after the one before, and the end after any of them
	tail := fragment{empty: 1}
	var before []arc
	for i := lo; i < hi; i++ {
		g := b.node(body)
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

// copies counts the positions of an automaton, up to a limit.
func copies(n *node, how counts) int {
	const limit = 1 << 20
	total := 0
	switch n.kind {
	case kindChar:
		return 1
	case kindLoop:
		times := n.max
		if how.loose {
			times = max(1, min(n.min, how.least))
		} else if times == unbounded || times > how.most {
			times = max(1, min(n.min, how.most))
		}
		return min(limit, copies(n.kids[0], how)*times)
	}
	for _, k := range n.kids {
		total = min(limit, total+copies(k, how))
	}
	return total
}
