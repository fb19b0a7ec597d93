package pattern

// flow counts, character by character, in how many ways a backtracking engine can have read the text so far: the sum
// over all positions is what it tries if the text fails in the end. Counting ways costs the size of the automaton for
// each character, however many ways there are.
type flow struct {
	a         *automaton
	sets      [][]bool
	ways      []float64 // by position, after the last character
	next      []float64
	live      []int32 // positions with ways
	nextLive  []int32
	total     float64 // arcs tried so far
	work      int
	beginning bool
	fan       []float64 // by position: the arcs that leave it
}

func newFlow(a *automaton, sets [][]bool) *flow {
	f := &flow{a: a, sets: sets, ways: make([]float64, len(a.nodes)), next: make([]float64, len(a.nodes)),
		fan: make([]float64, len(a.nodes))}
	for p, arcs := range a.follow {
		for _, x := range arcs {
			f.fan[p] += x.mult
		}
		f.fan[p]++
	}
	f.reset()
	return f
}

func (f *flow) reset() {
	for _, p := range f.live {
		f.ways[p] = 0
	}
	f.live = f.live[:0]
	f.total, f.work, f.beginning = float64(len(f.a.first)), 0, true
}

// step reads one character and returns the sum of ways.
func (f *flow) step(symbol uint16) float64 {
	f.nextLive = f.nextLive[:0]
	if f.beginning {
		f.beginning = false
		f.spread(f.a.first, 1, symbol)
	} else {
		for _, p := range f.live {
			f.spread(f.a.follow[p], f.ways[p], symbol)
		}
	}
	for _, p := range f.live {
		f.ways[p] = 0
	}
	f.ways, f.next = f.next, f.ways
	f.live, f.nextLive = f.nextLive, f.live
	sum := 0.0
	for _, p := range f.live {
		sum += f.ways[p]
		f.total += f.ways[p] * f.fan[p]
	}
	return sum
}

func (f *flow) spread(arcs []arc, ways float64, symbol uint16) {
	f.work += len(arcs)
	for _, x := range arcs {
		if !f.sets[f.a.setNo[x.to]][symbol] {
			continue
		}
		if f.next[x.to] == 0 {
			f.nextLive = append(f.nextLive, x.to)
		}
		f.next[x.to] += ways * x.mult
	}
}
