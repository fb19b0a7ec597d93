package responses

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// wireEvent is an event of a stream, of any type. Members that are missing or have another type are
// zero.
type wireEvent struct {
	Type         string          `json:"type"`
	Delta        string          `json:"delta"`
	OutputIndex  int             `json:"output_index"`
	ContentIndex int             `json:"content_index"`
	SummaryIndex int             `json:"summary_index"`
	Item         json.RawMessage `json:"item"`
	Response     json.RawMessage `json:"response"` // at its end
	Error        json.RawMessage `json:"error"`
	Arguments    string          `json:"arguments"` // of a call, whole
}

// wireResponse is an answer that has ended.
type wireResponse struct {
	Object            string          `json:"object"`
	Status            string          `json:"status"`
	Error             json.RawMessage `json:"error"`
	IncompleteDetails struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Output []json.RawMessage `json:"output"`
	Usage  *wireUsage        `json:"usage"`
}

// wireUsage has token counts. Input and Output include their details.
type wireUsage struct {
	Input        float64 `json:"input_tokens"`
	InputDetails struct {
		Cached     float64 `json:"cached_tokens"`
		CacheWrite float64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	Output        float64 `json:"output_tokens"`
	OutputDetails struct {
		Reasoning float64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// parse decodes raw into to, and skips members of another type.
func parse(raw []byte, to any) error {
	err := json.Unmarshal(raw, to)
	var odd *json.UnmarshalTypeError
	if err != nil && !errors.As(err, &odd) { // after a wrong type, the other members are still decoded
		return upstream.ErrMalformed
	}
	return nil
}

func (u *wireUsage) sum() *model.Usage {
	if u == nil {
		return nil
	}
	count := upstream.Count
	return &model.Usage{
		InputTokens: count(u.Input), CachedInputTokens: count(u.InputDetails.Cached), CacheWriteTokens: count(u.InputDetails.CacheWrite),
		OutputTokens: count(u.Output), ReasoningTokens: count(u.OutputDetails.Reasoning),
	}
}

// word returns the API's word for the end of the answer. Some servers end each answer with
// response.completed, and only its status differs (Rapid-MLX#866, 2026-06-24).
func (r *wireResponse) word(event string) string {
	switch r.Status {
	case "incomplete", "failed", "cancelled":
		event = r.Status
	}
	if event == "incomplete" {
		return cmp.Or(r.IncompleteDetails.Reason, "max_output_tokens") // some servers send no reason
	}
	return event
}

// statuses has the HTTP statuses of the API's error codes and types (openai-go v3.98.0,
// ResponseErrorCode, 2026-11-09; openai/codex for the words of overload).
var statuses = map[string]int{
	"server_error":                  http.StatusInternalServerError,
	"server_is_overloaded":          http.StatusServiceUnavailable,
	"slow_down":                     http.StatusServiceUnavailable,
	"vector_store_timeout":          http.StatusGatewayTimeout,
	"rate_limit_exceeded":           http.StatusTooManyRequests,
	"insufficient_quota":            http.StatusTooManyRequests,
	"context_length_exceeded":       http.StatusBadRequest,
	"invalid_request_error":         http.StatusBadRequest,
	"data_residency_mismatch":       http.StatusBadRequest,
	"bio_policy":                    http.StatusBadRequest,
	"cyber_policy":                  http.StatusBadRequest,
	"misalignment_policy_violation": http.StatusBadRequest,
	"failed_to_download_image":      http.StatusBadRequest,
	"unsupported_image_media_type":  http.StatusBadRequest,
	"empty_image_file":              http.StatusBadRequest,
	"authentication_error":          http.StatusUnauthorized,
	"invalid_api_key":               http.StatusUnauthorized,
}

// status returns the HTTP status of an error, or 0 if it is not about the request: then the model
// failed.
func status(w *upstream.ServerError) int {
	if n := w.Status(); n != 0 {
		return n
	}
	code, _ := w.Code.(string)
	for _, word := range []string{code, w.Type} {
		if n := statuses[word]; n != 0 {
			return n
		}
		if strings.HasPrefix(word, "invalid_") || strings.HasPrefix(word, "image_") {
			return http.StatusBadRequest
		}
	}
	return 0
}

// failure returns the failure for an error object within a stream. It reads only the object, because the
// event around it may quote the whole request.
func failure(object json.RawMessage) *upstream.Failure {
	if len(object) == 0 {
		object = json.RawMessage("{}")
	}
	body := append(append([]byte(`{"error":`), object...), '}')
	w := upstream.ErrorIn(body)
	if w == nil {
		w = &upstream.ServerError{}
	}
	n := status(w)
	e := upstream.Failed(upstream.KindOf(n), n, w, body)
	e.Failed = n == 0 && e.Kind == model.KindError && e.Fault == ""
	return &upstream.Failure{Err: e, Body: body, Again: e.Failed || upstream.Retried(n) && e.Kind != model.KindTooLong && e.Fault == ""}
}
