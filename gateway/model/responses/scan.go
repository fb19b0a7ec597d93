package responses

import (
	"bytes"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// kind is the kind of a delta.
type kind uint8

const (
	kindNone kind = iota
	kindText
	kindRefusal
	kindThinking
	kindArguments // the finished item has the whole arguments again
)

// kindOf returns the kind of a type of events, or kindNone if these are not deltas.
func kindOf(event []byte) kind {
	switch string(event) {
	case "response.output_text.delta":
		return kindText
	case "response.refusal.delta":
		return kindRefusal
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return kindThinking
	case "response.function_call_arguments.delta":
		return kindArguments
	}
	return kindNone
}

// delta is a piece of the text of an item's part.
type delta struct {
	kind       kind
	text       []byte // valid until the line is overwritten or the scanner is used again
	item, part int
}

// scanner is a fast decoder for ordinary deltas, which are nearly all of a stream:
//
//	{"type":"response.output_text.delta","content_index":0,"delta":"...","item_id":"msg_1",
//	 "logprobs":[],"obfuscation":"x","output_index":0,"sequence_number":4}
//
// with the members in any order (it differs between servers, and has changed over time), white space
// anywhere, and nothing else. Everything else goes to encoding/json. The zero value is ready to use.
type scanner struct {
	b   []byte
	i   int
	buf []byte // a decoded text that is not a slice of the line

	// Common parts of an item's deltas: the bytes before the text, their meaning, and the quoted id.
	head, id []byte
	headSays delta
	headSeen member
}

// member marks members that may appear once. If one is repeated, encoding/json decodes the delta, and
// the last one counts.
type member uint8

const (
	memberType member = 1 << iota
	memberDelta
	memberItem
	memberPart
)

func (s *scanner) delta(b []byte) (d delta, ok bool) {
	s.b, s.i = b, 0
	if len(s.head) > 0 && bytes.HasPrefix(b, s.head) {
		d, s.i = s.headSays, len(s.head)
		d.text, s.i, ok = upstream.Text(b, s.i, &s.buf)
		return d, ok && s.rest(&d, s.headSeen)
	}
	return d, s.token('{') && s.members(&d, 0)
}

// rest scans the rest after a member.
func (s *scanner) rest(d *delta, seen member) bool {
	switch {
	case s.token(','):
		return s.members(d, seen)
	case s.token('}'):
		s.space()
		return s.i == len(s.b) && d.kind != kindNone && seen&memberDelta != 0
	}
	return false
}

// members scans members up to the end of the payload.
func (s *scanner) members(d *delta, seen member) bool {
	for {
		key, ok := s.plain()
		if !ok || !s.token(':') {
			return false
		}
		s.space()
		var m member
		switch string(key) {
		case "type":
			m = memberType
			event, is := s.plain()
			d.kind, ok = kindOf(event), is
		case "delta":
			if m = memberDelta; seen&m != 0 {
				return false
			}
			s.head, s.headSays, s.headSeen = append(s.head[:0], s.b[:s.i]...), *d, seen|m
			d.text, s.i, ok = upstream.Text(s.b, s.i, &s.buf)
		case "output_index":
			m = memberItem
			d.item, ok = s.number()
		case "content_index", "summary_index":
			m = memberPart
			d.part, ok = s.number()
		case "sequence_number":
			_, ok = s.number()
		case "item_id":
			ok = s.itemID()
		case "obfuscation":
			_, ok = s.plain()
		case "logprobs":
			ok = s.token('[') && s.token(']')
		default:
			ok = false
		}
		if !ok || seen&m != 0 {
			return false
		}
		seen |= m
		if !s.token(',') {
			return s.rest(d, seen)
		}
	}
}

// itemID scans the id of an item, which is mostly the previous one.
func (s *scanner) itemID() bool {
	if len(s.id) > 0 && bytes.HasPrefix(s.b[s.i:], s.id) {
		s.i += len(s.id)
		return true
	}
	from := s.i
	_, ok := s.plain()
	if s.id = s.id[:0]; ok {
		s.id = append(s.id, s.b[from:s.i]...)
	}
	return ok
}

// plain scans a string without escapes.
func (s *scanner) plain() ([]byte, bool) {
	s.space()
	from := s.i + 1
	end, escaped, _, ok := upstream.String(s.b, s.i)
	s.i = end
	if !ok || escaped {
		return nil, false
	}
	return s.b[from : end-1], true
}

// number scans a whole number without a sign, of at most nine digits.
func (s *scanner) number() (n int, ok bool) {
	from := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' && s.i < from+10 {
		n = n*10 + int(s.b[s.i]-'0')
		s.i++
	}
	return n, s.i == from+1 || s.i > from && s.i < from+10 && s.b[from] != '0'
}

// token skips white space and then c, if it is there.
func (s *scanner) token(c byte) bool {
	s.space()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

func (s *scanner) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\t' || s.b[s.i] == '\n' || s.b[s.i] == '\r') {
		s.i++
	}
}
