package anthropic

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/toolschema"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
)

type (
	// wireRequest is the request on the wire, except for its messages. These are its last member, so
	// that a chat's next request begins with the bytes of this one.
	wireRequest struct {
		Model       string        `json:"model"`
		MaxTokens   int           `json:"max_tokens"`
		Stream      bool          `json:"stream"`
		Temperature *float64      `json:"temperature,omitempty"`
		Thinking    *wireThinking `json:"thinking,omitempty"`
		Output      *wireOutput   `json:"output_config,omitempty"`
		ToolChoice  *wireChoice   `json:"tool_choice,omitempty"`
		Tools       []wireTool    `json:"tools,omitempty"`
		System      any           `json:"system,omitempty"` // a string, or []wireBlock
	}
	wireTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema"`
		Cache       *wireCache      `json:"cache_control,omitempty"`
	}
	wireChoice struct {
		Type string `json:"type"`
	}
)

const (
	maxTemperature = 1.0 // of the API; apps may set up to 2
	maxToolName    = 64  // bytes of a tool's name
)

// anyObject is the schema of a tool without one.
var anyObject = json.RawMessage(`{"type":"object"}`)

// encode writes the body of a request, and describes it.
func (c *Client) encode(req model.Request, set *adapt.Set) ([]byte, adapt.Sent, error) {
	sent := adapt.Sent{Fields: []string{"max_tokens"}, Body: c.o.Body}
	w := wireRequest{Model: c.o.Model, MaxTokens: c.maxTokens(set), Stream: true}
	forget, fill := set.Forgets() || set.Without("content_thinking"), set.Fills("thinking")
	history := c.messages(req.Messages, forget, fill && !forget && !c.kind.claude)
	if !tools.Blank(req.System) {
		w.System = req.System
	}
	var err error
	if w.Tools, err = c.offered(req.Tools, set, &sent); err != nil {
		return nil, sent, err
	}
	if len(w.Tools) == 0 {
		if w.Tools = called(history); len(w.Tools) > 0 {
			w.ToolChoice = &wireChoice{"none"}
		}
	}
	w.Thinking, w.Output = c.thinking(set, w.MaxTokens), c.effort(set)
	if w.Thinking.on() && (w.Thinking.Type == enabled || fill) && lacksThinking(history, fill) {
		w.Thinking = nil
	}
	w.Temperature = c.temperature(req, set, w.Thinking)
	if c.o.Cache && !set.Without("cache_control") {
		mark(&w, history)
		sent.Fields = append(sent.Fields, "cache_control")
	}
	sent.Fields = append(sent.Fields, w.optional(history)...)
	if w.Output != nil {
		sent.Effort = w.Output.Effort
	}
	body, err := c.written(&w, history)
	return body, sent, err
}

// optional returns the other fields that a server may refuse, by their names in package adapt.
func (w *wireRequest) optional(history []wireMessage) (fields []string) {
	if w.Temperature != nil {
		fields = append(fields, "temperature")
	}
	if w.Output != nil {
		fields = append(fields, "reasoning_effort")
	}
	if w.Thinking != nil {
		fields = append(fields, "thinking")
		if w.Thinking.Display != "" {
			fields = append(fields, "thinking_display")
		}
	}
	for i := range history {
		if history[i].has("thinking") || history[i].has("redacted_thinking") {
			return append(fields, "content_thinking")
		}
	}
	return fields
}

// written returns the request as JSON, with the admin's fields.
func (c *Client) written(w *wireRequest, history []wireMessage) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // escaping only makes the body longer
	err := e.Encode(w)
	if err == nil {
		b.Truncate(b.Len() - len("}\n"))
		b.WriteString(`,"messages":`)
		err = write(&b, history)
	}
	body := append(b.Bytes(), '}')
	if err == nil {
		body, err = upstream.Merge(body, c.o.Body)
	}
	if err != nil {
		return nil, &model.Error{Kind: model.KindError, Detail: "the request cannot be written as JSON", Err: err}
	}
	return body, nil
}

// maxTokens returns the most tokens of the answer. The API requires the field.
func (c *Client) maxTokens(set *adapt.Set) int {
	if v, ok := set.Value("max_tokens"); ok {
		var n int
		if json.Unmarshal(v, &n) == nil && n > 0 {
			return n
		}
	}
	return c.o.MaxTokens
}

// temperature returns the app's temperature, or else the model's. Claude refuses any together with
// thinking ("may only be set to 1 when thinking is enabled or in adaptive mode",
// dotCipher/opencode-claude-bridge#1, 23 March 2026).
func (c *Client) temperature(req model.Request, set *adapt.Set, thinking *wireThinking) *float64 {
	given := c.o.Temperature
	if req.Temperature != nil {
		given = req.Temperature
	}
	if given == nil || set.Without("temperature") || c.kind.claude && thinking.on() {
		return nil
	}
	t := min(*given, maxTemperature)
	if v, ok := set.Value("temperature"); ok {
		_ = json.Unmarshal(v, &t) // only a number changes it
	}
	return &t
}

// offered returns the tools in the API's form.
func (c *Client) offered(list []model.Definition, set *adapt.Set, sent *adapt.Sent) ([]wireTool, error) {
	offered, err := c.learned.Offer(list, toolschema.Common, validName, set, sent)
	var all []wireTool
	for _, d := range offered {
		schema := d.Parameters
		if len(schema) == 0 {
			schema = anyObject
		}
		all = append(all, wireTool{Name: d.Name, Description: d.Description, InputSchema: schema})
	}
	return all, err
}

// mark marks where the server may cache the prompt: after the tools, the system prompt and the history.
// These are three marks. The API allows four ("A maximum of 4 blocks with cache_control may be
// provided", tghamm/Anthropic.SDK#50), and none on thinking.
func mark(w *wireRequest, history []wireMessage) {
	ephemeral := &wireCache{"ephemeral"}
	if n := len(w.Tools); n > 0 {
		w.Tools[n-1].Cache = ephemeral
	}
	if text, ok := w.System.(string); ok {
		w.System = []wireBlock{{Type: "text", Text: text, Cache: ephemeral}}
	}
	for i := len(history) - 1; i >= 0; i-- {
		for j := len(history[i].Content) - 1; j >= 0; j-- {
			if b := &history[i].Content[j]; !thinks(b.Type) {
				b.Cache = ephemeral
				return
			}
		}
	}
}

// called returns the tools that a history calls, each once, in the order of their first calls.
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

// validName returns a tool's name that the API accepts: name itself, or one derived from it, which is
// always the same.
func validName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' && r < 0x80 {
			return r
		}
		return '_'
	}, name)
	if plain == name && name != "" && len(name) <= maxToolName {
		return name
	}
	sum := sha256.Sum256([]byte(name)) // distinguishes names that differ only in replaced characters
	mark := hex.EncodeToString(sum[:8])
	return plain[:min(len(plain), maxToolName-len(mark)-1)] + "_" + mark
}

// ownName returns the name of the tool whose validName is name.
func ownName(tools []model.Definition, name string) string {
	for _, t := range tools {
		if t.Name != name && validName(t.Name) == name {
			return t.Name
		}
	}
	return name
}
