package pattern

import "slices"

// inside proposes what makes one component ambiguous: two ways from a position back to itself over the same word.
func (p *proposer) inside(scc int) {
	g, members := p.g, p.g.members[scc]
	found := 0
	emit := func(from int, word []uint16, at int) {
		// word leads from position from to position at; close the circle
		if at != from {
			back, ok := g.path(at, from, scc)
			if !ok {
				return
			}
			word = append(word[:len(word):len(word)], back...)
		}
		found++
		p.propose(from, from, word, ambiguous)
		for _, turn := range p.outerTurns(from, scc) {
			p.propose(from, from, append(append(word[:len(word):len(word)], word...), turn...), ambiguous)
		}
	}
	for _, v := range members {
		for _, x := range g.a.follow[v] {
			if x.mult >= 2 && g.scc[x.to] == scc && g.any(int(x.to)) >= 0 && found < maxPerComponent {
				emit(int(v), []uint16{uint16(g.any(int(x.to)))}, int(x.to))
			}
		}
	}
	if len(members)*len(members) > maxPairPositions*16 {
		return
	}
	local := make(map[int32]int32, len(members))
	for i, v := range members {
		local[v] = int32(i)
	}
	n := int32(len(members))
	type visit struct {
		q, r   int32 // local numbers
		parent int32 // index of the visit before, or -1
		from   int32 // the position where the two ways parted
		symbol uint16
	}
	seen := newBitset(int(n) * int(n))
	var queue []visit
	work := pairWork
	enqueue := func(q, r, parent, from int32, symbol int) {
		if q > r {
			q, r = r, q
		}
		if !seen.has(int(q*n + r)) {
			seen.add(int(q*n + r))
			queue = append(queue, visit{q, r, parent, from, uint16(symbol)})
		}
	}
	for _, v := range members {
		arcs := g.a.follow[v]
		for i, x := range arcs {
			if g.scc[x.to] != scc {
				continue
			}
			for _, y := range arcs[i+1:] {
				if work--; work < 0 || g.scc[y.to] != scc {
					continue
				}
				if s := p.common(g.chars[x.to], g.chars[y.to]); s >= 0 {
					enqueue(local[x.to], local[y.to], -1, v, s)
				}
			}
		}
	}
	for i := 0; i < len(queue) && found < maxPerComponent && work > 0; i++ {
		e := queue[i]
		for _, x := range g.a.follow[members[e.q]] {
			if g.scc[x.to] != scc {
				continue
			}
			for _, y := range g.a.follow[members[e.r]] {
				if work--; work < 0 || g.scc[y.to] != scc {
					continue
				}
				s := p.common(g.chars[x.to], g.chars[y.to])
				if s < 0 {
					continue
				}
				if x.to != y.to {
					enqueue(local[x.to], local[y.to], int32(i), e.from, s)
					continue
				}
				if found >= maxPerComponent {
					break
				}
				word := []uint16{uint16(s)}
				for j := int32(i); j >= 0; j = queue[j].parent {
					word = append(word, queue[j].symbol)
				}
				reverse(word)
				emit(int(e.from), word, int(x.to))
			}
		}
	}
	*p.budget -= pairWork - max(work, 0)
	if work <= 0 {
		*p.budget -= pairWork
	}
}

// others proposes to pump every other symbol where one was found to be ambiguous: in (?:(?:\w+-?)*\D)+ letters can be
// read in many ways as digits can, but only after digits something is missing.
func (p *proposer) others() {
	for _, a := range slices.Clone(p.attacks) {
		if a.rank != ambiguous || len(a.word) > 1 {
			continue
		}
		for c := range p.alpha.size {
			if p.g.readers[c].has(a.head) && p.g.follow[a.head].has(a.head) {
				p.propose(a.head, a.head, []uint16{uint16(c)}, ambiguous)
			}
		}
	}
}

// outerTurns lead from a position in a loop once around the loop outside, for each loop that it is in: in
// (?:(?:\d+,?){2}@)+ two digits can be read in two ways, but it takes the "@" to read more of them.
func (p *proposer) outerTurns(from, scc int) (turns [][]uint16) {
	n := p.g.a.nodes[from]
	p.t.root.walk(func(m *node) {
		if m.kind != kindLoop || m.max <= 1 || m.from > n.from || n.to > m.to || m.kids[0].kind == kindChar || plainClass(m.kids[0]) {
			return
		}
		for _, z := range p.g.members[scc] {
			if out := p.g.a.nodes[z]; out.from >= m.from && out.to <= m.to {
				continue
			}
			there, ok := p.g.path(from, int(z), scc)
			back, ok2 := p.g.path(int(z), from, scc)
			*p.budget -= 2 * len(p.g.chars)
			if ok && ok2 {
				turns = append(turns, append(there, back...))
				return
			}
		}
	})
	return turns
}

// plainClass says whether a group holds nothing but a class.
func plainClass(n *node) bool {
	return n.kind == kindChar || n.kind == kindGroup && plainClass(n.kids[0])
}

// between proposes words that two components both loop on, where the first leads to the second.
func (p *proposer) between(one, two int) {
	g := p.g
	a, b := g.members[one], g.members[two]
	if !g.reaches(int(a[0]), int(b[0])) || len(a)*len(b) > maxPairPositions {
		return
	}
	n := len(b)
	index := map[int32]int{}
	for i, v := range a {
		index[v] = i
	}
	other := map[int32]int{}
	for i, v := range b {
		other[v] = i
	}
	// breadth first from each pair that is not yet known to lie on no cycle
	work := pairWork / 4
	done := newBitset(len(a) * n)
	parent := make([]int32, len(a)*n)
	symbol := make([]uint16, len(a)*n)
	found, onCycles := 0, 0
	words := map[string]bool{} // each word is proposed from one pair
	for start := range len(a) * n {
		if done.has(start) || work < 0 || found >= 6 {
			continue
		}
		if g.chars[a[start/n]].common(g.chars[b[start%n]]) < 0 {
			continue
		}
		for i := range parent {
			parent[i] = -1
		}
		work -= len(parent) / 8
		queue, visited := []int32{int32(start)}, []int32(nil)
		for len(queue) > 0 && work >= 0 {
			v := queue[0]
			queue = queue[1:]
			visited = append(visited, v)
			for _, x := range g.a.follow[a[int(v)/n]] {
				if g.scc[x.to] != one {
					continue
				}
				for _, y := range g.a.follow[b[int(v)%n]] {
					if work--; g.scc[y.to] != two {
						continue
					}
					s := p.common(g.chars[x.to], g.chars[y.to])
					if s < 0 {
						continue
					}
					w := int32(index[x.to]*n + other[y.to])
					if parent[w] >= 0 {
						continue
					}
					parent[w], symbol[w] = v, uint16(s)
					queue = append(queue, w)
				}
			}
		}
		if parent[start] < 0 {
			continue
		}
		onCycles++
		if onCycles > 8 { // enough of the pairs that this one reaches
			for _, v := range visited {
				done.add(int(v))
			}
		}
		var word []uint16
		for v := int32(start); ; {
			word = append(word, symbol[v])
			if v = parent[v]; v == int32(start) {
				break
			}
		}
		reverse(word)
		word = root(word)
		if key := string(spell(nil, word)); !words[key] {
			words[key] = true
			found++
			p.propose(int(a[start/n]), int(b[start%n]), word, 2)
		}
	}
	*p.budget -= pairWork/4 - max(work, 0)
}

// across proposes words that lead from a loop to a later one and that both of them also loop on: in .+rv:.+ every
// "rv:" can be where the first loop ends.
func (p *proposer) across(one, two int) {
	g := p.g
	from, to := int(g.members[one][0]), int(g.members[two][0])
	if !g.reaches(from, to) {
		return
	}
	type state struct{ x, y, z int32 } // in the first loop, on the way, in the second loop
	start, goal := state{int32(from), int32(from), int32(to)}, state{int32(from), int32(to), int32(to)}
	type visit struct {
		state
		parent int32
		symbol uint16
	}
	seen := map[state]bool{start: true}
	queue := []visit{{state: start, parent: -1}}
	work := acrossWork
	defer func() { *p.budget -= acrossWork - max(work, 0) }()
	for i := 0; i < len(queue) && len(queue) < acrossWork/16; i++ {
		e := queue[i].state
		for _, x := range g.a.follow[e.x] {
			if g.scc[x.to] != one {
				continue
			}
			for _, z := range g.a.follow[e.z] {
				if work--; g.scc[z.to] != two || !g.chars[x.to].meets(g.chars[z.to]) {
					continue
				}
				for _, y := range g.a.follow[e.y] {
					if work--; work < 0 {
						return
					}
					if int(y.to) != to && !g.reaches(int(y.to), to) {
						continue
					}
					s := common3(g.chars[x.to], g.chars[y.to], g.chars[z.to])
					next := state{x.to, y.to, z.to}
					if s < 0 || next != goal && seen[next] {
						continue
					}
					if next == goal {
						word := []uint16{uint16(s)}
						for j := int32(i); j > 0; j = queue[j].parent {
							word = append(word, queue[j].symbol)
						}
						reverse(word)
						p.propose(from, to, word, 2)
						return
					}
					seen[next] = true
					queue = append(queue, visit{next, int32(i), uint16(s)})
				}
			}
		}
	}
}

// single proposes one character at a time: it pumps those that two loops in a row, or a loop and a lookaround, read.
func (p *proposer) single(symbol int) {
	g := p.g
	readers := g.readers[symbol]
	n := len(g.chars)
	follow := make([]bitset, n)
	empty := newBitset(n)
	for v := range n {
		follow[v] = empty
		if readers.has(v) {
			follow[v] = newBitset(n)
			for i := range follow[v] {
				follow[v][i] = g.follow[v][i] & readers[i]
			}
		}
	}
	scc, members := components(n, follow)
	*p.budget -= n * (n/32 + 1)
	if len(members) == 0 {
		return
	}
	// the longest chain of loops from each component: Tarjan numbers components after all that they lead to
	long := make([]int, len(members))
	tail := make([]int, len(members))
	memo := make([]int, n) // by position on no cycle: the best component after it, + 1
	var best func(v, depth int) int
	best = func(v, depth int) int {
		if scc[v] >= 0 {
			return scc[v] + 1
		}
		if memo[v] != 0 || depth > n {
			return max(memo[v], 0)
		}
		memo[v] = -1
		follow[v].each(func(w int) {
			if c := best(w, depth+1); c > 0 && (memo[v] <= 0 || long[c-1] > long[memo[v]-1]) {
				memo[v] = c
			}
		})
		return max(memo[v], 0)
	}
	order := 0
	for c, m := range members {
		tail[c] = int(m[0])
		for _, v := range m {
			follow[v].each(func(w int) {
				if scc[w] == c {
					return
				}
				if d := best(w, 0); d > 0 && d-1 != c && long[d-1] > long[c] {
					long[c], tail[c] = long[d-1], tail[d-1]
				}
			})
		}
		long[c]++
		if long[c] > long[order] {
			order = c
		}
	}
	// the longest, and for chaining every other that begins a chain
	p.chain(members[order], tail[order], long[order], symbol)
	for c := len(members) - 1; c >= 0; c-- {
		if c != order {
			p.chain(members[c], tail[c], long[c], symbol)
		}
	}
}

func (p *proposer) chain(component []int32, tail, long, symbol int) {
	if long >= 2 || len(component) > 1 || p.t.refs || p.t.looks {
		p.propose(int(component[len(component)-1]), tail, []uint16{uint16(symbol)}, long)
	}
}
