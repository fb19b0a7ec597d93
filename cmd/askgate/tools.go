package main

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/demo"
	"github.com/askgate/askgate/gateway/model/gemini"
	"github.com/askgate/askgate/gateway/model/openai"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/approval"
	"github.com/askgate/askgate/tools/arguments"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tools/calculator"
	"github.com/askgate/askgate/tools/clock"
	"github.com/askgate/askgate/tools/memory"
	"github.com/askgate/askgate/tooltypes/clienttool"
	"github.com/askgate/askgate/tooltypes/demotools"
	"github.com/askgate/askgate/tooltypes/documents"
	"github.com/askgate/askgate/tooltypes/httptool"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// maxToolName leaves room for the question around a name, in code points.
const maxToolName = 100

// toolTypes are all the types of tools that this program has, beside ask_user. Where no
// tool is made, as for a check of the configuration, all of these may be nil.
func toolTypes(a *asking, servers *mcptool.Pool, shelf *documents.Shelf) []config.ToolType {
	return append([]config.ToolType{
		config.Builtin("calculator", calculator.Tool{}),
		config.Builtin("clock", clock.Tool{}),
		config.Builtin(memory.RememberID, memory.Remember{}),
		config.Builtin(memory.ForgetID, memory.Forget{}),
		httptool.Type(),
		clienttool.Type(a.input),
		mcptool.Type(servers, a.server),
		documents.Type(shelf),
	}, demotools.Types()...)
}

// builtinTools are what makes all the tools that this program has.
func builtinTools(texts *locales.Catalog, servers *mcptool.Pool, shelf *documents.Shelf) toolexec.Factories {
	a := newAsking(texts)
	factories := toolexec.Factories{
		config.TypeAskUser: func(app *config.App, entry *config.Tool) (tools.Tool, error) {
			return a.user(app, templates(entry)...), nil
		},
		toolexec.Approval: func(app *config.App, entry *config.Tool) (tools.Tool, error) {
			return approval.New(a.user(app), a.about("approval.question", entry), a.unfounded, a.yesNo), nil
		},
	}
	factories.Add(toolTypes(a, servers, shelf)...)
	return instrument(factories)
}

// asking is how tools ask the users of an app.
type asking struct {
	texts  *locales.Catalog
	others []string // labels that say "Other", in all languages: models do not keep to the chat's
}

func newAsking(texts *locales.Catalog) *asking {
	a := &asking{texts: texts}
	for _, language := range texts.Languages() {
		a.others = append(a.others, a.list(language, "other.words")...)
	}
	return a
}

// list is a text of words with commas between them.
func (a *asking) list(language, id string) []string {
	return strings.Split(a.texts.Text(language, id, nil), ",")
}

func (a *asking) words(language string) askuser.Words {
	list := func(id string) []string { return a.list(language, id) }
	return askuser.Words{
		Yes: a.texts.Text(language, "confirm.yes", nil), No: a.texts.Text(language, "confirm.no", nil),
		YesWords: list("confirm.yes_words"), NoWords: list("confirm.no_words"), SkipWords: list("skip.words"), OtherWords: a.others,
	}
}

func (a *asking) yesNo(language string) (yes, no string) {
	return a.texts.Text(language, "confirm.yes", nil), a.texts.Text(language, "confirm.no", nil)
}

// user is ask_user within the limits of an app.
func (a *asking) user(app *config.App, templates ...askuser.Template) *askuser.Tool {
	c := app.Clarifications
	return askuser.New(askuser.Limits{MaxQuestions: c.MaxQuestions, MaxOptions: c.MaxOptions, MaxFile: app.MaxFile, Secrets: c.Secrets, SecretWords: c.SecretWords, AllowOther: c.AllowOther}, a.words, templates...)
}

// about words a question about a call; entry is nil where none will be asked.
func (a *asking) about(id string, entry *config.Tool) func(tools.Call) string {
	return func(call tools.Call) string {
		name := call.Name
		switch {
		case entry == nil || entry.Name.In(call.Language) == "":
		case entry.IsFamily(): // its name is that of the whole
			name = entry.Name.In(call.Language) + ": " + strings.TrimPrefix(name, entry.ID+config.MemberSeparator)
		default:
			name = entry.Name.In(call.Language)
		}
		return a.texts.Text(call.Language, id, map[string]any{"Tool": tools.Shorten(name, maxToolName)})
	}
}

// unfounded names the arguments that nobody gave, for the approver of the call.
func (a *asking) unfounded(call tools.Call) string {
	const most = 10
	if len(call.Unfounded) == 0 {
		return ""
	}
	var names []string
	for _, pointer := range call.Unfounded[:min(len(call.Unfounded), most)] {
		names = append(names, "“"+arguments.Shown(tools.Shorten(strings.TrimPrefix(pointer, "/"), maxToolName))+"”")
	}
	if len(call.Unfounded) > most {
		names = append(names, "…")
	}
	return a.texts.Text(call.Language, "approval.unfounded", map[string]any{"Names": strings.Join(names, ", ")})
}

// input words what is asked of the caller who runs a tool.
func (a *asking) input(entry *config.Tool) func(tools.Call) string {
	return a.about("input.question", entry)
}

// server is how an MCP server's questions are asked.
func (a *asking) server(app *config.App, entry *config.Tool) mcptool.Asking {
	return mcptool.Asking{
		Asker: askuser.New(askuser.Limits{
			MaxQuestions: mcptool.MaxFields, MaxOptions: mcptool.MaxOptions, Secrets: app.Clarifications.Secrets, SecretWords: app.Clarifications.SecretWords,
		}, a.words),
		Name: func(language string) string {
			return tools.Shorten(cmp.Or(entry.Name.In(language), entry.ID), maxToolName)
		},
		Warning: func(language, server string) string {
			return a.texts.Text(language, "elicitation.warning", map[string]any{"Server": server})
		},
		Visit: func(language, server, host string) string {
			return a.texts.Text(language, "elicitation.visit", map[string]any{"Server": server, "Host": host})
		},
	}
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

// providers are all the kinds of model servers that this program speaks to.
func providers(texts *locales.Catalog) map[string]func(config.Model, *upstream.Notes) model.Model {
	return map[string]func(config.Model, *upstream.Notes) model.Model{
		config.ProviderOpenAI: func(c config.Model, notes *upstream.Notes) model.Model {
			return openai.NewAuto(settings(c, notes), c.API)
		},
		config.ProviderAnthropic: func(c config.Model, notes *upstream.Notes) model.Model {
			return anthropic.New(settings(c, notes))
		},
		config.ProviderGemini: func(c config.Model, notes *upstream.Notes) model.Model {
			return gemini.New(settings(c, notes))
		},
		config.ProviderDemo: func(config.Model, *upstream.Notes) model.Model { return demo.New(texts.Text) },
	}
}

// settings are what the providers that speak HTTP take of a model's configuration.
func settings(c config.Model, notes *upstream.Notes) upstream.Settings {
	header := http.Header{}
	for name, value := range c.Headers {
		header.Set(name, value)
	}
	return upstream.Settings{
		BaseURL: c.BaseURL, APIKey: c.APIKey, Model: c.Model,
		Timeout: c.Timeout.Std(), MaxRetries: c.MaxRetries,
		MaxTokens: c.MaxTokens, Temperature: c.Temperature, Effort: c.Reasoning.Effort, Show: c.Reasoning.Show, Cache: c.Cache,
		Header: header, Body: c.Body, Secrets: c.Secrets, Notes: notes,
	}
}

// trialTool is ask_user with its own limits, for trying models.
func trialTool() tools.Definition {
	description, parameters := askuser.New(askuser.Limits{}, nil).Definition()
	return tools.Definition{Name: config.TypeAskUser, Description: description, Parameters: parameters}
}
