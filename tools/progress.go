package tools

import "math"

// Follows says whether p may be told after before, which is nil for the first report of a call:
// it is a finite number, and more than that.
func (p Progress) Follows(before *Progress) bool {
	return finite(p.Progress) && (before == nil || p.Progress > before.Progress)
}

// Within is p without a total that says nothing: one that is not a finite number above zero, or
// that p has passed already.
func (p Progress) Within() Progress {
	if p.Total != nil && (!finite(*p.Total) || *p.Total <= 0 || *p.Total < p.Progress) {
		p.Total = nil
	}
	return p
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
