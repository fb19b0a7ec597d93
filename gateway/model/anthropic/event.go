package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// wireEvent is an event of a stream, of any type. Fields that are missing or have another type are
// zero.
type wireEvent struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Usage *wireUsage `json:"usage"`
	} `json:"message"`
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
		StopDetails struct {
			Category string `json:"category"`
		} `json:"stop_details"`
	} `json:"delta"`
	Usage *wireUsage `json:"usage"`
}

// wireContent is the beginning of a block.
type wireContent struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature *string         `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

// members has the names of a block's members that this package reads or writes. Any others are kept for
// the server.
var members = map[string]bool{
	"type": true, "text": true, "thinking": true, "signature": true, "data": true, "id": true, "name": true, "input": true,
	"tool_use_id": true, "content": true, "source": true, "title": true, "citations": true, "cache_control": true,
}

// content decodes a block. more has its unknown members.
func (e *wireEvent) content() (c wireContent, more map[string]json.RawMessage) {
	_ = json.Unmarshal(e.ContentBlock, &c) // members of another type are zero
	if c.Type == "text" {
		return c, nil
	}
	_ = json.Unmarshal(e.ContentBlock, &more)
	maps.DeleteFunc(more, func(name string, value json.RawMessage) bool {
		return members[name] || string(value) == "null"
	})
	return c, more
}

// wireUsage has token counts. They are cumulative: a later event has newer counts, and leaves out those
// that have not changed.
type wireUsage struct {
	Input      float64 `json:"input_tokens"`
	CacheWrite float64 `json:"cache_creation_input_tokens"`
	CacheRead  float64 `json:"cache_read_input_tokens"`
	Output     float64 `json:"output_tokens"`
	Details    struct {
		Thinking float64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// parse decodes an event of any type. Its counts replace those in usage.
func parse(raw []byte, usage *wireUsage) (wireEvent, error) {
	e := wireEvent{Usage: usage}
	e.Message.Usage = usage
	err := json.Unmarshal(raw, &e)
	var odd *json.UnmarshalTypeError
	if err != nil && !errors.As(err, &odd) { // after a wrong type, the other fields are still decoded
		return wireEvent{}, upstream.ErrMalformed
	}
	return e, nil
}

// sum returns usage with the same meaning for all providers: the API's input count excludes tokens read
// from or written to a cache.
func (u wireUsage) sum() *model.Usage {
	count := upstream.Count
	read, written, output := count(u.CacheRead), count(u.CacheWrite), count(u.Output)
	return &model.Usage{
		InputTokens: count(u.Input) + read + written, CachedInputTokens: read, CacheWriteTokens: written,
		OutputTokens: output, ReasoningTokens: min(count(u.Details.Thinking), output),
	}
}

// finishReason returns the finish reason of an answer that did not fail.
func finishReason(ending upstream.Ending, calls int) model.FinishReason {
	switch ending {
	case upstream.EndCut, upstream.EndContext:
		return model.FinishLength
	case upstream.EndPaused: // used with tools of the provider, which are never offered: the answer is incomplete
		return model.FinishLength
	case upstream.EndRefused:
		return model.FinishContentFilter
	}
	if calls > 0 {
		return model.FinishToolCalls
	}
	return model.FinishStop
}

// statuses has the HTTP statuses of the API's error types.
var statuses = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"billing_error":         http.StatusPaymentRequired,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"api_error":             http.StatusInternalServerError,
	"timeout_error":         http.StatusGatewayTimeout,
	"overloaded_error":      upstream.StatusOverloaded,
}

// failure returns the failure for an error object within a stream.
func failure(w *upstream.ServerError, line []byte) *upstream.Failure {
	status := statuses[w.Type]
	e := upstream.Failed(upstream.KindOf(status), status, w, line)
	return &upstream.Failure{Again: upstream.Retried(status) && e.Kind != model.KindTooLong, Err: e, Body: bytes.Clone(line)}
}
