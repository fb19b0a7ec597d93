package pattern

import (
	"math/bits"
	"slices"
	"unicode"
)

// span is a range of characters, including both ends.
type span struct{ lo, hi rune }

// set is a set of characters: sorted spans that do not touch or overlap. The zero set is empty.
type set []span

const maxRune = unicode.MaxRune

// The classes of ECMA-262 (CharacterClassEscape), for patterns without the i flag.
var (
	digitSet = set{{'0', '9'}}
	wordSet  = set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	spaceSet = set{{'\t', '\r'}, {' ', ' '}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029},
		{0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}}
	dotSet = set{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}.negate()
	anySet = set{{0, maxRune}}
)

func single(r rune) set { return set{{r, r}} }

// normal sorts and joins spans.
func normal(spans []span) set {
	slices.SortFunc(spans, func(a, b span) int { return int(a.lo) - int(b.lo) })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, s.hi)
			continue
		}
		out = append(out, s)
	}
	return set(out)
}

func (s set) negate() set {
	out := make(set, 0, len(s)+1)
	next := rune(0)
	for _, r := range s {
		if r.lo > next {
			out = append(out, span{next, r.lo - 1})
		}
		next = r.hi + 1
	}
	if next <= maxRune {
		out = append(out, span{next, maxRune})
	}
	return out
}

// alphabet divides all characters into minterms: two characters are in the same one if no set of the pattern separates
// them. The analysis and its machine work on the numbers of minterms.
type alphabet struct {
	size    int
	members [][]bool // by number of set, by minterm
	word    []bool   // by minterm: is it matched by \w
	setNo   map[*node]int
	borders []border  // where minterms begin, sorted
	half    []bool    // by minterm: it has surrogates, of which two make one code point (without u)
	extra   [][]int32 // by number of set, by minterm: extra steps for its most expensive character, see dear
}

// border is a character from which on, up to the next border, characters are in a minterm.
type border struct {
	from   rune
	symbol uint16
}

// newAlphabet numbers the distinct sets of the tree and finds their minterms. top is the last character of the
// alphabet (0xFFFF without u).
func newAlphabet(t *tree) *alphabet {
	top := rune(maxRune)
	if !t.unicode {
		top = 0xFFFF
	}
	a := &alphabet{setNo: map[*node]int{}}
	var sets []set
	byKey := map[string]int{}
	add := func(s set) int {
		key := string(setKey(s))
		if n, ok := byKey[key]; ok {
			return n
		}
		byKey[key] = len(sets)
		sets = append(sets, s)
		return len(sets) - 1
	}
	wordNo := -1
	t.root.walk(func(n *node) {
		switch {
		case n.kind == kindChar:
			a.setNo[n] = add(n.set)
		case n.kind == kindAssert && wordNo < 0:
			wordNo = add(wordSet)
		}
	})

	// Sweep over all borders. The sets that are open between two borders are the signature of the characters there.
	type edge struct {
		at  rune
		set int
	}
	var edges []edge
	for i, s := range sets {
		for _, r := range s {
			if r.lo > top {
				break
			}
			edges = append(edges, edge{r.lo, i}, edge{min(r.hi, top) + 1, i})
		}
	}
	slices.SortFunc(edges, func(x, y edge) int { return int(x.at) - int(y.at) })
	open := make([]byte, (len(sets)+7)/8)
	number := map[string]int{}
	var signatures []string
	var beyond []span // by minterm: the last character, and the last surrogate or 0
	visit := func(lo, hi rune) {
		if lo > hi {
			return
		}
		n, ok := number[string(open)]
		if !ok {
			n = len(signatures)
			number[string(open)] = n
			signatures = append(signatures, string(open))
			beyond = append(beyond, span{})
		}
		a.borders = append(a.borders, border{lo, uint16(n)})
		beyond[n].hi = max(beyond[n].hi, hi)
		if lo <= 0xDFFF && hi >= 0xD800 {
			beyond[n].lo = 0xD800
		}
	}
	at := rune(0)
	for i := 0; i < len(edges); {
		visit(at, edges[i].at-1)
		at = edges[i].at
		for ; i < len(edges) && edges[i].at == at; i++ {
			open[edges[i].set/8] ^= 1 << (edges[i].set % 8)
		}
	}
	visit(at, top)

	a.size = len(signatures)
	a.members = make([][]bool, len(sets))
	a.extra = make([][]int32, len(sets))
	for i := range sets {
		row := make([]bool, a.size)
		a.extra[i] = make([]int32, a.size)
		for m, s := range signatures {
			last := beyond[m].hi
			if row[m] = s[i/8]>>(i%8)&1 == 1; row[m] {
				a.extra[i][m] = dear(sets[i], last)
			} else if n := len(sets[i]); n > 0 { // a failed search takes half as long: 8.5 ns for \p{Lu}
				a.extra[i][m] = dear(sets[i], min(last, sets[i][n-1].hi)) / 2
			}
		}
		a.members[i] = row
	}
	a.half = make([]bool, a.size)
	for m := range a.half {
		a.half[m] = !t.unicode && beyond[m].lo > 0
	}
	if wordNo >= 0 {
		a.word = a.members[wordNo]
	}
	return a
}

// dear returns the extra steps, beyond one, of a browser to read a character of a set, for characters up to last. Text
// beyond Latin-1 has two bytes per character, and a class is then searched range by range. Characters beyond the BMP are
// two units and are searched twice. One such character changes the whole text, which matters for large classes. Measured
// in V8, two loops over 2,000 characters: \p{L} takes 4 ms over Latin text, 47 ms over Cyrillic, 65 ms beyond the BMP;
// [^a] 3, 12 and 28 ms.
func dear(s set, last rune) int32 {
	if last <= 0xFF && len(s) < 64 {
		return 0
	}
	steps := int32(2 * bits.Len(uint(len(s))))
	if last > 0xFFFF {
		steps += 8
	}
	return steps
}

// setKey encodes a set as a map key.
func setKey(s set) []byte {
	key := make([]byte, 0, 6*len(s))
	for _, r := range s {
		key = append(key, byte(r.lo), byte(r.lo>>8), byte(r.lo>>16), byte(r.hi), byte(r.hi>>8), byte(r.hi>>16))
	}
	return key
}

func (n *node) walk(f func(*node)) {
	f(n)
	for _, k := range n.kids {
		k.walk(f)
	}
}
