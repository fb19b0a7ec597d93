package pattern

import (
	"cmp"
	"slices"
)

// finite looks for texts without repetition that can be read in very many ways, as (a|a)(a|a)(a|a)... can: a beam
// search for the text with the most ways in the exact automaton. Of the texts of one length, those that have come
// equally far compete: in ((?:a{8,22}){5},){1,4} a comma ends most of the ways, and those that are left multiply anew.
func (s *analysis) finite(p *proposer) finding {
	if s.flow == nil {
		return finding{}
	}
	const width, most, allowed = 3, 12, 1_000_000
	stretches, longest := 1, 240
	if s.bounded && nested(s.t.root) {
		stretches, longest = most, 480
	}
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
		var next [most][]candidate
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
				far := len(f.ways) // the stretch of the automaton that all ways have come to
				for _, q := range f.live {
					far = min(far, int(q))
				}
				far = far * stretches / len(f.ways)
				c := candidate{total: f.total, score: f.total - b.total}
				if n := len(next[far]); n == width && c.score <= next[far][n-1].score {
					continue
				}
				if slices.ContainsFunc(next[far], func(o candidate) bool {
					return o.score == c.score && len(o.live) == len(f.live) && o.live[0] == f.live[0]
				}) {
					continue
				}
				c.word = append(b.word[:len(b.word):len(b.word)], uint16(symbol))
				c.live = slices.Clone(f.live)
				c.ways = slices.Clone(f.ways)
				work += len(f.ways) / 8
				next[far] = append(next[far], c)
				slices.SortStableFunc(next[far], func(x, y candidate) int { return cmp.Compare(y.score, x.score) })
				next[far] = next[far][:min(len(next[far]), width)]
			}
		}
		beam = slices.Concat(next[:]...)
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
