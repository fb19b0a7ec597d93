package pattern

import "math"

// Limits of the analysis. A step is one instruction of the machine; V8 takes 0.5 to 3 ns for one, see doc.go.
const (
	maxSource    = 1000      // code points of a pattern that is analysed at all; the tool's own limit is far lower
	maxAnalysed  = 100_000   // longest answers considered
	stepsAllowed = 3e8       // what an answer may cost; quadratic patterns at 4,000 stay below, cubic ones far above
	bushyAllowed = 1e8       // the same where growth is not quadratic
	totalWork    = 8_000_000 // steps and other work units for one pattern
	runLimit     = 150_000   // steps of one run while the growth is being measured
	enough       = 5         // slow attacks measured from one loop to one other
	plenty       = 10        // slow attacks kept of those that promise no more than quadratic growth
	shortTurn    = 16        // characters of an iteration up to which growth shows at once
	fullLimit    = 2_000_000 // steps of a run at full length, where nothing can be calculated
)

// analysis holds what is known about one pattern while it is judged.
type analysis struct {
	t       *tree
	alpha   *alphabet
	machine *machine
	exact   *automaton         // nil when even shortened counts make it too big
	flow    *flow              // nil when exact is, or has shortened counts
	bounded bool               // some loop has an upper bound above 1
	length  int                // the longest answer allowed
	budget  int                // units of work left
	tried   map[ends]int       // attacks measured
	known   map[string]finding // by the text of an attack: what was measured before
	turns   map[*node]int      // by class: see tree.turn
	loops   []*node
	words   map[*node][][]uint16 // by loop: what is pumped in it
	texts   map[string]bool      // what was written, by segments and ending
	rarest  int                  // the symbol that the fewest classes have
	doubt   bool                 // a loop can read a text in many ways, and no attack showed it to be slow
	mixing  int                  // units of work that mixed took
	rising  int                  // texts whose growth was looked at beyond the limit
	slow    int                  // attacks that were more than linear
	buffer  []uint16
	// what the last run cost beside its steps, as a factor
	dearness float64
}

// ends says from where to where an attack leads, and whether it pumps more than one character.
type ends struct {
	head, tail *node
	long       bool
}

// finding is what running an attack showed.
type finding struct {
	cost   float64 // steps at the longest answer allowed
	growth float64 // degree of the growth that was seen

	// for the message: what the pumped words begin and end in, and whether it is one loop that explodes
	at, tail    *node
	exponential bool

	attack *attack
	ending []uint16
}

// tooSlow judges a finding. Where backtracking jumps about, a step takes a browser several times as long as where it
// runs down one loop again and again, so growth beyond quadratic is allowed fewer steps.
func (f finding) tooSlow() bool {
	return f.cost > stepsAllowed || f.cost > bushyAllowed && f.growth > 2.4
}

// judge decides whether a parsed pattern is safe for answers of up to length characters.
func judge(t *tree, length int) *Refusal {
	s := &analysis{t: t, alpha: newAlphabet(t, t.refs), length: min(length, maxAnalysed), budget: totalWork,
		tried: map[ends]int{}, known: map[string]finding{}, turns: map[*node]int{}, texts: map[string]bool{}, words: map[*node][][]uint16{}}
	t.root.walk(func(n *node) {
		if n.kind == kindLoop && n.max > 1 {
			s.loops = append(s.loops, n)
			s.bounded = s.bounded || n.max != unbounded
		}
	})
	if s.alpha.size > math.MaxUint16 {
		return tooComplex()
	}
	s.machine = newMachine(compile(t, s.alpha))
	for _, how := range [...]counts{{most: 1 << 20}, {most: 100}, {most: 12}, {most: 2}} {
		if copies(t.root, how) <= 8000 {
			if s.exact = newAutomaton(t, s.alpha, how, 120_000); s.exact != nil {
				break
			}
		}
	}
	lean := s.exact
	if s.bounded && copies(t.root, counts{most: 1 << 20}) <= 8000 {
		if lean = newAutomaton(t, s.alpha, counts{most: 1 << 20, skip: true}, 120_000); lean == nil {
			lean = s.exact
		}
	}
	if s.exact != nil && s.exact.exact {
		s.flow = newFlow(s.exact, s.alpha.members)
	}
	passes := [...]counts{
		{loose: true, least: 1},             // as few positions as there can be
		s.minimums(),                        // minimums written out, for words and bridges that satisfy them
		{loose: true, least: 1, refs: true}, // back-references as copies of their groups
		{loose: true, least: 1},             // what a lookahead wants in every iteration, and in front
	}
	var p *proposer
	positions := 0
	var prefer bitset
	for pass, how := range passes {
		n := copies(t.root, how)
		switch {
		case pass == 1 && (n == positions || n > 300), pass == 2 && !t.refs, pass == 3 && len(p.witness) == 0:
			continue
		case pass == 3:
			prefer = p.wantedSymbols()
		}
		loose := newAutomaton(t, s.alpha, how, 200_000)
		if loose == nil {
			return tooComplex()
		}
		if positions = len(loose.nodes); positions == 0 {
			return nil
		}
		p = newProposer(t, s.alpha, newGraph(loose, s.alpha), how, s.exact, prefer, &s.budget)
		p.lean = lean
		if refusal := s.try(p, length); refusal != nil {
			return refusal
		}
	}
	if t.looks || t.boundaries {
		if refusal := s.plainly(lean, length); refusal != nil {
			return refusal
		}
	}
	if t.looks || t.refs || t.boundaries {
		if refusal := s.wander(p, length); refusal != nil {
			return refusal
		}
	}
	if s.bounded || s.doubt || t.looks || t.refs {
		if refusal := s.written(length); refusal != nil {
			return refusal
		}
	}
	if f := s.finite(p); f.tooSlow() {
		return s.unsafe(f, length)
	}
	if s.budget <= 0 || s.flow == nil && s.doubt && nested(t.root) {
		return tooComplex()
	}
	return nil
}

// plainly tries what can be reached past no lookaround, word boundary or anchor: the shortest way to a loop may lead
// through one that its text does not meet, and another alternative beside it.
func (s *analysis) plainly(lean *automaton, length int) *Refusal {
	how := counts{loose: true, least: 1, plain: true}
	loose := newAutomaton(s.t, s.alpha, how, 200_000)
	if loose == nil || len(loose.first) == 0 {
		return nil
	}
	exact := newAutomaton(s.t, s.alpha, counts{most: 1 << 20, plain: true}, 120_000)
	p := newProposer(s.t, s.alpha, newGraph(loose, s.alpha), how, exact, nil, &s.budget)
	p.lean = lean
	return s.try(p, length)
}

// nested says whether a loop whose count varies stands within another. Where such loops can read a text in many ways, and
// the counts are too large to be written out, nobody can tell which text is slow: V8 took seconds for some composed
// patterns that no attack showed to be slow. People write such patterns hardly ever.
func nested(root *node) (found bool) {
	root.walk(func(outer *node) {
		if outer.kind != kindLoop || outer.max < 2 {
			return
		}
		outer.kids[0].walk(func(n *node) { found = found || n.kind == kindLoop && n.max > n.min })
	})
	return found
}

// minimums writes out as many minimums as there is room for.
func (s *analysis) minimums() counts {
	how := counts{loose: true}
	for _, how.least = range [...]int{160, 64, 16, 6} {
		if copies(s.t.root, how) <= 300 {
			break
		}
	}
	return how
}

// try runs everything that a proposer proposes.
func (s *analysis) try(p *proposer, length int) *Refusal {
	p.run()
	// of the slow ones, the worst from each loop to each other
	type slowest struct {
		*attack
		cost float64
	}
	var slow []slowest
	place := map[[3]int]int{}
	for _, a := range p.attacks {
		s.doubt = s.doubt || a.rank == ambiguous
		for _, loop := range s.loops {
			if words := s.words[loop]; a.at != nil && loop.from <= a.at.from && a.at.to <= loop.to && len(words) < enough {
				s.words[loop] = append(words, a.word)
			}
		}
		key := ends{p.g.a.nodes[a.head], p.g.a.nodes[a.tail], len(a.word) > 1}
		_, known := s.known[a.key()]
		switch {
		case known:
		case a.rank != ambiguous && s.tried[key] >= enough, a.rank <= 2 && (len(slow) >= plenty || s.slow >= 2*plenty):
			continue
		default:
			s.tried[key]++
		}
		f := s.measure(a)
		if f.tooSlow() {
			return s.unsafe(f, length)
		}
		if s.budget <= 0 {
			return tooComplex()
		}
		if f.growth > 1.35 {
			if !known {
				s.slow++
			}
			at := [3]int{p.g.scc[a.head], p.g.scc[a.tail], min(len(a.word), 2)}
			if i, ok := place[at]; !ok {
				place[at] = len(slow)
				slow = append(slow, slowest{a, f.cost})
			} else if f.cost > slow[i].cost {
				slow[i] = slowest{a, f.cost}
			}
		}
	}
	for _, a := range p.attacks {
		if a.rank != ambiguous {
			break
		}
		if f := s.search(p, a); f.tooSlow() {
			return s.unsafe(f, length)
		}
		if f := s.mixed(p, a); f.tooSlow() {
			return s.unsafe(f, length)
		}
	}
	joins, left := 0, s.budget-totalWork/4
	for _, one := range slow {
		for _, two := range slow {
			if joins >= 24 || s.budget <= max(left, 0) {
				break
			}
			if a := p.joined(one.attack, two.attack); a != nil {
				joins++
				if f := s.measure(a); f.tooSlow() {
					return s.unsafe(f, length)
				}
			}
		}
	}
	return nil
}
