package askuser

import (
	"math"
	"strconv"
	"strings"

	"github.com/askgate/askgate/tools"
)

// Numbers as people write them: no hexadecimal, no infinity. A group never starts with a
// zero, so 0,125 is not ambiguous.
var (
	plainNumber  = tools.Late(`^([+-]?)0*(\d*)(\.\d+)?([eE][+-]?\d{1,4})?$`)
	groupedComma = tools.Late(`^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$`)
	groupedDot   = tools.Late(`^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$`)
	groupedSpace = tools.Late(`^[+-]?[1-9]\d{0,2}([ \x{A0}\x{2009}\x{202F}]\d{3})+([.,]\d+)?$`)
	commaDecimal = tools.Late(`^[+-]?\d*,\d+$`)
)

// longestDigits is the maximum length of a number whose digits are kept as typed.
const longestDigits = 64

// numeral reads a finite decimal number. literal is the same number in JSON, with the
// digits as typed, so that long ones are not rounded to a float64.
func numeral(s string) (literal string, n float64, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 1<<10 {
		return "", 0, false
	}
	m := plainNumber().FindStringSubmatch(s)
	if m == nil || !strings.ContainsAny(s, "0123456789") {
		return "", 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(n, 0) {
		return "", 0, false
	}
	sign, whole, fraction, exponent := m[1], m[2], m[3], m[4]
	if n == 0 {
		return "0", 0, true
	}
	switch {
	case exponent != "" || len(s) > longestDigits:
		return shortest(n), n, true
	case whole == "":
		whole = "0"
	}
	if strings.Trim(fraction, ".0") == "" {
		fraction = ""
	}
	return strings.TrimPrefix(sign, "+") + whole + fraction, n, true
}

// shortest formats n as JavaScript does: plain digits from 1e-6 to 1e21.
func shortest(n float64) string {
	if a := math.Abs(n); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

// readNumber reads a number in a message. A comma separates groups in English and is the
// decimal mark in other languages. ok is false for what could be either, such as "1,500"
// and "1.500" in German.
func readNumber(s, language string) (literal string, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) > 1<<10 {
		return "", false
	}
	s = strings.Replace(s, "\u2212", "-", 1) // the typographic minus sign
	if groupedSpace().MatchString(s) {
		s = strings.NewReplacer(" ", "", "\u00a0", "", "\u2009", "", "\u202f", "").Replace(s)
	}
	dots, commas := strings.Count(s, "."), strings.Count(s, ",")
	english := baseLanguage(language) == "en"
	switch {
	case groupedComma().MatchString(s) && (english || commas > 1 || dots > 0):
		s = strings.ReplaceAll(s, ",", "")
	case groupedComma().MatchString(s):
		return "", false
	case !english && groupedDot().MatchString(s) && (dots > 1 || commas > 0):
		s = strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1)
	case !english && groupedDot().MatchString(s):
		return "", false
	case !english && commaDecimal().MatchString(s):
		s = strings.Replace(s, ",", ".", 1)
	}
	literal, _, ok = numeral(s)
	return literal, ok
}

// baseLanguage returns the language of a BCP 47 tag; English if it is empty.
func baseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	if base == "" {
		return "en"
	}
	return base
}
