package main

import (
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/demo"
	"github.com/askgate/askgate/gateway/model/openai"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tools/calculator"
	"github.com/askgate/askgate/tools/clock"
	"github.com/askgate/askgate/tools/httptool"
)

// builtinTools are all the tools that this program has: by type, those of type
// "builtin" by id.
func builtinTools(texts *locales.Catalog) toolexec.Factories {
	words := func(language string) askuser.Words {
		list := func(id string) []string { return strings.Split(texts.Text(language, id, nil), ",") }
		return askuser.Words{
			Yes: texts.Text(language, "confirm.yes", nil), No: texts.Text(language, "confirm.no", nil),
			YesWords: list("confirm.yes_words"), NoWords: list("confirm.no_words"),
		}
	}
	return instrument(toolexec.Factories{
		config.TypeAskUser: func(app *config.App, _ *config.Tool) (tools.Tool, error) {
			c := app.Clarifications
			return askuser.New(askuser.Limits{MaxQuestions: c.MaxQuestions, MaxOptions: c.MaxOptions, MaxAnswer: c.MaxAnswer}, words), nil
		},
		config.TypeHTTP: func(_ *config.App, entry *config.Tool) (tools.Tool, error) {
			h := entry.HTTP
			return httptool.New(httptool.Options{
				Method: h.Method, URL: h.URL, Headers: h.Headers, Secrets: h.Secrets,
				Timeout: h.Timeout.Std(), AllowPrivate: h.AllowPrivate,
			})
		},
		"calculator": func(*config.App, *config.Tool) (tools.Tool, error) { return calculator.Tool{}, nil },
		"clock":      func(*config.App, *config.Tool) (tools.Tool, error) { return clock.Tool{}, nil },
	})
}

// providers are all the kinds of model servers that this program speaks to.
func providers(texts *locales.Catalog) map[string]func(config.Model) model.Model {
	return map[string]func(config.Model) model.Model{
		config.ProviderOpenAI: func(c config.Model) model.Model {
			return openai.New(openai.Options{
				BaseURL: c.BaseURL, APIKey: c.APIKey, Model: c.Model, Timeout: c.Timeout.Std(), MaxRetries: c.MaxRetries,
			})
		},
		config.ProviderAnthropic: func(c config.Model) model.Model {
			return anthropic.New(anthropic.Options{
				BaseURL: c.BaseURL, APIKey: c.APIKey, Model: c.Model, MaxTokens: c.MaxTokens, Timeout: c.Timeout.Std(), MaxRetries: c.MaxRetries,
			})
		},
		config.ProviderDemo: func(config.Model) model.Model { return demo.New(texts.Text) },
	}
}
