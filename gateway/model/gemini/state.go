package gemini

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/model"
)

// The state of a message is the list of its parts, in the order in which they arrived. A text without a
// signature is a number, its length in bytes; the message contains the texts one after the other. All
// other parts are the server's bytes.

// restored returns the parts of a message in the form in which its maker sent them, and its calls with
// the ids and names for their responses. It returns nil if the state is damaged or does not match the
// message. Calls are matched by their order, and get the message's ids; a call without an id stays
// without one.
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
			if sent := w.Call.Args; len(sent) > 0 && sent[0] != '{' { // the API only accepts an object
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

// wireOf decodes a part. Members with another type are zero.
func wireOf(raw json.RawMessage) (w wirePart) {
	_ = json.Unmarshal(raw, &w)
	return w
}

// with returns an object with a text as the member name. The bytes of its other members stay, unless
// it has a member with this name already.
func with(raw json.RawMessage, name, value string) json.RawMessage {
	return withRaw(raw, name, marshal(value, json.RawMessage(`""`)))
}

// withRaw is like with, for any JSON value.
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

// withCall returns a part whose call has a member.
func withCall(raw json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &members) != nil {
		return raw
	}
	members["functionCall"] = withRaw(members["functionCall"], name, value)
	return marshal(members, raw)
}

// marshal encodes v with sorted members and without escaping for HTML. If that fails, it returns
// otherwise.
func marshal(v any, otherwise json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return otherwise // cannot happen for values that were decoded from JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
