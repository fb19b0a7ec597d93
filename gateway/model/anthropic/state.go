package anthropic

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// kept is one block of an answer in the state of a message, with all that the message itself does not
// contain. The state is the list of all blocks in order.
type kept struct {
	Type      string                     `json:"type"`
	Length    int                        `json:"length,omitempty"` // of a text, in bytes; the message contains the texts one after the other
	Thinking  string                     `json:"thinking,omitempty"`
	Signature *string                    `json:"signature,omitempty"` // some servers have none
	Data      string                     `json:"data,omitempty"`
	Name      string                     `json:"name,omitempty"`  // of a tool, as the server wrote it
	Input     string                     `json:"input,omitempty"` // of a call, if it is not in canonical form
	More      map[string]json.RawMessage `json:"more,omitempty"`  // unknown members
}

// state returns what goes back to the server in addition to the message, or nil if the message contains
// everything. calls has the calls that the caller gets, one for each tool_use.
func (c *content) state(calls []model.ToolCall) json.RawMessage {
	if c.lost {
		return nil
	}
	list, needed, texts := make([]kept, 0, len(c.blocks)), false, 0
	for _, b := range c.blocks {
		k := kept{Type: b.kind, More: b.more}
		switch b.kind {
		case "text":
			if b.length == 0 {
				continue
			}
			texts++
			k.Length = b.length
			needed = needed || texts > 1 || len(list) > 0 // a single text at the beginning is in the message
		case "thinking", "redacted_thinking":
			k.Thinking, k.Data, needed = string(b.thinking), b.data, true
			if signature := string(b.signature); b.signed {
				k.Signature = &signature
			}
		case "tool_use":
			call := calls[0]
			calls = calls[1:]
			k.Name = b.call.Name
			if canonical, err := arguments.Canonical(call.Arguments); canonical != call.Arguments && (err == nil || upstream.IsObject(call.Arguments)) {
				k.Input = call.Arguments
			}
			needed = needed || k.Input != "" || k.Name != validName(call.Name) || k.Name != call.Name || len(k.More) > 0
		default:
			continue // not sent back
		}
		list = append(list, k)
	}
	if !needed {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(list) != nil {
		return nil // cannot happen for texts and decoded JSON
	}
	return bytes.TrimSpace(b.Bytes())
}

// restored returns a message in the form in which its maker sent it. fits is false if the state is
// damaged or does not match the message. Calls are matched by their order, and get the message's ids.
func restored(m *model.Message) (list []wireBlock, fits bool) {
	var state []kept
	if len(m.Made.State) == 0 || json.Unmarshal(m.Made.State, &state) != nil {
		return nil, false
	}
	text, calls, blank := m.Content, m.ToolCalls, tools.Blank(m.Content)
	for _, k := range state {
		b := wireBlock{Type: k.Type, more: k.More}
		for name := range b.more {
			if members[name] {
				return nil, false
			}
		}
		switch k.Type {
		case "text":
			if k.Length <= 0 || k.Length > len(text) || k.Length < len(text) && !utf8.RuneStart(text[k.Length]) {
				return nil, false
			}
			b.Text, text = text[:k.Length], text[k.Length:]
			if blank {
				continue // the API accepts blank texts only next to others (LibreChat-AI/agents#124, 30 April 2026)
			}
		case "thinking":
			b.Thinking, b.Signature = &k.Thinking, k.Signature
		case "redacted_thinking":
			b.Data = k.Data
		case "tool_use":
			if len(calls) == 0 {
				return nil, false
			}
			b.ID, b.Name, b.input = calls[0].ID, k.Name, input(calls[0].Arguments)
			if upstream.IsObject(k.Input) {
				b.input = json.RawMessage(k.Input)
			}
			if k.Name == "" {
				b.Name = validName(calls[0].Name)
			}
			calls = calls[1:]
		default:
			return nil, false
		}
		list = append(list, b)
	}
	return list, text == "" && len(calls) == 0
}
