package pattern

import "unicode/utf16"

// toUnits converts text to UTF-16 units, one per rune, as a browser without the u flag reads it.
func toUnits(text string) []rune {
	out := make([]rune, 0, len(text))
	for _, r := range text {
		if r > 0xFFFF {
			hi, lo := utf16.EncodeRune(r)
			out = append(out, hi, lo)
			continue
		}
		out = append(out, r)
	}
	return out
}

// unitsToText joins surrogate pairs. A lone surrogate becomes U+FFFD.
func unitsToText(units []rune) string {
	out := make([]rune, 0, len(units))
	for i := 0; i < len(units); i++ {
		if i+1 < len(units) && isHigh(units[i]) && isLow(units[i+1]) {
			out = append(out, utf16.DecodeRune(units[i], units[i+1]))
			i++
			continue
		}
		out = append(out, units[i])
	}
	return string(out)
}

func isHigh(r rune) bool { return r >= 0xD800 && r <= 0xDBFF }
func isLow(r rune) bool  { return r >= 0xDC00 && r <= 0xDFFF }

// position returns the position of units[at] in code points, from 1.
func position(units []rune, at int) int {
	n := 1
	for i := 0; i < at && i < len(units); i++ {
		if i > 0 && isLow(units[i]) && isHigh(units[i-1]) {
			continue
		}
		n++
	}
	return n
}
