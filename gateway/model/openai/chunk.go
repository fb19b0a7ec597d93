package openai

import (
	"encoding/json"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// A chunk, or a whole answer that was not streamed. Fields whose type differs between
// servers are kept raw.
type (
	wireChunk struct {
		Choices []wireChoice    `json:"choices"`
		Usage   json.RawMessage `json:"usage"`
		Error   json.RawMessage `json:"error"`
		Object  json.RawMessage `json:"object"`
	}
	wireChoice struct {
		Index        json.RawMessage `json:"index"`
		Delta        *wireDelta      `json:"delta"`
		Message      *wireDelta      `json:"message"`
		FinishReason *string         `json:"finish_reason"`
	}
	wireDelta struct {
		Content          json.RawMessage `json:"content"`
		Refusal          json.RawMessage `json:"refusal"`
		ReasoningContent json.RawMessage `json:"reasoning_content"`
		Reasoning        json.RawMessage `json:"reasoning"`
		ToolCalls        []fragment      `json:"tool_calls"`
		FunctionCall     *function       `json:"function_call"`
	}
)

// chunk is a decoded chunk.
type chunk struct {
	text, thinking []byte
	fragments      []fragment
	finish         string // as the server wrote it
	usage          *model.Usage
	choices        int
	failure        *model.Error
}

// parse reads any chunk. Its error is encoding/json's and must not be shown: it
// may quote the chunk.
func parse(raw []byte) (chunk, error) {
	var w wireChunk
	if err := json.Unmarshal(raw, &w); err != nil {
		return chunk{}, err
	}
	c := chunk{usage: usage(w.Usage), choices: len(w.Choices)}
	if len(w.Error) > 0 && string(w.Error) != "null" || string(w.Object) == `"error"` {
		c.failure = streamError(raw)
		return c, nil
	}
	for _, choice := range w.Choices {
		if i := string(choice.Index); i != "" && i != "0" && i != "null" {
			continue // only one answer was asked for
		}
		if choice.FinishReason != nil {
			c.finish = *choice.FinishReason
		}
		d := choice.Delta
		if d == nil {
			d = choice.Message
		}
		if d == nil {
			continue
		}
		var inner []byte
		c.text, inner = content(d.Content)
		if len(c.text) == 0 {
			c.text, _ = content(d.Refusal) // what the model says instead of an answer
		}
		for _, raw := range []json.RawMessage{d.ReasoningContent, d.Reasoning} {
			if len(c.thinking) == 0 {
				c.thinking, _ = content(raw)
			}
		}
		if len(c.thinking) == 0 {
			c.thinking = inner
		}
		c.fragments = d.ToolCalls
		if d.FunctionCall != nil {
			c.fragments = append(c.fragments, fragment{Function: *d.FunctionCall})
		}
		break
	}
	return c, nil
}

// content is the text of a string, or of a list of parts as Mistral sends it,
// whose parts of type "thinking" are the reasoning. Any other value is no text.
func content(raw json.RawMessage) (text, thinking []byte) {
	if len(raw) == 0 || raw[0] == 'n' {
		return nil, nil
	}
	if raw[0] == '"' {
		var s string
		_ = json.Unmarshal(raw, &s)
		return []byte(s), nil
	}
	var parts []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if raw[0] != '[' || json.Unmarshal(raw, &parts) != nil {
		return nil, nil
	}
	for _, p := range parts {
		text = append(text, p.Text...)
		if len(p.Thinking) > 0 && p.Thinking[0] == '"' {
			var s string
			_ = json.Unmarshal(p.Thinking, &s)
			thinking = append(thinking, s...)
		}
		var inner []struct{ Text string }
		if json.Unmarshal(p.Thinking, &inner) == nil {
			for _, t := range inner {
				thinking = append(thinking, t.Text...)
			}
		}
	}
	return text, thinking
}

// usage reads token counts, nil where there are none.
func usage(raw json.RawMessage) *model.Usage {
	var w *struct {
		Input  float64 `json:"prompt_tokens"`
		Output float64 `json:"completion_tokens"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &w) != nil || w == nil {
		return nil
	}
	const most = 1 << 50 // far above any count; a float beyond int64 would not convert
	return &model.Usage{InputTokens: int64(min(max(w.Input, 0), most)), OutputTokens: int64(min(max(w.Output, 0), most))}
}

// finishReason maps the providers' words.
func finishReason(word string, calls int) model.FinishReason {
	switch word {
	case "length", "max_tokens", "model_length", "MAX_TOKENS":
		return model.FinishLength
	case "content_filter", "safety", "SAFETY", "refusal":
		return model.FinishContentFilter
	}
	if calls > 0 { // some servers say "stop" beside calls
		return model.FinishToolCalls
	}
	return model.FinishStop
}

// streamError is the error for an error object within a stream: by its status code, else
// by words in its code and type.
func streamError(line []byte) *model.Error {
	w := upstream.ErrorIn(line)
	if w == nil {
		w = &upstream.ServerError{}
	}
	if status := w.Status(); status != 0 {
		return upstream.Failed(upstream.KindOf(status), status, w, line)
	}
	e := upstream.Failed(model.KindError, 0, w, line)
	if e.Kind == model.KindTooLong {
		return e
	}
	code, _ := w.Code.(string)
	words := strings.ToLower(code + " " + w.Type)
	for _, rule := range []struct {
		kind  model.ErrorKind
		words []string
	}{
		{model.KindRateLimited, []string{"rate_limit", "ratelimit", "too_many", "quota"}},
		{model.KindTimeout, []string{"timeout", "timed_out"}},
		{model.KindUnavailable, []string{"server_error", "overloaded", "unavailable", "internal", "capacity", "servererror"}},
	} {
		for _, word := range rule.words {
			if strings.Contains(words, word) {
				e.Kind = rule.kind
				return e
			}
		}
	}
	return e
}
