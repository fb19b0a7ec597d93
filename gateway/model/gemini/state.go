package gemini

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/model"
)

// The state of a message is the list of its parts, in the order in which they came. Text without a
// signature is its length in bytes, a number: the texts follow each other in the message's own. All
// other parts are the bytes that the server wrote.

// restored are the parts of a message as its maker made it, and its calls as their responses name
// them, where the state is whole and fits the message: its calls are the message's, by their order,
// with the ids that the message has. A call without an id stays without one. nil: the state does not fit.
func restored(m *model.Message) (parts []any, calls []wireCall) {
	var state []json.RawMessage
	if len(m.Made.State) == 0 || json.Unmarshal(m.Made.State, &state) != nil {
		return nil, nil
	}
	said := m.Content
	for _, raw := range state {
		n := 0
		if json.Unmarshal(raw, &n) == nil {
			if n <= 0 || n > len(said) || n < len(said) && !utf8.RuneStart(said[n]) {
				return nil, nil
			}
			parts, said = append(parts, wirePart{Text: said[:n]}), said[n:]
			continue
		}
		if len(raw) == 0 || raw[0] != '{' {
			return nil, nil
		}
		w := wireOf(raw)
		switch {
		case w.Call != nil:
			if len(calls) == len(m.ToolCalls) {
				return nil, nil
			}
			call := &m.ToolCalls[len(calls)]
			if w.Call.ID != "" && w.Call.ID != call.ID {
				w.Call.ID = call.ID
				raw = withCall(raw, "id", marshal(call.ID, nil))
			}
			if sent := w.Call.Args; len(sent) > 0 && sent[0] != '{' { // the API takes an object alone
				raw = withCall(raw, "args", arguments(call.Arguments))
			}
			calls = append(calls, *w.Call)
		case !w.Thought && w.Text != "":
			if len(w.Text) > len(said) || said[:len(w.Text)] != w.Text {
				return nil, nil
			}
			said = said[len(w.Text):]
		}
		parts = append(parts, raw)
	}
	if said != "" || len(calls) != len(m.ToolCalls) {
		return nil, nil
	}
	return parts, calls
}

// wireOf reads a part. Members of other types than here are zero.
func wireOf(raw json.RawMessage) (w wirePart) {
	_ = json.Unmarshal(raw, &w)
	return w
}

// with is an object with a text as that member. The bytes of its other members stay, unless it has
// one of that name.
func with(raw json.RawMessage, name, value string) json.RawMessage {
	return withRaw(raw, name, marshal(value, json.RawMessage(`""`)))
}

// withRaw is with, of any JSON.
func withRaw(raw json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	if n := len(raw); n > 2 && raw[n-1] == '}' && !bytes.Contains(raw, []byte(`"`+name+`"`)) {
		return slices.Concat(raw[:n-1], []byte(`,"`+name+`":`), value, []byte("}"))
	}
	members := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &members) != nil {
		return raw
	}
	members[name] = value
	return marshal(members, raw)
}

// withCall is a part whose call has that member.
func withCall(raw json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &members) != nil {
		return raw
	}
	members["functionCall"] = withRaw(members["functionCall"], name, value)
	return marshal(members, raw)
}

// marshal writes v, its members sorted, with the letters of the texts in it as they are.
func marshal(v any, otherwise json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return otherwise // never: all of it was read from JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
