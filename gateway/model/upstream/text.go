package upstream

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Unescape appends the text of a JSON string to dst. Like encoding/json, it writes U+FFFD for a
// lone surrogate and for each byte that is not valid UTF-8. It returns false for an invalid escape.
func Unescape(dst, raw []byte) ([]byte, bool) {
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c == '\\':
			if i+1 >= len(raw) {
				return dst, false
			}
			if raw[i+1] == 'u' {
				r, ok := hex4(raw[i:])
				if !ok {
					return dst, false
				}
				i += 6
				if utf16.IsSurrogate(r) {
					low, _ := hex4(raw[i:])
					if r = utf16.DecodeRune(r, low); r != unicode.ReplacementChar {
						i += 6
					}
				}
				dst = utf8.AppendRune(dst, r)
				continue
			}
			plain := short[raw[i+1]]
			if plain == 0 {
				return dst, false
			}
			dst = append(dst, plain)
			i += 2
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, size := utf8.DecodeRune(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
		}
	}
	return dst, true
}

// special marks the bytes that end a string, or that need a closer look.
var special = func() (t [256]bool) {
	for c := range t {
		t[c] = c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf
	}
	return t
}()

// String scans the JSON string that begins at b[i]. Its text is b[i+1:end-1]. escaped reports that
// it has escapes, which are not checked, and high that it has bytes outside of ASCII.
func String(b []byte, i int) (end int, escaped, high, ok bool) {
	if i >= len(b) || b[i] != '"' {
		return i, false, false, false
	}
	for i++; i < len(b); i++ {
		c := b[i]
		if !special[c] {
			continue
		}
		switch {
		case c == '"':
			return i + 1, escaped, high, true
		case c == '\\':
			escaped = true
			i++
		case c >= utf8.RuneSelf:
			high = true
		default:
			return i, false, false, false // a control character
		}
	}
	return i, false, false, false
}

// Text decodes the JSON string that begins at b[i] to UTF-8. text is a slice of b if possible, or
// else of *buf. end is the index after the closing quote.
func Text(b []byte, i int, buf *[]byte) (text []byte, end int, ok bool) {
	end, escaped, high, ok := String(b, i)
	if !ok {
		return nil, i, false
	}
	raw := b[i+1 : end-1]
	if !escaped && (!high || utf8.Valid(raw)) {
		return raw, end, true
	}
	*buf, ok = Unescape((*buf)[:0], raw)
	return *buf, end, ok
}

// short has the characters of one-letter escapes; 0 means that there is no such escape.
var short = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// hex4 reads \uXXXX at the start of b.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
