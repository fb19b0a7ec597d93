package pattern

// graph is the loose automaton prepared for the questions that the proposer asks.
type graph struct {
	a         *automaton
	symbols   int
	chars     []bitset // by position: the symbols it reads
	follow    []bitset // by position: the positions that may come next
	readers   []bitset // by symbol: the positions that read it
	first     bitset
	last      bitset
	lastOrEnd bitset // last, and where a lookaround body can end
	scc       []int  // by position: number of its strongly connected component, -1 when it is on no cycle
	members   [][]int32
	reach     []bitset // by position: all positions after it; filled on demand
}

func newGraph(a *automaton, alpha *alphabet) *graph {
	n := len(a.nodes)
	g := &graph{a: a, symbols: alpha.size, chars: make([]bitset, n), follow: make([]bitset, n),
		readers: make([]bitset, alpha.size), first: newBitset(n), last: newBitset(n), lastOrEnd: newBitset(n),
		reach: make([]bitset, n)}
	for s := range g.readers {
		g.readers[s] = newBitset(n)
	}
	bySet := make([]bitset, len(alpha.members))
	for p := range n {
		no := a.setNo[p]
		if bySet[no] == nil {
			bySet[no] = newBitset(alpha.size)
			for s, in := range alpha.members[no] {
				if in {
					bySet[no].add(s)
				}
			}
		}
		g.chars[p] = bySet[no]
		bySet[no].each(func(s int) { g.readers[s].add(p) })
		g.follow[p] = newBitset(n)
		for _, x := range a.follow[p] {
			g.follow[p].add(int(x.to))
		}
		if a.last[p] {
			g.last.add(p)
			g.lastOrEnd.add(p)
		}
		if a.side[p] {
			g.lastOrEnd.add(p)
		}
	}
	for _, x := range append(a.first[:len(a.first):len(a.first)], a.begin...) {
		g.first.add(int(x.to))
	}
	g.scc, g.members = components(n, g.follow)
	return g
}

// components finds the strongly connected components that hold a cycle (Tarjan, without recursion).
func components(n int, follow []bitset) (of []int, members [][]int32) {
	of = make([]int, n)
	index, low := make([]int, n), make([]int, n)
	onStack := make([]bool, n)
	var stack, path []int
	pending := make([]bitset, n)
	for i := range of {
		of[i] = -1
	}
	counter := 0
	for root := range n {
		if index[root] != 0 {
			continue
		}
		path = append(path[:0], root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if index[v] == 0 {
				counter++
				index[v], low[v] = counter, counter
				stack = append(stack, v)
				onStack[v] = true
				pending[v] = append(bitset(nil), follow[v]...)
			}
			if w := pending[v].common(pending[v]); w >= 0 {
				pending[v][w/64] &^= 1 << (w % 64)
				if index[w] == 0 {
					path = append(path, w)
				} else if onStack[w] {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				u := path[len(path)-1]
				low[u] = min(low[u], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			var all []int32
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack[w] = false
				all = append(all, int32(w))
				if w == v {
					break
				}
			}
			if len(all) > 1 || follow[v].has(v) {
				for _, w := range all {
					of[w] = len(members)
				}
				members = append(members, all)
			}
		}
	}
	return of, members
}

// step gives the positions after reading symbol from any of from.
func (g *graph) step(from bitset, symbol int) bitset {
	out := g.after(from)
	for i := range out {
		out[i] &= g.readers[symbol][i]
	}
	return out
}

func (g *graph) after(from bitset) bitset {
	out := newBitset(len(g.chars))
	from.each(func(p int) { out.or(g.follow[p]) })
	return out
}

// path finds a shortest word that leads from one position to another, inside a component when inside >= 0. The word
// is what is read after from, up to and with to; from == to asks for a cycle.
func (g *graph) path(from, to, inside int) ([]uint16, bool) {
	n := len(g.chars)
	parent := make([]int32, n)
	for i := range parent {
		parent[i] = -1
	}
	queue := []int{from}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		found := false
		for _, x := range g.a.follow[p] {
			q := int(x.to)
			if parent[q] >= 0 || inside >= 0 && g.scc[q] != inside || g.any(q) < 0 {
				continue
			}
			parent[q] = int32(p)
			if q == to {
				found = true
				break
			}
			queue = append(queue, q)
		}
		if found {
			var word []uint16
			for q := to; ; {
				word = append(word, uint16(g.any(q)))
				q = int(parent[q])
				if q == from {
					break
				}
			}
			reverse(word)
			return word, true
		}
	}
	return nil, false
}

// any gives one symbol that position p reads, or -1 for the empty class.
func (g *graph) any(p int) int { return g.chars[p].common(g.chars[p]) }

// reaches says whether a text can lead from p to q.
func (g *graph) reaches(p, q int) bool {
	if g.reach[p] == nil {
		seen := newBitset(len(g.chars))
		stack := []int{p}
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			g.follow[v].each(func(w int) {
				if !seen.has(w) {
					seen.add(w)
					stack = append(stack, w)
				}
			})
		}
		g.reach[p] = seen
	}
	return g.reach[p].has(q)
}

func reverse(word []uint16) {
	for i, j := 0, len(word)-1; i < j; i, j = i+1, j-1 {
		word[i], word[j] = word[j], word[i]
	}
}

// kill finds a shortest word of at least atLeast characters after which none of the positions in from, nor what
// follows them, is among accept.
func (g *graph) kill(from, accept bitset, atLeast int) ([]uint16, bool) {
	const maxDepth, maxStates = 6, 150
	type entry struct {
		at   bitset
		word []uint16
	}
	queue := []entry{{at: from}}
	seen := map[string]bool{}
	for i := 0; i < len(queue); i++ {
		e := queue[i]
		if len(e.word) >= atLeast && !e.at.meets(accept) {
			return e.word, true
		}
		if len(e.word) >= maxDepth || len(queue) > maxStates {
			continue
		}
		after := g.after(e.at)
		for s := range g.symbols {
			next := newBitset(len(after))
			next = next[:0]
			for j := range after {
				next = append(next, after[j]&g.readers[s][j])
			}
			word := append(e.word[:len(e.word):len(e.word)], uint16(s))
			if len(word) >= atLeast && !next.meets(accept) {
				return word, true
			}
			key := make([]byte, 0, 8*len(next))
			for _, w := range next {
				for b := 0; b < 64; b += 8 {
					key = append(key, byte(w>>b))
				}
			}
			if !seen[string(key)] {
				seen[string(key)] = true
				queue = append(queue, entry{next, word})
			}
		}
	}
	return nil, false
}
