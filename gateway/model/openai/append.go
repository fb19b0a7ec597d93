package openai

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/model"
)

// A long chat has thousands of messages, and all of them are written with each request. Most have
// nothing but texts, which are appended here; encoding/json, which takes three times as long, writes
// the others.

// wireOverhead is about how many bytes a message has in addition to its texts.
const wireOverhead = 64

// beginning writes the request up to the end of its messages.
func (e *encoder) beginning(req *model.Request) ([]byte, error) {
	size := len(req.System) + wireOverhead*(len(req.Messages)+2)
	for i := range req.Messages {
		m := &req.Messages[i]
		size += len(m.Content) + len(m.Content)/16 // for what is escaped
		for j := range m.ToolCalls {
			size += 2*wireOverhead + len(m.ToolCalls[j].Arguments)*5/4
		}
	}
	b := append(make([]byte, 0, size), `{"model":`...)
	b = append(appendText(b, e.c.settings.Model), `,"messages":[`...)
	var failed error
	first := true
	e.messages(req, func(w *wireMessage) {
		if !first {
			b = append(b, ',')
		}
		first = false
		var err error
		if b, err = w.append(b); err != nil {
			failed = err
		}
	})
	return append(b, ']'), failed
}

func (w *wireMessage) append(b []byte) ([]byte, error) {
	content, isText := w.Content.(*string)
	if w.Content != nil && !isText || w.state() {
		whole, err := marshal(w)
		return append(b, whole...), err
	}
	b = append(append(append(b, `{"role":"`...), w.Role...), `","content":`...)
	if isText {
		b = appendText(b, *content)
	} else {
		b = append(b, "null"...)
	}
	for i := range w.ToolCalls {
		c := &w.ToolCalls[i]
		if i == 0 {
			b = append(b, `,"tool_calls":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendText(append(b, `{"id":`...), c.ID)
		b = appendText(append(b, `,"type":"function","function":{"name":`...), c.Function.Name)
		b = append(appendText(append(b, `,"arguments":`...), c.Function.Arguments), `}}`...)
	}
	if len(w.ToolCalls) > 0 {
		b = append(b, ']')
	}
	if w.ToolCallID != "" {
		b = appendText(append(b, `,"tool_call_id":`...), w.ToolCallID)
	}
	return append(b, '}'), nil
}

// state reports whether a message has more than texts and calls.
func (w *wireMessage) state() bool {
	m := &w.members
	if len(m.ReasoningContent)+len(m.Reasoning)+len(m.ReasoningDetails)+len(m.ThinkingBlocks)+len(m.ProviderSpecificFields)+len(m.ExtraContent) > 0 {
		return true
	}
	for i := range w.ToolCalls {
		if c := &w.ToolCalls[i]; c.has() || c.Function.has() {
			return true
		}
	}
	return false
}

func (x *extras) has() bool { return len(x.ProviderSpecificFields)+len(x.ExtraContent) > 0 }

// appendText writes a JSON string. Most texts have long parts without anything to escape, which it
// finds eight bytes at a time.
func appendText(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		replaced, _ := marshal(s) // cannot fail for a string
		return append(b, replaced...)
	}
	b = append(b, '"')
	for {
		n := plain(s)
		b = append(b, s[:n]...)
		if n == len(s) {
			return append(b, '"')
		}
		switch c := s[n]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		default:
			b = fmt.Appendf(b, `\u%04x`, c)
		}
		s = s[n+1:]
	}
}

// plain returns how many bytes come before the first that is escaped in a JSON string: a quotation mark,
// a backslash or a control character.
func plain(s string) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		x := binary.LittleEndian.Uint64([]byte(s[i : i+8]))
		quote, slash := x^'"'*ones, x^'\\'*ones
		// In each byte, the high bit of the difference is set if the byte was less than what is
		// subtracted; bytes that had it before are not ASCII. A borrow can only add a byte that is looked
		// at for nothing.
		if ((x-' '*ones)|(quote-ones)|(slash-ones))&^x&high != 0 {
			break
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}
