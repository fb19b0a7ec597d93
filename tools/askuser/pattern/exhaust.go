package pattern

import "slices"

// exhaustWork bounds exhaust for one ending; for all of a pattern four times that.
const exhaustWork = 400_000

func (p *proposer) exhausted() bool { return p.exhausting > 4*exhaustWork }

// exhaust finds an ending that uses up the counts of a loop: (\S+\s*){1,30} fails at the 31st word, and only there. It
// feeds short words to the exact automaton, each again and again, as long as every repetition drives it on.
func (p *proposer) exhaust(a *attack, after []uint16, tail *node) []uint16 {
	const words, longest = 600, 2000
	if p.lean == nil || !p.lean.bounded || p.exhausted() {
		return nil
	}
	start := newCrowd(p.lean, p.alpha.members)
	if tail != nil {
		start.at(tail)
	} else {
		for _, c := range append(a.text(nil, 8, nil), after...) {
			start.step(c)
		}
	}
	work := start.work
	var best []uint16
	size := p.alpha.size
	for n, word := 0, []uint16{0}; n < words && work < exhaustWork && word != nil; n, word = n+1, nextWord(word, size) {
		if !start.drives(word) {
			work += 64
			continue
		}
		c := start.clone()
		lowest, stalled := -1, 0
		for i := 0; i < longest && (best == nil || i < len(best)); i++ {
			c.step(word[i%len(word)])
			if !c.accepts() {
				best = best[:0]
				for j := 0; j <= i; j++ {
					best = append(best, word[j%len(word)])
				}
				break
			}
			if i%len(word) == len(word)-1 {
				if at := c.lowest(); at > lowest {
					lowest, stalled = at, 0
				} else if stalled++; stalled > 1 {
					break // it can be read for ever
				}
			}
			if work+c.work-start.work > exhaustWork {
				break
			}
		}
		work += c.work - start.work + 32
	}
	p.exhausting += work
	*p.budget -= work / 2
	return best
}

// mixed pumps what ought to explode together with one more character, which may use up counts, ((\S*-*)*\s*){0,28} fails
// after as many blanks, or keep another loop from reading the text: ([^,]_*)+\D{4} on "0_0_0_".
func (s *analysis) mixed(p *proposer, a *attack) finding {
	const allowed = totalWork / 40
	begin := s.budget
	defer func() { s.mixing += begin - s.budget }()
	for c := range s.alpha.size {
		if begin-s.budget > allowed || s.mixing > 5*allowed || s.budget < totalWork/4 || a.literal != nil {
			break
		}
		b := *a
		b.word = append(a.word[:len(a.word):len(a.word)], uint16(c))
		b.segments = append(slices.Clone(a.segments[:len(a.segments)-1]), segment{b.word, true})
		if f := s.descending(&b, nil); f.tooSlow() {
			return f
		}
	}
	return finding{}
}

// nextWord gives the words of one symbol, then those of two, then of three, then nil.
func nextWord(word []uint16, size int) []uint16 {
	next := append([]uint16(nil), word...)
	for i := len(next) - 1; i >= 0; i-- {
		if next[i]++; int(next[i]) < size {
			return next
		}
		next[i] = 0
	}
	if len(next) == 3 {
		return nil
	}
	return append(next, 0)
}

// crowd is the set of positions in which an automaton can be.
type crowd struct {
	a         *automaton
	sets      [][]bool
	live      []int32
	in        []int32 // by position: the number of the step that put it there
	steps     int32
	work      int
	beginning bool

	scratch []int32 // for drives: in and steps of its own
	drove   int32
}

func newCrowd(a *automaton, sets [][]bool) *crowd {
	return &crowd{a: a, sets: sets, in: make([]int32, len(a.nodes)), scratch: make([]int32, len(a.nodes)), beginning: true}
}

// at puts the crowd on every copy of a class.
func (c *crowd) at(n *node) {
	c.beginning = false
	for q, m := range c.a.nodes {
		if m == n {
			c.live = append(c.live, int32(q))
		}
	}
}

func (c *crowd) clone() *crowd {
	d := *c
	d.live = append([]int32(nil), c.live...)
	d.in = make([]int32, len(c.in))
	d.steps = 0
	d.work += len(c.in) / 8
	return &d
}

func (c *crowd) step(symbol uint16) {
	c.steps++
	var next []int32
	follow := func(arcs []arc) {
		c.work += len(arcs)
		for _, x := range arcs {
			if c.in[x.to] != c.steps && c.sets[c.a.setNo[x.to]][symbol] {
				c.in[x.to] = c.steps
				next = append(next, x.to)
			}
		}
	}
	if c.beginning {
		c.beginning = false
		follow(c.a.first)
	}
	for _, p := range c.live {
		follow(c.a.follow[p])
	}
	c.live = next
}

// drives says whether a word, again and again, leads the lowest position to later ones; not whether all of them.
func (c *crowd) drives(word []uint16) bool {
	if len(c.live) == 0 {
		return true
	}
	d := &crowd{a: c.a, sets: c.sets, in: c.scratch, steps: c.drove, live: []int32{int32(c.lowest())}}
	lowest := -1
	for range 3 {
		for _, s := range word {
			d.step(s)
		}
		at := d.lowest()
		if at <= lowest {
			lowest = -1
			break
		}
		lowest = at
	}
	c.drove = d.steps
	c.work += d.work
	return lowest >= 0
}

func (c *crowd) accepts() bool {
	for _, p := range c.live {
		if c.a.last[p] {
			return true
		}
	}
	return false
}

// lowest is the first of the positions: a counted loop's are in the order of its iterations.
func (c *crowd) lowest() int {
	low := len(c.in)
	for _, p := range c.live {
		low = min(low, int(p))
	}
	return low
}
