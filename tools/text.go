package tools

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Placeholder is {name} in what an admin wrote: a place that an argument of that name fills.
var Placeholder = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_.-]*)\}`)

// Clip cuts s to at most n bytes, at the end of a code point. Nothing marks the cut: it is
// for results and whatever else has a limit in bytes.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Shorten cuts a text that somebody reads to at most n code points, of which the last is
// then "…".
func Shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Clean is a text of a model, tool or server as a person may be shown it: without control
// characters and what overrides the direction of the text. Line breaks and tabs stay, and
// so do the marks and joiners that honest texts need: of Hebrew, Arabic, Persian, emoji.
// What a person wrote is never cleaned.
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

// Visible is a text from outside for a terminal: what Clean leaves out stands there as an escape
// such as \u001b, and a carriage return that ends no line as \r. All else stays as it is.
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

// deceives says whether r makes a text look like another one: it moves the cursor, rings,
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

// Blank says whether s shows nothing: it is empty, or all of it is Invisible.
func Blank(s string) bool {
	for _, r := range s {
		if !Invisible(r) {
			return false
		}
	}
	return true
}

// Invisible says whether a code point shows nothing: white space, control and zero-width
// characters, and the empty braille pattern.
func Invisible(r rune) bool {
	if r > ' ' && r < 0x7f {
		return false
	}
	const brailleBlank = 0x2800
	return r == brailleBlank || unicode.IsSpace(r) ||
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
