package gemini

import (
	"encoding/json"
	"errors"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// wireEvent is a chunk of a stream. Fields that are missing or have another type are zero.
type wireEvent struct {
	Candidates []struct {
		Content struct {
			Parts []json.RawMessage `json:"parts"`
		} `json:"content"`
		Finish string `json:"finishReason"`
	} `json:"candidates"`
	Feedback struct {
		Block string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *wireUsage      `json:"usageMetadata"`
	Error json.RawMessage `json:"error"`
}

// wireUsage has token counts of all that has been sent so far. The candidates' count excludes thoughts.
type wireUsage struct {
	Prompt     float64 `json:"promptTokenCount"`
	ToolPrompt float64 `json:"toolUsePromptTokenCount"`
	Cached     float64 `json:"cachedContentTokenCount"`
	Candidates float64 `json:"candidatesTokenCount"`
	Thoughts   float64 `json:"thoughtsTokenCount"`
}

func parse(raw []byte) (wireEvent, error) {
	var e wireEvent
	err := json.Unmarshal(raw, &e)
	var odd *json.UnmarshalTypeError
	if err != nil && !errors.As(err, &odd) { // after a wrong type, the other fields are still decoded
		return wireEvent{}, upstream.ErrMalformed
	}
	return e, nil
}

func (u *wireUsage) sum() *model.Usage {
	if u == nil {
		return nil
	}
	count := upstream.Count
	return &model.Usage{
		InputTokens: count(u.Prompt) + count(u.ToolPrompt), CachedInputTokens: count(u.Cached),
		OutputTokens: count(u.Candidates) + count(u.Thoughts), ReasoningTokens: count(u.Thoughts),
	}
}

// finishReason returns the finish reason of an answer that did not fail.
func finishReason(ending upstream.Ending, calls int) model.FinishReason {
	switch ending {
	case upstream.EndCut, upstream.EndContext, upstream.EndPaused:
		return model.FinishLength
	case upstream.EndRefused:
		return model.FinishContentFilter
	}
	if calls > 0 {
		return model.FinishToolCalls
	}
	return model.FinishStop
}

// failure returns the failure for an error object within a stream.
func failure(w *upstream.ServerError, line []byte) *upstream.Failure {
	status := w.Status()
	e := upstream.Failed(upstream.KindOf(status), status, w, line)
	return &upstream.Failure{Again: upstream.Retried(status) && e.Kind != model.KindTooLong, Err: e}
}
