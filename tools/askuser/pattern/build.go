package pattern

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

// char returns the spot of a class, or two if it matters which of its characters are in \w.
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
		if kinds == nil { // [] is tried as well
			kinds = []wordness{either}
		}
	}
	for _, k := range kinds {
		x := b.add(spot{class: class, word: k, cost: 1})
		f.first, f.last = append(f.first, x), append(f.last, x)
	}
	return f
}

// lookaround returns a spot with the cost of the lookaround.
func (b *builder) lookaround(n *node) fragment {
	b.looks = true
	s := spot{class: none, look: b.look(n), behind: n.behind}
	f := fragment{first: []arc{b.add(s)}}
	ways := 1.0
	if !n.negative { // a browser tries one, but compiles the rest for each, see maxWays
		ways = max(1, blanks(n.kids[0]))
	}
	f.empty = []pass{{ways: ways}}
	lo, _, _ := b.t.lengths(n.kids[0])
	if b.guards(n) {
	} else if b.whole && !n.behind && (n.negative && lo > 0 || !n.negative && lo == 0 && plain(n.kids[0])) {
		f.empty[0].needs = needsLast // it is met at the end
	} else {
		b.exact = false
	}
	if n.behind { // at the start there is no text before
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

// guards reports whether a lookahead is at the start of the pattern. If it fails there, nothing else is tried.
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

// blanks counts the ways through only empty alternatives and assertions.
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

// plain reports whether a match of a node depends only on its text and the end.
func plain(n *node) bool {
	ok := true
	n.walk(func(m *node) {
		ok = ok && m.kind != kindLook && m.kind != kindRef && (m.kind != kindAssert || m.assert == '$')
	})
	return ok
}

// ref returns the spot of a back-reference. The text that it repeats is read in one way and may be empty. A short one is
// read at once, as one character of the same cost, which leaves more characters for others.
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

// The cost of an assertion, in steps (measured in V8: 0.6 ns for ^, 0.3 for the others).
const (
	startStep  = 0.7
	assertStep = 0.4
)

// The costs, in steps, of keeping the capture of a group in one more iteration (measured in V8: 1 ns), and of finding
// that an iteration is empty but must not be (3 ns).
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

// iteration is an iteration that must not be empty. Each way to be empty is tried.
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
			panic(errTooBig{}) // empty iterations add ways that an unlimited loop does not have
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
	// the optional iterations: each follows the one before, and the loop can end after any
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

// copies returns the number of spots of an automaton that expands counts up to most, up to a limit.
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

// nullable reports whether the node can match the empty text.
func nullable(n *node) bool {
	switch n.kind {
	case kindChar:
		return false
	case kindConcat:
		for _, k := range n.kids {
			if !nullable(k) {
				return false
			}
		}
		return true
	case kindAlt:
		for _, k := range n.kids {
			if nullable(k) {
				return true
			}
		}
		return false
	case kindGroup:
		return nullable(n.kids[0])
	case kindLoop:
		return n.min == 0 || nullable(n.kids[0])
	}
	return true
}
