package pattern

import (
	"math"
	"slices"
)

// bounder computes the maximum cost of a text in a browser, in steps.
type bounder struct {
	t      *tree
	alpha  *alphabet
	n      int                 // the longest text, in units of the pattern
	most   int                 // counts up to this are expanded, larger ones are unlimited
	wide   int                 // the number of ways that are followed together, see reading.move
	work   int                 // units of work left; one unit follows one way by one character
	gaveUp bool                // a limit was exceeded
	known  map[*node][]float64 // costs of lookarounds
	over   []float64           // costs for parts over a limit
}

// look sets the precision of the analysis.
func (b *bounder) look(most, wide int) {
	b.most, b.wide, b.known, b.gaveUp = most, wide, map[*node][]float64{}, false
}

const (
	maxSpots    = 4000 // limits the automaton
	maxClusters = 4000 // limits the memory
	refStep     = 3    // steps that a browser takes to compare a character with a capture (measured in V8: 3 ns)
)

// costs returns, for each length of the rest of a text, the maximum cost of finding out whether a node matches there, or
// infinity if that is over the limit. With behind, the rest is the text before. With fails, something after the node
// fails even if the node matches.
func (b *bounder) costs(n *node, behind, fails bool) []float64 {
	if b.work -= b.n / 4; b.work < 0 || copies(n, b.most) > maxSpots {
		return b.giveUp()
	}
	build := &builder{t: b.t, alpha: b.alpha, most: b.most, behind: behind, whole: n == b.t.root, look: func(l *node) []float64 {
		costs, ok := b.known[l]
		if !ok {
			costs = b.costs(l.kids[0], l.behind, false)
			b.known[l] = costs
		}
		return costs
	}}
	a := build.build(n)
	if b.work -= 8 * build.arcs; a == nil {
		return b.giveUp()
	}
	r := &reading{bounder: b, a: a, behind: behind, whole: build.whole, sure: a.exact && !fails, number: map[string]int{},
		weight: make([]float64, len(a.spots)), dearer: 1}
	if behind {
		r.dearer = 2
	}
	return r.worst()
}

func (b *bounder) giveUp() []float64 {
	b.gaveUp = true
	if b.over == nil {
		b.over = over(make([]float64, b.n+1))
	}
	return b.over
}

// over sets costs to infinity.
func over(costs []float64) []float64 {
	for i := range costs {
		costs[i] = math.Inf(1)
	}
	return costs
}

// reading follows the ways in which an automaton reads texts.
type reading struct {
	*bounder
	a        *automaton
	behind   bool
	whole    bool // a match has to end with the text
	sure     bool // a match of the automaton is a match of the pattern, and ends the work
	clusters []cluster
	number   map[string]int // of a cluster, by its spots
	weight   []float64      // by spot, for move
	dearer   float64        // factor for the extra cost of characters: 2 if the text is read backwards
}

// cluster is a set of spots that ways reach by reading the same text. The first cluster is the start.
type cluster struct {
	ends  float64 // ways that end here
	arcs  [][]arc // the arcs that leave it
	fan   float64 // steps to find the next characters
	final float64 // and at the end of the text
	looks []arc   // lookarounds at this place
	stay  bool    // it is a back-reference that may read more characters
	moves []move
}

// move is the effect of one more character: its cost, and clusters with the number of ways to each.
type move struct {
	cost float64
	to   []share
}

type share struct {
	cluster int
	ways    float64
}

// outcome is the maximum cost of the ways of a cluster if all fail, and if one leads to a match, which ends the work;
// never if that is impossible.
type outcome struct{ fail, win float64 }

var never = math.Inf(-1)

// worst goes backwards from the end of the text and assumes the worst character each time. Clusters that separate are
// each assumed to read the text that is worst for them, as if alone. The result may be too high, but never too low.
func (r *reading) worst() []float64 {
	r.clusters = []cluster{r.newCluster(r.a.empty, r.a.fails, r.a.first)}
	r.clusters[0].final = r.a.final
	for i := 0; i < len(r.clusters); i++ {
		moves := r.moves(r.clusters[i].arcs)
		if r.clusters[i].stay {
			moves = append(moves, move{refStep, []share{{i, 1}}})
		}
		r.clusters[i].moves = moves
		if len(r.clusters) > maxClusters || r.work < 0 {
			return r.giveUp()
		}
	}
	now, next := make([]outcome, len(r.clusters)), make([]outcome, len(r.clusters))
	costs := make([]float64, r.n+1)
	for m := range costs {
		same := m > 0 && !r.a.looks
		for i := range r.clusters {
			o := r.outcome(&r.clusters[i], now, m)
			same = same && o == now[i]
			next[i] = o
		}
		now, next = next, now
		costs[m] = max(now[0].fail, now[0].win)
		switch {
		case !(costs[m] <= allowed(m)): // also true for NaN
			over(costs[m:])
			return costs
		case r.work < 0:
			return r.giveUp()
		case same:
			for k := range costs[m:] {
				costs[m+k] = costs[m]
			}
			return costs
		}
	}
	return costs
}

// outcome returns the cost of a cluster with m characters left, from the costs of others with m-1 left.
func (r *reading) outcome(c *cluster, before []outcome, m int) outcome {
	accepts := r.sure && c.ends > 0
	o := outcome{0, never} // the text ends
	if accepts {
		o = outcome{never, 0}
	}
	if m > 0 {
		for i := range c.moves {
			move := &c.moves[i]
			sum, gain, fails := move.cost, never, true
			for _, s := range move.to {
				b := before[s.cluster]
				lost := max(b.fail, 0)
				sum += s.ways * lost
				gain = max(gain, b.win-lost) // one way matches after the others have failed
				fails = fails && b.fail >= 0
			}
			if fails {
				o.fail = max(o.fail, sum)
			}
			o.win = max(o.win, sum+gain)
			r.work -= len(move.to) + 1
		}
		if accepts && !r.whole { // a lookaround ignores the rest; ways that it prefers to ending here may fail
			o.win = max(o.win, o.fail)
			o.fail = never
		}
	}
	fan := c.fan
	if m == 0 {
		fan += c.final
	}
	for _, x := range c.looks {
		s := &r.a.spots[x.to]
		switch {
		case s.begin:
			fan += x.ways * s.look[0]
		case s.behind == r.behind:
			fan += x.ways * s.look[m]
		default: // the other way
			fan += x.ways * s.look[r.n-m]
		}
	}
	return outcome{o.fail + fan, o.win + fan}
}

// moves returns the moves for all characters.
func (r *reading) moves(arcs [][]arc) (all []move) {
	for c := range r.alpha.size {
		m := r.move(arcs, c)
		r.work -= len(all)
		if !slices.ContainsFunc(all, func(o move) bool { return o.cost >= m.cost && slices.Equal(o.to, m.to) }) {
			all = append(all, m)
		}
	}
	return all
}

// move reads a character. Ways that continue together stay together if they are few enough, so that different texts are
// not assumed for them: after "a" in (?:ab|ac)* only one of two ways continues.
func (r *reading) move(arcs [][]arc, c int) (m move) {
	var to, late []int
	for _, list := range arcs {
		r.work -= len(list)
		for _, x := range list {
			s := &r.a.spots[x.to]
			if s.class != none && r.about(s, c) { // a class that does not match costs a search as well
				m.cost += x.ways * float64(r.alpha.extra[s.class][c]) * r.dearer
			}
			if !r.reads(s, c) {
				continue
			}
			if r.weight[x.to] == 0 {
				if s.late {
					late = append(late, x.to)
				} else {
					to = append(to, x.to)
				}
			}
			r.weight[x.to] += x.ways
		}
	}
	slices.Sort(to)
	slices.Sort(late)
	if len(to) > r.wide {
		to, late = nil, append(late, to...)
	}
	for len(to) > 0 {
		least := r.weight[to[0]]
		for _, p := range to {
			least = min(least, r.weight[p])
		}
		m.to = append(m.to, share{r.cluster(to), least})
		var more []int
		for _, p := range to {
			if r.weight[p] -= least; r.weight[p] > 0 {
				more = append(more, p)
			} else {
				r.weight[p] = 0 // infinity minus infinity would be NaN
			}
		}
		to = more
	}
	for _, p := range late {
		m.to = append(m.to, share{r.cluster([]int{p}), r.weight[p]})
		r.weight[p] = 0
	}
	return m
}

// reads reports whether a spot reads a symbol.
func (r *reading) reads(s *spot, c int) bool {
	if s.repeats != nil {
		return s.repeats[c]
	}
	return s.class != none && r.alpha.members[s.class][c] && r.about(s, c)
}

// about reports whether a spot is the one of its class for a symbol, depending on \w.
func (r *reading) about(s *spot, c int) bool {
	return s.word == either || r.alpha.word[c] == (s.word == word)
}

// cluster returns the number of the cluster of some spots.
func (r *reading) cluster(spots []int) int {
	key := make([]byte, 0, 16)
	for _, p := range spots {
		key = append(key, byte(p), byte(p>>8), byte(p>>16))
	}
	i, ok := r.number[string(key)]
	if !ok {
		i = len(r.clusters)
		r.number[string(key)] = i
		ends, fails, final := 0.0, 0.0, 0.0
		var arcs [][]arc
		for _, p := range spots {
			ends += r.a.spots[p].ends
			fails += r.a.spots[p].fails
			final += r.a.spots[p].final
			arcs = append(arcs, r.a.spots[p].follow)
		}
		c := r.newCluster(ends, fails, arcs...)
		c.final = final
		c.stay = len(spots) == 1 && r.a.spots[spots[0]].long
		r.clusters = append(r.clusters, c)
	}
	return i
}

func (r *reading) newCluster(ends, fails float64, arcs ...[]arc) cluster {
	c := cluster{ends: ends, arcs: arcs, fan: float64(len(arcs)) + ends + fails}
	for _, list := range arcs {
		for _, x := range list {
			if s := &r.a.spots[x.to]; s.look != nil {
				c.looks = append(c.looks, x)
			} else {
				c.fan += x.ways * s.cost
			}
		}
	}
	return c
}
