package modeltest

import (
	"encoding/json"
	"net/http"

	"github.com/askgate/askgate/gateway/model/modeltest/strict"
)

// MessagesBody is a decoded request of the Messages API. It has the keys that a gateway sends; the
// API refuses unknown keys.
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
	Content      json.RawMessage `json:"content,omitempty"` // for a tool_result: a text, or a list of blocks
	Source       *BlockSource    `json:"source,omitempty"`
	Title        string          `json:"title,omitempty"`
	CacheControl *BlockCache     `json:"cache_control,omitempty"`
}

// BlockSource is the content of an image or a document.
type BlockSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// BlockCache marks the part that the server may cache.
type BlockCache struct {
	Type string `json:"type"`
}

// BlockThinking configures how the model thinks.
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

// BlockChoice selects the tools that the model may use.
type BlockChoice struct {
	Type string `json:"type"`
}

// CheckMessages is Check for the Messages API, including headers.
func CheckMessages(header http.Header, raw []byte) (b MessagesBody, found []string) {
	return b, judge(strict.Claude, "/v1/messages", header, raw, &b)
}
