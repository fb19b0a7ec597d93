package gemini

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	canonical "github.com/askgate/askgate/tools/arguments"
)

// part is one part of an answer. A text without a signature has only a length, a thought its text, and
// anything else its raw JSON.
type part struct {
	length  int
	thought []byte
	raw     json.RawMessage
	call    *upstream.Call // of a functionCall
	signed  bool
}

// content collects an answer's parts. Texts are joined, and so are thoughts, but never with a signed
// part.
type content struct {
	parts []part
	calls int
	args  int  // bytes of all arguments
	size  int  // bytes that are kept
	lost  bool // there were more than upstream.MaxState
}

// text counts a piece of text.
func (c *content) text(n int) {
	if n == 0 {
		return
	}
	if last := c.last(); last != nil && last.length > 0 {
		last.length += n
		return
	}
	c.add(part{length: n})
}

// thought keeps a piece of thought.
func (c *content) thought(b []byte) {
	if len(b) == 0 || !c.keeps(len(b)) {
		return
	}
	if last := c.last(); last != nil && last.thought != nil {
		last.thought = append(last.thought, b...)
		return
	}
	c.add(part{thought: bytes.Clone(b)})
}

func (c *content) last() *part {
	if len(c.parts) == 0 {
		return nil
	}
	return &c.parts[len(c.parts)-1]
}

func (c *content) add(p part) {
	if len(c.parts) < upstream.MaxCalls*2 || p.call != nil {
		c.parts = append(c.parts, p)
	} else {
		c.lost = true
	}
}

// keeps counts n more bytes, and reports whether they may be kept.
func (c *content) keeps(n int) bool {
	c.size += n
	c.lost = c.lost || c.size > upstream.MaxState
	return !c.lost
}

// part takes a part of any type, and returns its text.
func (c *content) part(raw json.RawMessage) (text, thinking []byte, err error) {
	w := wireOf(raw)
	switch {
	case w.Call != nil:
		return nil, nil, c.call(raw, w)
	case w.Thought && w.Signature == "":
		c.thought([]byte(w.Text))
		return nil, []byte(w.Text), nil
	case w.Signature == "" && (w.Text != "" || bytes.Contains(raw, []byte(`"text"`))):
		c.text(len(w.Text))
		return []byte(w.Text), nil, nil
	case bytes.Contains(raw, []byte(`"thoughtSignature"`)) && isBare(raw):
		c.late(w.Signature)
		return nil, nil, nil
	}
	if len(raw) > 0 && raw[0] == '{' && c.keeps(len(raw)) {
		c.add(part{raw: bytes.Clone(raw), signed: w.Signature != ""})
	}
	if w.Thought {
		return nil, []byte(w.Text), nil
	}
	return []byte(w.Text), nil, nil
}

// isBare reports whether a part has a signature and nothing else.
func isBare(raw json.RawMessage) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(raw, &members) == nil && len(members) == 1
}

// late takes a signature that follows its call. After anything else, it belongs to an empty text.
func (c *content) late(signature string) {
	last := c.last()
	if last != nil && last.call != nil && !last.signed && c.keeps(len(signature)) {
		last.raw, last.signed = with(last.raw, "thoughtSignature", signature), true
		return
	}
	if raw := with(json.RawMessage(`{"text":""}`), "thoughtSignature", signature); c.keeps(len(raw)) {
		c.add(part{raw: raw, signed: true})
	}
}

func (c *content) call(raw json.RawMessage, w wirePart) error {
	if c.calls >= upstream.MaxCalls {
		return upstream.ErrTooManyCalls
	}
	c.calls++
	call := &upstream.Call{ID: upstream.CutName(w.Call.ID), Name: upstream.CutName(w.Call.Name)}
	args := w.Call.Args
	if string(args) == "null" {
		args = nil
	}
	call.Add(string(args), &c.args)
	p := part{call: call, signed: w.Signature != ""}
	if c.keeps(len(raw)) {
		p.raw = bytes.Clone(raw)
	}
	c.add(p)
	return nil
}

// handed returns the calls, with the names that the caller knows.
func (c *content) handed(offered []model.Definition) []model.ToolCall {
	var list []model.ToolCall
	for _, p := range c.parts {
		if p.call != nil {
			p.call.Name = ownName(offered, p.call.Name)
			list = append(list, p.call.Whole())
		}
	}
	return list
}

// state returns what goes back to the server in addition to the message, or nil if the message contains
// everything.
func (c *content) state() json.RawMessage {
	if c.lost {
		return nil
	}
	var b bytes.Buffer
	needed := false
	for i, p := range c.parts {
		b.WriteByte("[,"[min(i, 1)])
		switch {
		case p.length > 0:
			b.WriteString(strconv.Itoa(p.length))
			needed = needed || i > 0 // a single text at the beginning is in the message
		case p.thought != nil:
			b.Write(marshal(wirePart{Text: string(p.thought), Thought: true}, json.RawMessage("{}")))
			needed = true
		default:
			b.Write(p.raw)
			needed = needed || p.call == nil || !plain(p)
		}
	}
	if !needed {
		return nil
	}
	b.WriteByte(']')
	return b.Bytes()
}

// plain reports whether the message contains everything of a call.
func plain(p part) bool {
	args := string(p.call.Arguments)
	same, err := canonical.Canonical(args)
	if err != nil || same != args || p.call.ID == "" {
		return false
	}
	as := marshal(wirePart{Call: &wireCall{ID: p.call.ID, Name: validName(p.call.Name), Args: json.RawMessage(args)}}, nil)
	var compact bytes.Buffer
	return json.Compact(&compact, p.raw) == nil && bytes.Equal(as, compact.Bytes())
}
