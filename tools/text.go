package tools

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Placeholder matches {name} in a text by an admin, which the argument of that name replaces.
var Placeholder = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_.-]*)\}`)

// Clip cuts s to at most n bytes, at the end of a code point, without marking the cut. Use it
// for results and other texts with a limit in bytes.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Shorten cuts a text for people to at most n code points. The last one of a cut text is "…".
func Shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Clean returns a text of a model, tool or server in a form that is safe to show: without
// control characters and direction overrides. Line breaks and tabs stay, as do the marks and
// joiners that ordinary texts need: Hebrew, Arabic, Persian, emoji. Texts by people are never
// cleaned.
func Clean(s string) string {
	if strings.IndexFunc(s, deceives) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if deceives(r) {
			return -1
		}
		return r
	}, s)
}

// Visible returns an untrusted text for a terminal. Characters that Clean removes become
// escapes such as \u001b, and a carriage return that does not end a line becomes \r. All else
// is unchanged.
func Visible(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\r' && !strings.HasPrefix(s[i:], "\r\n"):
			b.WriteString(`\r`)
		case deceives(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// deceives reports whether r can make a text look like another one: it is a control character,
// or begins or ends an embedding, override or isolate.
func deceives(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return false
	case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		return true
	}
	return unicode.IsControl(r)
}

// Blank reports whether s is empty or has only Invisible characters.
func Blank(s string) bool {
	for _, r := range s {
		if !Invisible(r) {
			return false
		}
	}
	return true
}

// Invisible reports whether a code point is invisible: white space, control and zero-width
// characters, and the blank braille pattern.
func Invisible(r rune) bool {
	if r > ' ' && r < 0x7f {
		return false
	}
	const brailleBlank = 0x2800
	return r == brailleBlank || unicode.IsSpace(r) ||
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
