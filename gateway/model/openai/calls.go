package openai

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/model"
)

type (
	// fragment is a piece of a tool call.
	fragment struct {
		Index    json.RawMessage `json:"index"`
		ID       json.RawMessage `json:"id"`
		Function function        `json:"function"`
	}
	function struct {
		Name      json.RawMessage `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
)

// maxName bounds ids and names in bytes; what is longer is cut, so that no tool
// is called so.
const maxName = 256

// wholeCheck bounds the arguments that are tested for being complete, so that
// fragments by the thousand cannot cost their square.
const wholeCheck = 64 << 10

// cutMark makes arguments over the limit unreadable as JSON for sure: a prefix
// of JSON may be JSON too.
const cutMark = "…"

// calls puts fragments together.
//
// Which call a fragment belongs to: that of its index; without an index that
// of its id, else the last one. It begins a new call all the same where it says
// so: with a name and another id, or with a name although the call has arguments
// (another name, or complete arguments before and an object's beginning here).
// Servers that number every call 0, or send whole calls without id, need this;
// those that repeat id and name in each fragment are not split by it.
type calls struct {
	list []*call
	size int // bytes of all arguments
}

type call struct {
	index     int
	id, name  string
	arguments []byte
	cut       bool
}

func (c *calls) add(f *fragment) {
	id, name, arguments := plainText(f.ID), plainText(f.Function.Name), argumentText(f.Function.Arguments)
	if id == "" && name == "" && arguments == "" && len(f.Index) == 0 {
		return
	}
	index, indexed := indexOf(f.Index)
	t := c.target(index, indexed, id)
	if t == nil || t.begins(indexed, id, name, arguments) {
		if len(c.list) >= maxCalls {
			return
		}
		if !indexed && len(c.list) > 0 {
			index = c.list[len(c.list)-1].index
		}
		t = &call{index: index}
		c.list = append(c.list, t)
	}
	if t.id == "" {
		t.id = cutName(id)
	}
	if name != t.name && len(t.arguments) == 0 && len(t.name) <= maxName { // else the name is repeated
		t.name = cutName(t.name + name)
	}
	if room := maxArguments - c.size; len(arguments) > room {
		arguments, t.cut = strings.ToValidUTF8(arguments[:room], ""), true // the cut may be inside a code point
	}
	t.arguments = append(t.arguments, arguments...)
	c.size += len(arguments)
}

// target is the call that a fragment names, the latest first; nil for none.
func (c *calls) target(index int, indexed bool, id string) *call {
	for _, t := range slices.Backward(c.list) {
		if indexed && t.index == index || !indexed && id != "" && t.id == id {
			return t
		}
	}
	if !indexed && len(c.list) > 0 {
		return c.list[len(c.list)-1]
	}
	return nil
}

// begins says whether a fragment that names t begins another call.
func (t *call) begins(indexed bool, id, name, arguments string) bool {
	if id != "" && t.id != "" && id != t.id && (name != "" || !indexed) {
		return true
	}
	if name == "" || len(t.arguments) == 0 {
		return false
	}
	return name != t.name ||
		arguments != "" && arguments[0] == '{' && len(t.arguments) < wholeCheck && json.Valid(t.arguments)
}

// whole returns the calls in the order of their indexes.
func (c *calls) whole() []model.ToolCall {
	slices.SortStableFunc(c.list, func(a, b *call) int { return a.index - b.index })
	var list []model.ToolCall
	for _, t := range c.list {
		if t.name == "" && t.id == "" && len(t.arguments) == 0 {
			continue
		}
		if t.cut {
			t.arguments = append(t.arguments, cutMark...)
		}
		list = append(list, model.ToolCall{ID: t.id, Name: t.name, Arguments: string(t.arguments)})
	}
	return list
}

// indexOf reads an index, which some servers send as a string.
func indexOf(raw json.RawMessage) (int, bool) {
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		n, err = strconv.Atoi(plainText(raw))
	}
	return n, err == nil && n >= 0 && n < 1<<31
}

// plainText is the value of a JSON string, "" for anything else.
func plainText(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &s)
	}
	return s
}

// argumentText is a fragment of arguments; a server that sends them as an
// object sends them whole.
func argumentText(raw json.RawMessage) string {
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		return string(raw)
	}
	return plainText(raw)
}

func cutName(s string) string {
	if len(s) <= maxName {
		return s
	}
	return strings.ToValidUTF8(s[:maxName], "") + cutMark
}
