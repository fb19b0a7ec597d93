package gemini

import (
	"bytes"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// scanner is the fast decoder of ordinary chunks, nearly all of a stream:
//
//	{"candidates":[{"content":{"parts":[{"text":"..."}],"role":"model"},"index":0}],"usageMetadata":{...},...}
//
// and the same of a thought, with white space anywhere. What follows the part is not decoded, only
// looked through for words that say more than the text does: such chunks, and all others, go to
// encoding/json. The zero value is ready.
type scanner struct {
	b   []byte
	i   int
	buf []byte // a decoded text, where a slice of the line will not do
}

// more are words behind the text of chunks that are not ordinary; behind a backslash, any may stand.
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

// closes says whether the rest, which has no backslash, closes all that is open and ends there: of
// a line that is cut, nothing is handed on.
func (s *scanner) closes() bool {
	open, quoted := 4, false // the chunk, its candidates, the first of them, and its content
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
