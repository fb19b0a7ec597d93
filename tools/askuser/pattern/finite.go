package pattern

// finite looks for texts without repetition that can be read in very many ways, as (a|a)(a|a)(a|a)... can: a beam
// search for the text with the most ways in the exact automaton.
func (s *analysis) finite(p *proposer) finding {
	if s.flow == nil {
		return finding{}
	}
	const width, longest, allowed = 3, 240, 600_000
	type candidate struct {
		word  []uint16
		total float64
		score float64
		ways  []float64
		live  []int32
	}
	beam := []candidate{{}}
	var best candidate
	work := 0
	for depth := 0; depth < min(longest, s.length) && work < allowed && len(beam) > 0; depth++ {
		var next []candidate
		for _, b := range beam {
			for symbol := range s.alpha.size {
				f := s.flow
				f.reset()
				if depth > 0 {
					f.beginning = false
					for _, q := range b.live {
						f.ways[q] = b.ways[q]
					}
					f.live = append(f.live[:0], b.live...)
				}
				f.total = b.total
				f.step(uint16(symbol))
				work += f.work + len(f.live)
				if len(f.live) == 0 {
					continue
				}
				c := candidate{total: f.total, score: f.total - b.total}
				if len(next) == width && c.score <= next[width-1].score {
					continue
				}
				same := false
				for _, o := range next {
					same = same || o.score == c.score && len(o.live) == len(f.live) && o.live[0] == f.live[0]
				}
				if same {
					continue
				}
				c.word = append(b.word[:len(b.word):len(b.word)], uint16(symbol))
				c.live = append([]int32(nil), f.live...)
				c.ways = append([]float64(nil), f.ways...)
				work += len(f.ways) / 8
				if len(next) < width {
					next = append(next, c)
				} else {
					next[width-1] = c
				}
				for i := len(next) - 1; i > 0 && next[i].score > next[i-1].score; i-- {
					next[i], next[i-1] = next[i-1], next[i]
				}
			}
		}
		beam = next
		for _, c := range beam {
			if c.total > best.total {
				best = c
			}
		}
		if best.total > 100*stepsAllowed {
			break
		}
	}
	s.flow.reset()
	s.budget -= work / 2
	if best.total < bushyAllowed/20 {
		return finding{}
	}
	a := &attack{literal: best.word, head: -1, tail: -1}
	a.endings = p.endings(&attack{segments: []segment{{word: best.word}}, head: -1, tail: -1})
	f := s.measure(a)
	f.growth = 9
	return f
}
