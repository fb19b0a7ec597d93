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
	"github.com/askgate/askgate/tools/mcptool"
)

// builtinTools are all the tools that this program has: by type, those of type
// "builtin" by id.
func builtinTools(texts *locales.Catalog, servers *mcptool.Pool) toolexec.Factories {
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
			switch {
			case entry == nil || entry.Name.In(call.Language) == "":
			case entry.Type == config.TypeMCP: // its name is that of the whole server
				name = entry.Name.In(call.Language) + ": " + strings.TrimPrefix(name, entry.ID+config.MemberSeparator)
			default:
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
		config.TypeMCP: func(app *config.App, entry *config.Tool) (tools.Tool, error) {
			return servers.Tool(mcpOptions(entry), mcptool.Asking{
				Asker: askuser.New(askuser.Limits{
					MaxQuestions: mcptool.MaxFields, MaxOptions: mcptool.MaxOptions, MaxAnswer: app.Clarifications.MaxAnswer, Secrets: app.Clarifications.Secrets,
				}, words),
				Name: func(language string) string { return short(cmp.Or(entry.Name.In(language), entry.ID)) },
				Warning: func(language, server string) string {
					return texts.Text(language, "elicitation.warning", map[string]any{"Server": server})
				},
				Visit: func(language, server, host string) string {
					return texts.Text(language, "elicitation.visit", map[string]any{"Server": server, "Host": host})
				},
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

// mcpOptions are an entry's, for what reaches the server.
func mcpOptions(entry *config.Tool) mcptool.Options {
	m := entry.MCP
	o := mcptool.Options{
		ID: entry.ID, URL: m.URL, Headers: m.Headers, AllowPrivate: m.AllowPrivate, Command: m.Command, Args: m.Args, Env: m.Env,
		Secrets: m.Secrets, Tools: m.Tools, Timeout: m.Timeout.Std(),
	}
	if m.Elicitation == config.ElicitPark {
		o.Park = m.ParkTimeout.Std()
	}
	return o
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
