package pattern

import (
	"sync"
	"unicode"

	"github.com/dlclark/regexp2/v2/syntax"
)

// propertySet returns the characters of \p{name}, and whether ECMA-262 has this name.
//
// regexp2 knows the names, but does not export its ranges. General categories and scripts come from the standard library;
// for other properties, regexp2 tests each character once.
func propertySet(name string) (set, bool) {
	parsed, err := syntax.Parse(`[\p{`+name+`}\u{10FFFD}]`, syntax.ParseOptions{RegexOptions: syntax.ECMAScript | syntax.Unicode})
	if err != nil {
		return nil, false
	}
	if t := unicode.Categories[name]; t != nil {
		return fromTable(t), true
	}
	if long, ok := unicode.CategoryAliases[name]; ok && unicode.Categories[long] != nil {
		return fromTable(unicode.Categories[long]), true
	}
	for _, key := range [...]string{"Script=", "sc="} {
		if len(name) > len(key) && name[:len(key)] == key && unicode.Scripts[name[len(key):]] != nil {
			return fromTable(unicode.Scripts[name[len(key):]]), true
		}
	}
	if known, ok := properties.Load(name); ok {
		return known.(set), true
	}
	// The set is somewhere in the small tree of the class.
	var in *syntax.CharSet
	var find func(n *syntax.RegexNode)
	find = func(n *syntax.RegexNode) {
		if n.Set != nil && in == nil {
			in = n.Set
		}
		for _, c := range n.Children {
			find(c)
		}
	}
	find(parsed.Root)
	if in == nil {
		return anySet, true
	}
	var spans []span
	for r := rune(0); r <= maxRune; {
		// the far planes only have tags, variation selectors and the two last code points of each plane
		next := r + 1
		switch {
		case r >= 0x40000 && r < 0xE0000, r >= 0xE1000:
			next = max(next, min(r|0xFFFF-1, maxRune+1))
		}
		if r != unlikely && in.Contains(r) || r == unlikely && in.Contains(unlikely-1) {
			spans = append(spans, span{r, next - 1})
		}
		r = next
	}
	s := normal(spans)
	properties.Store(name, s)
	return s, true
}

// properties caches the sets that were tested character by character. There are about a hundred names.
var properties sync.Map

// unlikely is a second member next to the property, so that the parsed class stays a class. It belongs to the property if
// its neighbor does.
const unlikely = 0x10FFFD

func fromTable(t *unicode.RangeTable) set {
	var spans []span
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			spans = append(spans, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			spans = append(spans, span{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return normal(spans)
}
