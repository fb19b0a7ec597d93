package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/tools"
)

// request is the relevant part of a request for a completion.
type request struct {
	requested
	usage   bool
	outputs []result // after the assistant's last message
}

// result is the result of a client's tool.
type result struct{ call, text string }

// wire is a request as received. Fields that no app lets its clients choose are not read.
type wire struct {
	Model         json.RawMessage   `json:"model"`
	Messages      []json.RawMessage `json:"messages"`
	Stream        bool              `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools      []json.RawMessage `json:"tools"`
	ToolChoice json.RawMessage   `json:"tool_choice"`
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID string `json:"id"`
	} `json:"tool_calls"`
}

// read reads a request. Messages of unknown shapes are ignored, except the last.
func read(data []byte) (*request, error) {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, front.NotOfType(err, "")
	}
	r := &request{
		requested: requested{stream: w.Stream, place: "messages", tools: offered(w.Tools, w.ToolChoice), brought: brought(w.Tools, w.ToolChoice)},
		usage:     w.StreamOptions.IncludeUsage,
	}
	switch {
	case json.Unmarshal(w.Model, &r.model) != nil || r.model == "":
		return nil, front.Invalid("openai_missing", "model", nil)
	case len(w.Messages) == 0:
		return nil, front.Invalid("openai_missing", "messages", nil)
	}
	at := -1
	for i, data := range w.Messages {
		var m wireMessage
		if json.Unmarshal(data, &m) != nil {
			continue
		}
		r.add(&m)
		switch m.Role {
		case "user":
			at = i
		case "system", "developer":
			r.instructed.Add("system", fmt.Sprintf("messages[%d]", i), contentText(m.Content))
		}
	}
	if r.message != nil {
		var m wireMessage
		_ = json.Unmarshal(w.Messages[at], &m) // it was read before
		r.parts = partsOfMessage(m.Content, fmt.Sprintf("messages[%d].content", at))
	}
	r.outputs = lastOf(r.outputs)
	r.said, r.opening = r.said.clean(r.message)
	if r.message == nil && len(r.outputs) == 0 {
		return nil, front.Invalid("openai_last", "messages", nil)
	}
	return r, nil
}

func (r *request) add(m *wireMessage) {
	text := contentText(m.Content)
	switch m.Role {
	case "user":
		r.message = &text
		r.said.add(line{user: true, texts: []string{squeeze(text)}})
	case "tool":
		r.outputs, r.ids = append(r.outputs, result{m.ToolCallID, text}), append(r.ids, m.ToolCallID)
		r.said.result()
	case "assistant":
		l := line{texts: []string{squeeze(text)}}
		for _, c := range m.ToolCalls {
			l.calls, l.mentions, r.ids = append(l.calls, c.ID), append(l.mentions, mention{call: c.ID}), append(r.ids, c.ID)
		}
		if l.texts[0] == "" && l.calls == nil {
			return // what clients keep of a failed answer
		}
		r.message, r.outputs = nil, nil
		r.said.add(l)
	}
}

// contentText returns the text of a message's content: a string, or the text parts of a list.
func contentText(data json.RawMessage) string {
	var s string
	if data = bytes.TrimSpace(data); len(data) == 0 || data[0] == '"' {
		_ = json.Unmarshal(data, &s) // otherwise ""
		return s
	}
	var parts []json.RawMessage
	if json.Unmarshal(data, &parts) != nil {
		return ""
	}
	var texts []string
	for _, one := range parts {
		var p struct{ Type, Text string }
		if json.Unmarshal(one, &p) == nil && strings.HasSuffix(p.Type, "text") && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// brought returns the tools that a request offers, in the same shapes.
func brought(list []json.RawMessage, choice json.RawMessage) (all []front.Tool) {
	if string(choice) == `"none"` {
		return nil
	}
	for i, data := range list {
		var t struct {
			Type     string
			Function *definition
		}
		tool := front.Tool{Field: fmt.Sprintf("tools[%d]", i)}
		_ = json.Unmarshal(data, &t) // otherwise it is of no kind
		if t.Type == "mcp" {
			continue // it says that the client decides about calls
		}
		if t.Type == "function" {
			of := t.Function
			if of == nil {
				of = new(definition)
				_ = json.Unmarshal(data, of) // as far as it is one
			}
			tool.Definition = tools.Definition{Name: of.Name, Description: of.Description, Parameters: of.Parameters}
		}
		all = append(all, tool)
	}
	return all
}

// definition is a function.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// lastOf returns the last result of each call: a refused one stays in some clients' history.
func lastOf(all []result) []result {
	seen := map[string]bool{}
	var last []result
	for _, r := range slices.Backward(all) {
		if !seen[r.call] {
			seen[r.call], last = true, append(last, r)
		}
	}
	slices.Reverse(last)
	return last
}
