package pattern

import "slices"

// endings finds what makes the match fail after the attack: for the whole pattern, and for what the pumped loop leads
// to alone (a branch before it can explode although another one matches in the end).
func (p *proposer) endings(a *attack) [][]uint16 {
	all := newBitset(len(p.g.chars))
	begun := false
	feed := func(at bitset, word []uint16) bitset {
		for _, c := range word {
			*p.budget -= 8 * len(at)
			if !begun {
				begun = true
				at = newBitset(len(p.g.chars))
				at.or(p.g.first)
				for i := range at {
					at[i] &= p.g.readers[c][i]
				}
				continue
			}
			at = p.g.step(at, int(c))
		}
		return at
	}
	for _, s := range a.segments {
		times := 1
		if s.pumped {
			times = 3
		}
		for range times {
			all = feed(all, s.word)
		}
	}
	var out [][]uint16
	add := func(from, accept bitset, after []uint16, atLeast int, tail *node) {
		*p.budget -= 200
		end, ok := p.g.kill(from, accept, atLeast)
		if !ok {
			if atLeast > 0 {
				return
			}
			end = p.killExactly(a, after, tail)
		}
		end = append(after[:len(after):len(after)], end...)
		for _, o := range out {
			if slices.Equal(o, end) {
				return
			}
		}
		out = append(out, end)
	}
	add(all, p.g.last, nil, 0, nil)
	if a.tail >= 0 {
		own := newBitset(len(p.g.chars))
		own.add(a.tail)
		for range 3 {
			next := own
			for _, c := range a.word {
				next = p.g.step(next, int(c))
			}
			own.or(next)
		}
		add(own, p.g.lastOrEnd, nil, 0, p.g.a.nodes[a.tail])
	}
	if p.t.looks || p.t.refs {
		add(all, p.g.lastOrEnd, nil, 1, nil)
	}
	if len(p.witness) > 0 {
		add(feed(all, p.witness), p.g.last, p.witness, 0, nil)
	}
	return out
}

// killExactly finds an ending by the exact automaton, where the loose one takes every ending for a match: after
// (a+)*[^]{2,3} it needs four characters. With tail, only what follows that class has to fail.
func (p *proposer) killExactly(a *attack, after []uint16, tail *node) []uint16 {
	if end := p.exhaust(a, after, tail); end != nil || p.exact == nil || tail != nil || len(p.exact.nodes) > 400 {
		return end
	}
	if p.exactGraph == nil {
		p.exactGraph = newGraph(p.exact, p.alpha)
	}
	g := p.exactGraph
	at := g.first
	for i, c := range append(a.text(nil, 8, nil), after...) {
		*p.budget -= 8 * len(at)
		if i > 0 {
			at = g.step(at, int(c))
			continue
		}
		at = slices.Clone(at)
		for j := range at {
			at[j] &= g.readers[c][j]
		}
	}
	end, _ := g.kill(at, g.last, 0)
	return end
}
