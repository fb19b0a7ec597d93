// Package confusable compares texts by their appearance: two options that only a computer can
// tell apart are one option.
//
//	text ── Fold ──> its visible characters ── skeleton (UTS 39) ──> its shape
//	name ── Fold ──> the same ── without case, accents, spaces, signs ── skeleton ──> SameName
//
// Legitimate options can have the same shape: "1l" and "11", "Model |" and "Model l". So if
// two texts differ only in ASCII characters, only rn and m, O and 0, l and I count as alike.
// Because of this, likeness is a relation between pairs, and there is no key to sort by.
package confusable

import (
	"strings"
	"unicode"
	"unicode/utf8"

	skeletons "go.mau.fi/util/confusable"
	"golang.org/x/text/unicode/norm"
)

// Fold returns s without invisible differences: in compatibility form (NFKC: width, ligatures,
// separate accents), without default-ignorable characters (zero width, soft hyphens, variation
// selectors), with each run of white space as one space and none at the ends. Case and accents
// stay.
func Fold(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if plain(s) {
		return strings.Join(strings.Fields(s), " ")
	}
	flag := false // in a black flag, which tag characters turn into the flag of a region
	s = norm.NFKC.String(strings.Map(func(r rune) rune {
		flag = r == '\U0001f3f4' || flag && tag(r)
		if ignorable(r) && !(flag && tag(r)) {
			return -1
		}
		return r
	}, s))
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == brailleBlank }), " ")
}

const brailleBlank = 0x2800

// tag reports whether r is one of the tags in the flags of England, Scotland and Wales.
func tag(r rune) bool { return r >= 0xe0020 && r <= 0xe007f }

// ignorable reports Default_Ignorable_Code_Point (UAX 44), derived from Go's tables.
func ignorable(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return true
	case r >= 0xfff9 && r <= 0xfffb || r >= 0x13430 && r <= 0x13440:
		return false // annotations and the joiners of hieroglyphs
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// Alike reports whether a person can mistake a for b.
func Alike(a, b string) bool {
	a, b = Fold(a), Fold(b)
	return a == b || drawn(a) == drawn(b) || differBeyondASCII(a, b) && skeleton(a) == skeleton(b)
}

// SameName reports whether a person can mistake one name for the other: like Alike, but
// regardless of case, accents, spaces and signs.
func SameName(a, b string) bool {
	a, b = bareName(a), bareName(b)
	of := func(s string) string { return strings.ToLower(skeleton(s)) }
	for _, x := range []string{a, strings.ToLower(a), strings.ToUpper(a)} {
		if x = of(x); x == of(strings.ToLower(b)) || x == of(strings.ToUpper(b)) {
			return a != "" && b != ""
		}
	}
	return false
}

// bareName returns a name without accents, spaces and signs. Signs whose skeleton is a letter
// stay, such as | and €.
func bareName(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.In(r, unicode.Mn, unicode.So, unicode.Sk) {
			return -1
		}
		return r
	}, norm.NFD.String(Fold(s)))
}

// sameASCII has the ASCII characters that look alike in most typefaces. UTS 39 also gives each
// pair the same skeleton.
var sameASCII = strings.NewReplacer("rn", "m", "0", "O", "I", "l")

// drawn returns a folded text with these characters replaced.
func drawn(folded string) string { return sameASCII.Replace(folded) }

// Latin returns s with each Greek and Cyrillic letter that looks like a Latin one replaced by it.
func Latin(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cyrillic, unicode.Greek) {
			if as := skeletons.GetReplacement(r); len(as) == 1 {
				return rune(as[0])
			}
		}
		return r
	}, s)
}

// skeleton returns the skeleton of UTS 39. Tags, which it would drop, are read as their letters.
func skeleton(folded string) string {
	return skeletons.Skeleton(strings.Map(func(r rune) rune {
		if tag(r) {
			return r - 0xe0000
		}
		return r
	}, folded))
}

// differBeyondASCII reports whether the texts contain non-ASCII characters between their common
// prefix and their common suffix.
func differBeyondASCII(a, b string) bool {
	x, y := []rune(a), []rune(b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return !plain(string(x)) || !plain(string(y))
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Set is a set of texts of which no two look alike. The zero Set is empty. It is not safe for
// concurrent use.
type Set struct {
	folded map[string]string
	shapes map[string]*shape
}

// shape has the texts of one skeleton.
type shape struct {
	plain []string // those of plain ASCII, folded
	wide  []string // the others, folded
}

// maxAlike is the maximum number of texts that one text is compared with. If a set has more of
// one shape, the next one counts as alike.
const maxAlike = 16

// Add adds a text. If one in the set looks like it, Add returns that one and leaves the set
// unchanged.
func (s *Set) Add(text string) (like string, alike bool) {
	folded := Fold(text)
	if like, alike = s.folded[folded]; alike {
		return like, true
	}
	if s.folded == nil {
		s.folded, s.shapes = map[string]string{}, map[string]*shape{}
	}
	key := skeleton(folded)
	of := s.shapes[key]
	if of == nil {
		of = &shape{}
		s.shapes[key] = of
	}
	if plain(folded) {
		if len(of.wide) > 0 {
			return s.folded[of.wide[0]], true
		}
		for i, other := range of.plain {
			if i == maxAlike || drawn(folded) == drawn(other) {
				return s.folded[other], true
			}
		}
		of.plain = append(of.plain, folded)
	} else {
		if len(of.plain) > 0 {
			return s.folded[of.plain[0]], true
		}
		for i, other := range of.wide {
			if i == maxAlike || drawn(folded) == drawn(other) || differBeyondASCII(folded, other) {
				return s.folded[other], true
			}
		}
		of.wide = append(of.wide, folded)
	}
	s.folded[folded] = text
	return "", false
}
