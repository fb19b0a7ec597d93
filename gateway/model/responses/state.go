package responses

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// The types of items that are kept.
const (
	typeReasoning = "reasoning"
	typeMessage   = "message"
	typeCall      = "function_call"
)

// wireItem has the members of an output item that are used here.
type wireItem struct {
	Type             string            `json:"type"`
	CallID           string            `json:"call_id"`
	Name             string            `json:"name"`
	Arguments        json.RawMessage   `json:"arguments"` // a string; some servers send an object
	EncryptedContent string            `json:"encrypted_content"`
	Content          []json.RawMessage `json:"content"`
}

// wireContent is a part of a message.
type wireContent struct {
	Type        string            `json:"type"`
	Text        string            `json:"text"`
	Refusal     string            `json:"refusal"`
	Annotations []json.RawMessage `json:"annotations"`
	Logprobs    []json.RawMessage `json:"logprobs"`
}

// readItem decodes an item. Members of another type are zero.
func readItem(raw json.RawMessage) (wireItem, bool) {
	var item wireItem
	err := json.Unmarshal(raw, &item)
	var odd *json.UnmarshalTypeError
	return item, (err == nil || errors.As(err, &odd)) && bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{"))
}

// argumentText returns the arguments of a call as the model wrote them.
func (i *wireItem) argumentText() string {
	var s string
	if len(i.Arguments) > 0 && i.Arguments[0] == '{' {
		return string(i.Arguments)
	}
	_ = json.Unmarshal(i.Arguments, &s) // "" for anything else
	return s
}

// says reports whether an item can go back. A reasoning with only a summary is useless, and a message
// without content is refused.
func (i *wireItem) says() bool {
	return i.Type == typeCall || i.EncryptedContent != "" || len(i.Content) > 0
}

// keeper collects the items of an answer.
type keeper struct {
	items []keptItem
	size  int // bytes; above upstream.MaxState, no item is kept
}

type keptItem struct {
	index    int // output_index
	kind     string
	ordinary bool // the message itself contains all of it
	raw      json.RawMessage
}

// add keeps an item without its id (see the package comment), and without members that are null, since
// not all servers accept their own null members back. A reasoning that is not encrypted keeps its id: it
// comes from vLLM and similar servers, which store nothing, but demand one. A message without an id has
// no status, either (EasyInputMessageParam of openai-go v3.98.0, 9 November 2026).
func (k *keeper) add(index int, item *wireItem, raw json.RawMessage) {
	if !item.says() || k.size > upstream.MaxState {
		return
	}
	const overhead = 128 // estimated bytes of an item in addition to its JSON
	if k.size += len(raw) + overhead; k.size > upstream.MaxState {
		k.items = nil
		return
	}
	var names []string
	raw, err := edit(raw, func(name string, value json.RawMessage) json.RawMessage {
		if string(value) == "null" || name == "status" && item.Type == typeMessage || name == "id" && (item.Type != typeReasoning || item.EncryptedContent != "") {
			return nil
		}
		names = append(names, name)
		return value
	})
	if err == nil {
		k.items = append(k.items, keptItem{index, item.Type, item.ordinary(names), raw})
	}
}

// state returns what goes back to the server with the message: a JSON array of items in their order, or
// nil if the message itself contains everything.
func (k *keeper) state() json.RawMessage {
	slices.SortStableFunc(k.items, func(a, b keptItem) int { return cmp.Compare(a.index, b.index) })
	items := k.items
	for n := len(items); n > 0 && items[n-1].kind == typeReasoning; n-- {
		items = items[:n-1] // the server refuses a reasoning as the last item
	}
	plain, b := true, []byte{'['}
	for n, i := range items {
		plain = plain && i.ordinary && (n == 0 || i.kind == typeCall)
		if n > 0 {
			b = append(b, ',')
		}
		b = append(b, i.raw...)
	}
	if plain {
		return nil
	}
	return append(b, ']')
}

// ordinary reports whether the message itself contains everything of the item. names has the item's
// members.
func (i *wireItem) ordinary(names []string) bool {
	var known []string
	switch i.Type {
	case typeMessage:
		var c wireContent
		if len(i.Content) != 1 || json.Unmarshal(i.Content[0], &c) != nil || c.Type != "output_text" || len(c.Annotations)+len(c.Logprobs) > 0 {
			return false
		}
		known = []string{"type", "role", "status", "content"}
	case typeCall:
		sent := i.argumentText()
		if canonical, err := arguments.Canonical(sent); err != nil || canonical != sent || i.Arguments[0] != '"' {
			return false
		}
		known = []string{"type", "status", "call_id", "name", "arguments"}
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(known, name) })
}

// restore returns the items of a message's state, with the message's call ids. It returns nil if there
// are none, or if they do not match the message: state may be damaged, or come from another version.
// Arguments go back unchanged to OpenAI. Other servers parse them, and refuse all requests with
// arguments that are not an object (vllm#43995; local-inference-lab/vllm#684, 6 September 2026), so they
// get the message's arguments instead.
func (c *Client) restore(m *model.Message) []json.RawMessage {
	var items []json.RawMessage
	if len(m.Made.State) == 0 || json.Unmarshal(m.Made.State, &items) != nil {
		return nil
	}
	calls := 0
	for n, raw := range items {
		item, ok := readItem(raw)
		if !ok || !item.says() {
			return nil
		}
		switch item.Type {
		case typeReasoning:
			if n == len(items)-1 {
				return nil
			}
		case typeMessage:
		case typeCall:
			if calls == len(m.ToolCalls) {
				return nil
			}
			call := &m.ToolCalls[calls]
			calls++
			var err error
			if call.ID != item.CallID {
				if items[n], err = with(raw, "call_id", call.ID); err != nil {
					return nil
				}
			}
			if sent := item.argumentText(); !c.own && !tools.Blank(sent) && !upstream.IsObject(sent) {
				if items[n], err = with(items[n], "arguments", call.Arguments); err != nil {
					return nil
				}
			}
		default:
			return nil
		}
	}
	if calls != len(m.ToolCalls) {
		return nil
	}
	return items
}

// with replaces a member of a call with a text. It returns an error if the call does not have the
// member.
func with(raw json.RawMessage, name, text string) (json.RawMessage, error) {
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	has := false
	edited, err := edit(raw, func(member string, value json.RawMessage) json.RawMessage {
		if member != name {
			return value
		}
		has = true
		return quoted
	})
	if err == nil && !has {
		return nil, errors.New(name + " is missing")
	}
	return edited, err
}

// edit replaces each member of an object with what f returns, in their order; nil removes the member.
// Members that stay are written byte for byte, except for white space around them.
func edit(raw json.RawMessage, f func(name string, value json.RawMessage) json.RawMessage) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not an object")
	}
	b := []byte{'{'}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string) // the key of a member is always a string
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if value = f(name, value); value == nil {
			continue
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, quoted...), ':'), value...)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	return append(b, '}'), nil
}
