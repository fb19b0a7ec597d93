package arguments

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The kinds of repairs, returned by Repair and counted in metrics.
const (
	RepairEmptyObject    = "empty_object"    // {} before or after the real arguments
	RepairNestedJSON     = "nested_json"     // the object in a JSON string
	RepairRawControl     = "raw_control"     // an unescaped line break or tab in a text
	RepairRepeatedObject = "repeated_object" // the same object several times
	RepairSpecialToken   = "special_token"   // one of specialTokens, at the end
	RepairUnknownEscape  = "unknown_escape"  // a backslash that does not begin a JSON escape
)

// RepairKinds has all kinds of repairs, in alphabetical order.
var RepairKinds = []string{
	RepairEmptyObject, RepairNestedJSON, RepairRawControl, RepairRepeatedObject, RepairSpecialToken, RepairUnknownEscape,
}

const (
	jsonSpace = " \t\r\n"
	maxValues = 8 // consecutive objects; servers have sent three (codex-lb#284, 31 March 2026)
	maxNested = 3 // JSON strings inside JSON strings
)

// Repair is like Canonical, but also repairs the known ways in which model servers corrupt
// arguments. It returns the canonical form of the intended arguments and the kinds of repairs,
// sorted and without duplicates. Arguments with a canonical form are not changed. Repair never
// guesses: it does not join or choose between two different objects, complete truncated
// arguments, or accept a text with both an unknown escape and one of \b, \f, \n, \r and \t,
// since C:\temp\data has two readings. The error is that of Canonical. Time and memory are
// linear in the size of sent.
func Repair(sent string) (canonical string, kinds []string, err error) {
	canonical, err = Canonical(sent)
	if err == nil || len(sent) > maxArguments || !utf8.ValidString(sent) {
		return canonical, nil, err
	}
	var r repairer
	canonical, ok := r.repair(sent)
	if !ok || r.unknown && r.control {
		return "", nil, err
	}
	slices.Sort(r.kinds)
	return canonical, r.kinds, nil
}

// repairer collects the repairs at all levels of nested strings.
type repairer struct {
	kinds            []string
	unknown, control bool // seen: unknown escapes; escapes of control characters
}

func (r *repairer) repaired(kind string) {
	if !slices.Contains(r.kinds, kind) {
		r.kinds = append(r.kinds, kind)
	}
}

func (r *repairer) repair(text string) (canonical string, ok bool) {
	for range maxNested + 1 {
		rest, found := withoutTokens(text)
		if found {
			r.repaired(RepairSpecialToken)
		}
		values, ok := r.values(rest)
		if !ok {
			return "", false
		}
		if len(values) != 1 || values[0][0] != '"' {
			return r.one(values)
		}
		inner, err := jsontext.AppendUnquote(nil, values[0])
		if err != nil {
			return "", false
		}
		r.repaired(RepairNestedJSON)
		text = strings.TrimSpace(string(inner))
	}
	return "", false
}

// one returns the object that all values are equal to, ignoring empty ones.
func (r *repairer) one(values []string) (canonical string, ok bool) {
	empty := 0
	for _, v := range values {
		c, err := Canonical(v)
		switch {
		case err != nil:
			return "", false
		case c == "{}":
			empty++
		case canonical == "":
			canonical = c
		case !Equal(c, canonical):
			return "", false
		default:
			r.repaired(RepairRepeatedObject)
		}
	}
	switch {
	case canonical != "" && empty > 0:
		r.repaired(RepairEmptyObject)
	case canonical == "" && empty > 1:
		r.repaired(RepairRepeatedObject)
	}
	if canonical == "" && empty > 0 {
		canonical = "{}"
	}
	return canonical, canonical != ""
}

// values splits text into consecutive objects, lists and strings, and repairs their strings.
// ok is false if there is anything else between them, the last one is truncated, or there are
// too many. Canonical checks the syntax of each.
func (r *repairer) values(text string) (list []string, ok bool) {
	b := make([]byte, 0, len(text)+len(text)/8)
	depth, begun := 0, 0
	for len(text) > 0 {
		c := text[0]
		n := 1
		switch c {
		case '"':
			if b, n = r.text(b, text); n == 0 {
				return nil, false
			}
		case '{', '[':
			depth++
			b = append(b, c)
		case '}', ']':
			depth--
			b = append(b, c)
		default:
			space := strings.IndexByte(jsonSpace, c) >= 0
			if depth == 0 && !space {
				return nil, false
			}
			if depth > 0 {
				b = append(b, c)
			}
		}
		text = text[n:]
		if depth < 0 || len(list) == maxValues && len(b) > begun {
			return nil, false
		}
		if depth == 0 && len(b) > begun {
			list, begun = append(list, string(b[begun:])), len(b)
		}
	}
	return list, depth == 0
}

// text appends the repaired JSON string at the start of s and returns its length in s, 0 if it
// cannot be read.
func (r *repairer) text(b []byte, s string) (_ []byte, n int) {
	b = append(b, '"')
	for i := 1; i < len(s); i++ {
		c := s[i]
		b = append(b, c)
		if escape := strings.IndexByte("\n\r\t", c); escape >= 0 {
			b = append(b[:len(b)-1], '\\', "nrt"[escape])
			r.repaired(RepairRawControl)
		}
		switch {
		case c == '"':
			return b, i + 1
		case c != '\\':
			continue
		}
		if i++; i == len(s) {
			break
		}
		switch c = s[i]; {
		case strings.IndexByte("bfnrt", c) >= 0:
			r.control = true
		case strings.IndexByte(`"\/u`, c) >= 0: // Canonical checks that \u is complete
		case c < ' ' || c >= utf8.RuneSelf:
			// A backslash before a control character may be a line continuation, and one before a
			// non-ASCII letter the remains of \uXXXX (claude-code#79339, 20 July 2026).
			return b, 0
		default:
			r.unknown = true
			r.repaired(RepairUnknownEscape)
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return b, 0
}
