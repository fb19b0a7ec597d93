package modeltest

import (
	"encoding/json"

	"github.com/askgate/askgate/gateway/model/modeltest/strict"
)

// ResponsesBody is a decoded request of the Responses API. It has the keys that a gateway sends;
// the API refuses unknown keys.
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

// ReasoningAsked configures how the model reasons.
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

// CheckResponses is like Check for the Responses API.
func CheckResponses(raw []byte) (b ResponsesBody, found []string) {
	return b, judge(strict.Responses56, "/v1/responses", nil, raw, &b)
}
