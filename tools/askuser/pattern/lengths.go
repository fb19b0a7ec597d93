package pattern

// lengths gives how long what a node matches can be, in halves of a code point: without u, a surrogate is one. hi is
// forever where there is no bound; ok is false where nothing matches.
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

// forever stands for lengths beyond all that matter.
const forever = 1 << 30
