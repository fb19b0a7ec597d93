package providers_test

import (
	"net/http"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/openai"
	"github.com/askgate/askgate/gateway/model/upstream"
)

func client(m config.Model, transport http.RoundTripper) model.Model {
	s := upstream.Settings{
		BaseURL: m.BaseURL, APIKey: m.APIKey, Model: m.Model, MaxTokens: m.MaxTokens, Temperature: m.Temperature,
		Effort: m.Reasoning.Effort, Show: m.Reasoning.Show, Cache: m.Cache, Transport: transport,
	}
	if m.Provider == config.ProviderAnthropic {
		return anthropic.New(s)
	}
	return openai.New(s)
}
