package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"github.com/askgate/askgate/gateway/model"
)

// The request as it goes over the wire.
type (
	wireRequest struct {
		Model         string         `json:"model"`
		Messages      []wireMessage  `json:"messages"`
		Tools         []wireTool     `json:"tools,omitempty"`
		Temperature   *float64       `json:"temperature,omitempty"`
		Stream        bool           `json:"stream"`
		StreamOptions *streamOptions `json:"stream_options,omitempty"`
	}
	streamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	}
	wireMessage struct {
		Role       model.Role `json:"role"`
		Content    any        `json:"content"` // a *string, or a []wirePart
		ToolCalls  []wireCall `json:"tool_calls,omitempty"`
		ToolCallID string     `json:"tool_call_id,omitempty"`
	}
	wireCall struct {
		ID       string       `json:"id"`
		Type     string       `json:"type"`
		Function wireFunction `json:"function"`
	}
	wireFunction struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	// wirePart is a text or an image.
	wirePart struct {
		Type     string     `json:"type"`
		Text     string     `json:"text,omitempty"`
		ImageURL *wireImage `json:"image_url,omitempty"`
	}
	wireImage struct {
		URL string `json:"url"`
	}
	wireTool struct {
		Type     string         `json:"type"`
		Function wireDefinition `json:"function"`
	}
	wireDefinition struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
)

// encode makes the body of a request; plain leaves stream_options out.
func (c *Client) encode(req model.Request, plain bool) ([]byte, error) {
	w := wireRequest{Model: c.model, Temperature: req.Temperature, Stream: true}
	if !plain {
		w.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	w.Messages = make([]wireMessage, 0, len(req.Messages)+1)
	if req.System != "" {
		w.Messages = append(w.Messages, wireMessage{Role: "system", Content: &req.System})
	}
	var shown []wirePart
	for i := range req.Messages {
		m := &req.Messages[i]
		w.Messages = append(w.Messages, encodeMessage(m))
		if m.Role == model.RoleTool && len(m.Images) > 0 {
			// Messages of tools take only text, so one of the user's has what their results show,
			// behind those of all the step's tools.
			shown = append(append(shown, wirePart{Type: "text", Text: "[Images that belong to the result of the call " + m.ToolCallID + ":]"}), images(m)...)
		}
		if last := i+1 == len(req.Messages) || req.Messages[i+1].Role != model.RoleTool; last && len(shown) > 0 {
			w.Messages = append(w.Messages, wireMessage{Role: model.RoleUser, Content: shown})
			shown = nil
		}
	}
	for _, t := range req.Tools {
		w.Tools = append(w.Tools, wireTool{Type: "function", Function: wireDefinition{t.Name, t.Description, t.Parameters}})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // only makes the body longer
	if err := e.Encode(w); err != nil {
		return nil, &model.Error{Kind: model.KindError, Detail: "the request cannot be written as JSON", Err: err}
	}
	return b.Bytes(), nil
}

// encodeMessage writes the content as null where an assistant said nothing but
// called: some servers refuse an empty string, others an absent key.
func encodeMessage(m *model.Message) wireMessage {
	w := wireMessage{Role: m.Role, Content: &m.Content, ToolCallID: m.ToolCallID}
	switch {
	case m.Content == "" && len(m.ToolCalls) > 0:
		w.Content = nil
	case m.Role == model.RoleUser && len(m.Images) > 0:
		w.Content = append([]wirePart{{Type: "text", Text: m.Content}}, images(m)...)
	}
	for _, t := range m.ToolCalls {
		w.ToolCalls = append(w.ToolCalls, wireCall{ID: t.ID, Type: "function", Function: wireFunction{t.Name, t.Arguments}})
	}
	return w
}

func images(m *model.Message) []wirePart {
	var parts []wirePart
	for _, image := range m.Images {
		parts = append(parts, wirePart{Type: "image_url", ImageURL: &wireImage{"data:" + image.Media + ";base64," + base64.StdEncoding.EncodeToString(image.Data)}})
	}
	return parts
}
