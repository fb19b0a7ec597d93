package anthropic

import (
	"bytes"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// scanner is a fast decoder for ordinary deltas, which are nearly all of a stream:
//
//	{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"..."}}
//
// and the same for thinking, with white space anywhere and nothing else. Everything else goes to
// encoding/json. The zero value is ready to use.
type scanner struct {
	b   []byte
	i   int
	buf []byte // a decoded text that is not a slice of the line

	// The bytes before the text of the last delta, since deltas of a block begin alike.
	head     []byte
	thinking bool // of head
	index    int  // of the block, in head
}

// delta returns the text of a delta, valid until b is overwritten or the next call.
func (s *scanner) delta(b []byte) (text []byte, thinking, ok bool) {
	s.b, s.i = b, len(s.head)
	if s.i == 0 || !bytes.HasPrefix(b, s.head) {
		s.i, s.head = 0, s.head[:0]
		if !s.before() {
			return nil, false, false
		}
		s.head = append(s.head, b[:s.i]...)
	}
	text, s.i, ok = upstream.Text(b, s.i, &s.buf)
	ok = ok && s.token("}") && s.token("}")
	s.space()
	return text, s.thinking, ok && s.i == len(b)
}

// before scans up to the text's opening quote.
func (s *scanner) before() bool {
	if !s.tokens("{", `"type"`, ":", `"content_block_delta"`, ",", `"index"`, ":") || !s.number() ||
		!s.tokens(",", `"delta"`, ":", "{", `"type"`, ":") {
		return false
	}
	s.thinking = !s.tokens(`"text_delta"`, ",", `"text"`)
	if s.thinking && !s.tokens(`"thinking_delta"`, ",", `"thinking"`) || !s.token(":") {
		return false
	}
	s.space()
	return true
}

// number scans the index, a whole number without a sign.
func (s *scanner) number() bool {
	s.space()
	from := s.i
	for s.index = 0; s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9'; s.i++ {
		s.index = 10*s.index + int(s.b[s.i]-'0')
	}
	return s.i == from+1 || s.i > from && s.b[from] != '0' && s.i < from+10
}

func (s *scanner) tokens(list ...string) bool {
	for _, t := range list {
		if !s.token(t) {
			return false
		}
	}
	return true
}

// token skips white space and then t, if it is there.
func (s *scanner) token(t string) bool {
	s.space()
	if len(s.b)-s.i >= len(t) && string(s.b[s.i:s.i+len(t)]) == t {
		s.i += len(t)
		return true
	}
	return false
}

func (s *scanner) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\t' || s.b[s.i] == '\n' || s.b[s.i] == '\r') {
		s.i++
	}
}
