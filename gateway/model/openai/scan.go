package openai

import (
	"bytes"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// scanner is a fast decoder for ordinary chunks: one choice whose delta has text or reasoning, and
// nothing else that matters. It validates the whole JSON. The zero value is ready to use.
type scanner struct {
	b []byte
	i int

	text, thinking []byte
	at, until      int   // position in b of the last of the two, without quotes
	filled         int   // how many of the two are not empty
	under          field // the name of the last reasoning
	has            field // kinds of text in all chunks so far, even if empty
	seen           field // keys of this chunk that must not be repeated
	end            int   // the closing quote of the last decoded string

	buf [2][]byte // decoded text and reasoning that are not slices of b

	// The bytes before and after the text of the last chunk that had one.
	head, tail []byte
	headOf     field
}

type field uint8

const (
	fieldChoices field = 1 << iota
	fieldDelta
	fieldContent
	fieldReasoningContent
	fieldReasoning
)

// maxDepth is how deeply skipped values may be nested.
const maxDepth = 16

// chunk returns the text and the reasoning of a chunk. They are valid until the line is overwritten or
// the next call. ok is false if the chunk is not ordinary; then encoding/json decides.
func (s *scanner) chunk(line []byte) (text, thinking []byte, ok bool) {
	s.b, s.text, s.thinking = line, nil, nil
	if len(s.head) > 0 && bytes.HasPrefix(line, s.head) {
		s.i = len(s.head) - 1 // at the quote
		if v, ok := s.decoded(s.headOf); ok && bytes.Equal(line[s.end:], s.tail) {
			if s.headOf == fieldContent {
				return v, nil, true
			}
			s.under = s.headOf
			return nil, v, true
		}
	}
	s.i, s.seen, s.filled, s.head = 0, 0, 0, s.head[:0]
	if !s.object(levelChunk) {
		return nil, nil, false
	}
	s.space()
	if s.i != len(s.b) {
		return nil, nil, false
	}
	if s.filled == 1 {
		s.head, s.tail = append(s.head, line[:s.at]...), append(s.tail[:0], line[s.until:]...)
		s.headOf = fieldContent
		if len(s.text) == 0 {
			s.headOf = s.under
		}
	}
	return s.text, s.thinking, true
}

// level is the kind of the object that is being read.
type level uint8

const (
	levelChunk level = iota
	levelChoice
	levelDelta
	levelOther
)

// object scans an object, and handles the members that matter at its level.
func (s *scanner) object(l level) bool { return s.nested(l, 0) }

func (s *scanner) nested(l level, depth int) bool {
	if depth > maxDepth || !s.byte('{') {
		return false
	}
	if s.byte('}') {
		return true
	}
	for {
		s.space()
		key, ok := s.key()
		if !ok || !s.byte(':') {
			return false
		}
		s.space()
		switch l {
		case levelChunk:
			ok = s.chunkMember(key)
		case levelChoice:
			ok = s.choiceMember(key)
		case levelDelta:
			ok = s.deltaMember(key)
		case levelOther:
			ok = s.skip(depth + 1)
		}
		if !ok {
			return false
		}
		if s.byte('}') {
			return true
		}
		if !s.byte(',') {
			return false
		}
	}
}

func (s *scanner) chunkMember(key []byte) bool {
	switch string(key) {
	case "choices":
		if !s.once(fieldChoices) || !s.byte('[') {
			return false
		}
		return s.byte(']') || s.object(levelChoice) && s.byte(']')
	case "error", "usage", "base_resp":
		return s.literal("null")
	case "x_groq": // one chunk has the usage there
		return false
	case "object":
		from := s.i
		return s.skip(0) && string(s.b[from:s.i]) != `"error"`
	case "id", "created", "model", "system_fingerprint", "service_tier", "provider", "obfuscation":
		return s.skip(0)
	}
	return !matters(key) && s.skip(0)
}

func (s *scanner) choiceMember(key []byte) bool {
	switch string(key) {
	case "delta":
		return s.once(fieldDelta) && s.object(levelDelta)
	case "finish_reason":
		return s.literal("null") || s.literal(`""`)
	case "index":
		return s.literal("0") && (s.peek() == ',' || s.peek() == '}')
	case "message", "usage":
		return s.literal("null")
	case "logprobs", "native_finish_reason", "stop_reason", "token_ids":
		return s.skip(0)
	}
	return !matters(key) && s.skip(0)
}

func (s *scanner) deltaMember(key []byte) bool {
	switch string(key) {
	case "content":
		return s.piece(fieldContent, &s.text)
	case nameReasoningContent:
		return s.piece(fieldReasoningContent, &s.thinking)
	case nameReasoning:
		// Servers that send both send the same text twice. encoding/json's decoder chooses one.
		return s.seen&fieldReasoningContent == 0 && s.piece(fieldReasoning, &s.thinking)
	case "tool_calls":
		return s.literal("null") || s.byte('[') && s.byte(']')
	case nameDetails, nameBlocks:
		return s.literal("null") || s.byte('[') && s.byte(']')
	case nameSpecific, nameExtra:
		return s.literal("null") || s.byte('{') && s.byte('}')
	case "function_call", "refusal", "thinking":
		return s.literal("null")
	case "role":
		return s.skip(0)
	}
	return !matters(key) && s.skip(0)
}

// piece decodes a string or null into *to.
func (s *scanner) piece(f field, to *[]byte) bool {
	if f == fieldReasoningContent && s.seen&fieldReasoning != 0 || !s.once(f) {
		return false
	}
	if s.literal("null") {
		return true
	}
	at := s.i + 1
	v, ok := s.decoded(f)
	s.has |= f
	if ok && len(v) > 0 {
		*to, s.at, s.until = v, at, s.end
		s.filled++
		if f != fieldContent {
			s.under = f
		}
	}
	return ok
}

// once reports whether a key appears for the first time. encoding/json would merge or overwrite the
// values of a repeated one.
func (s *scanner) once(f field) bool {
	first := s.seen&f == 0
	s.seen |= f
	return first
}

// matters reports whether encoding/json might read an unknown key as a known one, since it ignores case
// and resolves escapes.
func matters(key []byte) bool {
	for _, c := range key {
		if c == '\\' || c >= utf8.RuneSelf {
			return true
		}
	}
	for _, known := range [...]string{
		"choices", "error", "usage", "object", "delta", "finish_reason", "index", "message", "content",
		nameReasoningContent, nameReasoning, "tool_calls", "function_call", "refusal", "thinking",
		nameDetails, nameBlocks, nameSpecific, nameExtra, "base_resp", "x_groq",
	} {
		if len(key) == len(known) && bytes.EqualFold(key, []byte(known)) {
			return true
		}
	}
	return false
}

// decoded decodes the string at i to UTF-8, as a slice of the line if possible. It sets end to the
// closing quote.
func (s *scanner) decoded(f field) ([]byte, bool) {
	buf := &s.buf[0]
	if f != fieldContent {
		buf = &s.buf[1]
	}
	text, end, ok := upstream.Text(s.b, s.i, buf)
	s.i, s.end = end, end-1
	return text, ok
}

// key scans a member's name. It refuses names with escapes.
func (s *scanner) key() ([]byte, bool) {
	from := s.i + 1
	escaped, ok := s.str()
	if !ok || escaped {
		return nil, false
	}
	return s.b[from : s.i-1], true
}

// str scans a string, without checking its escapes.
func (s *scanner) str() (escaped, ok bool) {
	s.i, escaped, _, ok = upstream.String(s.b, s.i)
	return escaped, ok
}

// skip scans any value.
func (s *scanner) skip(depth int) bool {
	switch c := s.peek(); {
	case c == '"':
		from := s.i + 1
		escaped, ok := s.str()
		if ok && escaped { // checks the escapes
			s.buf[1], ok = upstream.Unescape(s.buf[1][:0], s.b[from:s.i-1])
			ok = ok && len(s.thinking) == 0 // it may have been in that buffer
		}
		return ok
	case c == '{':
		return s.nested(levelOther, depth)
	case c == '[':
		return s.array(depth)
	case c == 'n':
		return s.literal("null")
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	default:
		return s.number()
	}
}

func (s *scanner) array(depth int) bool {
	if depth > maxDepth || !s.byte('[') {
		return false
	}
	if s.byte(']') {
		return true
	}
	for {
		s.space()
		if !s.skip(depth + 1) {
			return false
		}
		if s.byte(']') {
			return true
		}
		if !s.byte(',') {
			return false
		}
	}
}

// number scans a number in the grammar of RFC 8259.
func (s *scanner) number() bool {
	if s.peek() == '-' {
		s.i++
	}
	if s.peek() == '0' {
		s.i++
	} else if !s.digits() {
		return false
	}
	if s.peek() == '.' {
		s.i++
		if !s.digits() {
			return false
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.i++
		if c := s.peek(); c == '+' || c == '-' {
			s.i++
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	from := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > from
}

// peek returns the byte at i, or 0 at the end.
func (s *scanner) peek() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

func (s *scanner) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\t' || s.b[s.i] == '\n' || s.b[s.i] == '\r') {
		s.i++
	}
}

// byte skips white space and then c, if it is there.
func (s *scanner) byte(c byte) bool {
	s.space()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// literal skips word, if it is there.
func (s *scanner) literal(word string) bool {
	if len(s.b)-s.i >= len(word) && string(s.b[s.i:s.i+len(word)]) == word {
		s.i += len(word)
		return true
	}
	return false
}
