package gemini

import (
	"bytes"
	"encoding/json"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// scanner is the fast decoder of ordinary chunks, nearly all of a stream:
//
//	{"candidates":[{"content":{"parts":[{"text":"..."}],"role":"model"},"index":0}],"usageMetadata":{...},...}
//
// and the same of a thought, with white space anywhere. What follows the part is not read, only
// looked through for words that say more than the text does: such chunks, and all others, go to
// encoding/json. The zero value is ready.
type scanner struct {
	b   []byte
	i   int
	buf []byte // a decoded text, where a slice of the line will not do
}

// more are words behind the text of chunks that are not ordinary. Letters after the first may be
// escaped, or large, so that a reader of the whole finds the member nevertheless: see chunk.
var more = [][]byte{
	[]byte(`\`), []byte("finish"), []byte("ignature"), []byte("arts"), []byte("ontent\""), []byte("andidates\""), []byte("lock"), []byte("rror"),
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
	return text, thought, json.Valid(b)
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
