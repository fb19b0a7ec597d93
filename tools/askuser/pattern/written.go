package pattern

import (
	"math"
	"slices"
)

// written tries texts that the tree itself writes, as of somebody who repeats himself: some way into the pattern, an
// iteration of a loop again and again, some way on, and what does not belong there. Unlike the words of an automaton
// they keep all counts, so this finds what shows only after many characters: iterations that are long, loops that are
// used up, minimums that empty iterations make up for. The random numbers are the same at each call.
func (s *analysis) written(length int) *Refusal {
	allowed, rounds := totalWork/12, 30
	if s.t.looks || s.t.refs {
		allowed, rounds = totalWork/10, 80 // what these ask for is seldom met by chance
	}
	fewest := math.MaxInt
	for c := range s.alpha.size {
		in := 0
		for _, members := range s.alpha.members {
			if members[c] {
				in++
			}
		}
		if in < fewest {
			fewest, s.rarest = in, c
		}
	}
	random := lcg(7)
	begin := s.budget
	var best finding
	for round := range rounds {
		for _, loop := range s.loops {
			if round == 0 && s.budget < totalWork/8 {
				return tooComplex() // not each was tried
			}
			if s.budget < totalWork/8 || begin-s.budget > allowed {
				break
			}
			w := &writer{s: s, random: &random, target: loop, favourite: s.popular(&random, 1), shortest: round == 0}
			if round%2 == 0 {
				w.habits = map[*node]int{}
			}
			f := s.pumped(w)
			if f.tooSlow() {
				return s.unsafe(f, length)
			}
			if f.cost > best.cost && f.attack.literal == nil {
				best = f
			}
		}
	}
	if s.plain() && s.bounded && best.cost > bushyAllowed/10 && nested(s.t.root) {
		if f := s.climb(best, &random); f.tooSlow() {
			return s.unsafe(f, length)
		}
	}
	return nil
}

// climb changes the word that is pumped, a symbol at a time, as long as the text can be read in more ways: counts within
// counts are ambiguous only where each iteration has the right length.
func (s *analysis) climb(f finding, random *lcg) finding {
	const allowed = totalWork / 8
	begin := s.budget
	tried := 0.0
	ways := s.ways(f.attack, f.ending, max(f.attack.most(s.length, s.alpha.half, f.ending), 1))
	for begin-s.budget < allowed && s.budget > totalWork/8 {
		word := slices.Clone(f.attack.word)
		at, c := random.below(len(word)), uint16(random.below(s.alpha.size))
		switch random.below(3) {
		case 0:
			word[at] = c
		case 1:
			word = slices.Insert(word, at, c)
		case 2:
			if word = slices.Delete(word, at, at+1); len(word) == 0 {
				continue
			}
		}
		a := *f.attack
		a.word, a.segments = word, []segment{f.attack.segments[0], {word: word, pumped: true}}
		s.budget -= 100
		if most := a.most(s.length, s.alpha.half, f.ending); most >= 2 {
			if now := s.ways(&a, f.ending, most); now > ways || now == ways && random.below(2) == 0 {
				ways, f.attack = now, &a
				if now < 2*tried {
					continue
				}
				tried = now
				if g := s.descending(&a, f.ending); g.tooSlow() {
					return g
				}
			}
		}
	}
	return f
}

// plain says whether the automaton tells in how many ways a text can be read at most.
func (s *analysis) plain() bool { return s.flow != nil && !s.t.looks && !s.t.refs }

// pumped tries one text that pumps an iteration of the writer's target.
func (s *analysis) pumped(w *writer) finding {
	w.node(s.t.root)
	if words := s.words[w.target]; len(words) > 0 && w.random.below(2) == 0 {
		w.pump = words[w.random.below(len(words))]
	}
	if len(w.pump) == 0 {
		return finding{}
	}
	var ending []uint16
	switch w.random.below(4) {
	case 0:
		ending = w.out
	case 1:
		ending = w.out[w.random.below(len(w.out)+1):]
	}
	ending = ending[:len(ending):len(ending)]
	a := &attack{head: -1, tail: -1, at: w.target, rank: ambiguous, word: w.pump,
		segments: []segment{{word: w.prefix}, {word: w.pump, pumped: true}}}
	var worst finding
	for _, last := range [...]int{s.rarest, s.popular(w.random, -1)} {
		end := append(ending, uint16(last))
		if key := string(spell([]byte(a.key()), end)); !s.texts[key] {
			s.texts[key] = true
			if f := s.descending(a, end); f.cost > worst.cost {
				worst = f
			}
		}
		if worst.cost > stepsAllowed/1000 {
			break // it does fail
		}
	}
	return worst
}

// descending runs an attack at full length; if that does not end soon, shorter ones show how the cost grows.
func (s *analysis) descending(a *attack, ending []uint16) finding {
	const limit, stepsPerWay = 12_000, 5
	most := a.most(s.length, s.alpha.half, ending)
	f := finding{at: a.at, tail: a.at, exponential: true, attack: a, ending: ending}
	if most < 2 {
		return f
	}
	if s.plain() {
		if f.cost = stepsPerWay * s.ways(a, ending, most); f.cost < bushyAllowed/4 {
			return f
		}
		f.cost = 0
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
	cost, over := try(most, 4*limit) // what is linear ends here
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
	less, closer := 1, 3
	var before float64
	if over { // once is much already: what twice is tells
		big := min(fullLimit, s.budget/16)
		if before, over = try(1, big); over {
			for _, reps := range [...]int{1, min(4, most)} {
				g := s.measureOne(&attack{literal: a.text(nil, reps, nil), head: -1, tail: -1}, ending)
				if g.cost >= f.cost {
					f.cost, f.growth, f.attack = g.cost, g.growth, g.attack
				}
			}
			return f
		}
		reps, closer = 2, 0
		cost, _ = try(2, big)
	} else {
		less = max(reps/2, 1)
		if before, _ = near(less); cost < 2.3*before {
			closer = 0 // linear so far: the full length tells
		}
	}
	for range closer { // nearer to the limit, where it shows whether the growth is exponential
		k := int(math.Sqrt(float64(reps) * float64(above)))
		if k <= reps {
			break
		}
		c, over := near(k)
		switch {
		case over:
			above = k
			continue
		case 2*k >= 3*reps: // less tells too little of the growth
			less, before = reps, cost
		}
		reps, cost = k, c
	}
	if reps > less {
		f.growth = math.Log(cost/before) / math.Log(float64(reps)/float64(less))
	}
	if s.plain() {
		if c, ok := s.calculate(a, ending, []int{less, reps}, []float64{before, cost}, most); ok {
			f.cost = c * dearness
			return f
		}
	}
	expected := func() float64 { return cost * math.Pow(float64(most)/float64(reps), f.growth) }
	f.cost = expected() * dearness
	rising := f.growth > 2.2 && s.rising < enough
	if !f.tooSlow() && 4*expected() > fullLimit && !rising {
		return f
	}
	// believed when the whole text is slow indeed: loops with an upper bound may be at their end
	if c, over := try(most, min(fullLimit, s.budget/16)); !over {
		f.cost = c * dearness
		return f
	}
	if !f.tooSlow() { // it becomes steeper, where a loop is used up perhaps
		if s.rising++; !rising && (!s.plain() || s.rising > enough) {
			return f
		}
		for above = most; s.plain() && above-reps > 1; { // to where it does
			k := (reps + above) / 2
			if c, over := try(k, int(4*cost)*k/reps); over {
				above = k
			} else {
				reps, cost = k, c
			}
		}
		c, _ := try(above, min(fullLimit, s.budget/16))
		f.growth = max(f.growth, math.Log(c/cost)/math.Log(float64(above)/float64(reps)))
		f.cost = expected() * dearness
	}
	if s.plain() {
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
	shortest  bool          // each loop turns as seldom as it may
	habits    map[*node]int // unless nil: what was chosen at a node is chosen there again

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
		w.node(n.kids[w.chosen(n, func() int { return w.random.below(len(n.kids)) })])
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

// chosen draws what is chosen at a node, or keeps to what was.
func (w *writer) chosen(n *node, draw func() int) int {
	choice, known := w.habits[n]
	if !known {
		choice = draw()
		if w.habits != nil {
			w.habits[n] = choice
		}
	}
	return choice
}

// times draws how often a loop turns.
func (w *writer) times(n *node) int {
	times := n.min
	if w.shortest {
		return times
	}
	switch w.random.below(4) {
	case 0:
		times++
	case 1:
		times += w.random.below(min(n.max-n.min, 64) + 1)
	case 2:
		times += min(n.max-n.min, 64) / 2
	}
	return min(times, n.max)
}

func (w *writer) loop(n *node) {
	times := w.chosen(n, func() int { return w.times(n) })
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
