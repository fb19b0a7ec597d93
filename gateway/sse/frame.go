package sse

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendEvent appends one whole event to dst: its id (left out when empty), its
// name, and data, which is JSON on one line. Line breaks in data would end the
// event early, so they are framed as further data lines, which a client joins
// again by LF. id and event are the gateway's own words and must not hold line
// breaks. What only some clients take for a line break is escaped: see Escape.
func AppendEvent(dst []byte, id, event string, data []byte) []byte {
	if id != "" {
		dst = append(dst, "id: "...)
		dst = append(dst, id...)
		dst = append(dst, '\n')
	}
	dst = append(dst, "event: "...)
	dst = append(dst, event...)
	dst = append(dst, "\ndata: "...)
	from := len(dst)
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 {
		dst = append(dst, data...)
	} else {
		dst = appendLines(dst, data)
	}
	return append(Escape(dst, from), "\n\n"...)
}

// Escape writes U+0085, U+2028 and U+2029 from an index of b on as escapes of JSON, and returns
// the extended b. In the format they end no line, but for clients that split a stream by
// Python's splitlines they do (httpx). b must have them in strings of JSON alone.
func Escape(b []byte, from int) []byte {
	i := from + lineEnd(b[from:])
	if i < from {
		return b
	}
	rest := bytes.Clone(b[i:])
	for b = b[:i]; ; rest = rest[i:] {
		if i = lineEnd(rest); i < 0 {
			return append(b, rest...)
		}
		b = append(b, rest[:i]...)
		r, n := utf8.DecodeRune(rest[i:])
		b = AppendEscaped(b, r)
		i += n
	}
}

// lineEnd is the index of the first of the characters that Escape escapes, -1 where there is none.
func lineEnd(b []byte) int {
	for i, c := range b {
		if c != 0xC2 && c != 0xE2 {
			continue
		}
		if r, _ := utf8.DecodeRune(b[i:]); EndsLine(r) {
			return i
		}
	}
	return -1
}

// EndsLine says that Escape escapes r.
func EndsLine(r rune) bool { return r == '\u0085' || r == '\u2028' || r == '\u2029' }

// AppendEscaped appends the escape of a character up to U+FFFF as JSON has it.
func AppendEscaped(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// appendLines appends data with each line break (LF, CRLF or CR) turned into the
// start of a further data line.
func appendLines(dst, data []byte) []byte {
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '\r' && i+1 < len(data) && data[i+1] == '\n':
			// The LF does it.
		case c == '\n' || c == '\r':
			dst = append(dst, "\ndata: "...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// appendComment appends a comment, which clients ignore. Line breaks in text
// become spaces.
func appendComment(dst []byte, text string) []byte {
	dst = append(dst, ": "...)
	for i := range len(text) {
		c := text[i]
		if c == '\n' || c == '\r' {
			c = ' '
		}
		dst = append(dst, c)
	}
	return append(dst, "\n\n"...)
}

// appendRetry appends the time after which a client that lost the stream comes
// back, in milliseconds as the format has it.
func appendRetry(dst []byte, d time.Duration) []byte {
	dst = append(dst, "retry: "...)
	dst = strconv.AppendInt(dst, max(0, d.Milliseconds()), 10)
	return append(dst, "\n\n"...)
}
