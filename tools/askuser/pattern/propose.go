package pattern

import "slices"

// proposer finds texts that may make the pattern slow. It only proposes: the loose automaton sees more than there is,
// so every attack is run before it counts.
type proposer struct {
	t      *tree
	alpha  *alphabet
	g      *graph
	exact  *automaton // for prefixes that satisfy counts; may be nil
	budget *int

	prefixes   [][]uint16            // by position: a shortest way to it from the start
	exactGraph *graph                // made when it is first needed
	prefer     bitset                // symbols to use where they serve; nil for the first that serves
	same       map[uint16][][]uint16 // prefixes that consist of one symbol where they can
	witness    []uint16              // a text in which the positive lookaheads find what they want
	seen       map[string]bool
	attacks    []*attack
	lean       *automaton // for exhaust: iterations that may be empty need not be there; may be nil
	exhausting int        // work of exhaust so far
}

// Bounds on what is proposed, so that a pattern made for it cannot make the analysis long.
const (
	maxAttacks       = 240
	maxPerComponent  = 12
	pairWork         = 400_000 // arcs followed in one pair product
	acrossWork       = 40_000
	maxPairPositions = 1 << 16
)

// ambiguous is the rank of an attack on a component that two words lead through: exponential growth.
const ambiguous = 1000

func newProposer(t *tree, alpha *alphabet, g *graph, how counts, exact *automaton, prefer bitset, budget *int) *proposer {
	p := &proposer{t: t, alpha: alpha, g: g, exact: exact, prefer: prefer, budget: budget, seen: map[string]bool{}, same: map[uint16][][]uint16{}}
	p.findPrefixes(how.least)
	for _, n := range wanted(t.root) {
		p.witness = append(p.witness, p.shortest(n, 64-min(64, len(p.witness)))...)
	}
	return p
}

// wanted gives the bodies of the positive lookarounds.
func wanted(root *node) (bodies []*node) {
	root.walk(func(n *node) {
		if n.kind == kindLook && !n.negative {
			bodies = append(bodies, n.kids[0])
		}
	})
	return bodies
}

// wantedSymbols gives the symbols that positive lookarounds ask for, by classes that leave out most others.
func (p *proposer) wantedSymbols() bitset {
	symbols := newBitset(p.alpha.size)
	for _, body := range wanted(p.t.root) {
		body.walk(func(n *node) {
			if n.kind != kindChar {
				return
			}
			var own []int
			for c, in := range p.alpha.members[p.alpha.setNo[n]] {
				if in {
					own = append(own, c)
				}
			}
			if 2*len(own) <= p.alpha.size {
				for _, c := range own {
					symbols.add(c)
				}
			}
		})
	}
	return symbols
}

// common picks a symbol of both classes, -1 if there is none.
func (p *proposer) common(a, b bitset) int {
	if p.prefer != nil {
		if s := common3(a, b, p.prefer); s >= 0 {
			return s
		}
	}
	return a.common(b)
}

// rank is the degree of growth that the automaton promises.
func (p *proposer) propose(head, tail int, word []uint16, rank int) {
	word = root(word)
	prefix := p.prefixes[head]
	if prefix == nil || len(word) == 0 || len(p.attacks) >= maxAttacks {
		return
	}
	if n := len(prefix) - 1; p.prefer == nil && n >= 0 {
		// it leads into the head as the pumped word does: what ends the text must not meet another loop's beginning
		prefix = append(prefix[:n:n], word[len(word)-1])
	}
	from := func(prefix []uint16) {
		p.add(&attack{
			segments: []segment{{word: prefix}, {word: word, pumped: true}},
			at:       p.g.a.nodes[head], end: p.g.a.nodes[tail], head: head, tail: tail, word: word, rank: rank,
		})
	}
	from(prefix)
	if p.t.refs { // what a group captures may have to be what is pumped
		same, ok := p.same[word[0]]
		if !ok {
			same = p.waysInto(p.g.a, int(word[0]))
			p.same[word[0]] = same
		}
		from(same[head])
	}
	if head == tail && len(p.witness) > 0 { // what a lookahead wants may have to come first
		from(append(slices.Clone(p.witness), prefix...))
	}
}

// root gives the shortest word that word is a repetition of.
func root(word []uint16) []uint16 {
	for n := 1; n <= len(word)/2; n++ {
		if len(word)%n == 0 && slices.Equal(word[n:], word[:len(word)-n]) {
			return word[:n]
		}
	}
	return word
}

func (p *proposer) add(a *attack) {
	key := a.key()
	if p.seen[key] {
		return
	}
	p.seen[key] = true
	a.endings = p.endings(a)
	p.attacks = append(p.attacks, a)
}

// run fills attacks.
func (p *proposer) run() {
	for c := range p.g.members {
		p.inside(c)
	}
	p.others()
	for s := range p.alpha.size {
		p.single(s)
	}
	for one := range p.g.members {
		for two := range p.g.members {
			if one != two && *p.budget > 0 {
				p.between(one, two)
				p.across(one, two)
			}
		}
	}
	slices.SortStableFunc(p.attacks, func(a, b *attack) int { return b.rank - a.rank })
}

// joined chains two attacks that are each slow, where the end of the first leads to the begin of the second.
func (p *proposer) joined(one, two *attack) *attack {
	if one.tail < 0 || two.head < 0 || !p.g.reaches(one.tail, two.head) {
		return nil
	}
	bridge, ok := p.g.path(one.tail, two.head, -1)
	*p.budget -= len(p.g.chars)
	if !ok {
		return nil
	}
	a := &attack{head: one.head, tail: two.tail, word: two.word, at: one.at, end: two.end}
	a.segments = append(a.segments, one.segments...)
	a.segments = append(a.segments, segment{word: bridge}, segment{word: two.word, pumped: true})
	a.endings = p.endings(a)
	return a
}
