package openai

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
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

// calls joins fragments to calls.
//
// A fragment belongs to the call with its id, or else to the one with its index, or else to the last
// one. But it begins a new call if it has a name and another id, or if it has a name and the call
// already has arguments (and the name differs, or the arguments are complete and this fragment begins an
// object). This is needed for servers that number every call 0, or send whole calls without an id. It
// does not split the calls of servers that repeat id and name in each fragment, or send another id with
// each. The arguments {} are replaced if others follow, because LiteLLM and Envoy send them first.
// tails.go assigns arguments that have only an index.
type calls struct {
	list []*call
	size int // bytes of all arguments
	half half
	lost []*tail
}

type call struct {
	upstream.Call
	index    int  // of the latest piece
	shared   bool // it began with the index of an earlier call
	settled  bool // its arguments were whole when another call began with its index
	claimed  bool // a lost tail may belong to it
	again    bool // it began like an earlier call; if it gets no arguments, it repeats that call
	own      joinedExtras
	function joinedExtras
}

// joinedExtras collects extras in pieces.
type joinedExtras struct{ specific, extra joined }

// add takes a fragment. It returns an error for more than upstream.MaxCalls calls.
func (c *calls) add(f *fragment, m *made) error {
	p := said{id: plainText(f.ID), name: plainText(f.Function.Name), args: argumentText(f.Function.Arguments)}
	if p == (said{}) && len(f.Index) == 0 && f.none() && f.Function.none() {
		return nil
	}
	var indexed bool
	if p.index, indexed = indexOf(f.Index); !indexed && len(c.list) > 0 {
		p.index = c.list[len(c.list)-1].index
	}
	t, err := c.owner(p, indexed)
	if p.args != "" {
		c.half = half{}
	}
	switch {
	case err != nil:
		return err
	case t == nil && p.args == "":
		return nil
	case t == nil:
		return c.lose(p)
	}
	if t.ID == "" {
		t.ID = upstream.CutName(p.id)
	}
	if p.name != t.Name && (t.open() || t.Name == "") && len(t.Name) <= upstream.MaxName { // otherwise the name is repeated
		t.Name = upstream.CutName(t.Name + p.name)
	}
	if p.args != "" && string(t.Arguments) == emptyArguments {
		t.Arguments, c.size = t.Arguments[:0], c.size-len(emptyArguments)
	}
	t.Add(p.args, &c.size)
	t.own.add(&f.extras, m)
	t.function.add(&f.Function.extras, m)
	return nil
}

// emptyArguments is the JSON of no arguments.
const emptyArguments = "{}"

func (j *joinedExtras) add(e *extras, m *made) {
	m.member(&j.specific, nameSpecific, e.ProviderSpecificFields)
	m.member(&j.extra, nameExtra, e.ExtraContent)
}

func (j *joinedExtras) whole() extras { return extras{j.specific.value(), j.extra.value()} }

// owner returns the call that a fragment belongs to, or begins. It is nil if the fragment's arguments
// are lost.
func (c *calls) owner(p said, indexed bool) (*call, error) {
	t := c.target(p, indexed)
	begins := t == nil && c.starts(p) || t != nil && t.begins(p, indexed) && (p.id != "" || !c.identified())
	head, begins := c.heads(t, begins, p)
	switch {
	case begins:
		if t != nil && p.name == "" && string(t.Arguments) == emptyArguments {
			t.claimed = true // the fragment is a call without a name, or has the real arguments of t
		}
		t, err := c.begin(p.index)
		if err == nil {
			t.again = slices.ContainsFunc(c.list, func(before *call) bool {
				return before.Name == head.name && before.ID != "" && (head.id == "" || before.ID == head.id)
			})
			t.ID, t.Name = upstream.CutName(head.id), upstream.CutName(head.name)
		}
		return t, err
	case p.args != "" && (t == nil || p.id == "" || p.id != t.ID):
		return c.tail(p)
	case t == nil && p.name == "":
		t = c.list[len(c.list)-1]
	case t != nil && p.args != "":
		t.index = p.index
	}
	return t, nil
}

// starts reports whether a fragment with an index that no call has begins a call. A fragment without an
// id does not if all heads have one and a call still lacks arguments. Arguments do not if a call lacks
// arguments and could be the same call by its name.
func (c *calls) starts(p said) bool {
	switch {
	case len(c.list) == 0:
		return true
	case p.id == "" && p.name == "", p.args == "" && p.id == "" && c.identified() && !c.ended():
		return false
	}
	return p.args == "" || !slices.ContainsFunc(c.list, func(t *call) bool {
		return t.open() && (p.name == "" || p.id == "" && p.name == t.Name && (t.ID != "" || t.shared))
	})
}

// ended reports whether the arguments of all calls are whole, as call.ended does.
func (c *calls) ended() bool {
	return !slices.ContainsFunc(c.list, func(t *call) bool { return !t.ended() })
}

// identified reports whether heads have ids, and not only the first one (sgl-project/sglang#7048, June
// 2025).
func (c *calls) identified() bool {
	return slices.ContainsFunc(c.list[min(1, len(c.list)):], func(t *call) bool { return t.ID != "" })
}

// target returns the latest call that a fragment names, or nil. A head with the id of a whole call, but
// an index that no call has, belongs to another call with the same id.
func (c *calls) target(p said, indexed bool) (t *call) {
	another := indexed && p.id != "" && p.name != "" && p.args == "" &&
		!slices.ContainsFunc(c.list, func(t *call) bool { return t.index == p.index }) && c.ended()
	for _, known := range slices.Backward(c.list) {
		if another {
			break
		}
		if p.id != "" && p.id == known.ID && (p.index == known.index || p.name == "" || p.args == "" && p.name == known.Name || known.open() || !indexed) {
			return known
		}
		if t == nil && p.index == known.index {
			t = known
		}
	}
	return t
}

// begins reports whether a fragment that names t begins another call.
func (t *call) begins(p said, indexed bool) bool {
	other := p.id != "" && t.ID != "" && p.id != t.ID
	switch {
	case other && p.name != "":
		return true
	case t.open() || p.name == "" && !other:
		return false
	case p.args == "" && p.repeats(t), p.name == t.Name && t.ID != "" && (p.id == "" || string(t.Arguments) == emptyArguments && indexed && !other):
		return false
	}
	return p.name != "" && t.Name != "" && p.name != t.Name || opens(p.args) && t.ended()
}

// whole returns the calls in the order of their indexes, and the state of each for their maker. Calls
// that a lost tail may belong to get arguments that no tool accepts.
func (c *calls) whole(m *made) (list []model.ToolCall, states []callState) {
	c.find()
	slices.SortStableFunc(c.list, func(a, b *call) int { return a.index - b.index })
	for _, t := range c.list {
		if t.open() && (t.again || t.Name == "" && t.ID == "") {
			continue
		}
		whole := t.Whole()
		if t.claimed {
			whole.Arguments = tools.UnclearArguments
		}
		list = append(list, whole)
		s := callState{extras: t.own.whole(), Function: t.function.whole()}
		if raw := written(whole.Arguments); m.fits(len(raw)) {
			s.Arguments = raw
		}
		states = append(states, s)
	}
	return list, states
}

// complete reports whether the arguments of all calls are whole.
func complete(list []model.ToolCall) bool {
	return !slices.ContainsFunc(list, func(c model.ToolCall) bool {
		return strings.TrimSpace(c.Arguments) != "" && !json.Valid([]byte(c.Arguments))
	})
}

// indexOf decodes an index, which some servers send as a string.
func indexOf(raw json.RawMessage) (int, bool) {
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		n, err = strconv.Atoi(plainText(raw))
	}
	return n, err == nil && n >= 0 && n < 1<<31
}

// plainText returns the value of a JSON string, or "" for anything else.
func plainText(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &s)
	}
	return s
}

// argumentText returns a fragment of arguments. A server that sends an object sends all of them.
func argumentText(raw json.RawMessage) string {
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		return string(raw)
	}
	return plainText(raw)
}
