package anthropic

import (
	"encoding/json"
	"math"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
)

// content collects an answer's blocks. The zero value is ready to use.
type content struct {
	blocks []*block // in the order in which they began
	at     *block   // the block of the last piece; nil before the first
	calls  int
	size   int  // bytes of all arguments
	held   int  // bytes of all thinking
	lost   bool // a part is missing: no state goes back
	stray  bool // there was input that belongs to no open call
}

// block is a part of an answer. Each begins and ends separately, and pieces of several may alternate.
type block struct {
	kind      string // the API's type; "" for an unknown one
	index     int    // closed when it has ended
	length    int    // of a text, in bytes
	thinking  []byte
	signed    bool // there is a signature, which may be empty
	signature []byte
	data      string // of redacted_thinking
	call      *call
	more      map[string]json.RawMessage
}

// call is a tool_use block.
type call struct {
	upstream.Call
	began   upstream.Call // from the block's beginning: some servers send all of it there
	unclear bool          // another call began with its index before any input
}

// bare reports whether a call has no input yet.
func (c *call) bare() bool {
	return len(c.Arguments) == 0 && (len(c.began.Arguments) == 0 || string(c.began.Arguments) == "{}")
}

const (
	closed = math.MinInt // not the index of any block
	// maxBlocks is how many blocks of an answer are kept. Further ones are shown, but not sent back.
	maxBlocks = 2 * upstream.MaxCalls
)

// piece takes a piece of a block, and returns it as text or thinking. In a block of an unknown type it
// returns neither.
func (c *content) piece(index int, b []byte, thinks bool) (text, thinking []byte) {
	at := c.at
	if at == nil || at.index != index {
		at = c.find(index, thinks)
	}
	switch {
	case at.kind == "text" && !thinks:
		at.length += len(b)
	case at.kind == "thinking" && thinks:
		at.thinking = c.hold(at.thinking, b)
	case at.kind == "tool_use" || at.kind == "text" || at.kind == "thinking":
		c.lost = true // the API has no such block
	default:
		return nil, nil
	}
	if thinks {
		return nil, b
	}
	return b, nil
}

// hold appends bytes that go back to the server, unless there is no room for all of them.
func (c *content) hold(dst, b []byte) []byte {
	if !c.room(len(b)) {
		return nil
	}
	return append(dst, b...)
}

// room counts bytes that go back to the server, and reports whether they may be kept.
func (c *content) room(n int) bool {
	c.held += n
	c.lost = c.lost || c.held > upstream.MaxState
	return !c.lost
}

// find returns the open block with an index. If the server began none, it adds one of the piece's
// type.
func (c *content) find(index int, thinks bool) *block {
	if c.at = c.open(index); c.at == nil {
		kind := "text"
		if thinks {
			kind = "thinking"
		}
		c.add(&block{kind: kind, index: index})
	}
	return c.at
}

func (c *content) add(b *block) {
	if c.at = b; len(c.blocks) < maxBlocks || b.call != nil {
		c.blocks = append(c.blocks, b)
		return
	}
	c.lost = true
}

// start begins a block. Some servers send its first piece, or all of it, in this event.
func (c *content) start(e *wireEvent) (text, thinking []byte, err error) {
	before := c.open(e.Index)
	c.close(e.Index)
	began, more := e.content()
	b := &block{index: e.Index, signed: began.Signature != nil}
	switch began.Type {
	case "text", "thinking", "redacted_thinking", "tool_use":
		b.kind = began.Type
	}
	if c.room(len(e.ContentBlock)) {
		b.data, b.more = began.Data, more
	}
	if b.signed {
		b.signature = c.hold(nil, []byte(*began.Signature))
	}
	if b.kind == "tool_use" {
		if c.calls++; c.calls > upstream.MaxCalls {
			return nil, nil, upstream.ErrTooManyCalls
		}
		named := upstream.Call{ID: upstream.CutName(began.ID), Name: upstream.CutName(began.Name)}
		b.call = &call{Call: named, began: named}
		if before != nil && before.call != nil && before.call.bare() {
			before.call.unclear, b.call.unclear = true, true
		}
		if len(began.Input) > 0 && began.Input[0] == '{' {
			b.call.began.Add(string(began.Input), &c.size)
		}
	}
	c.add(b)
	switch b.kind {
	case "text":
		text, thinking = c.piece(e.Index, []byte(began.Text), false)
	case "thinking":
		text, thinking = c.piece(e.Index, []byte(began.Thinking), true)
	}
	return text, thinking, nil
}

func (c *content) delta(e *wireEvent) (text, thinking []byte) {
	switch d := &e.Delta; d.Type {
	case "text_delta":
		return c.piece(e.Index, []byte(d.Text), false)
	case "thinking_delta":
		return c.piece(e.Index, []byte(d.Thinking), true)
	case "signature_delta":
		if b := c.open(e.Index); b != nil {
			b.signed, b.signature = true, c.hold(b.signature, []byte(d.Signature))
		}
	case "input_json_delta":
		switch b := c.open(e.Index); {
		case b != nil && b.call != nil:
			b.call.Add(d.PartialJSON, &c.size)
		case d.PartialJSON != "" && (b == nil || b.kind != ""): // a block of an unknown type may have input
			c.stray = true
		}
	}
	return nil, nil
}

// open returns the open block with an index, or nil.
func (c *content) open(index int) *block {
	for i := len(c.blocks) - 1; i >= 0; i-- {
		if b := c.blocks[i]; b.index == index && index != closed {
			return b
		}
	}
	return nil
}

// close ends a block.
func (c *content) close(index int) {
	if b := c.open(index); b != nil {
		b.index = closed
	}
}

// whole reports whether all calls have ended, with valid arguments.
func (c *content) whole() bool {
	for _, b := range c.blocks {
		if b.call != nil && (b.index != closed || len(b.call.Arguments) > 0 && !json.Valid(b.call.Arguments)) {
			return false
		}
	}
	return true
}

// handed returns the calls, with the names of the offered tools. A call that may lack its input, or have
// that of another, gets arguments that no tool accepts.
func (c *content) handed(offered []model.Definition) []model.ToolCall {
	var list []model.ToolCall
	for _, b := range c.blocks {
		if b.call == nil {
			continue
		}
		whole := b.call.Whole()
		if whole.Arguments == "" { // for a call without input, the API sends no fragment or an empty one
			whole = b.call.began.Whole()
		}
		if b.call.unclear || c.stray && b.call.bare() {
			whole.Arguments = tools.UnclearArguments
		}
		whole.Name = ownName(offered, whole.Name)
		list = append(list, whole)
	}
	return list
}
