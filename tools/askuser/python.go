package askuser

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
)

// python reads a Python literal, as models write it: "['red', 'green']". It is strict. It
// accepts lists, tuples and dicts, strings in single or double quotes with Python's escapes
// (except \N), numbers as in JSON, True, False, None, and true, false and null. For anything
// else ok is false, and the caller refuses the text instead of guessing. The grammar is from
// the Python Language Reference, "Literals" and "Displays for lists".
func python(text string) (v any, ok bool) {
	if len(text) > maxArguments {
		return nil, false
	}
	p := literal{left: text}
	v, ok = p.value(maxDepth)
	return v, ok && p.begins() == 0
}

// literal is the text that is not yet read.
type literal struct{ left string }

// begins skips white space and returns the next byte, 0 at the end.
func (p *literal) begins() byte {
	if p.left = strings.TrimLeft(p.left, " \t\r\n"); p.left == "" {
		return 0
	}
	return p.left[0]
}

// skip consumes mark if it is the next byte after white space.
func (p *literal) skip(mark byte) bool {
	if p.begins() != mark {
		return false
	}
	p.left = p.left[1:]
	return true
}

func (p *literal) value(depth int) (v any, ok bool) {
	switch c := p.begins(); {
	case depth == 0:
		return nil, false
	case p.skip('['):
		list, _, ok := p.list(']', depth-1)
		return list, ok
	case p.skip('('):
		list, commas, ok := p.list(')', depth-1)
		return list, ok && (commas > 0 || len(list) == 0) // ('a') is a text
	case p.skip('{'):
		return p.dict(depth - 1)
	case c == '\'' || c == '"':
		return p.text(c)
	}
	end := strings.IndexAny(p.left+",", ",:)]} \t\r\n")
	word := p.left[:end]
	p.left = p.left[end:]
	switch word {
	case "True", "true":
		return true, true
	case "False", "false":
		return false, true
	case "None", "null":
		return nil, true
	}
	_, err := strconv.ParseFloat(word, 64)
	return json.Number(word), err == nil && json.Valid([]byte(word))
}

func (p *literal) list(end byte, depth int) (list []any, commas int, ok bool) {
	list = []any{}
	for !p.skip(end) {
		v, ok := p.value(depth)
		if !ok {
			return nil, 0, false
		}
		list = append(list, v)
		if p.skip(',') {
			commas++
		} else if p.begins() != end {
			return nil, 0, false
		}
	}
	return list, commas, true
}

func (p *literal) dict(depth int) (v any, ok bool) {
	o := &object{values: map[string]any{}}
	for !p.skip('}') {
		quote := p.begins()
		if quote != '\'' && quote != '"' {
			return nil, false
		}
		key, ok := p.text(quote)
		if _, twice := o.values[key]; !ok || twice || !p.skip(':') {
			return nil, false
		}
		if o.values[key], ok = p.value(depth); !ok {
			return nil, false
		}
		o.keys = append(o.keys, key)
		if !p.skip(',') && p.begins() != '}' {
			return nil, false
		}
	}
	return o, true
}

// escapes has the escapes of one character.
var escapes = map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// codes has the number of hexadecimal digits of the other escapes.
var codes = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// text reads a string. The next byte is its opening quote.
func (p *literal) text(quote byte) (s string, ok bool) {
	var b strings.Builder
	for p.left = p.left[1:]; p.left != ""; {
		c := p.left[0]
		p.left = p.left[1:]
		switch {
		case c == quote:
			return b.String(), true
		case c == '\n' || c == '\r':
			return "", false
		case c != '\\':
			b.WriteByte(c)
		case p.left == "":
			return "", false
		case escapes[p.left[0]] != 0:
			b.WriteByte(escapes[p.left[0]])
			p.left = p.left[1:]
		default:
			r := p.code()
			if utf16.IsSurrogate(r) && strings.HasPrefix(p.left, `\u`) { // as JSON writes it
				p.left = p.left[1:]
				r = utf16.DecodeRune(r, p.code())
			}
			if r <= 0 || r == '\uFFFD' || utf16.IsSurrogate(r) || r > '\U0010FFFF' {
				return "", false
			}
			b.WriteRune(r)
		}
	}
	return "", false
}

// code reads a numeric escape after its backslash; 0 if it is not one.
func (p *literal) code() rune {
	if p.left == "" {
		return 0
	}
	n := codes[p.left[0]]
	if n == 0 || len(p.left) <= n {
		return 0
	}
	code, err := strconv.ParseUint(p.left[1:1+n], 16, 31)
	if err != nil {
		return 0
	}
	p.left = p.left[1+n:]
	return rune(code)
}
