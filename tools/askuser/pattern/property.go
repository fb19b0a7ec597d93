package pattern

import (
	"unicode"

	"github.com/dlclark/regexp2/v2/syntax"
)

// propertySet gives the characters of \p{name}, and whether the name is one of ECMA-262.
//
// regexp2 knows the names (and is what runs them on the server), but does not show its ranges. General categories and
// scripts come from the standard library; other properties are sampled, which is enough for an analysis that only asks
// which classes overlap.
func propertySet(name string) (set, bool) {
	parsed, err := syntax.Parse(`[\p{`+name+`}a]`, syntax.ParseOptions{RegexOptions: syntax.ECMAScript | syntax.Unicode})
	if err != nil {
		return nil, false
	}
	if t := unicode.Categories[name]; t != nil {
		return fromTable(t), true
	}
	if long, ok := unicode.CategoryAliases[name]; ok && unicode.Categories[long] != nil {
		return fromTable(unicode.Categories[long]), true
	}
	for _, key := range [...]string{"Script=", "sc=", "Script_Extensions=", "scx="} {
		if len(name) > len(key) && name[:len(key)] == key && unicode.Scripts[name[len(key):]] != nil {
			return fromTable(unicode.Scripts[name[len(key):]]), true
		}
	}
	// The set stands somewhere in the small tree of the one class.
	var in func(r rune) bool
	var find func(n *syntax.RegexNode)
	find = func(n *syntax.RegexNode) {
		if n.Set != nil && in == nil {
			in = n.Set.CharIn
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
	step := rune(1)
	for r := rune(0); r <= maxRune; r += step {
		switch {
		case r >= 0x20000:
			step = 4096
		case r >= 0x3000:
			step = 16
		}
		if r != 'a' && in(r) {
			spans = append(spans, span{r, min(r+step-1, maxRune)})
		}
	}
	// The class had to hold one more character to stay a class; whether it belongs follows from its neighbour.
	if in('b') {
		spans = append(spans, single('a')...)
	}
	return normal(spans), true
}

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
