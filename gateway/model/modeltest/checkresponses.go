package modeltest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// ResponsesBody is a decoded request of the Responses API. It has the keys that a gateway
// sends; the API refuses those that it does not know.
type ResponsesBody struct {
	Model           string          `json:"model"`
	Instructions    *string         `json:"instructions"`
	Input           []Item          `json:"input"`
	Tools           []FlatTool      `json:"tools"`
	Include         []string        `json:"include"`
	Reasoning       *ReasoningAsked `json:"reasoning"`
	MaxOutputTokens *int            `json:"max_output_tokens"`
	Temperature     *float64        `json:"temperature"`
	PromptCacheKey  string          `json:"prompt_cache_key"`
	Store           *bool           `json:"store"`
	Stream          bool            `json:"stream"`
}

// ReasoningAsked is how the model is to reason.
type ReasoningAsked struct {
	Effort  string `json:"effort"`
	Summary string `json:"summary"`
}

// Item is one item of the input: a message, a reasoning, a function_call or a function_call_output.
type Item struct {
	Type             string          `json:"type"`
	ID               string          `json:"id"`
	Status           string          `json:"status"`
	Role             string          `json:"role"`
	Phase            string          `json:"phase"`
	Content          json.RawMessage `json:"content"` // a string, or parts
	Summary          []Part          `json:"summary"`
	EncryptedContent string          `json:"encrypted_content"`
	CallID           string          `json:"call_id"`
	Name             string          `json:"name"`
	Arguments        *string         `json:"arguments"`
	Output           json.RawMessage `json:"output"` // a string, or parts
}

// Part is a part of a message, a result or a summary.
type Part struct {
	Type        string            `json:"type"`
	Text        *string           `json:"text"`
	Refusal     string            `json:"refusal"`
	ImageURL    string            `json:"image_url"`
	Detail      string            `json:"detail"`
	Filename    string            `json:"filename"`
	FileData    string            `json:"file_data"`
	Annotations []json.RawMessage `json:"annotations"`
	Logprobs    []json.RawMessage `json:"logprobs"`
}

// FlatTool is one tool of such a request.
type FlatTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description *string         `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

const (
	maxResponsesCallID = 64 // in bytes
	minOutputTokens    = 16
)

var (
	efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	// partTypes are those of each role's messages.
	partTypes = map[string][]string{
		"user": {"input_text", "input_image", "input_file"}, "assistant": {"output_text", "refusal"},
	}
)

// CheckResponses is Check for the Responses API.
func CheckResponses(raw []byte) (ResponsesBody, []string) {
	var b ResponsesBody
	if !utf8.Valid(raw) {
		return b, []string{"the body is not UTF-8"}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return b, []string{"the body is not a Responses API request: " + err.Error()}
	}
	c := checker{ids: map[string]bool{}}
	if b.Model == "" {
		c.add("no model")
	}
	if b.Store == nil || *b.Store {
		c.add("store is not false")
	}
	if b.Instructions != nil && strings.TrimSpace(*b.Instructions) == "" {
		c.add("blank instructions")
	}
	if b.MaxOutputTokens != nil && *b.MaxOutputTokens < minOutputTokens {
		c.add("max_output_tokens is below %d", minOutputTokens)
	}
	if b.Temperature != nil && (*b.Temperature < 0 || *b.Temperature > 2) {
		c.add("temperature %v is not from 0 to 2", *b.Temperature)
	}
	if r := b.Reasoning; r != nil && (!slices.Contains(efforts, r.Effort) || r.Summary != "" && r.Summary != "auto") {
		c.add("reasoning %+v", *r)
	}
	for _, what := range b.Include {
		if what != "reasoning.encrypted_content" {
			c.add("include %q", what)
		}
	}
	for i := range b.Input {
		c.item(i, b.Input)
	}
	c.closed(len(b.Input))
	if n := len(b.Input); n == 0 {
		c.add("no input")
	} else if last := b.Input[n-1]; last.Type != "function_call_output" && last.Role != "user" {
		c.add("the last item is a %s: nothing to answer", last.Type)
	}
	c.flatTools(b.Tools)
	return b, c.found
}

func (c *checker) item(i int, all []Item) {
	item := &all[i]
	if item.ID != "" {
		c.add("item %d: has the id %q of an item that is not stored", i, item.ID)
	}
	switch item.Type {
	case "message":
		c.inputMessage(i, item)
	case "reasoning":
		if item.EncryptedContent == "" || item.Summary == nil {
			c.add("item %d: a reasoning without encrypted_content, or without summary", i)
		}
		if i+1 == len(all) || all[i+1].Type != "reasoning" && all[i+1].Type != "function_call" && all[i+1].Role != "assistant" {
			c.add("item %d: a reasoning without its required following item", i)
		}
	case "function_call":
		c.functionCall(i, item)
	case "function_call_output":
		if !c.answered(item.CallID) {
			c.add("item %d: no tool call found for function call output with call_id %q", i, item.CallID)
		}
		c.parts(i, item.Output, "user")
	default:
		c.add("item %d: of type %q", i, item.Type)
	}
}

func (c *checker) inputMessage(i int, item *Item) {
	if partTypes[item.Role] == nil {
		c.add("item %d: unknown role %q", i, item.Role)
	}
	if item.Role == "user" {
		c.closed(i)
	}
	if item.Phase != "" && item.Phase != "commentary" && item.Phase != "final_answer" {
		c.add("item %d: phase %q", i, item.Phase)
	}
	if text := c.parts(i, item.Content, item.Role); text != nil && strings.TrimSpace(*text) == "" {
		c.add("item %d: a blank message", i)
	}
}

// parts checks what a message of a role, or a result, says. It returns the text where that
// is all.
func (c *checker) parts(i int, raw json.RawMessage, role string) *string {
	var text *string
	if json.Unmarshal(raw, &text) == nil && text != nil {
		return text
	}
	var parts []Part
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if d.Decode(&parts) != nil || len(parts) == 0 {
		c.add("item %d: neither a string nor a list of parts", i)
		return nil
	}
	for _, p := range parts {
		switch {
		case !slices.Contains(partTypes[role], p.Type):
			c.add("item %d (%s): a part of type %q", i, role, p.Type)
		case strings.HasSuffix(p.Type, "_text") && (p.Text == nil || strings.TrimSpace(*p.Text) == ""):
			c.add("item %d: a blank text", i)
		case p.Type == "input_image" && !strings.HasPrefix(p.ImageURL, "data:image/"):
			c.add("item %d: an input_image without data", i)
		case p.Type == "input_file" && (p.Filename == "" || !strings.HasPrefix(p.FileData, "data:application/pdf;base64,")):
			c.add("item %d: an input_file without name or data", i)
		}
	}
	return nil
}

func (c *checker) functionCall(i int, item *Item) {
	switch {
	case item.CallID == "" || len(item.CallID) > maxResponsesCallID:
		c.add("item %d: a function_call with the call_id %q", i, item.CallID)
	case c.ids[item.CallID]:
		c.add("item %d: call_id %q is used twice", i, item.CallID)
	}
	c.ids[item.CallID] = true
	c.open = append(c.open, item.CallID)
	if !toolName.MatchString(item.Name) {
		c.add("item %d: function_call %q has the name %q", i, item.CallID, item.Name)
	}
	if item.Arguments == nil {
		c.add("item %d: function_call %q has no arguments", i, item.CallID)
	}
}

func (c *checker) flatTools(tools []FlatTool) {
	names := map[string]bool{}
	for _, t := range tools {
		if t.Type != "function" || !toolName.MatchString(t.Name) || names[t.Name] {
			c.add("tool %q: type %q, or a name that is unsound or used twice", t.Name, t.Type)
		}
		names[t.Name] = true
		if t.Strict == nil || *t.Strict {
			c.add("tool %q: strict is not false", t.Name)
		}
		var schema map[string]any
		if json.Unmarshal(t.Parameters, &schema) != nil || schema["type"] != "object" || schema["properties"] == nil {
			c.add("tool %q: parameters are not a schema of type object with properties", t.Name)
			continue
		}
		for _, key := range []string{"oneOf", "allOf", "anyOf", "enum", "not"} {
			if schema[key] != nil {
				c.add("tool %q: %s at the top of parameters", t.Name, key)
			}
		}
		c.schema(t.Name, "parameters", schema)
	}
}
