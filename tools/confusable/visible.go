package confusable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible is s with each code point that a screen does not show, or shows as another, written as
// its number between angle brackets, such as ⟨U+202E⟩: control characters, overrides of the
// text's direction, what has no width, and all white space but the space, tabs and line feeds.
// Bytes that are no UTF-8 are ⟨0xFF⟩.
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
