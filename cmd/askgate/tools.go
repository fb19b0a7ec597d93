package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/demo"
	"github.com/askgate/askgate/gateway/model/openai"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/approval"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tools/calculator"
	"github.com/askgate/askgate/tools/clienttool"
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
	asker := func(app *config.App, templates ...askuser.Template) *askuser.Tool {
		c := app.Clarifications
		return askuser.New(askuser.Limits{MaxQuestions: c.MaxQuestions, MaxOptions: c.MaxOptions, MaxAnswer: c.MaxAnswer, Secrets: c.Secrets}, words, templates...)
	}
	// about words a question about a call; entry is nil where none will be asked.
	about := func(id string, entry *config.Tool) func(tools.Call) string {
		return func(call tools.Call) string {
			name := call.Name
			if entry != nil && entry.Name.In(call.Language) != "" {
				name = entry.Name.In(call.Language)
			}
			return texts.Text(call.Language, id, map[string]any{"Tool": short(name)})
		}
	}
	return instrument(toolexec.Factories{
		config.TypeAskUser: func(app *config.App, entry *config.Tool) (tools.Tool, error) {
			return asker(app, templates(entry)...), nil
		},
		toolexec.Approval: func(app *config.App, entry *config.Tool) (tools.Tool, error) {
			id := "approval.question"
			if entry != nil && entry.ApprovalRemember == config.RememberChat {
				id = "approval.question_remembered"
			}
			return approval.New(asker(app), about(id, entry)), nil
		},
		config.TypeClient: func(_ *config.App, entry *config.Tool) (tools.Tool, error) {
			return clienttool.New(about("input.question", entry)), nil
		},
		config.TypeHTTP: func(_ *config.App, entry *config.Tool) (tools.Tool, error) {
			h := entry.HTTP
			return httptool.New(httptool.Options{
				Method: h.Method, URL: h.URL, Headers: h.Headers, Secrets: h.Secrets,
				Timeout: h.Timeout.Std(), AllowPrivate: h.AllowPrivate,
				Once: entry.NeedsApproval, // that is what a person allows
			})
		},
		"calculator": func(*config.App, *config.Tool) (tools.Tool, error) { return calculator.Tool{}, nil },
		"clock":      func(*config.App, *config.Tool) (tools.Tool, error) { return clock.Tool{}, nil },
	})
}

// templates are the questions of an entry that the model asks by name; entry may be nil.
func templates(entry *config.Tool) []askuser.Template {
	if entry == nil {
		return nil
	}
	var list []askuser.Template
	for _, name := range slices.Sorted(maps.Keys(entry.Templates)) {
		t := entry.Templates[name]
		of := askuser.Template{Name: name, Values: t.Values, Question: func(language string) []byte { return t.QuestionIn(language) }}
		if t.From != nil {
			of.Arguments = append([]byte{}, cmp.Or(string(t.From.Arguments), "{}")...)
		}
		list = append(list, of)
	}
	return list
}

// short is a name that leaves room for the question around it.
func short(name string) string {
	const most = 100 // code points
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
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
