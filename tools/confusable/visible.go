package confusable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s with each code point that is not visible, or looks like another, as its
// number in angle brackets, such as ⟨U+202E⟩: control characters, direction overrides,
// characters without width, and all white space except spaces, tabs and line feeds. Bytes that
// are not UTF-8 become ⟨0xFF⟩.
func Visible(s string) string {
	if strings.IndexFunc(s, unseen) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "⟨0x%02X⟩", s[i])
		case unseen(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func unseen(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f, r == '\n', r == '\t':
		return false
	case r == brailleBlank:
		return true
	}
	return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.In(r, unicode.Z, unicode.Cf) || ignorable(r)
}
