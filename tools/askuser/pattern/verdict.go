package pattern

import (
	"math"
	"slices"
)

// Limits of the analysis. V8 takes 0.5 to 0.9 ns for a step of the bound, see doc.go.
const (
	maxSource   = 1000       // code points of a pattern that is analysed at all; the tool's own limit is far lower
	maxAnalysed = 100_000    // longest answers considered
	totalWork   = 16_000_000 // units of work for one pattern
	toBlame     = 1_000_000  // and to find out what is wrong with it

	stepsAllowed = 7.5e8 // what an answer may cost
	stepsAtOnce  = 6e7   // what a short one may, as people type; V8 interprets it, see doc.go
	stepsEach    = 40    // and beyond, for each character and each that stands before it
)

// allowed is what a text of m characters may cost.
func allowed(m int) float64 {
	return min(stepsAllowed, stepsAtOnce+stepsEach*float64(m)*float64(m))
}

// How closely texts are looked at.
const (
	few      = 4       // counts that are written out
	all      = 1 << 20 //
	alone    = 1       // ways that are followed together
	together = 6       //
)

// judge decides whether a parsed pattern is safe for answers of up to length characters: whether a bound on what they
// cost is found.
func judge(t *tree, length int) *Refusal {
	alpha := newAlphabet(t)
	if alpha.size > math.MaxUint16 {
		return tooComplex()
	}
	n := min(length, maxAnalysed)
	if slices.Contains(alpha.half, true) {
		n *= 2
	}
	b := &bounder{t: t, alpha: alpha, n: n, work: totalWork}
	over, overWide := 0, 0 // how the bound was seen to be over the limit
	for _, most := range [...]int{few, all} {
		if most == all && copies(t.root, few) == copies(t.root, all) {
			break
		}
		for _, wide := range [...]int{alone, together} {
			b.look(most, wide)
			if c := b.costs(t.root, false, false); !math.IsInf(c[n], 1) {
				return nil
			}
			if !b.gaveUp {
				over, overWide = most, wide
			}
		}
	}
	if over == 0 {
		return tooComplex()
	}
	b.look(over, overWide)
	b.work = toBlame
	return b.unsafe(length, over == all || copies(t.root, few) == copies(t.root, all))
}
