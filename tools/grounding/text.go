package grounding

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// class is the kind of a token's characters.
type class uint8

const (
	word   class = iota + 1 // letters
	digits                  // decimal digits
	mark                    // one other character
)

// token is a piece of a text.
type token struct {
	text    string // folded
	class   class
	spaced  bool // white space precedes it
	upper   bool // all letters are capitals
	capital bool // begins with a capital
}

// folded has letters that Unicode does not decompose.
var folded = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i"}

// decompose returns s with separate accents, in compatibility form (width, ligatures).
func decompose(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return norm.NFKD.String(strings.ToValidUTF8(s, " "))
		}
	}
	return s
}

// lex splits a text into tokens.
func lex(s string, into []token) []token {
	s = decompose(s)
	var b strings.Builder
	spaced := true
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			spaced = true
			i += size
			continue
		case isDigit(r):
			b.Reset()
			for i < len(s) {
				r, size = utf8.DecodeRuneInString(s[i:])
				if !isDigit(r) {
					break
				}
				b.WriteByte(asDigit(r))
				i += size
			}
			into = append(into, token{b.String(), digits, spaced, false, false})
		case unicode.IsLetter(r):
			var text string
			var upper bool
			text, upper, size = letters(s[i:], &b)
			i += size
			into = append(into, token{text, word, spaced, upper, unicode.IsUpper(r)})
		case unicode.Is(unicode.M, r) || unicode.Is(unicode.Cf, r):
			i += size
			continue
		default:
			i += size
			into = append(into, token{alike(r), mark, spaced, false, false})
		}
		spaced = false
	}
	return into
}

// letters reads a word. It returns the folded text, whether all letters are capitals, and the number of bytes.
func letters(s string, b *strings.Builder) (text string, upper bool, size int) {
	plain := true // needs no folding
	upper = true
	i := 0
	b.Reset()
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) {
			plain = false
			i += n
			continue
		}
		if !unicode.IsLetter(r) || i > 0 && alone(r) {
			break
		}
		low := unicode.ToLower(r)
		upper = upper && (low != r || !unicode.IsLower(r))
		if as := folded[low]; as != "" {
			plain = false
			b.WriteString(as)
		} else {
			plain = plain && low == r
			b.WriteRune(low)
		}
		i += n
		if alone(r) {
			break
		}
	}
	if plain {
		return s[:i], false, i
	}
	return b.String(), upper, i
}

// alone reports whether a letter belongs to a script without spaces between words.
func alone(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' || r >= 0x80 && unicode.Is(unicode.Nd, r) }

// asDigit returns the ASCII form of a decimal digit. Each script has its ten digits in a row
// that starts at a multiple of the row's length.
func asDigit(r rune) byte {
	if r < 0x80 {
		return byte(r)
	}
	zero := r
	for zero > r-9 && unicode.Is(unicode.Nd, zero-1) {
		zero--
	}
	return byte('0' + (r-zero)%10)
}

// alike returns the usual form of a mark.
func alike(r rune) string {
	switch r {
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212':
		return "-"
	case '\u2018', '\u2019', '\u02bc', '`', '\u00b4':
		return "'"
	}
	return string(r)
}

// squash returns the text of tokens without separators.
func squash(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		if t.class != mark {
			b.WriteString(t.text)
		}
	}
	return b.String()
}

// words returns the words of the tokens, each with adjacent digits: "ab12".
func words(tokens []token) []string {
	var all []string
	for i := 0; i < len(tokens); {
		from := i
		for i++; i < len(tokens) && joined(tokens[i-1], tokens[i]); i++ {
		}
		if tokens[from].class != mark {
			all = append(all, squash(tokens[from:i]))
		}
	}
	return all
}

// joined reports whether two adjacent tokens belong to one word.
func joined(a, b token) bool {
	if a.class == mark || b.class == mark || b.spaced {
		return false
	}
	r, _ := utf8.DecodeRuneInString(b.text)
	return !alone(r)
}

// unescaped returns JSON with its escapes replaced by their characters.
func unescaped(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		r, n := rune(s[i+1]), 2
		switch r {
		case 'n', 't', 'r', 'b', 'f':
			r = ' '
		case 'u':
			if v, err := strconv.ParseUint(s[i+2:min(i+6, len(s))], 16, 16); err == nil {
				r, n = rune(v), 6
			}
		}
		b.WriteRune(r)
		s = s[min(i+n, len(s)):]
	}
}

// camel puts spaces between the words of an identifier.
func camel(name string) string {
	var b strings.Builder
	low := false
	for _, r := range name {
		if unicode.IsUpper(r) && low {
			b.WriteByte(' ')
		}
		low = unicode.IsLower(r)
		if r == '_' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}
