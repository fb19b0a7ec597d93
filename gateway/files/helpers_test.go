package files_test

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

var testTime = time.Date(2026, 2, 6, 10, 30, 0, 0, time.UTC)

// unchunked returns a body without the signatures that streams have around their chunks.
func unchunked(data []byte, kind string) []byte {
	if !strings.HasPrefix(kind, "STREAMING-") {
		return data
	}
	var out []byte
	for {
		head, rest, ok := bytes.Cut(data, []byte("\r\n"))
		size, _, _ := strings.Cut(string(head), ";")
		n, err := strconv.ParseInt(size, 16, 32)
		if !ok || err != nil || n == 0 || int(n) > len(rest) {
			return out
		}
		out, data = append(out, rest[:n]...), bytes.TrimPrefix(rest[n:], []byte("\r\n"))
	}
}
