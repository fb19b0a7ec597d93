package pattern

import "math"

// run runs one text on the machine, on the budget.
func (s *analysis) run(text []uint16, limit int) (int, bool) {
	_, steps, over := s.machine.run(text, limit)
	s.dearness = 1 + float64(s.machine.extra)/float64(steps)
	s.budget -= steps + len(text)/8
	return steps, over
}

// measure runs an attack with each of its endings and gives the worst finding.
func (s *analysis) measure(a *attack) finding {
	key := a.key()
	if f, ok := s.known[key]; ok && key != "" {
		return f
	}
	worst := finding{at: a.at, tail: a.end, exponential: a.rank == ambiguous}
	for i, ending := range a.endings {
		if s.budget <= 0 {
			break
		}
		if i >= 2 && i < len(a.endings)-1 && a.rank != ambiguous {
			continue // the first two, and the one that satisfies the lookaheads
		}
		f := s.measureOne(a, ending)
		if f.cost >= worst.cost {
			worst.cost, worst.attack, worst.ending = f.cost, f.attack, f.ending
		}
		worst.growth = max(worst.growth, f.growth)
		if f.tooSlow() {
			break
		}
	}
	s.known[key] = worst
	return worst
}

// measureOne measures an attack with one ending. Dear characters cost what they do in the machine's last run.
func (s *analysis) measureOne(a *attack, ending []uint16) finding {
	s.dearness = 1
	f := s.growing(a, ending)
	f.cost *= s.dearness
	f.attack, f.ending = a, ending
	return f
}

// growing doubles the pumping until the growth is clear, then calculates the cost at full length.
func (s *analysis) growing(a *attack, ending []uint16) finding {
	most := a.most(s.length, s.alpha.half, ending)
	if most < 2 {
		return finding{}
	}
	turn, known := s.turns[a.at]
	if !known {
		turn = max(s.t.turn(a.at, s.length), min(s.t.wants(s.t.root)/2, s.length/4))
		s.turns[a.at] = turn
	}
	var reps []int
	var cost []float64
	stopped := 0 // pumping at which the limit was hit
	growth := 0.0
	for k := 4; ; k *= 2 {
		k = min(k, most)
		s.buffer = a.text(s.buffer, k, ending)
		steps, over := s.run(s.buffer, runLimit)
		if over {
			stopped = k
			break
		}
		reps, cost = append(reps, k), append(cost, float64(steps))
		n := len(cost)
		if k == most {
			break
		}
		if n >= 3 {
			growth = degree(cost[n-3], cost[n-2], cost[n-1])
			if k*len(a.word) < 4*turn {
				continue // the loop has hardly turned yet
			}
			if a.rank <= 2 && s.slow >= enough && k >= 32 && growth < 2.3 && !s.t.refs {
				break // no more than quadratic, and there were such before
			}
			if k >= 16 && len(s.buffer) >= 64 && growth < 1.3 || k >= 32 && len(s.buffer) >= 64 && growth < 2.3 || k >= 256 {
				break
			}
		}
	}
	n := len(cost)
	if stopped == 0 && reps[n-1] == most {
		return finding{cost: cost[n-1], growth: growth}
	}
	if stopped == 0 && growth < 1.3 && turn > shortTurn {
		// what a long iteration leaves open shows in the long run: ask the automaton, or else the machine
		if c, ok := s.calculate(a, ending, reps, cost, most); ok {
			return finding{cost: c, growth: growth}
		}
		s.buffer = a.text(s.buffer, most, ending)
		steps, over := s.run(s.buffer, min(fullLimit, max(s.budget/2, 1)))
		if over {
			return finding{cost: math.Inf(1), growth: 9}
		}
		return finding{cost: float64(steps), growth: growth}
	}
	if stopped == 0 && growth < 1.3 {
		return finding{cost: cost[n-1] * float64(most) / float64(reps[n-1]), growth: growth}
	}
	if c, ok := s.calculate(a, ending, reps, cost, most); ok {
		return finding{cost: c, growth: max(growth, 1.5)}
	}
	if stopped == 0 && growth < 2.4 && cost[n-1]*math.Pow(float64(most)/float64(reps[n-1]), max(growth, 2)) < stepsAllowed {
		return finding{cost: cost[n-1] * math.Pow(float64(most)/float64(reps[n-1]), max(growth, 2)), growth: growth}
	}
	if s.bounded || n < 2 || a.literal != nil {
		// loops with an upper bound may be at their end: look at the full length
		limit := fullLimit
		if a.literal != nil {
			limit /= 8 // one of many
		}
		s.buffer = a.text(s.buffer, most, ending)
		steps, over := s.run(s.buffer, min(limit, max(s.budget/2, 1)))
		if !over {
			return finding{cost: float64(steps), growth: growth}
		}
	}
	if n < 2 { // it explodes at once
		return finding{cost: math.Inf(1), growth: 9}
	}
	// extrapolate from the last two runs
	if stopped > 0 {
		growth = math.Log2(cost[n-1] / cost[n-2])
		if over := math.Log2(runLimit/cost[n-1]) / math.Log2(float64(stopped)/float64(reps[n-1])); over > growth {
			growth = over
		}
		if n >= 3 {
			growth = max(growth, degree(cost[n-3], cost[n-2], cost[n-1]))
		}
	}
	return finding{cost: cost[n-1] * math.Pow(float64(most)/float64(reps[n-1]), growth), growth: growth}
}

// degree is the exponent of the growth over two doublings, without what is constant.
func degree(a, b, c float64) float64 {
	if b <= a || c <= b {
		return 0
	}
	return math.Log2((c - b) / (b - a))
}

// calculate counts the ways in the exact automaton at full length, and scales them by what the machine took for the
// shorter texts. It answers only if both grow alike, that is if the automaton describes what the machine does.
func (s *analysis) calculate(a *attack, ending []uint16, reps []int, cost []float64, most int) (float64, bool) {
	if s.flow == nil || len(cost) == 0 {
		return 0, false
	}
	n := len(cost)
	last := s.ways(a, ending, reps[n-1])
	ratio := cost[n-1] / last
	if ratio < 0.2 {
		return 0, false
	}
	if n >= 2 {
		alike := 1.6
		if s.t.refs {
			alike = 1.2 // to compare a group takes as many steps as it is long
		}
		if before := cost[n-2] / s.ways(a, ending, reps[n-2]); before > alike*ratio || ratio > alike*before {
			return 0, false
		}
	}
	return ratio * s.ways(a, ending, most), true
}

// ways feeds the attack to the exact automaton. It stops where the result is clear.
func (s *analysis) ways(a *attack, ending []uint16, reps int) float64 {
	s.buffer = a.text(s.buffer, reps, ending)
	s.flow.reset()
	for i, c := range s.buffer {
		s.flow.step(c)
		if len(s.flow.live) == 0 || s.flow.total > 20*stepsAllowed {
			break
		}
		if s.flow.work > 2_000_000 { // a huge automaton: the rest is estimated as cubic growth
			f := float64(len(s.buffer)) / float64(i+1)
			s.flow.total *= f * f * f
			break
		}
	}
	s.budget -= s.flow.work / 2
	return s.flow.total
}
