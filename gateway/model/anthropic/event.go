package anthropic

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// wireEvent is any event of a stream. Fields that are missing, or of another type than
// here, are zero.
type wireEvent struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Usage *wireUsage `json:"usage"`
	} `json:"message"`
	ContentBlock struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Thinking string          `json:"thinking"`
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Input    json.RawMessage `json:"input"`
	} `json:"content_block"`
	Delta struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage *wireUsage `json:"usage"`
}

// wireUsage are token counts. They are cumulative: a later event has the newest, and
// leaves out what has not changed.
type wireUsage struct {
	Input      float64 `json:"input_tokens"`
	CacheWrite float64 `json:"cache_creation_input_tokens"`
	CacheRead  float64 `json:"cache_read_input_tokens"`
	Output     float64 `json:"output_tokens"`
}

// parse reads any event; counts goes on from what is in usage.
func parse(raw []byte, usage *wireUsage) (wireEvent, error) {
	e := wireEvent{Usage: usage}
	e.Message.Usage = usage
	err := json.Unmarshal(raw, &e)
	var odd *json.UnmarshalTypeError
	if err != nil && !errors.As(err, &odd) { // the other fields are read nevertheless
		return wireEvent{}, upstream.ErrMalformed
	}
	return e, nil
}

func (u wireUsage) sum() *model.Usage {
	const most = 1 << 50 // far above any count; a float beyond int64 would not convert
	count := func(n float64) int64 { return int64(min(max(n, 0), most)) }
	return &model.Usage{InputTokens: count(u.Input) + count(u.CacheWrite) + count(u.CacheRead), OutputTokens: count(u.Output)}
}

// finishReason maps the API's words.
func finishReason(word string, calls int) model.FinishReason {
	switch word {
	case "max_tokens", "model_context_window_exceeded":
		return model.FinishLength
	case "pause_turn": // of tools that run at the provider, which we never offer: the answer is not whole
		return model.FinishLength
	case "refusal":
		return model.FinishContentFilter
	}
	if calls > 0 {
		return model.FinishToolCalls
	}
	return model.FinishStop // end_turn, stop_sequence
}

// statuses are the HTTP statuses of the API's error types.
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

// failure is the failure for an error object within a stream.
func failure(w *upstream.ServerError, line []byte) *upstream.Failure {
	status := statuses[w.Type]
	e := upstream.Failed(upstream.KindOf(status), status, w, line)
	return &upstream.Failure{Again: upstream.Retried(status) && e.Kind != model.KindTooLong, Err: e}
}
