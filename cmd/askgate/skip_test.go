package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// What an app must be told stays required, although the user may skip whatever its model asks.
func TestAnAppsFormIsNotSkippedByPolicy(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "apps"), 0o700); err != nil {
		t.Fatal(err)
	}
	app := `{"id": "a", "variables": [{"name": "city", "type": "string", "required": true}], "system": "In {{city}}.", "tools": ["ask_user"], "clarifications": {"allowSkip": "always"}}`
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
	defer catalog.Close()
	call := tools.Call{ID: "c", Name: config.TypeAskUser, Arguments: `{"question":"Which city?","input_type":"text"}`, Language: "en"}
	out := toolexec.New(prometheus.NewRegistry(), slog.New(slog.DiscardHandler)).Form(t.Context(), catalog, "a", call)
	if out.Question == nil || out.Question.Parts[0].AllowSkip {
		t.Errorf("the form asks %+v, %v", out.Question, out.Error)
	}
}
