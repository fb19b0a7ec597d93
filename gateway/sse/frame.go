package sse

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendEvent appends one whole event to dst: its id (left out if empty), its name, and data,
// which is JSON on one line. Line breaks in data would end the event early, so they are framed as
// further data lines, which a client joins again with LF. id and event are the gateway's own
// words and must not contain line breaks. Characters that only some clients take for a line break
// are escaped: see Escape.
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

// Escape replaces U+0085, U+2028 and U+2029 from an index of b on with JSON escapes, and returns
// the extended b. In the format, these do not end a line, but they do for clients that split a
// stream with Python's splitlines (httpx). b may have them only in JSON strings.
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

// lineEnd returns the index of the first of the characters that Escape escapes, or -1.
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

// EndsLine reports whether Escape escapes r.
func EndsLine(r rune) bool { return r == '\u0085' || r == '\u2028' || r == '\u2029' }

// AppendEscaped appends the JSON escape of a character up to U+FFFF.
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
			// The LF adds the line.
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

// appendRetry appends the time, in milliseconds as the format requires, after which a client that
// lost the stream should come back.
func appendRetry(dst []byte, d time.Duration) []byte {
	dst = append(dst, "retry: "...)
	dst = strconv.AppendInt(dst, max(0, d.Milliseconds()), 10)
	return append(dst, "\n\n"...)
}
