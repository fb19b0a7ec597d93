package providers_test

import (
	"net/http"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/gemini"
	"github.com/askgate/askgate/gateway/model/openai"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// client creates the client of a model, as the gateway does.
func client(m config.Model, transport http.RoundTripper) model.Model {
	s := upstream.Settings{
		BaseURL: m.BaseURL, APIKey: m.APIKey, Model: m.Model, MaxTokens: m.MaxTokens, Temperature: m.Temperature,
		Effort: m.Reasoning.Effort, Show: m.Reasoning.Show, Cache: m.Cache, Transport: transport,
	}
	switch m.Provider {
	case config.ProviderAnthropic:
		return anthropic.New(s)
	case config.ProviderGemini:
		return gemini.New(s)
	}
	return openai.NewAuto(s, m.API)
}
