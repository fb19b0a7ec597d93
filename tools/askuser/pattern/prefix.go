package pattern

// findPrefixes finds a way from the start to every position. The loosest automaton does not know minimums, so there
// the ways come from the first copy of the position in the exact one.
func (p *proposer) findPrefixes(least int) {
	own := p.waysInto(p.g.a, -1)
	p.prefixes = own
	if least > 1 || p.exact == nil {
		return
	}
	byNode := map[*node][]uint16{}
	for q, word := range p.waysInto(p.exact, -1) {
		n := p.exact.nodes[q]
		if before, ok := byNode[n]; word != nil && (!ok || len(word) < len(before)) {
			byNode[n] = word
		}
	}
	for q, n := range p.g.a.nodes {
		if word, ok := byNode[n]; ok {
			own[q] = word
		}
	}
}

// waysInto walks an automaton breadth first. The words use the symbol prefer where a class has it.
func (p *proposer) waysInto(a *automaton, prefer int) [][]uint16 {
	const notSeen, start = 0, 1
	parent := make([]int32, len(a.nodes))
	symbol := make([]int, len(a.nodes))
	var queue []int32
	visit := func(q, from int32) {
		if parent[q] != notSeen {
			return
		}
		members := p.alpha.members[a.setNo[q]]
		if symbol[q] = firstOf(members); symbol[q] < 0 {
			return
		}
		if prefer >= 0 && members[prefer] {
			symbol[q] = prefer
		}
		for c := range members {
			if p.prefer != nil && members[c] && p.prefer.has(c) {
				symbol[q] = c
				break
			}
		}
		parent[q] = from + 2
		queue = append(queue, q)
	}
	walk := func(from int) {
		for i := from; i < len(queue); i++ {
			*p.budget -= len(a.follow[queue[i]])
			for _, x := range a.follow[queue[i]] {
				visit(x.to, queue[i])
			}
		}
	}
	for _, x := range a.first {
		visit(x.to, -1)
	}
	walk(0)
	reached := len(queue)
	for _, x := range a.begin { // what is left can only be reached through lookbehinds
		visit(x.to, -1)
	}
	walk(reached)
	words := make([][]uint16, len(a.nodes))
	for _, q := range queue {
		for r := q; ; r = parent[r] - 2 {
			words[q] = append(words[q], uint16(symbol[r]))
			if parent[r] == start {
				break
			}
		}
		reverse(words[q])
		*p.budget -= len(words[q]) / 4
	}
	return words
}

func firstOf(members []bool) int {
	for s, in := range members {
		if in {
			return s
		}
	}
	return -1
}

// shortest gives a short text that the node matches, of at most limit characters.
func (p *proposer) shortest(n *node, limit int) []uint16 {
	var out []uint16
	switch n.kind {
	case kindChar:
		if s := firstOf(p.alpha.members[p.alpha.setNo[n]]); s >= 0 {
			out = append(out, uint16(s))
		}
	case kindConcat:
		for _, k := range n.kids {
			if len(out) < limit {
				out = append(out, p.shortest(k, limit-len(out))...)
			}
		}
	case kindAlt:
		for i, k := range n.kids {
			if w := p.shortest(k, limit); i == 0 || len(w) < len(out) {
				out = w
			}
		}
	case kindGroup:
		return p.shortest(n.kids[0], limit)
	case kindLoop:
		if n.min > 0 {
			one := p.shortest(n.kids[0], limit)
			for i := 0; i < n.min && len(one) > 0 && len(out) < limit; i++ {
				out = append(out, one...)
			}
		}
	}
	return out[:min(len(out), limit)]
}

// propose adds an attack that pumps word from position head, once.
