package gemini

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
)

type (
	wireContent struct {
		Role  string
		Parts []any // wirePart, or json.RawMessage from the server; at least one
	}
	wirePart struct {
		Text      string        `json:"text,omitempty"`
		Thought   bool          `json:"thought,omitempty"`
		Data      *wireData     `json:"inlineData,omitempty"`
		Call      *wireCall     `json:"functionCall,omitempty"`
		Response  *wireResponse `json:"functionResponse,omitempty"`
		Signature string        `json:"thoughtSignature,omitempty"`
	}
	wireData struct {
		Media string `json:"mimeType"`
		Data  []byte `json:"data"`
	}
	wireCall struct {
		ID   string          `json:"id,omitempty"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	}
	wireResponse struct {
		ID       string            `json:"id,omitempty"`
		Name     string            `json:"name"`
		Response map[string]string `json:"response"`
	}
)

const (
	roleUser, roleModel = "user", "model"
	mediaPDF            = "application/pdf"
	// mediaGIF is refused: Gemini accepts PNG, JPEG, WEBP, HEIC and HEIF.
	mediaGIF = "image/gif"
	// noSignature replaces a signature that is not known (ai.google.dev, thought signatures).
	noSignature = "skip_thought_signature_validator"
)

// contents writes the history.
func (c *Client) contents(history []model.Message, set *adapt.Set) []wireContent {
	var list []wireContent
	joins := false // the next message of the same role may be joined to the last content
	for i := 0; i < len(history); i++ {
		m := &history[i]
		role, parts := roleUser, []any(nil)
		var open []wireCall // calls of m, with the ids and names for their responses
		switch {
		case m.Role == model.RoleUser:
			parts = files(text(nil, m.Content), m)
		case m.Role == model.RoleAssistant && !(tools.Blank(m.Content) && len(m.ToolCalls) == 0):
			role = roleModel
			parts, open = c.said(m, set)
		}
		if n := len(list); joins && list[n-1].Role == role {
			list[n-1].Parts = append(list[n-1].Parts, parts...)
		} else if len(parts) > 0 {
			list = append(list, wireContent{role, parts})
			joins = true
		}
		end := i + 1
		for end < len(history) && history[end].Role == model.RoleTool {
			end++
		}
		if results := history[i+1 : end]; len(results) > 0 {
			list = append(list, responses(m.ToolCalls, open, results)...)
			i, joins = end-1, false
		}
	}
	return list
}

// responses writes the results of calls, in the order of the calls, and then their files.
func responses(calls []model.ToolCall, open []wireCall, results []model.Message) []wireContent {
	place := func(m *model.Message) int {
		return slices.IndexFunc(calls, func(t model.ToolCall) bool { return t.ID == m.ToolCallID })
	}
	order := slices.Clone(results)
	slices.SortStableFunc(order, func(a, b model.Message) int { return place(&a) - place(&b) })
	answer, shown := wireContent{Role: roleUser}, wireContent{Role: roleUser}
	for i := range order {
		m := &order[i]
		at := place(m)
		if at < 0 || at >= len(open) {
			continue // it belongs to no call, but the API would count it
		}
		key := "output"
		if strings.HasPrefix(m.Content, `{"error":`) { // see tools.Error
			key = "error"
		}
		answer.Parts = append(answer.Parts, wirePart{Response: &wireResponse{ID: open[at].ID, Name: open[at].Name, Response: map[string]string{key: m.Content}}})
		shown.Parts = files(shown.Parts, m)
	}
	list := []wireContent{answer, shown}
	return slices.DeleteFunc(list, func(c wireContent) bool { return len(c.Parts) == 0 })
}

// said writes the parts of an assistant's message. calls has its calls with the ids and names for their
// responses.
func (c *Client) said(m *model.Message, set *adapt.Set) (parts []any, calls []wireCall) {
	own := m.Made.By == c.maker
	if own && !set.Forgets() {
		if parts, calls = restored(m); parts != nil {
			return c.signed(parts, calls, set), calls
		}
	}
	parts = text(nil, m.Content)
	for _, t := range m.ToolCalls {
		call := wireCall{ID: model.WireID(t.ID), Name: validName(t.Name), Args: arguments(t.Arguments)}
		if own {
			call.ID = t.ID
		}
		calls = append(calls, call)
		parts = append(parts, wirePart{Call: &call})
	}
	return c.signed(parts, calls, set), calls
}

// signed adds noSignature to the first call if the model demands a signature and no call has one.
func (c *Client) signed(parts []any, calls []wireCall, set *adapt.Set) []any {
	if len(calls) == 0 || !c.kind.signs && !set.Fills("extra_content") {
		return parts
	}
	first := -1
	for i, p := range parts {
		switch p := p.(type) {
		case wirePart:
			if p.Call != nil && first < 0 {
				first = i
			}
		case json.RawMessage:
			if w := wireOf(p); w.Call != nil && w.Signature != "" {
				return parts
			} else if w.Call != nil && first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return parts
	}
	parts = slices.Clone(parts)
	switch p := parts[first].(type) {
	case wirePart:
		p.Signature = noSignature
		parts[first] = p
	case json.RawMessage:
		parts[first] = with(p, "thoughtSignature", noSignature)
	}
	return parts
}

// arguments returns a call's arguments, which must be an object.
func arguments(raw string) json.RawMessage {
	if upstream.IsObject(raw) {
		return json.RawMessage(raw)
	}
	return json.RawMessage("{}")
}

func text(parts []any, s string) []any {
	if tools.Blank(s) {
		return parts
	}
	return append(parts, wirePart{Text: s})
}

// files appends a message's images and PDFs.
func files(parts []any, m *model.Message) []any {
	for _, image := range m.Images {
		if image.Media == mediaGIF {
			parts = append(parts, wirePart{Text: "[An image of type image/gif was left out: this model does not accept it.]"})
			continue
		}
		parts = append(parts, wirePart{Data: &wireData{image.Media, image.Data}})
	}
	for _, pdf := range m.PDFs {
		parts = append(parts, wirePart{Data: &wireData{mediaPDF, pdf.Data}})
	}
	return parts
}

// before adds a part before the first content of the user.
func before(list []wireContent, part wirePart) []wireContent {
	if len(list) > 0 && list[0].Role == roleUser {
		list[0].Parts = append([]any{part}, list[0].Parts...)
		return list
	}
	return append([]wireContent{{roleUser, []any{part}}}, list...)
}
