package openai

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// A chunk, or a whole answer that is not streamed. Fields whose type differs between servers are kept
// raw.
type (
	wireChunk struct {
		Choices  []wireChoice    `json:"choices"`
		Usage    json.RawMessage `json:"usage"`
		Error    json.RawMessage `json:"error"`
		Object   json.RawMessage `json:"object"`
		BaseResp *struct {
			Status json.RawMessage `json:"status_code"`
		} `json:"base_resp"` // MiniMax's errors
		Groq *struct {
			Usage json.RawMessage `json:"usage"`
		} `json:"x_groq"`
	}
	wireChoice struct {
		Index        json.RawMessage `json:"index"`
		Delta        *wireDelta      `json:"delta"`
		Message      *wireDelta      `json:"message"`
		FinishReason *string         `json:"finish_reason"`
		Usage        json.RawMessage `json:"usage"` // Kimi
	}
	wireDelta struct {
		Content   json.RawMessage `json:"content"`
		Refusal   json.RawMessage `json:"refusal"`
		Thinking  json.RawMessage `json:"thinking"`
		ToolCalls []fragment      `json:"tool_calls"`
		members
		FunctionCall *function `json:"function_call"`
	}
)

// chunk is a decoded chunk.
type chunk struct {
	text, thinking []byte
	refused        bool // text is a refusal
	parts          []contentPart
	state          members
	fragments      []fragment
	finish         string // the server's word
	usage          *model.Usage
	choices        int
	failure        *model.Error
}

// parse decodes a chunk of any kind. Its error comes from encoding/json, and must not be shown, because
// it may quote the chunk.
func parse(raw []byte) (chunk, error) {
	var w wireChunk
	if err := json.Unmarshal(raw, &w); err != nil {
		return chunk{}, err
	}
	c := chunk{usage: usage(w.Usage), choices: len(w.Choices)}
	if w.failed() {
		c.failure = streamError(raw, w.miniMax())
		return c, nil
	}
	if c.usage == nil && w.Groq != nil {
		c.usage = usage(w.Groq.Usage)
	}
	for _, choice := range w.Choices {
		if i := string(choice.Index); i != "" && i != "0" && i != "null" {
			continue // only one answer was requested
		}
		if choice.FinishReason != nil {
			c.finish = *choice.FinishReason
		}
		if c.usage == nil {
			c.usage = usage(choice.Usage)
		}
		d := choice.Delta
		if d == nil {
			d = choice.Message
		}
		if d != nil {
			c.delta(d)
		}
		break
	}
	return c, nil
}

// failed reports whether the chunk is an error.
func (w *wireChunk) failed() bool {
	return len(w.Error) > 0 && string(w.Error) != "null" || string(w.Object) == `"error"` || w.miniMax() != 0
}

// miniMax returns the code of a MiniMax error, or 0.
func (w *wireChunk) miniMax() int {
	if w.BaseResp == nil {
		return 0
	}
	code, _ := strconv.Atoi(string(w.BaseResp.Status))
	return code
}

// miniMaxStatus has the HTTP statuses of MiniMax's codes
// (platform.minimax.io/docs/api-reference/errorcode, November 2026).
var miniMaxStatus = map[int]int{
	1000: http.StatusInternalServerError, 1001: http.StatusRequestTimeout, 1002: http.StatusTooManyRequests, 1004: http.StatusUnauthorized,
	1008: http.StatusPaymentRequired, 1024: http.StatusInternalServerError, 1033: http.StatusInternalServerError, 1039: http.StatusTooManyRequests,
	1041: http.StatusTooManyRequests, 2013: http.StatusBadRequest, 2049: http.StatusUnauthorized, 2056: http.StatusTooManyRequests,
}

// delta decodes what the model wrote.
func (c *chunk) delta(d *wireDelta) {
	c.state = d.members
	var inner []byte
	c.text, inner, c.parts = content(d.Content)
	if len(c.text) == 0 {
		c.text, _, _ = content(d.Refusal)
		c.refused = len(c.text) > 0
	}
	for _, raw := range []json.RawMessage{d.ReasoningContent, d.Reasoning, d.Thinking} {
		if len(c.thinking) == 0 {
			c.thinking, _, _ = content(raw)
		}
	}
	if len(c.thinking) == 0 {
		c.thinking = inner
	}
	c.fragments = d.ToolCalls
	if d.FunctionCall != nil {
		c.fragments = append(c.fragments, fragment{Function: *d.FunctionCall})
	}
}

// contentPart is a part of a content.
type contentPart struct {
	kind string
	raw  json.RawMessage
	at   int // bytes of the content's text before it
}

// Types of parts.
const (
	partText     = "text"
	partThinking = "thinking"
)

// content returns the text of a string, or of a list of parts as Mistral sends it. Parts of type
// "thinking" are the reasoning. parts has those that are not text. Any other value has no text.
func content(raw json.RawMessage) (text, thinking []byte, parts []contentPart) {
	if len(raw) == 0 || raw[0] == 'n' {
		return nil, nil, nil
	}
	if raw[0] == '"' {
		var s string
		_ = json.Unmarshal(raw, &s)
		return []byte(s), nil, nil
	}
	var list []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return nil, nil, nil
	}
	for _, raw := range list {
		var p struct {
			Type     string          `json:"type"`
			Text     string          `json:"text"`
			Thinking json.RawMessage `json:"thinking"`
		}
		if json.Unmarshal(raw, &p) != nil {
			continue
		}
		text = append(text, p.Text...)
		thinking = append(thinking, plainText(p.Thinking)...)
		var inner []struct{ Text string }
		if json.Unmarshal(p.Thinking, &inner) == nil {
			for _, t := range inner {
				thinking = append(thinking, t.Text...)
			}
		}
		if p.Type != "" && p.Type != partText {
			parts = append(parts, contentPart{p.Type, raw, len(text)})
		}
	}
	return text, thinking, parts
}

// streamError returns the error for an error object within a stream. Its kind depends on the status
// code, or else on MiniMax's code, or else on words in code and type.
func streamError(line []byte, miniMax int) *model.Error {
	w := upstream.ErrorIn(line)
	if w == nil {
		w = &upstream.ServerError{}
	}
	if status := cmp.Or(w.Status(), miniMaxStatus[miniMax]); status != 0 {
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
