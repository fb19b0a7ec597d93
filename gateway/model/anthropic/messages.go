package anthropic

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
)

// The messages on the wire.
type (
	wireMessage struct {
		Role    model.Role
		Content []wireBlock
		foreign bool // an assistant's message that another model made
	}
	// wireBlock is a part of a message, of any of the API's types.
	wireBlock struct {
		Type      string      `json:"type"`
		Text      string      `json:"text,omitempty"`
		Thinking  *string     `json:"thinking,omitempty"` // may be empty
		Signature *string     `json:"signature,omitempty"`
		Data      string      `json:"data,omitempty"` // of redacted_thinking
		ID        string      `json:"id,omitempty"`
		Name      string      `json:"name,omitempty"`
		ToolUseID string      `json:"tool_use_id,omitempty"`
		Content   any         `json:"content,omitempty"` // of a tool_result: a string, or []wireBlock
		Source    *wireSource `json:"source,omitempty"`  // of an image or a document
		Title     string      `json:"title,omitempty"`
		Cache     *wireCache  `json:"cache_control,omitempty"`

		input json.RawMessage            // of a tool_use: an object, written unchanged
		more  map[string]json.RawMessage // members that only the server knows
	}
	wireSource struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	}
	wireCache struct {
		Type string `json:"type"`
	}
)

func (m *wireMessage) assistant() bool { return m.Role == model.RoleAssistant }

func (m *wireMessage) has(kind string) bool {
	for i := range m.Content {
		if m.Content[i].Type == kind {
			return true
		}
	}
	return false
}

// messages writes the history, and joins adjacent messages of one role: results and texts are the
// user's, texts and calls the assistant's. Results come before the user's text, as in the history. If
// forget is set, the state of all messages is left out. If fill is set, each step with calls begins
// with thinking, which may be empty.
func (c *Client) messages(history []model.Message, forget, fill bool) []wireMessage {
	list := make([]wireMessage, 0, len(history))
	ids := map[string]string{} // of calls, as they are on the wire
	for i := range history {
		m := &history[i]
		next := wireMessage{Role: model.RoleUser}
		switch m.Role {
		case model.RoleAssistant:
			next.Role, next.foreign = model.RoleAssistant, m.Made.By != c.maker
			next.Content = said(m, ids, next.foreign, forget)
			if fill && len(m.ToolCalls) > 0 && !thinks(next.Content[0].Type) {
				next.Content = append([]wireBlock{{Type: "thinking", Thinking: new(string), Signature: new(string)}}, next.Content...)
			}
		case model.RoleTool:
			next.Content = []wireBlock{result(m, ids)}
		default:
			next.Content = shown(m)
		}
		if len(next.Content) == 0 {
			continue // the message is empty
		}
		if n := len(list); n > 0 && list[n-1].Role == next.Role {
			list[n-1].Content = append(list[n-1].Content, next.Content...)
			list[n-1].foreign = list[n-1].foreign || next.foreign
			continue
		}
		list = append(list, next)
	}
	return list
}

// said writes an assistant's message. It adds the ids of its calls to ids.
func said(m *model.Message, ids map[string]string, foreign, forget bool) []wireBlock {
	for _, t := range m.ToolCalls {
		ids[t.ID] = t.ID
		if foreign {
			ids[t.ID] = model.WireID(t.ID)
		}
	}
	if !foreign && !forget {
		if list, fits := restored(m); fits {
			return list
		}
	}
	list := shown(m)
	for _, t := range m.ToolCalls {
		list = append(list, wireBlock{Type: "tool_use", ID: ids[t.ID], Name: validName(t.Name), input: input(t.Arguments)})
	}
	return list
}

func result(m *model.Message, ids map[string]string) wireBlock {
	id, known := ids[m.ToolCallID]
	if !known {
		id = model.WireID(m.ToolCallID)
	}
	b := wireBlock{Type: "tool_result", ToolUseID: id}
	switch {
	case len(m.Images)+len(m.PDFs) > 0:
		b.Content = shown(m)
	case !tools.Blank(m.Content):
		b.Content = m.Content
	}
	return b
}

// shown writes a text with images and documents.
func shown(m *model.Message) []wireBlock {
	var list []wireBlock
	if !tools.Blank(m.Content) {
		list = append(list, wireBlock{Type: "text", Text: m.Content})
	}
	for _, image := range m.Images {
		list = append(list, wireBlock{Type: "image", Source: &wireSource{"base64", image.Media, image.Data}})
	}
	for _, pdf := range m.PDFs {
		list = append(list, wireBlock{Type: "document", Source: &wireSource{"base64", "application/pdf", pdf.Data}, Title: title(pdf.Name)})
	}
	return list
}

// maxTitle is the most characters of a document's title.
const maxTitle = 200

// title makes a document's title of a file's name. It may have letters, digits, spaces, hyphens and
// brackets (charm.land/fantasy v0.48.0, anthropic).
func title(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.M, unicode.Nd) || strings.ContainsRune("-()[]", r) {
			return r
		}
		return ' '
	}, name)
	short := []rune(strings.Join(strings.Fields(name), " "))
	return string(short[:min(len(short), maxTitle)])
}

// input returns a call's arguments, which must be an object.
func input(arguments string) json.RawMessage {
	if upstream.IsObject(arguments) {
		return json.RawMessage(arguments)
	}
	return json.RawMessage("{}")
}

// write appends messages as JSON. Arguments are written unchanged, while encoding/json would remove
// their white space.
func write(to *bytes.Buffer, list []wireMessage) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false) // escaping only makes the body longer
	to.WriteByte('[')
	for i := range list {
		if i > 0 {
			to.WriteByte(',')
		}
		to.WriteString(`{"role":"` + string(list[i].Role) + `","content":[`)
		for j := range list[i].Content {
			if j > 0 {
				to.WriteByte(',')
			}
			if err := list[i].Content[j].write(to, e); err != nil {
				return err
			}
		}
		to.WriteString("]}")
	}
	to.WriteByte(']')
	return nil
}

func (b *wireBlock) write(to *bytes.Buffer, e *json.Encoder) error {
	if err := e.Encode(b); err != nil {
		return err
	}
	to.Truncate(to.Len() - len("}\n"))
	for _, name := range slices.Sorted(maps.Keys(b.more)) {
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		to.WriteByte(',')
		to.Write(key)
		to.WriteByte(':')
		if err := json.Compact(to, b.more[name]); err != nil {
			return err
		}
	}
	if b.input != nil {
		to.WriteString(`,"input":`)
		to.Write(b.input)
	}
	to.WriteByte('}')
	return nil
}
