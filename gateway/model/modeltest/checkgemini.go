package modeltest

import (
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/askgate/askgate/gateway/model/modeltest/strict"
)

// GeminiBody is a decoded request of the Gemini API. It has the keys that a gateway sends; the API
// refuses unknown keys.
type GeminiBody struct {
	Contents []GeminiContent `json:"contents"`
	System   *GeminiContent  `json:"systemInstruction"`
	Tools    []struct {
		Declarations []GeminiTool `json:"functionDeclarations"`
	} `json:"tools"`
	Config *GeminiConfig `json:"generationConfig"`
}

// GeminiConfig holds the parameters of a request other than its contents.
type GeminiConfig struct {
	Temperature *float64 `json:"temperature"`
	MaxTokens   *int     `json:"maxOutputTokens"`
	Thinking    *struct {
		Level  string `json:"thinkingLevel"`
		Budget *int   `json:"thinkingBudget"`
		Show   bool   `json:"includeThoughts"`
	} `json:"thinkingConfig"`
}

// GeminiContent is one content of a request.
type GeminiContent struct {
	Role  string       `json:"role"`
	Parts []GeminiPart `json:"parts"`
}

// GeminiPart is a part of a content. One of its pointers is set.
type GeminiPart struct {
	Text      *string         `json:"text"`
	Thought   bool            `json:"thought"`
	Signature string          `json:"thoughtSignature"`
	Data      *GeminiData     `json:"inlineData"`
	Call      *GeminiCall     `json:"functionCall"`
	Response  *GeminiResponse `json:"functionResponse"`
}

// GeminiData is a file in a part.
type GeminiData struct {
	Media string `json:"mimeType"`
	Data  []byte `json:"data"`
}

// GeminiCall is a call of a function.
type GeminiCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// GeminiResponse is the result of a call.
type GeminiResponse struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Response map[string]any `json:"response"`
}

// GeminiTool is one function of a request.
type GeminiTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// CheckGemini is Check for the Gemini API, including address and headers.
func CheckGemini(address *url.URL, header http.Header, raw []byte) (b GeminiBody, found []string) {
	return b, judge(strict.Gemini25, address.String(), header, raw, &b)
}
