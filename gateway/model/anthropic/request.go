package anthropic

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// The request as it goes over the wire.
type (
	wireRequest struct {
		Model       string        `json:"model"`
		MaxTokens   int           `json:"max_tokens"`
		System      string        `json:"system,omitempty"`
		Messages    []wireMessage `json:"messages"`
		Tools       []wireTool    `json:"tools,omitempty"`
		ToolChoice  *wireChoice   `json:"tool_choice,omitempty"`
		Temperature *float64      `json:"temperature,omitempty"`
		Stream      bool          `json:"stream"`
	}
	wireMessage struct {
		Role    model.Role  `json:"role"`
		Content []wireBlock `json:"content"`
	}
	// wireBlock is a text, a tool_use, a tool_result or an image.
	wireBlock struct {
		Type      string          `json:"type"`
		Text      string          `json:"text,omitempty"`
		ID        string          `json:"id,omitempty"`
		Name      string          `json:"name,omitempty"`
		Input     json.RawMessage `json:"input,omitempty"`
		ToolUseID string          `json:"tool_use_id,omitempty"`
		Content   any             `json:"content,omitempty"` // of a tool_result: a string, or []wireBlock
		Source    *wireSource     `json:"source,omitempty"`  // of an image
	}
	wireSource struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	}
	wireTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema"`
	}
	wireChoice struct {
		Type string `json:"type"`
	}
)

// maxTemperature is the API's; apps may set up to 2.
const maxTemperature = 1.0

// maxToolName is the API's limit of a tool's name, in bytes.
const maxToolName = 64

// anyObject is the schema of a tool that has none.
var anyObject = json.RawMessage(`{"type":"object"}`)

// encode makes the body of a request.
func (c *Client) encode(req model.Request) ([]byte, error) {
	w := wireRequest{Model: c.model, MaxTokens: c.maxTokens, Messages: messages(req.Messages), Stream: true}
	if !tools.Blank(req.System) {
		w.System = req.System
	}
	if req.Temperature != nil {
		t := min(*req.Temperature, maxTemperature)
		w.Temperature = &t
	}
	for _, t := range req.Tools {
		parameters := t.Parameters
		if len(parameters) == 0 {
			parameters = anyObject
		}
		w.Tools = append(w.Tools, wireTool{validName(t.Name), t.Description, parameters})
	}
	if len(w.Tools) == 0 {
		w.Tools = called(w.Messages)
		if len(w.Tools) > 0 {
			w.ToolChoice = &wireChoice{"none"}
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // only makes the body longer
	if err := e.Encode(w); err != nil {
		return nil, &model.Error{Kind: model.KindError, Detail: "the request cannot be written as JSON", Err: err}
	}
	return b.Bytes(), nil
}

// messages joins neighbours of one role: results and texts are the user's, texts and calls
// the assistant's. Results come before the user's text, as in the history.
func messages(history []model.Message) []wireMessage {
	list := make([]wireMessage, 0, len(history))
	for i := range history {
		m := &history[i]
		role := model.RoleUser
		if m.Role == model.RoleAssistant {
			role = model.RoleAssistant
		}
		if n := len(list); n == 0 || list[n-1].Role != role {
			list = append(list, wireMessage{Role: role})
		}
		to := &list[len(list)-1]
		if to.Content = blocks(to.Content, m); len(to.Content) == 0 {
			list = list[:len(list)-1] // nothing was said
		}
	}
	return list
}

func blocks(dst []wireBlock, m *model.Message) []wireBlock {
	if m.Role == model.RoleTool {
		b := wireBlock{Type: "tool_result", ToolUseID: validID(m.ToolCallID)}
		if !tools.Blank(m.Content) {
			b.Content = m.Content
		}
		if len(m.Images) > 0 {
			b.Content = shown(m)
		}
		return append(dst, b)
	}
	dst = append(dst, shown(m)...)
	for _, t := range m.ToolCalls {
		dst = append(dst, wireBlock{Type: "tool_use", ID: validID(t.ID), Name: validName(t.Name), Input: input(t.Arguments)})
	}
	return dst
}

// input is a call's arguments, which must be an object.
func input(arguments string) json.RawMessage {
	if strings.HasPrefix(strings.TrimSpace(arguments), "{") {
		return json.RawMessage(arguments)
	}
	return json.RawMessage("{}")
}

// called names the tools of a history, each once, in the order of their first calls.
func called(history []wireMessage) []wireTool {
	var list []wireTool
	seen := map[string]bool{}
	for _, m := range history {
		for _, b := range m.Content {
			if b.Type == "tool_use" && !seen[b.Name] {
				seen[b.Name] = true
				list = append(list, wireTool{Name: b.Name, InputSchema: anyObject})
			}
		}
	}
	return list
}

// validID is an id that the API accepts: id itself, or one derived from it that is always
// the same.
func validID(id string) string { return valid(id, len(id)) }

// validName does the same for a tool's name.
func validName(name string) string { return valid(name, maxToolName) }

// ownName is the tool whose validName is name.
func ownName(tools []model.Definition, name string) string {
	for _, t := range tools {
		if t.Name != name && validName(t.Name) == name {
			return t.Name
		}
	}
	return name
}

func valid(s string, most int) string {
	plain := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' && r < 0x80 {
			return r
		}
		return '_'
	}, s)
	if plain == s && s != "" && len(s) <= most {
		return s
	}
	sum := sha256.Sum256([]byte(s)) // keeps apart names that differ only in replaced characters
	mark := hex.EncodeToString(sum[:8])
	return plain[:min(len(plain), maxToolName-len(mark)-1)] + "_" + mark
}

// shown is a text with images.
func shown(m *model.Message) []wireBlock {
	var list []wireBlock
	if !tools.Blank(m.Content) {
		list = append(list, wireBlock{Type: "text", Text: m.Content})
	}
	for _, image := range m.Images {
		list = append(list, wireBlock{Type: "image", Source: &wireSource{"base64", image.Media, image.Data}})
	}
	return list
}
