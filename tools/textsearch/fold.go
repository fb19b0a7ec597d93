// Package textsearch searches texts of people and models.
//
//	text ── Fold ──> the form for searching: without case, width, accents and invisible characters
//	query ── NewWords ──> words, folded ── In(text) ──> the words that occur in it
//	                                     ── Snippet(text) ──> the text around the first
//	two words ── Distance ──> the number of edits between them
//
// A word is found anywhere, even inside another word, as languages without spaces require.
// Queries have no syntax. For texts that look alike, see package confusable.
package textsearch

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a text in the form for searching, see AppendFolded.
func Fold(s string) string { return string(AppendFolded(nil, s)) }

// AppendFolded appends a text in lower case and compatibility form (NFKD: width, ligatures),
// without accents and format characters. Marks that change more than an accent does, such as
// the vowels of Devanagari and the voicing marks of kana, stay.
func AppendFolded(dst []byte, s string) []byte {
	for s != "" {
		n := 0
		for n < len(s) && s[n] < utf8.RuneSelf {
			n++
		}
		from := len(dst)
		dst = append(dst, s[:n]...)
		for i, c := range dst[from:] {
			if 'A' <= c && c <= 'Z' {
				dst[from+i] = c + 'a' - 'A'
			}
		}
		if s = s[n:]; s != "" {
			r, n := utf8.DecodeRuneInString(s)
			dst = appendRune(dst, r)
			s = s[n:]
		}
	}
	return dst
}

// letters has replacements for letters that Unicode does not decompose.
var letters = map[rune]string{'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe", 'ø': "o", 'Ø': "o", 'ł': "l", 'Ł': "l", 'đ': "d", 'Đ': "d", 'ı': "i", 'ς': "σ"}

func appendRune(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		return utf8.AppendRune(dst, unicode.ToLower(r))
	}
	if s, ok := letters[r]; ok {
		return append(dst, s...)
	}
	var one [utf8.UTFMax]byte
	apart := norm.NFKD.Properties(utf8.AppendRune(one[:0], r)).Decomposition()
	if apart == nil {
		return appendSeen(dst, r)
	}
	for len(apart) > 0 {
		r, n := utf8.DecodeRune(apart)
		dst = appendSeen(dst, r)
		apart = apart[n:]
	}
	return dst
}

func appendSeen(dst []byte, r rune) []byte {
	if accent(r) || unicode.Is(unicode.Cf, r) {
		return dst
	}
	return utf8.AppendRune(dst, unicode.ToLower(r))
}

// accent reports accents of Latin, Greek and Cyrillic, and points of Hebrew and Arabic.
func accent(r rune) bool {
	return 0x300 <= r && r <= 0x36f || 0x591 <= r && r <= 0x5c7 || 0x610 <= r && r <= 0x61a || 0x64b <= r && r <= 0x65f || r == 0x640
}
