package sse

import (
	"bytes"
	"strconv"
	"time"
)

// AppendEvent appends one whole event to dst: its id (left out when empty), its
// name, and data, which is JSON on one line. Line breaks in data would end the
// event early, so they are framed as further data lines, which a client joins
// again by LF. id and event are the gateway's own words and must not hold line
// breaks.
func AppendEvent(dst []byte, id, event string, data []byte) []byte {
	if id != "" {
		dst = append(dst, "id: "...)
		dst = append(dst, id...)
		dst = append(dst, '\n')
	}
	dst = append(dst, "event: "...)
	dst = append(dst, event...)
	dst = append(dst, "\ndata: "...)
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 {
		dst = append(dst, data...)
	} else {
		dst = appendLines(dst, data)
	}
	return append(dst, "\n\n"...)
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
