package pattern

import (
	"math"
	"slices"
)

// Limits of the analysis. V8 takes 0.5 to 0.9 ns for a step of the bound, see doc.go.
const (
	maxSource   = 1000       // code points of a pattern; the limit of the tool is far lower
	maxAnalysed = 100_000    // length of the longest answers considered
	totalWork   = 16_000_000 // units of work for one pattern
	toBlame     = 1_000_000  // and to find the culprit

	stepsAllowed = 7.5e8 // for any answer
	stepsAtOnce  = 6e7   // for a short answer while it is typed; V8 interprets it, see doc.go
	stepsEach    = 40    // additionally for each pair of characters
)

// allowed returns the maximum cost of a text of m characters.
func allowed(m int) float64 {
	return min(stepsAllowed, stepsAtOnce+stepsEach*float64(m)*float64(m))
}

// The precision of the analysis.
const (
	few      = 4       // counts up to this are expanded
	all      = 1 << 20 //
	alone    = 1       // ways that are followed together
	together = 6       //
)

// judge refuses a parsed pattern unless it finds that the cost of answers of up to length characters is below the limit.
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
	over, overWide := 0, 0 // the parameters for which the bound was over the limit
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
