package pattern

import "math"

// written tries texts that the tree itself writes, as of somebody who repeats himself: some way into the pattern, an
// iteration of a loop again and again, some way on, and what does not belong there. Unlike the words of an automaton
// they keep all counts, so this finds what shows only after many characters: iterations that are long, loops that are
// used up, minimums that empty iterations make up for. The random numbers are the same at each call.
func (s *analysis) written(length int) *Refusal {
	const allowed = totalWork / 10
	rounds := 40
	if s.t.looks || s.t.refs {
		rounds = 80 // what these ask for is seldom met by chance
	}
	var loops []*node
	s.t.root.walk(func(n *node) {
		if n.kind == kindLoop && n.max > 1 {
			loops = append(loops, n)
		}
	})
	random := lcg(7)
	for _, loop := range loops {
		if s.budget < totalWork/8 {
			return tooComplex() // nothing was tried
		}
		begin := s.budget
		for range rounds {
			if begin-s.budget > allowed/len(loops) || s.budget < totalWork/8 {
				break
			}
			w := &writer{s: s, random: &random, target: loop, favourite: s.popular(&random, 1)}
			w.node(s.t.root)
			if len(w.pump) == 0 {
				continue
			}
			var ending []uint16
			switch random.below(4) {
			case 0:
				ending = w.out
			case 1:
				ending = w.out[random.below(len(w.out)+1):]
			}
			ending = append(ending[:len(ending):len(ending)], uint16(s.popular(&random, -1)))
			a := &attack{head: -1, tail: -1, at: loop, rank: ambiguous, word: w.pump,
				segments: []segment{{word: w.prefix}, {word: w.pump, pumped: true}}}
			if f := s.descending(a, ending); f.tooSlow() {
				return s.unsafe(f, length)
			}
		}
	}
	return nil
}

// descending runs an attack at full length; if that does not end soon, shorter ones show how the cost grows.
func (s *analysis) descending(a *attack, ending []uint16) finding {
	const limit, stepsPerWay = 40_000, 5
	most := a.most(s.length, s.alpha.half, ending)
	f := finding{at: a.at, tail: a.at, exponential: true, attack: a, ending: ending}
	if most < 2 {
		return f
	}
	try := func(reps, limit int) (float64, bool) {
		s.buffer = a.text(s.buffer, reps, ending)
		steps, over := s.run(s.buffer, max(limit, 1))
		return float64(steps), over
	}
	near := func(reps int) (most float64, over bool) { // whether it matches may alternate
		for k := reps; k < reps+3 && !over; k++ {
			c, o := try(k, limit)
			most, over = max(most, c), o
		}
		return most, over
	}
	cost, over := try(most, limit)
	dearness := s.dearness
	if !over {
		f.cost = cost * dearness
		return f
	}
	reps, above := most, most
	for over && reps > 1 {
		above, reps = reps, max(reps/4, 1)
		cost, over = near(reps)
	}
	if over { // before it was pumped at all
		g := s.measureOne(&attack{literal: a.text(nil, 1, nil), head: -1, tail: -1}, ending)
		f.cost, f.growth, f.attack = g.cost, g.growth, g.attack
		return f
	}
	before, _ := near(max(reps/2, 1))
	f.growth = math.Log2(cost / before)
	expected := func() float64 { return cost * math.Pow(float64(most)/float64(reps), f.growth) }
	f.cost = expected() * dearness
	if !f.tooSlow() && 4*expected() > fullLimit {
		return f
	}
	// believed when the whole text is slow indeed: loops with an upper bound may be at their end
	if c, over := try(most, min(fullLimit, s.budget/4)); !over {
		f.cost = c * dearness
		return f
	}
	if !f.tooSlow() { // it becomes steeper, where a loop is used up perhaps
		if s.t.looks || s.t.refs {
			return f
		}
		for range 2 {
			k := int(math.Sqrt(float64(reps) * float64(above)))
			if c, over := near(k); over {
				above = k
			} else {
				reps, cost = k, c
			}
		}
		c, _ := try(above, min(fullLimit, s.budget/4))
		f.growth = max(f.growth, math.Log(c/cost)/math.Log(float64(above)/float64(reps)))
		f.cost = expected() * dearness
	}
	if s.flow != nil && !s.t.looks && !s.t.refs { // in how many ways it can be read at most
		f.cost = min(f.cost, stepsPerWay*s.ways(a, ending, most)*dearness)
	}
	return f
}

// popular draws a symbol, rather one that many classes have; with sign -1 rather one that few have.
func (s *analysis) popular(random *lcg, sign int) int {
	one, two, more := random.below(s.alpha.size), random.below(s.alpha.size), 0
	for _, in := range s.alpha.members {
		if in[one] {
			more += sign
		}
		if in[two] {
			more -= sign
		}
	}
	if more < 0 {
		return two
	}
	return one
}

// writer writes a text that a pattern matches, more or less.
type writer struct {
	s         *analysis
	random    *lcg
	target    *node
	favourite int      // the symbol that is taken where one can be chosen
	out       []uint16 // since the pump: what follows it
	groups    map[int][]uint16

	prefix, pump []uint16
}

// mostWritten bounds the text.
const mostWritten = 1500

func (w *writer) node(n *node) {
	switch n.kind {
	case kindChar:
		w.char(w.s.alpha.members[w.s.alpha.setNo[n]])
	case kindConcat:
		for _, k := range n.kids {
			w.node(k)
		}
	case kindAlt:
		w.node(n.kids[w.random.below(len(n.kids))])
	case kindGroup:
		begin := len(w.out)
		w.node(n.kids[0])
		if n.capture > 0 && w.s.t.refs && begin <= len(w.out) {
			if w.groups == nil {
				w.groups = map[int][]uint16{}
			}
			w.groups[n.capture] = append([]uint16(nil), w.out[begin:]...)
		}
	case kindLook:
		if !n.negative && !n.behind && w.random.below(2) == 0 {
			w.node(n.kids[0])
		}
	case kindRef:
		w.out = append(w.out, w.groups[n.ref]...)
	case kindLoop:
		w.loop(n)
	}
}

func (w *writer) char(members []bool) {
	c := w.favourite
	if !members[c] || w.random.below(8) == 0 {
		for range 16 {
			if c = w.random.below(len(members)); members[c] {
				break
			}
		}
		if !members[c] {
			c = firstOf(members)
		}
	}
	if c >= 0 {
		w.out = append(w.out, uint16(c))
	}
}

func (w *writer) loop(n *node) {
	times := n.min
	switch w.random.below(4) {
	case 0:
		times++
	case 1:
		times += w.random.below(min(n.max-n.min, 64) + 1)
	case 2:
		times += min(n.max-n.min, 64) / 2
	}
	times = min(times, n.max)
	if n == w.target && w.pump == nil {
		before := w.out
		for w.out = nil; len(w.pump) == 0 && times >= 0; times-- {
			w.node(n.kids[0])
			w.pump = w.out
		}
		w.prefix, w.out = before, nil
		return
	}
	begin := len(w.out)
	same := n.kids[0].kind == kindChar && w.random.below(2) == 0
	for ; times > 0 && len(w.out) < mostWritten; times-- {
		if same && len(w.out) > begin {
			w.out = append(w.out, w.out[begin])
			continue
		}
		w.node(n.kids[0])
	}
}
