package gemini

import (
	"bytes"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// scanner is a fast decoder for ordinary chunks, which are nearly all of a stream:
//
//	{"candidates":[{"content":{"parts":[{"text":"..."}],"role":"model"},"index":0}],"usageMetadata":{...},...}
//
// and the same for a thought, with white space anywhere. The rest after the part is not decoded, but
// searched for words with a further meaning. Chunks that have one, and all others, go to encoding/json.
// The zero value is ready to use.
type scanner struct {
	b   []byte
	i   int
	buf []byte // a decoded text that is not a slice of the line
}

// more lists words after the text of chunks that are not ordinary. A backslash could hide any of them.
var more = [][]byte{
	[]byte(`\`), []byte("finishReason"), []byte("thoughtSignature"), []byte(`"parts"`), []byte(`"content"`), []byte(`"candidates"`), []byte("blockReason"), []byte(`"error"`),
}

// chunk returns the text of a chunk, valid until b is overwritten or the next call.
func (s *scanner) chunk(b []byte) (text []byte, thought, ok bool) {
	s.b, s.i = b, 0
	if !s.tokens("{", `"candidates"`, ":", "[", "{", `"content"`, ":", "{", `"parts"`, ":", "[", "{", `"text"`, ":") {
		return nil, false, false
	}
	s.space()
	text, s.i, ok = upstream.Text(b, s.i, &s.buf)
	if !ok {
		return nil, false, false
	}
	if s.tokens(",") {
		if thought = s.tokens(`"thought"`, ":", "true"); !thought {
			return nil, false, false
		}
	}
	if !s.tokens("}", "]") {
		return nil, false, false
	}
	for _, word := range more {
		if bytes.Contains(b[s.i:], word) {
			return nil, false, false
		}
	}
	return text, thought, s.closes()
}

// closes reports whether the rest, which has no backslash, closes all open objects and arrays. If not,
// the line is cut, and its text must not be yielded.
func (s *scanner) closes() bool {
	open, quoted := 4, false // the chunk, its candidates, the first candidate, and its content
	for _, c := range s.b[s.i:] {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			open++
		case c == '}' || c == ']':
			open--
		}
	}
	return open == 0 && !quoted
}

func (s *scanner) tokens(list ...string) bool {
	for _, t := range list {
		s.space()
		if len(s.b)-s.i < len(t) || string(s.b[s.i:s.i+len(t)]) != t {
			return false
		}
		s.i += len(t)
	}
	return true
}

func (s *scanner) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\t' || s.b[s.i] == '\n' || s.b[s.i] == '\r') {
		s.i++
	}
}
