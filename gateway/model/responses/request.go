package responses

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/toolschema"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
)

// The request on the wire.
type (
	wireRequest struct {
		Model           string         `json:"model"`
		Instructions    string         `json:"instructions,omitempty"`
		Tools           []wireTool     `json:"tools,omitempty"`
		Input           []any          `json:"input"` // wireMessage, wireCall, wireResult, or an item of state
		Include         []string       `json:"include,omitempty"`
		Reasoning       *wireReasoning `json:"reasoning,omitempty"`
		MaxOutputTokens any            `json:"max_output_tokens,omitempty"`
		Temperature     any            `json:"temperature,omitempty"`
		PromptCacheKey  any            `json:"prompt_cache_key,omitempty"`
		Store           bool           `json:"store"`
		Stream          bool           `json:"stream"`
	}
	wireReasoning struct {
		Effort  any `json:"effort"`
		Summary any `json:"summary,omitempty"`
	}
	wireTool struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      any             `json:"strict,omitempty"` // if it is left out, the server makes the schema strict
	}
	// wireMessage has a type, although OpenAI does not need it, because other servers demand it
	// (pi#9589, 2026-09-14). The content of an assistant's message is a string: vLLM accepts parts
	// only with an id (DeepSeek-v4-Flash-DSpark-2x-DGX-Spark#138).
	wireMessage struct {
		Type    string     `json:"type"`
		Role    model.Role `json:"role"`
		Content any        `json:"content"` // a string, or []wirePart
	}
	wireCall struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	wireResult struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output any    `json:"output"` // a string, or []wirePart
	}
	// wirePart is a text, an image or a file.
	wirePart struct {
		Type     string `json:"type"`
		Text     string `json:"text,omitempty"`
		ImageURL string `json:"image_url,omitempty"`
		Detail   string `json:"detail,omitempty"` // of an image; "auto" is OpenAI's default, vLLM demands it
		Filename string `json:"filename,omitempty"`
		FileData string `json:"file_data,omitempty"`
	}
)

const (
	// minOutput is the smallest max_output_tokens that the API accepts (code integer_below_min_value;
	// hindsight#58, 2025-12-19).
	minOutput = 16
	// defaultName is the file name of a PDF without one, since the API requires a name with file data.
	defaultName = "document.pdf"
)

// writer writes one request.
type writer struct {
	sent adapt.Sent // describes what a server may refuse
	c    *Client
	set  *adapt.Set
	ids  map[string]string // call ids on the wire that differ from the message's
}

// field returns the value to send for a field that a server may refuse, or nil to leave it out.
func (w *writer) field(name string, own any) any {
	if w.set.Without(name) {
		return nil
	}
	w.sends(name)
	if v, ok := w.set.Value(name); ok {
		return v
	}
	return own
}

// sends notes that the request has a field.
func (w *writer) sends(name string) {
	if !slices.Contains(w.sent.Fields, name) {
		w.sent.Fields = append(w.sent.Fields, name)
	}
}

// encode writes the body of a request, and describes it.
func (c *Client) encode(req model.Request, set *adapt.Set) ([]byte, adapt.Sent, error) {
	w := writer{c: c, set: set, ids: map[string]string{}, sent: adapt.Sent{Body: c.o.Body, Effort: c.o.Effort}}
	r := wireRequest{Model: c.o.Model, Stream: true}
	if !tools.Blank(req.System) {
		r.Instructions = req.System
	}
	var err error
	if r.Tools, err = w.tooling(req.Tools); err != nil {
		return nil, w.sent, err
	}
	r.Input = w.input(req.Messages)
	if w.field("include", true) != nil {
		r.Include = []string{"reasoning.encrypted_content"}
	}
	if effort := c.o.Effort; effort != "" {
		if v := w.field("reasoning_effort", effort); v != nil {
			r.Reasoning = &wireReasoning{Effort: v}
			if c.o.Show && effort != "none" {
				r.Reasoning.Summary = w.field("reasoning_summary", "auto")
			}
		}
	}
	if c.o.MaxTokens > 0 {
		r.MaxOutputTokens = w.field("max_tokens", max(c.o.MaxTokens, minOutput))
	}
	if t := req.Temperature; t != nil {
		r.Temperature = w.field("temperature", *t)
	} else if t := c.o.Temperature; t != nil {
		r.Temperature = w.field("temperature", *t)
	}
	if c.own && c.o.Cache && req.CacheKey != "" {
		r.PromptCacheKey = w.field("prompt_cache_key", req.CacheKey)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // items of state must stay unchanged, and escaping only makes the body longer
	err = e.Encode(r)
	body := b.Bytes()
	if err == nil && len(c.o.Body) > 0 {
		body, err = upstream.Merge(body, c.o.Body)
	}
	if err != nil {
		return nil, w.sent, &model.Error{Kind: model.KindError, Detail: "the request cannot be written as JSON", Err: err}
	}
	return body, w.sent, nil
}

// tooling writes the tools.
func (w *writer) tooling(list []model.Definition) ([]wireTool, error) {
	offered, err := w.c.learned.Offer(list, toolschema.Common, nil, w.set, &w.sent)
	var all []wireTool
	for _, d := range offered {
		all = append(all, wireTool{"function", d.Name, d.Description, d.Parameters, w.field("strict", false)})
	}
	return all, err
}

// input writes the messages. An assistant's message without text and calls is left out, even if it has
// state: the server answers a reasoning without an item after it with 400.
func (w *writer) input(history []model.Message) []any {
	list := make([]any, 0, len(history))
	for i := range history {
		m := &history[i]
		switch m.Role {
		case model.RoleAssistant:
			list = w.assistant(list, m)
		case model.RoleTool:
			list = append(list, wireResult{"function_call_output", w.id(m.ToolCallID), content(m)})
		default:
			list = append(list, wireMessage{"message", m.Role, content(m)})
		}
	}
	return list
}

// id returns a call's id on the wire.
func (w *writer) id(own string) string {
	if id, ok := w.ids[own]; ok {
		return id
	}
	return own
}

func (w *writer) assistant(list []any, m *model.Message) []any {
	own := m.Made.By == w.c.maker
	if !own {
		for _, t := range m.ToolCalls {
			w.ids[t.ID] = model.WireID(t.ID)
		}
	}
	says := !tools.Blank(m.Content)
	if !says && len(m.ToolCalls) == 0 {
		return list
	}
	if own && !w.set.Forgets() {
		if items := w.c.restore(m); items != nil {
			return append(list, w.kept(items)...)
		}
	}
	if says {
		list = append(list, wireMessage{"message", m.Role, m.Content})
	}
	for _, t := range m.ToolCalls {
		list = append(list, wireCall{"function_call", w.id(t.ID), t.Name, t.Arguments})
	}
	return list
}

// kept returns items of state, without the members that the server has refused.
func (w *writer) kept(items []json.RawMessage) []any {
	list := make([]any, len(items))
	for i, item := range items {
		if strip := w.set.Without("phase"); strip || bytes.Contains(item, []byte(`"phase"`)) {
			item, _ = edit(item, func(name string, value json.RawMessage) json.RawMessage {
				if name == "phase" && strip {
					return nil
				}
				if name == "phase" {
					w.sends(name)
				}
				return value
			})
		}
		list[i] = item
	}
	return list
}

// content returns the text and the files of a message or a result.
func content(m *model.Message) any {
	if len(m.Images) == 0 && len(m.PDFs) == 0 {
		return m.Content
	}
	var parts []wirePart
	if !tools.Blank(m.Content) {
		parts = append(parts, wirePart{Type: "input_text", Text: m.Content})
	}
	for _, i := range m.Images {
		parts = append(parts, wirePart{Type: "input_image", ImageURL: dataURL(i.Media, i.Data), Detail: "auto"})
	}
	for _, p := range m.PDFs {
		name := p.Name
		if tools.Blank(name) {
			name = defaultName
		}
		parts = append(parts, wirePart{Type: "input_file", Filename: name, FileData: dataURL("application/pdf", p.Data)})
	}
	return parts
}

func dataURL(media string, data []byte) string {
	return "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data)
}
