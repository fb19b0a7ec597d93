package arguments

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Equal reports whether two canonical arguments are the same: members in any order, lists in
// the same order, texts with the same characters, and numbers with the same exact decimal
// value (1.0 is 1e0, but 9007199254740993 is not 9007199254740992).
func Equal(a, b string) bool { return a == b || Key(a) == Key(b) }

// Key returns a text that is the same for canonical arguments that are Equal, and differs for
// all others: members sorted by name, each text and number in one spelling. It is JSON, but
// only for comparing: its numbers are not spelled as the model wrote them.
//
// Numbers with an exponent of more than 18 digits are compared as text, so that the time stays
// linear.
func Key(canonical string) string {
	d := jsontext.NewDecoder(strings.NewReader(canonical))
	return string(appendKey(nil, d))
}

// appendKey reads one value. Canonical JSON has no errors; an unreadable value becomes null.
func appendKey(b []byte, d *jsontext.Decoder) []byte {
	token, err := d.ReadToken()
	if err != nil {
		return append(b, "null"...)
	}
	switch token.Kind() {
	case jsontext.KindString:
		return appendText(b, token.String())
	case jsontext.KindNumber:
		return append(b, decimal(token.String())...)
	case jsontext.KindBeginArray:
		b = append(b, '[')
		for n := 0; more(d); n++ {
			if n > 0 {
				b = append(b, ',')
			}
			b = appendKey(b, d)
		}
		_, _ = d.ReadToken()
		return append(b, ']')
	case jsontext.KindBeginObject:
		type member struct {
			name  string
			value []byte
		}
		var members []member
		for more(d) {
			name, err := d.ReadToken()
			if err != nil {
				break
			}
			text := name.String()
			members = append(members, member{text, appendKey(nil, d)})
		}
		_, _ = d.ReadToken()
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
		b = append(b, '{')
		for n, m := range members {
			if n > 0 {
				b = append(b, ',')
			}
			b = append(append(appendText(b, m.name), ':'), m.value...)
		}
		return append(b, '}')
	}
	return append(b, token.String()...)
}

// more reports whether the current array or object has more values.
func more(d *jsontext.Decoder) bool {
	kind := d.PeekKind()
	return kind != jsontext.KindInvalid && kind != jsontext.KindEndArray && kind != jsontext.KindEndObject
}

func appendText(b []byte, text string) []byte {
	quoted, _ := jsontext.AppendQuote(b, text) // only invalid UTF-8 fails, and it is replaced
	return quoted
}

// decimal returns a JSON number in one spelling: its digits without leading and trailing
// zeros, and the power of ten of the last digit.
func decimal(number string) string {
	sign, rest := "", number
	if rest[0] == '-' {
		sign, rest = "-", rest[1:]
	}
	mantissa, power := rest, ""
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		mantissa, power = rest[:i], rest[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	exponent := int64(0)
	if power != "" {
		const most = 18 // digits that an int64 can hold, with room for the length of the fraction
		short := strings.TrimLeft(strings.TrimLeft(power, "+-"), "0")
		if len(short) > most {
			return number
		}
		exponent, _ = strconv.ParseInt("0"+short, 10, 64)
		if power[0] == '-' {
			exponent = -exponent
		}
	}
	significant := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(significant) - len(fraction))
	return sign + significant + "e" + strconv.FormatInt(exponent, 10)
}
