package pattern

// lengths returns the minimum and maximum length of a match of a node, in halves of a code point: without u, a surrogate
// is one half. hi is forever if there is no maximum; ok is false if nothing matches.
func (t *tree) lengths(n *node) (lo, hi int, ok bool) {
	switch n.kind {
	case kindChar:
		if len(n.set) == 0 {
			return 0, 0, false
		}
		lo, hi = 2, 2
		if !t.unicode {
			surrogates, others := false, false
			for _, r := range n.set {
				surrogates = surrogates || r.lo <= 0xDFFF && r.hi >= 0xD800
				others = others || r.lo < 0xD800 || r.hi > 0xDFFF
			}
			if surrogates {
				lo = 1
			}
			if !others {
				hi = 1
			}
		}
		return lo, hi, true
	case kindConcat:
		for _, k := range n.kids {
			l, h, ok := t.lengths(k)
			if !ok {
				return 0, 0, false
			}
			lo, hi = min(lo+l, forever), min(hi+h, forever)
		}
		return lo, hi, true
	case kindAlt:
		for _, k := range n.kids {
			l, h, can := t.lengths(k)
			switch {
			case !can:
			case !ok:
				lo, hi, ok = l, h, true
			default:
				lo, hi = min(lo, l), max(hi, h)
			}
		}
		return lo, hi, ok
	case kindGroup:
		return t.lengths(n.kids[0])
	case kindLoop:
		l, h, can := t.lengths(n.kids[0])
		if !can || h == 0 {
			return 0, 0, can || n.min == 0
		}
		lo = min(l*n.min, forever)
		if hi = forever; n.max != unbounded {
			hi = min(h*n.max, forever)
		}
		return lo, hi, true
	case kindLook:
		_, _, can := t.lengths(n.kids[0])
		return 0, 0, can || n.negative
	case kindRef:
		return 0, forever, true
	}
	return 0, 0, true
}

// forever means longer than any relevant length.
const forever = 1 << 30
