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

// kept is one block of an answer, as the state of a message holds it: all that the message itself
// does not say. The state is the list of them, in order.
type kept struct {
	Type      string                     `json:"type"`
	Length    int                        `json:"length,omitempty"` // of a text, in bytes: the texts follow each other in the message's
	Thinking  string                     `json:"thinking,omitempty"`
	Signature *string                    `json:"signature,omitempty"` // some servers have none
	Data      string                     `json:"data,omitempty"`
	Name      string                     `json:"name,omitempty"`  // of a tool, as the server wrote it
	Input     string                     `json:"input,omitempty"` // of a call, where it is not the canonical form of it
	More      map[string]json.RawMessage `json:"more,omitempty"`  // members that are not known here
}

// state is what goes back to the server beside the message; nil where that says everything. calls
// are those that are handed on, one for each tool_use.
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
			needed = needed || texts > 1 || len(list) > 0 // else it is where the message has it
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
		return nil // never: all of it is text, or JSON that was decoded
	}
	return bytes.TrimSpace(b.Bytes())
}

// restored is a message as its maker made it, where the state is whole and fits the message: the
// calls are the same by their order, with the ids that the message has.
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
				continue // the API takes blank texts beside others alone (LibreChat-AI/agents#124, 30 April 2026)
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
