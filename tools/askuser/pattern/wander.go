package pattern

// wander proposes attacks from random walks through the automaton, for patterns whose lookarounds, back-references or
// word boundaries ask for texts that the automaton knows nothing of. The random numbers are the same at each call.
func (s *analysis) wander(p *proposer, length int) *Refusal {
	const walks, steps, allowed = 160, 20, totalWork / 8
	a, random := p.g.a, lcg(1)
	symbol := func(q int32) (uint16, bool) {
		row := s.alpha.members[a.setNo[q]]
		if len(p.witness) > 0 && random.below(2) == 0 {
			if c := p.witness[random.below(len(p.witness))]; row[c] {
				return c, true
			}
		}
		for range 16 {
			if c := random.below(len(row)); row[c] {
				return uint16(c), true
			}
		}
		c := firstOf(row)
		return uint16(max(c, 0)), c >= 0
	}
	// half of the walks lead to a loop that is known to be ambiguous
	var known []*attack
	for _, k := range p.attacks {
		if k.rank == ambiguous && len(k.endings) > 0 {
			known = append(known, k)
		}
	}
	begin := s.budget
	for i := range walks {
		if begin-s.budget > allowed || s.budget < totalWork/4 {
			break
		}
		if i%2 == 0 && len(known) > 0 {
			k := known[random.below(len(known))]
			prefix := s.walkTo(p, k.head, &random, symbol)
			attack := &attack{segments: []segment{{word: prefix}, {word: k.word, pumped: true}}, rank: ambiguous}
			if f := s.measureOne(attack, k.endings[random.below(len(k.endings))]); f.tooSlow() {
				f.at, f.exponential = k.at, true
				return s.unsafe(f, length)
			}
			continue
		}
		var path []int32
		var word []uint16
		seenAt := map[int32]int{}
		loops := [][2]int{} // from and to where the walk came back to a position
		for arcs := a.first; len(arcs) > 0 && len(path) < steps; {
			q := arcs[random.below(len(arcs))].to
			c, ok := symbol(q)
			if !ok {
				break
			}
			if before, ok := seenAt[q]; ok {
				loops = append(loops, [2]int{before, len(path)})
			}
			seenAt[q] = len(path)
			path, word = append(path, q), append(word, c)
			arcs = a.follow[q]
		}
		s.budget -= 4 * len(path)
		if len(loops) == 0 {
			continue
		}
		l := loops[random.below(len(loops))]
		attack := &attack{head: int(path[l[0]]), tail: int(path[l[0]]), at: a.nodes[path[l[0]]], rank: ambiguous}
		attack.word = word[l[0]+1 : l[1]+1]
		attack.segments = []segment{{word: word[:l[0]+1]}, {word: attack.word, pumped: true}}
		if random.below(3) == 0 {
			for _, m := range loops {
				if m[0] > l[1] {
					attack.segments = append(attack.segments, segment{word: word[l[1]+1 : m[0]+1]},
						segment{word: word[m[0]+1 : m[1]+1], pumped: true})
					break
				}
			}
		}
		var ending []uint16
		if random.below(3) == 0 {
			ending = append(ending, word[l[1]+1:]...)
		}
		for range random.below(3) {
			ending = append(ending, uint16(random.below(s.alpha.size)))
		}
		if f := s.measureOne(attack, ending); f.tooSlow() {
			f.at, f.exponential = attack.at, true
			return s.unsafe(f, length)
		}
	}
	return nil
}

// walkTo walks from the start to a position at random.
func (s *analysis) walkTo(p *proposer, head int, random *lcg, symbol func(int32) (uint16, bool)) (word []uint16) {
	arcs := p.g.a.first
	for len(word) < 24 {
		var ways []int32
		for _, x := range arcs {
			if int(x.to) == head || p.g.reaches(int(x.to), head) {
				ways = append(ways, x.to)
			}
		}
		s.budget -= 4 * len(arcs)
		if len(ways) == 0 {
			return word
		}
		q := ways[random.below(len(ways))]
		c, ok := symbol(q)
		if !ok {
			return word
		}
		word = append(word, c)
		if int(q) == head && random.below(2) == 0 {
			return word
		}
		arcs = p.g.a.follow[q]
	}
	return word
}

// search tries short endings one after the other for an attack that ought to explode and did not: what comes first in
// the pattern, a lookaround or an assertion may ask for an ending that the automaton cannot see.
func (s *analysis) search(p *proposer, a *attack) finding {
	const reps, allowed = 12, 60_000
	begin := s.budget
	frontier := [][]uint16{nil}
	if len(p.witness) > 0 {
		frontier = append(frontier, p.witness)
	}
	for depth, width := 0, len(frontier); depth < 3; depth++ {
		if width *= s.alpha.size; width > 300 {
			break
		}
		var next [][]uint16
		for _, e := range frontier {
			for c := range s.alpha.size {
				ending := append(e[:len(e):len(e)], uint16(c))
				next = append(next, ending)
				s.buffer = a.text(s.buffer, reps/2, ending)
				few, _ := s.run(s.buffer, 5000)
				s.buffer = a.text(s.buffer, reps, ending)
				many, _ := s.run(s.buffer, 5000)
				if many > 16*few || many > 5000 {
					if f := s.measureOne(a, ending); f.tooSlow() {
						f.at, f.exponential = a.at, true
						return f
					}
				}
				if begin-s.budget > allowed || s.budget < totalWork/2 {
					return finding{}
				}
			}
		}
		frontier = next
	}
	return finding{}
}

// lcg is a linear congruential generator (the constants are Knuth's MMIX).
type lcg uint64

func (l *lcg) below(n int) int {
	*l = *l*6364136223846793005 + 1442695040888963407
	return int(uint64(*l)>>33) % n
}
