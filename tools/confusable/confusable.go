// Package confusable compares texts by what a person sees of them: two options that only a
// computer can tell apart are one option.
//
//	text ── Fold ──> what is left of it on a screen ── skeleton (UTS 39) ──> its shape
//	name ── Fold ──> the same ── without case, accents, spaces, signs ── skeleton ──> SameName
//
// Honest choices may have one shape, too: "1l" and "11", "Model |" and "Model l". So where two
// texts differ in plain ASCII alone, only rn and m, O and 0, l and I are taken for each other.
// That makes it a relation of pairs, and not a key that one could sort by.
package confusable

import (
	"strings"
	"unicode"
	"unicode/utf8"

	skeletons "go.mau.fi/util/confusable"
	"golang.org/x/text/unicode/norm"
)

// Fold is s without what cannot be seen: in compatibility form (NFKC: width, ligatures,
// accents apart), without default-ignorable characters (zero width, soft hyphens,
// variation selectors), each run of white space as one space and none at the ends. Case
// and accents stay.
func Fold(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if plain(s) {
		return strings.Join(strings.Fields(s), " ")
	}
	flag := false // in a black flag, which tag characters turn into that of a region
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

// tag says whether r is one of the tags in the flags of England, Scotland and Wales.
func tag(r rune) bool { return r >= 0xe0020 && r <= 0xe007f }

// ignorable is Default_Ignorable_Code_Point (UAX 44), as far as Go's tables derive it.
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

// Alike says whether a person can take a for b.
func Alike(a, b string) bool {
	a, b = Fold(a), Fold(b)
	return a == b || drawn(a) == drawn(b) || differBeyondASCII(a, b) && skeleton(a) == skeleton(b)
}

// SameName says whether a person can take one name for the other: as with Alike, and whatever
// their case, accents, spaces and signs.
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

// bareName is a name without accents, spaces and signs. What skeletons have letters for stays,
// such as | and €.
func bareName(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.In(r, unicode.Mn, unicode.So, unicode.Sk) {
			return -1
		}
		return r
	}, norm.NFD.String(Fold(s)))
}

// sameASCII are the letters of ASCII that most typefaces draw alike. UTS 39 gives one skeleton to
// each pair, too.
var sameASCII = strings.NewReplacer("rn", "m", "0", "O", "I", "l")

// drawn is a folded text in which those letters are the same.
func drawn(folded string) string { return sameASCII.Replace(folded) }

// Latin is s with each Greek and Cyrillic letter that looks like a Latin one as that.
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

// skeleton is UTS 39's. Tags, which it would drop, are read as their letters.
func skeleton(folded string) string {
	return skeletons.Skeleton(strings.Map(func(r rune) rune {
		if tag(r) {
			return r - 0xe0000
		}
		return r
	}, folded))
}

// differBeyondASCII says whether something else than ASCII stands between what two texts
// begin with and what they end with alike.
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

// Set are texts of which no two look alike. The zero Set is empty. It is not safe for
// concurrent use.
type Set struct {
	folded map[string]string
	shapes map[string]*shape
}

// shape are the texts of one skeleton.
type shape struct {
	plain []string // those of plain ASCII, folded
	wide  []string // the others, folded
}

// maxAlike bounds what one text is compared with: whoever has more than this of one shape
// is told that the next is one of them.
const maxAlike = 16

// Add adds a text. If one of the set looks like it, that one is returned and the set stays
// as it is.
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
