package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/model/modeltest/strict"
)

// Body is a decoded request.
type Body struct {
	Model         string    `json:"model"`
	Messages      []Message `json:"messages"`
	Tools         []Tool    `json:"tools"`
	Stream        bool      `json:"stream"`
	Temperature   *float64  `json:"temperature"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// Message is one message of a request.
type Message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// Text returns the message's content, "" if it is null or not a string. For a user's message with
// pictures, it returns the text alongside them.
func (m Message) Text() string {
	var s string
	if json.Unmarshal(m.Content, &s) != nil {
		s, _ = m.pictured()
	}
	return s
}

// pictured returns the text of a user's message that has pictures, as data; false: it has none.
func (m Message) pictured() (text string, ok bool) {
	var parts []struct {
		Type, Text string
		ImageURL   struct{ URL string } `json:"image_url"`
	}
	if m.Role != "user" || json.Unmarshal(m.Content, &parts) != nil {
		return "", false
	}
	for _, p := range parts {
		switch {
		case p.Type == "text" && p.Text != "":
			text += p.Text
		case p.Type == "image_url" && strings.HasPrefix(p.ImageURL.URL, "data:image/"):
			ok = true
		default:
			return "", false
		}
	}
	return text, ok
}

// Tool is one tool of a request.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description json.RawMessage `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// toolName matches what OpenAI and Anthropic accept as a function's name.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Check decodes a request and returns what the strictest providers would refuse in it. It applies
// the union of the documented rules of OpenAI, Anthropic, Mistral and Gemini: a history that passes
// here passes everywhere.
func Check(raw []byte) (Body, []string) {
	var b Body
	if !utf8.Valid(raw) {
		return b, []string{"the body is not UTF-8"}
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return b, []string{"the body is not a Chat Completions request: " + err.Error()}
	}
	c := checker{ids: map[string]bool{}}
	if b.Model == "" {
		c.add("no model")
	}
	if len(b.Messages) == 0 {
		c.add("no messages")
	}
	for i, m := range b.Messages {
		c.message(i, m)
	}
	c.closed(len(b.Messages))
	if n := len(b.Messages); n > 0 && b.Messages[n-1].Role != "user" && b.Messages[n-1].Role != "tool" {
		c.add("the last message has the role %q, so there is nothing to answer", b.Messages[n-1].Role)
	}
	c.tools(raw, b.Tools)
	return b, c.found
}

type checker struct {
	found []string
	ids   map[string]bool // of all calls so far
	open  []string        // calls without a result yet
}

func (c *checker) add(format string, a ...any) { c.found = append(c.found, fmt.Sprintf(format, a...)) }

// closed checks, before message i, that each call has a result.
func (c *checker) closed(i int) {
	for _, id := range c.open {
		c.add("call %q has no result directly after it (before message %d)", id, i)
	}
	c.open = nil
}

// answered reports whether a call with that id is open, and closes it.
func (c *checker) answered(id string) bool {
	at := slices.Index(c.open, id)
	if at >= 0 {
		c.open = slices.Delete(c.open, at, at+1)
	}
	return at >= 0
}

func (c *checker) message(i int, m Message) {
	var text *string
	if words, ok := m.pictured(); ok {
		text = &words
	} else if json.Unmarshal(m.Content, &text) != nil {
		c.add("message %d: content is not a plain string", i)
		return
	}
	if text == nil && !(m.Role == "assistant" && len(m.ToolCalls) > 0) {
		c.add("message %d (%s): no content", i, m.Role)
	}
	blank := text == nil || strings.TrimSpace(*text) == ""
	if m.Role != "tool" {
		c.closed(i)
		if m.ToolCallID != "" {
			c.add("message %d (%s): has a tool_call_id", i, m.Role)
		}
	}
	if m.Role != "assistant" && len(m.ToolCalls) > 0 {
		c.add("message %d (%s): has tool_calls", i, m.Role)
	}
	switch m.Role {
	case "system":
		if i != 0 {
			c.add("message %d: a system message that is not first", i)
		}
		if blank {
			c.add("message %d: a blank system message", i)
		}
	case "user":
		if blank {
			c.add("message %d: a blank user message", i)
		}
	case "assistant":
		if blank && len(m.ToolCalls) == 0 {
			c.add("message %d: a blank assistant message", i)
		}
		c.calls(i, m)
	case "tool":
		if !c.answered(m.ToolCallID) {
			c.add("message %d: a tool message for %q, which is not an open call of the assistant message before it", i, m.ToolCallID)
		}
	default:
		c.add("message %d: unknown role %q", i, m.Role)
	}
}

func (c *checker) calls(i int, m Message) {
	for _, call := range m.ToolCalls {
		switch {
		case call.ID == "":
			c.add("message %d: a call without id", i)
		case c.ids[call.ID]:
			c.add("message %d: call id %q is used twice", i, call.ID)
		}
		c.ids[call.ID] = true
		c.open = append(c.open, call.ID)
		if call.Type != "function" {
			c.add("message %d: call %q is of type %q", i, call.ID, call.Type)
		}
		if !toolName.MatchString(call.Function.Name) {
			c.add("message %d: call %q has the function name %q", i, call.ID, call.Function.Name)
		}
		if !json.Valid([]byte(call.Function.Arguments)) {
			c.add("message %d: arguments of call %q are not JSON", i, call.ID)
		}
	}
}

func (c *checker) tools(raw []byte, tools []Tool) {
	var given struct {
		Tools json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(raw, &given); given.Tools != nil && len(tools) == 0 {
		c.add("tools is present but empty")
	}
	names := map[string]bool{}
	for _, t := range tools {
		name := t.Function.Name
		if t.Type != "function" || !toolName.MatchString(name) || names[name] {
			c.add("tool %q: type %q, or a name that is invalid or used twice", name, t.Type)
		}
		names[name] = true
		var description string
		if t.Function.Description != nil && json.Unmarshal(t.Function.Description, &description) != nil {
			c.add("tool %q: description is not a plain string", name)
		}
		if t.Function.Parameters == nil {
			continue
		}
		var schema map[string]any
		if json.Unmarshal(t.Function.Parameters, &schema) != nil || schema["type"] != "object" {
			c.add("tool %q: parameters are not a schema of type object", name)
			continue
		}
		c.schema(name, "parameters", schema)
	}
}

// schema checks the texts of a JSON Schema at every depth. A property may be called "description";
// a schema's own description must be a string.
func (c *checker) schema(tool, at string, s map[string]any) {
	for key, v := range s {
		where := at + "." + key
		switch key {
		case "description", "title", "$comment":
			if _, ok := v.(string); !ok {
				c.add("tool %q: %s is not a plain string", tool, where)
			}
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			named, ok := v.(map[string]any)
			if !ok {
				c.add("tool %q: %s is not an object", tool, where)
			}
			for name, sub := range named {
				c.sub(tool, where+"."+name, sub)
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			list, _ := v.([]any)
			for i, sub := range list {
				c.sub(tool, fmt.Sprintf("%s[%d]", where, i), sub)
			}
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames":
			c.sub(tool, where, v)
		}
	}
}

func (c *checker) sub(tool, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		c.schema(tool, at, v)
	case bool:
	default:
		c.add("tool %q: %s is not a schema", tool, at)
	}
}

// judge decodes a request of another API, and returns all that its strict server refuses.
func judge(kind *strict.Kind, address string, header http.Header, raw []byte, body any) []string {
	r, err := http.NewRequest(http.MethodPost, address, nil)
	if err != nil {
		return []string{err.Error()}
	}
	if header != nil {
		r.Header = header
	}
	if no := kind.Judge(r, raw); no != "" {
		return []string{no}
	}
	if err := json.Unmarshal(raw, body); err != nil {
		return []string{err.Error()}
	}
	return nil
}
