package openai

import (
	"encoding/json"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

type (
	// tokens has the counts of a usage object. Each server sends some of the fields.
	tokens struct {
		Prompt     count `json:"prompt_tokens"`
		Completion count `json:"completion_tokens"`
		Total      count `json:"total_tokens"`

		PromptDetails     *promptDetails `json:"prompt_tokens_details"`
		PromptDetail      *promptDetails `json:"prompt_token_details"` // Mistral
		CompletionDetails *struct {
			Reasoning count `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`

		Reasoning  count `json:"reasoning_tokens"`
		CacheHit   count `json:"prompt_cache_hit_tokens"`     // DeepSeek
		Cached     count `json:"cached_tokens"`               // Kimi
		NumCached  count `json:"num_cached_tokens"`           // Mistral
		CacheRead  count `json:"cache_read_input_tokens"`     // LiteLLM
		CacheWrite count `json:"cache_creation_input_tokens"` // LiteLLM, Qwen
	}
	promptDetails struct {
		Cached  count `json:"cached_tokens"`
		Write   count `json:"cache_write_tokens"`
		Created count `json:"cache_creation_input_tokens"` // Qwen
		Made    count `json:"cache_creation_tokens"`       // LiteLLM
	}
	// count is a number of tokens. Anything but a number is 0.
	count int64
)

// UnmarshalJSON implements json.Unmarshaler.
func (c *count) UnmarshalJSON(raw []byte) error {
	var n float64
	if json.Unmarshal(raw, &n) == nil {
		*c = count(upstream.Count(n))
	}
	return nil
}

// usage decodes token counts, or returns nil if there are none. Each server has fields of its own (see
// modeltest/strict).
func usage(raw json.RawMessage) *model.Usage {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	var w tokens
	if json.Unmarshal(raw, &w) != nil {
		return nil
	}
	input, output := w.Prompt, w.Completion
	cached, written, reasoning := max(w.CacheHit, w.Cached, w.NumCached, w.CacheRead), w.CacheWrite, w.Reasoning
	for _, d := range []*promptDetails{w.PromptDetails, w.PromptDetail} {
		if d != nil {
			cached, written = max(cached, d.Cached), max(written, d.Write, d.Created, d.Made)
		}
	}
	if w.CompletionDetails != nil {
		reasoning = max(reasoning, w.CompletionDetails.Reasoning)
	}
	// The total shows what a field leaves out. xAI's output excludes reasoning, and sometimes its input
	// excludes cached tokens. The output of Gemini's compatible API excludes thoughts, for which it has
	// no count.
	switch rest := w.Total - input - output; {
	case rest <= 0:
	case rest == reasoning:
		output += reasoning
	case rest == cached:
		input += cached
	case rest == cached+reasoning:
		input, output = input+cached, output+reasoning
	case reasoning == 0:
		output, reasoning = output+rest, rest
	}
	if cached > input {
		input += cached
	}
	if input+output == 0 {
		return nil
	}
	return &model.Usage{
		InputTokens: int64(input), CachedInputTokens: int64(min(cached, input)), CacheWriteTokens: int64(min(written, input)),
		OutputTokens: int64(output), ReasoningTokens: int64(min(reasoning, output)),
	}
}
