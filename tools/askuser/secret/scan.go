package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is the longest word that is looked up, in bytes. German's longest here
// is half of that.
const maxWord = 64

// scanner walks through the words of a text without allocating.
type scanner struct {
	text   string
	at     int
	folded [maxWord]byte // the word, without case and accents
	length int           // of it; above maxWord where it did not fit
	caps   bool          // no letter of it is small
	figure bool          // it is a number
	accent bool          // it lost one: cómo, où
	gap    gap           // before it
	marked bool          // with a question mark in it
	joined bool          // nothing but a hyphen or apostrophe before it
}

// gap is what parts two words.
type gap uint8

const (
	space gap = iota
	clause
	sentence
)

// next finds the next word.
func (s *scanner) next() bool {
	s.length, s.caps, s.figure, s.accent, s.gap, s.marked, s.joined = 0, true, true, false, space, false, false
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c >= 'a' && c <= 'z':
			s.caps, s.figure = false, false
			s.put(c)
		case c >= 'A' && c <= 'Z':
			s.figure = false
			s.put(c + 'a' - 'A')
		case c >= '0' && c <= '9':
			s.put(c)
		case c < utf8.RuneSelf:
			if s.length > 0 {
				return true
			}
			s.part(c)
		default:
			r, size := utf8.DecodeRuneInString(s.text[s.at:])
			if !s.rune(r) {
				return true
			}
			s.at += size - 1
		}
		s.at++
	}
	return s.length > 0
}

func (s *scanner) put(c byte) {
	if s.length < maxWord {
		s.folded[s.length] = c
	}
	s.length++
}

// part notes what stands between words.
func (s *scanner) part(c byte) {
	switch c {
	case '?', '!', '\n':
		s.gap, s.marked = sentence, s.marked || c == '?'
	case '.':
		// In 3.5 and example.org it parts nothing.
		if s.at+1 == len(s.text) || s.text[s.at+1] <= ' ' {
			s.gap = sentence
		}
	case ',', ';', ':', '(', ')', '/':
		s.gap = max(s.gap, clause)
	}
	s.joined = c == '-' || c == '\''
}

// rune takes what is not ASCII: false where it ends a word.
func (s *scanner) rune(r rune) bool {
	switch {
	case r >= 0xC0 && r < 0x180 && r != '×' && r != '÷':
		s.figure = false
		s.caps, s.accent = s.caps && unicode.IsUpper(r), true
		for _, c := range []byte(latin[r-0xC0]) {
			s.put(c)
		}
	case r >= 'Ａ' && r <= 'ｚ' && unicode.IsLetter(r): // full width
		s.caps, s.figure = false, false
		s.put(byte(unicode.ToLower(r) - 'ａ' + 'a'))
	case unicode.In(r, unicode.Mn, unicode.Cf): // loose accents, soft hyphens, zero width
	case unicode.IsLetter(r):
		s.caps, s.figure = false, false
		if i := strings.IndexRune(lookalikes, unicode.ToLower(r)); i >= 0 {
			s.put(looksLike[utf8.RuneCountInString(lookalikes[:i])])
		} else {
			s.put(0xFF)
		}
	case s.length > 0:
		return false
	case r == '\u2019' || r == '\u2010' || r == '\u2011':
		s.joined = true
	case r == '\u2013' || r == '\u2014':
		s.gap = max(s.gap, clause)
	case r == '¿' || r == '¡' || r == '\u2028' || r == '。' || r == '？':
		s.gap = sentence
	default:
		s.joined = false
	}
	return true
}

// Cyrillic and Greek letters that look like Latin ones.
const (
	lookalikes = "асеорхуіѕԁкмтвнαορτκικν"
	looksLike  = "aceopxyisdkmtbhaoptkikv"
)

// latin are the letters from U+00C0 without their accents.
var latin = func() (table [0x180 - 0xC0]string) {
	const plain = "aaaaaaaceeeeiiiidnooooo*ouuuuytsaaaaaaaceeeeiiiidnooooo*ouuuuyty" +
		"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"
	for i, c := range plain {
		table[i] = string(c)
	}
	table['ß'-0xC0], table['æ'-0xC0], table['œ'-0xC0] = "ss", "ae", "oe"
	return table
}()

// speaks says whether a text has a word that can be a secret's name. It is what an
// ordinary question costs.
func speaks(text string) bool {
	for i := 0; i < len(text); i++ {
		from := i
		for i < len(text) && inWord[text[i]] == letter {
			i++
		}
		if i < len(text) && inWord[text[i]] == foreign {
			s := scanner{text: text, at: from}
			if s.next() && s.names() {
				return true
			}
			i = max(from, s.at-1)
			continue
		}
		if i-from < 3 || i-from > maxWord {
			continue
		}
		if at := ending(text[from:i]); endings[at/64]>>(at%64)&1 != 0 {
			s := scanner{text: text[:i], at: from}
			if s.next() && s.names() {
				return true
			}
		}
	}
	return false
}

// What a byte is to a word.
const (
	gapByte = iota
	letter
	foreign // not ASCII: the scanner knows
)

var inWord = func() (table [256]uint8) {
	for c := range table {
		switch b := byte(c); {
		case b >= utf8.RuneSelf:
			table[c] = foreign
		case b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9':
			table[c] = letter
		}
	}
	return table
}()

// names says whether the word of a scanner can be a secret's name.
func (s *scanner) names() bool {
	if s.length > maxWord {
		return false
	}
	w := s.folded[:s.length]
	switch string(w) {
	case "tan":
		return s.caps
	case "passe", "word":
		return true
	}
	return words[string(w)]&nouns != 0 || head(w) != ""
}
