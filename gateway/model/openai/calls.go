package openai

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

type (
	// fragment is a piece of a tool call.
	fragment struct {
		Index    json.RawMessage `json:"index"`
		ID       json.RawMessage `json:"id"`
		Function function        `json:"function"`
		extras
	}
	function struct {
		Name      json.RawMessage `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		extras
	}
)

// wholeCheck bounds the arguments, in bytes, that are tested for being complete JSON:
// testing at each of thousands of fragments takes quadratic time.
const wholeCheck = 64 << 10

// calls puts fragments together.
//
// A fragment belongs to the call with its index; without an index to the call with its id,
// else to the last one. It begins a new call nevertheless if it has a name and another id,
// or if it has a name and the call has arguments already (and the name is another one, or
// the arguments are complete and this fragment begins an object). Servers that number
// every call 0, or send whole calls without id, need this; servers that repeat id and name
// in each fragment do not have their calls split by it. A fragment of arguments alone begins no
// call, whatever its index: DeepSeek V4 flash sends the head of a second call under index 0 and
// its arguments under 1. Arguments {} are not arguments yet where others follow: LiteLLM and Envoy
// send them first.
type calls struct {
	list []*call
	size int // bytes of all arguments
}

type call struct {
	upstream.Call
	index    int
	own      joinedExtras
	function joinedExtras
}

// joinedExtras are extras in pieces.
type joinedExtras struct{ specific, extra joined }

// add takes a fragment in. It fails beyond upstream.MaxCalls.
func (c *calls) add(f *fragment, m *made) error {
	id, name, arguments := plainText(f.ID), plainText(f.Function.Name), argumentText(f.Function.Arguments)
	if id == "" && name == "" && arguments == "" && len(f.Index) == 0 && f.none() && f.Function.none() {
		return nil
	}
	index, indexed := indexOf(f.Index)
	t := c.target(index, indexed, id)
	if n := len(c.list); t == nil && n > 0 && id == "" && name == "" {
		t = c.list[n-1]
		t.index = index
	}
	if t == nil || t.begins(indexed, id, name, arguments) {
		if len(c.list) >= upstream.MaxCalls {
			return upstream.ErrTooManyCalls
		}
		if !indexed && len(c.list) > 0 {
			index = c.list[len(c.list)-1].index
		}
		t = &call{index: index}
		c.list = append(c.list, t)
	}
	if t.ID == "" {
		t.ID = upstream.CutName(id)
	}
	if name != t.Name && len(t.Arguments) == 0 && len(t.Name) <= upstream.MaxName { // else the name is repeated
		t.Name = upstream.CutName(t.Name + name)
	}
	if arguments != "" && string(t.Arguments) == emptyArguments {
		t.Arguments, c.size = t.Arguments[:0], c.size-len(emptyArguments)
	}
	t.Add(arguments, &c.size)
	t.own.add(&f.extras, m)
	t.function.add(&f.Function.extras, m)
	return nil
}

// emptyArguments are those of a call without arguments.
const emptyArguments = "{}"

func (j *joinedExtras) add(e *extras, m *made) {
	m.member(&j.specific, nameSpecific, e.ProviderSpecificFields)
	m.member(&j.extra, nameExtra, e.ExtraContent)
}

func (j *joinedExtras) whole() extras { return extras{j.specific.value(), j.extra.value()} }

// target is the call that a fragment names, the latest first; nil for none.
func (c *calls) target(index int, indexed bool, id string) *call {
	for _, t := range slices.Backward(c.list) {
		if indexed && t.index == index || !indexed && id != "" && t.ID == id {
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
	if id != "" && t.ID != "" && id != t.ID && (name != "" || !indexed) {
		return true
	}
	if name == "" || len(t.Arguments) == 0 || indexed && id != "" && id == t.ID && string(t.Arguments) == emptyArguments {
		return false
	}
	return name != t.Name ||
		arguments != "" && arguments[0] == '{' && len(t.Arguments) < wholeCheck && json.Valid(t.Arguments)
}

// whole returns the calls in the order of their indexes, and what goes back to their maker beside
// each.
func (c *calls) whole(m *made) (list []model.ToolCall, states []callState) {
	slices.SortStableFunc(c.list, func(a, b *call) int { return a.index - b.index })
	for _, t := range c.list {
		if t.Name == "" && t.ID == "" && len(t.Arguments) == 0 {
			continue
		}
		whole := t.Whole()
		list = append(list, whole)
		s := callState{extras: t.own.whole(), Function: t.function.whole()}
		if raw := written(whole.Arguments); m.fits(len(raw)) {
			s.Arguments = raw
		}
		states = append(states, s)
	}
	return list, states
}

// complete says whether the arguments of all calls are whole.
func complete(list []model.ToolCall) bool {
	return !slices.ContainsFunc(list, func(c model.ToolCall) bool {
		return strings.TrimSpace(c.Arguments) != "" && !json.Valid([]byte(c.Arguments))
	})
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
