package admin

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/model/trial"
)

// triedModel is the result of trying a model. The reason is for operators: it contains no
// secrets.
type triedModel struct {
	Model       string            `json:"model"`
	Works       bool              `json:"works"`
	Text        bool              `json:"text"`
	ToolCall    bool              `json:"toolCall"`
	Answer      bool              `json:"answer"`
	Reason      string            `json:"reason"` // why it does not work; "" if it does
	Status      int               `json:"status"` // of the server, if a request failed; 0: none
	Adaptations []triedAdaptation `json:"adaptations"`
	Usage       triedUsage        `json:"usage"`
	DurationMS  int64             `json:"durationMs"`
}

type triedAdaptation struct {
	What   string    `json:"what"`
	Detail string    `json:"detail"`
	At     chat.Time `json:"at"`
}

type triedUsage struct {
	Input     int64 `json:"inputTokens"`
	Cached    int64 `json:"cachedInputTokens"`
	Output    int64 `json:"outputTokens"`
	Reasoning int64 `json:"reasoningTokens"`
}

const scopeTrials = "trials"

// Try tries a model, one at a time, since that costs tokens and takes up to a minute.
func (h Admin) Try(r *host.Request) error {
	name := r.Param("model")
	m, ok := r.Setup().Models[name]
	if !ok || h.Trial.Name == "" {
		return host.NotFound("model")
	}
	release, d := r.Host.Limiter.Acquire(r.Context(), scopeTrials, "", 1)
	defer release()
	if !d.Allowed {
		return &host.Fault{Code: chat.CodeRateLimited, Limited: &d}
	}
	result := trial.Run(r.Context(), m, h.Trial)
	reply := triedModel{
		Model: name, Works: result.Works(), Text: result.Text, ToolCall: result.Call, Answer: result.Answer, Reason: result.Problem(), Status: result.Status(),
		Adaptations: []triedAdaptation{}, DurationMS: result.Took.Milliseconds(),
		Usage: triedUsage{result.Usage.InputTokens, result.Usage.CachedInputTokens, result.Usage.OutputTokens, result.Usage.ReasoningTokens},
	}
	of := r.Setup().Config.Gateway.Models[name]
	if advice := result.Advice(of.Provider, of.BaseURL); advice != "" {
		reply.Reason += "; " + advice
	}
	if h.ModelNotes != nil {
		adaptations, _ := h.ModelNotes(name).List()
		for _, n := range adaptations {
			reply.Adaptations = append(reply.Adaptations, triedAdaptation{n.What, n.Detail, chat.Time(n.At)})
		}
	}
	return r.JSON(reply)
}
