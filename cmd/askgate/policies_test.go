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
