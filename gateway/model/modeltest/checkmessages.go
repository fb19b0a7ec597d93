package modeltest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// MessagesBody is a decoded request of the Messages API. It has the keys that a
// gateway sends; the API refuses those that it does not know.
type MessagesBody struct {
	Model        string          `json:"model"`
	MaxTokens    *int            `json:"max_tokens"`
	System       json.RawMessage `json:"system"` // a text, or a list of text blocks
	Messages     []BlockMessage  `json:"messages"`
	Tools        []BlockTool     `json:"tools"`
	ToolChoice   *BlockChoice    `json:"tool_choice"`
	Temperature  *float64        `json:"temperature"`
	Stream       bool            `json:"stream"`
	Thinking     *BlockThinking  `json:"thinking"`
	OutputConfig *struct {
		Effort string `json:"effort"`
	} `json:"output_config"`
}

// BlockMessage is one message of such a request.
type BlockMessage struct {
	Role    string  `json:"role"`
	Content []Block `json:"content"`
}

// Block is a part of a message: text, thinking, redacted_thinking, tool_use, tool_result, image or
// document.
type Block struct {
	Type         string          `json:"type"`
	Text         *string         `json:"text,omitempty"`
	Thinking     *string         `json:"thinking,omitempty"`
	Signature    *string         `json:"signature,omitempty"`
	Data         string          `json:"data,omitempty"`
	ID           string          `json:"id,omitempty"`
	Name         string          `json:"name,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Content      json.RawMessage `json:"content,omitempty"` // of a tool_result: a text, or a list of blocks
	Source       *BlockSource    `json:"source,omitempty"`
	Title        string          `json:"title,omitempty"`
	CacheControl *BlockCache     `json:"cache_control,omitempty"`
}

// BlockSource is what an image or a document shows.
type BlockSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// BlockCache marks what the server may cache.
type BlockCache struct {
	Type string `json:"type"`
}

// BlockThinking says how the model thinks.
type BlockThinking struct {
	Type         string `json:"type"`
	BudgetTokens *int   `json:"budget_tokens"`
	Display      string `json:"display"`
}

// BlockTool is one tool of such a request.
type BlockTool struct {
	Name         string          `json:"name"`
	Description  *string         `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	CacheControl *BlockCache     `json:"cache_control"`
}

// BlockChoice says which tools the model may use.
type BlockChoice struct {
	Type string `json:"type"`
}

var (
	blockID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	// documentTitle is what Anthropic accepts as the title of a document.
	documentTitle = regexp.MustCompile(`^[\p{L}\p{M}\p{Nd} ()\[\]-]{0,200}$`)
	// propertyName is what Anthropic accepts as the name of a tool's argument.
	propertyName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
)

// CheckMessages is Check for the Messages API, headers included.
func CheckMessages(header http.Header, raw []byte) (MessagesBody, []string) {
	var b MessagesBody
	if !utf8.Valid(raw) {
		return b, []string{"the body is not UTF-8"}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return b, []string{"the body is no Messages API request: " + err.Error()}
	}
	c := checker{ids: map[string]bool{}}
	if header.Get("Anthropic-Version") != "2023-06-01" {
		c.add("no anthropic-version 2023-06-01")
	}
	if b.Model == "" {
		c.add("no model")
	}
	if b.MaxTokens == nil || *b.MaxTokens < 1 {
		c.add("no max_tokens, or below 1")
	}
	if b.Temperature != nil && (*b.Temperature < 0 || *b.Temperature > 1) {
		c.add("temperature %v is not from 0 to 1", *b.Temperature)
	}
	c.system(b.System)
	c.thinking(b)
	for i, m := range b.Messages {
		c.blockMessage(i, b.Messages, m)
	}
	c.closed(len(b.Messages))
	if n := len(b.Messages); n == 0 {
		c.add("no messages")
	} else if b.Messages[n-1].Role != "user" {
		c.add("the last message is of role %q: nothing to answer", b.Messages[n-1].Role)
	}
	c.blockTools(b)
	if c.marks > 4 {
		c.add("A maximum of 4 blocks with cache_control may be provided. Found %d.", c.marks)
	}
	return b, c.found
}

func (c *checker) system(raw json.RawMessage) {
	if raw == nil {
		return
	}
	var text string
	blocks := []Block{{Type: "text", Text: &text}}
	if json.Unmarshal(raw, &text) != nil && json.Unmarshal(raw, &blocks) != nil {
		c.add("a system prompt that is neither text nor a list of blocks")
	}
	for _, b := range blocks {
		c.cached(b.CacheControl)
		if b.Type != "text" || b.Text == nil || strings.TrimSpace(*b.Text) == "" {
			c.add("a blank system prompt, or one with a block of type %q", b.Type)
		}
	}
}

func (c *checker) cached(mark *BlockCache) {
	if mark == nil {
		return
	}
	if c.marks++; mark.Type != "ephemeral" {
		c.add("cache_control of type %q", mark.Type)
	}
}

func (c *checker) thinking(b MessagesBody) {
	switch t := b.Thinking; {
	case t == nil:
	case t.Type == "enabled" && (t.BudgetTokens == nil || *t.BudgetTokens < 1024 || b.MaxTokens != nil && *t.BudgetTokens >= *b.MaxTokens):
		c.add("thinking with a budget that is not from 1024 to below max_tokens")
	case t.Type != "enabled" && t.Type != "adaptive" && t.Type != "disabled":
		c.add("thinking of type %q", t.Type)
	case t.Type != "disabled" && b.Temperature != nil && *b.Temperature != 1:
		c.add("temperature beside thinking")
	}
	if b.OutputConfig != nil && !slices.Contains([]string{"low", "medium", "high", "xhigh", "max"}, b.OutputConfig.Effort) {
		c.add("output_config.effort %q", b.OutputConfig.Effort)
	}
}

func (c *checker) blockMessage(i int, all []BlockMessage, m BlockMessage) {
	switch {
	case m.Role != "user" && m.Role != "assistant":
		c.add("message %d: unknown role %q", i, m.Role)
	case i == 0 && m.Role != "user":
		c.add("the first message is not the user's")
	case i > 0 && all[i-1].Role == m.Role:
		c.add("message %d: the roles do not alternate", i)
	}
	if len(m.Content) == 0 {
		c.add("message %d: no content", i)
	}
	results := true
	for _, b := range m.Content {
		c.cached(b.CacheControl)
		if b.Type != "tool_result" {
			results = false
			if m.Role == "user" {
				c.closed(i)
			}
		}
		switch {
		case b.Type == "thinking" && m.Role == "assistant":
			if b.Thinking == nil || b.Signature == nil || b.CacheControl != nil {
				c.add("message %d: a thinking block without its text or signature, or with cache_control", i)
			}
		case b.Type == "redacted_thinking" && m.Role == "assistant":
			if b.Data == "" || b.CacheControl != nil {
				c.add("message %d: a redacted_thinking block without data, or with cache_control", i)
			}
		case b.Type == "tool_use" && m.Role == "assistant":
			c.use(i, b)
		case b.Type == "tool_result" && m.Role == "user":
			if !results {
				c.add("message %d: a tool_result that is not first", i)
			}
			c.result(i, b)
		case b.Type != "text" && m.Role == "assistant":
			c.add("message %d (%s): a block of type %q", i, m.Role, b.Type)
		default:
			c.shown(i, m.Role, b)
		}
	}
	if m.Role == "user" {
		c.closed(i)
	}
}

func (c *checker) use(i int, b Block) {
	switch {
	case !blockID.MatchString(b.ID):
		c.add("message %d: a tool_use with the id %q", i, b.ID)
	case c.ids[b.ID]:
		c.add("message %d: tool_use id %q is used twice", i, b.ID)
	}
	c.ids[b.ID] = true
	c.open = append(c.open, b.ID)
	if !toolName.MatchString(b.Name) {
		c.add("message %d: tool_use %q has the name %q", i, b.ID, b.Name)
	}
	var input map[string]any
	if json.Unmarshal(b.Input, &input) != nil || input == nil {
		c.add("message %d: the input of tool_use %q is no object", i, b.ID)
	}
}

func (c *checker) result(i int, b Block) {
	if !c.answered(b.ToolUseID) {
		c.add("message %d: a tool_result for %q, which is no open tool_use of the message before it", i, b.ToolUseID)
	}
	if b.Content == nil {
		return
	}
	var text string
	var blocks []Block
	switch {
	case json.Unmarshal(b.Content, &text) == nil:
		if strings.TrimSpace(text) == "" {
			c.add("message %d: a blank tool_result", i)
		}
	case json.Unmarshal(b.Content, &blocks) != nil:
		c.add("message %d: a tool_result that is neither text nor a list of blocks", i)
	}
	for _, part := range blocks {
		c.shown(i, "tool_result", part)
	}
}

// shown checks what may be in a user's message and in a result.
func (c *checker) shown(i int, in string, b Block) {
	switch {
	case b.Type == "text":
		if b.Text == nil || strings.TrimSpace(*b.Text) == "" {
			c.add("message %d: a blank text", i)
		}
	case (b.Type == "image" || b.Type == "document") && b.Source != nil:
		pdf := b.Source.MediaType == "application/pdf"
		if b.Source.Type != "base64" || len(b.Source.Data) == 0 || pdf != (b.Type == "document") || !documentTitle.MatchString(b.Title) {
			c.add("message %d: a %s of type %q, empty, or called %q", i, b.Type, b.Source.MediaType, b.Title)
		}
	default:
		c.add("message %d (%s): a block of type %q", i, in, b.Type)
	}
}

func (c *checker) blockTools(b MessagesBody) {
	if len(b.Tools) == 0 && len(c.ids) > 0 {
		c.add("tool_use blocks, but no tools")
	}
	names := map[string]bool{}
	for _, t := range b.Tools {
		c.cached(t.CacheControl)
		if !toolName.MatchString(t.Name) || names[t.Name] {
			c.add("tool %q: a name that is unsound or used twice", t.Name)
		}
		names[t.Name] = true
		var schema map[string]any
		if json.Unmarshal(t.InputSchema, &schema) != nil || schema["type"] != "object" {
			c.add("tool %q: input_schema is no schema of type object", t.Name)
			continue
		}
		for _, key := range []string{"oneOf", "allOf", "anyOf"} {
			if schema[key] != nil {
				c.add("tool %q: %s at the top of input_schema", t.Name, key)
			}
		}
		properties, _ := schema["properties"].(map[string]any)
		for name := range properties {
			if !propertyName.MatchString(name) {
				c.add("tool %q: an argument called %q", t.Name, name)
			}
		}
		c.schema(t.Name, "input_schema", schema)
	}
	if b.ToolChoice != nil && (len(b.Tools) == 0 || b.ToolChoice.Type != "auto" && b.ToolChoice.Type != "any" && b.ToolChoice.Type != "none") {
		c.add("tool_choice %q with %d tools", b.ToolChoice.Type, len(b.Tools))
	}
}
