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

// maxToolName limits a tool's name within a question, in code points, to leave room for the rest.
const maxToolName = 100

// toolTypes returns all types of tools of this program except ask_user. All arguments may be nil if no
// tool will be built, as when a configuration is only checked.
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

// builtinTools returns the factories of all tools of this program.
func builtinTools(texts *locales.Catalog, servers *mcptool.Pool, shelf *documents.Shelf) toolexec.Factories {
	a := newAsking(texts)
	factories := toolexec.Factories{
		config.TypeAskUser: func(app *config.App, entry *config.Tool) (tools.Tool, error) {
			return a.user(app, templates(entry)...), nil
		},
		toolexec.Approval: func(app *config.App, entry *config.Tool) (tools.Tool, error) {
			return approval.New(a.itself(app), a.about("approval.question", entry), a.unfounded(), a.yesNo), nil
		},
	}
	factories.Add(toolTypes(a, servers, shelf)...)
	return instrument(factories)
}

// asking supplies the texts with which tools ask the users of an app.
type asking struct {
	texts  *locales.Catalog
	others []string // labels that mean "Other", in all languages: models do not always use the chat's language
}

func newAsking(texts *locales.Catalog) *asking {
	a := &asking{texts: texts}
	for _, language := range texts.Languages() {
		a.others = append(a.others, a.list(language, "other.words")...)
	}
	return a
}

// list returns the words of a text that separates them by commas.
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

// itself returns ask_user for what the gateway itself asks the users of an app.
func (a *asking) itself(app *config.App) *askuser.Tool {
	own := *app
	own.Clarifications.NoModel = true
	return a.user(&own)
}

// user returns ask_user with the limits of an app.
func (a *asking) user(app *config.App, templates ...askuser.Template) *askuser.Tool {
	c := app.Clarifications
	limits := askuser.Limits{
		MaxQuestions: c.MaxQuestions, MaxOptions: c.MaxOptions, MaxFile: app.MaxFile, Secrets: c.Secrets, SecretWords: c.SecretWords,
		AllowOther: c.AllowOther, AllowSkip: c.AllowSkip, NoModel: c.NoModel,
	}
	for _, name := range slices.Sorted(maps.Keys(c.Keys)) {
		limits.Keys = append(limits.Keys, askuser.Key{Name: name, Description: c.Keys[name].Description.In})
	}
	return askuser.New(limits, a.words, templates...)
}

// about returns a function that words the question id about a call. entry may be nil if nothing will be
// asked.
func (a *asking) about(id string, entry *config.Tool) func(tools.Call) string {
	return func(call tools.Call) string {
		name := call.Name
		switch {
		case entry == nil || entry.Name.In(call.Language) == "":
		case entry.IsFamily(): // the entry's name stands for all its tools
			name = entry.Name.In(call.Language) + ": " + strings.TrimPrefix(name, entry.ID+config.MemberSeparator)
		default:
			name = entry.Name.In(call.Language)
		}
		return a.texts.Text(call.Language, id, map[string]any{"Tool": tools.Shorten(name, maxToolName)})
	}
}

// unfounded warns the approver of a call about arguments that no one gave: the user, or the holder
// of a role, who did not write the chat.
func (a *asking) unfounded() func(tools.Call) string {
	const most = 10
	return func(call tools.Call) string {
		if len(call.Unfounded) == 0 {
			return ""
		}
		id := "approval.unfounded"
		if call.For != "" {
			id = "approval.unfounded_by_other"
		}
		var names []string
		for _, pointer := range call.Unfounded[:min(len(call.Unfounded), most)] {
			name := arguments.Shown(tools.Shorten(strings.TrimPrefix(pointer, "/"), maxToolName))
			names = append(names, a.texts.Text(call.Language, "approval.argument", map[string]any{"Name": name}))
		}
		if len(call.Unfounded) > most {
			names = append(names, "…")
		}
		return a.texts.Text(call.Language, id, map[string]any{"Names": strings.Join(names, ", ")})
	}
}

// input words the request to a caller who runs a tool itself.
func (a *asking) input(entry *config.Tool) func(tools.Call) string {
	return a.about("input.question", entry)
}

// server configures how the questions of an MCP server are asked.
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

// templates returns the prepared questions of an entry, which the model asks by name. entry may be nil.
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

// providers returns a constructor for each kind of model server.
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

// settings returns the part of a model's configuration that the providers with an HTTP API share.
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

// trialTool returns the definition of ask_user with default limits, to try models with.
func trialTool() tools.Definition {
	description, parameters := askuser.New(askuser.Limits{}, nil).Definition()
	return tools.Definition{Name: config.TypeAskUser, Description: description, Parameters: parameters}
}
