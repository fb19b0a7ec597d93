package tools

import "math"

// Follows reports whether p may be reported after before, which is nil for the first report of
// a call: its progress must be finite and greater than before.
func (p Progress) Follows(before *Progress) bool {
	return finite(p.Progress) && (before == nil || p.Progress > before.Progress)
}

// Within returns p without an invalid total: one that is not a finite number above zero, or
// that the progress has already exceeded.
func (p Progress) Within() Progress {
	if p.Total != nil && (!finite(*p.Total) || *p.Total <= 0 || *p.Total < p.Progress) {
		p.Total = nil
	}
	return p
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
