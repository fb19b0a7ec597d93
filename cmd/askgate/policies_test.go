package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// catalogOf returns the tools of an app as serve has them. app is its file.
func catalogOf(t *testing.T, app string) *toolexec.Catalog {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "apps"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "apps", "a.json"), []byte(app), 0o600); err != nil {
		t.Fatal(err)
	}
	texts, err := locales.New()
	if err != nil {
		t.Fatal(err)
	}
	snap, err := config.Load(config.Options{Dir: dir, Tools: toolTypes(nil, nil, nil), Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := toolexec.NewCatalog(snap, builtinTools(texts, nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(catalog.Close)
	return catalog
}

// The keys of the configuration reach the model, in the chat's language and in one order: the same
// in each turn, so that a provider's cache holds.
func TestConfiguredKeysReachTheModel(t *testing.T) {
	for range 5 { // a map has another order each time
		catalog := catalogOf(t, `{"id": "a", "tools": ["ask_user"], "clarifications": {"keys": {"tone": {"description": {"en": "How it sounds", "de": "Wie es klingt"}}, "city": {"remember": "user"}, "budget": {}}}}`)
		for language, want := range map[string]string{"en": "How it sounds", "de-AT": "Wie es klingt"} {
			list := catalog.Definitions("a", language, true)
			if len(list) != 1 || !strings.Contains(string(list[0].Parameters), `\"budget\", \"city\", \"tone\": \"`+want+`\"`) {
				t.Errorf("%s: %+v", language, list)
			}
		}
	}
}

// What an app must be told stays required, although the user may skip whatever its model asks.
func TestAnAppsFormIsNotSkippedByPolicy(t *testing.T) {
	catalog := catalogOf(t, `{"id": "a", "variables": [{"name": "city", "type": "string", "required": true}], "system": "In {{city}}.", "tools": ["ask_user"], "clarifications": {"allowSkip": "always"}}`)
	call := tools.Call{ID: "c", Name: config.TypeAskUser, Arguments: `{"question":"Which city?","input_type":"text"}`, Language: "en"}
	out := toolexec.New(prometheus.NewRegistry(), slog.New(slog.DiscardHandler)).Form(t.Context(), catalog, "a", call)
	if out.Question == nil || out.Question.Parts[0].AllowSkip {
		t.Errorf("the form asks %+v, %v", out.Question, out.Error)
	}
}

// What the gateway itself asks is decided by its own rules, although a model's questions may always be
// skipped and answered in the user's own words: an approval is a yes or a no, and a number of an app's
// form is a number.
func TestPoliciesAreOnlyForWhatAModelAsks(t *testing.T) {
	const app = `{"id": "a", "variables": [{"name": "age", "type": "number", "required": true}, {"name": "member", "type": "boolean", "required": true}],
		"system": "Age {{age}}, member {{member}}.", "tools": ["ask_user", "calculator"], "clarifications": {"allowSkip": "always", "allowOther": "always"}}`
	catalog, run := catalogOf(t, app), toolexec.New(prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	call := tools.Call{ID: "c", Name: config.TypeAskUser, Language: "en", Arguments: `{"questions":[{"question":"Age?","input_type":"number"},{"question":"Member?","input_type":"confirm"},{"question":"When?","input_type":"date"}]}`}
	of := func(who string, q *tools.Question, open bool) {
		t.Helper()
		if q == nil {
			t.Fatalf("%s asks nothing", who)
		}
		for _, p := range q.Parts {
			if p.AllowSkip != open || p.AllowOther != open {
				t.Errorf("%s asks %+v", who, p)
			}
		}
	}
	form := call
	form.Arguments = `{"questions":[{"question":"Age?","input_type":"number"},{"question":"Member?","input_type":"confirm"}]}`
	of("the form", run.Form(t.Context(), catalog, "a", form).Question, false)
	_, out := run.Ask(t.Context(), catalog, &config.App{ID: "a"}, call)
	of("a program", out.Question, false)

	texts, err := locales.New()
	if err != nil {
		t.Fatal(err)
	}
	var settings config.App
	settings.Clarifications = config.Clarifications{AllowSkip: config.AllowSkipAlways, AllowOther: config.AllowOtherAlways}
	factories := builtinTools(texts, nil, nil)
	for id, open := range map[string]bool{config.TypeAskUser: true, toolexec.Approval: false} {
		tool, err := factories[id](&settings, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := tool.Run(t.Context(), tools.Call{Name: "calculator", Language: "en", Arguments: `{"question":"Sure?","input_type":"confirm"}`})
		if err != nil {
			t.Fatal(err)
		}
		of(id, out.Question, open)
		if id == toolexec.Approval {
			for _, a := range []tools.Answer{{Skipped: true}, {Other: "yes"}} {
				if _, err := tool.(tools.Resumer).Check(*out.Question, a); err == nil {
					t.Errorf("an approval takes %+v", a)
				}
			}
		}
	}
}
