package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/toolexec"
)

// The keys of the configuration reach the model, in the chat's language and in one order: the same
// in each turn, so that a provider's cache holds.
func TestConfiguredKeysReachTheModel(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "apps"), 0o700); err != nil {
		t.Fatal(err)
	}
	app := `{"id": "a", "tools": ["ask_user"], "clarifications": {"keys": {"tone": {"description": {"en": "How it sounds", "de": "Wie es klingt"}}, "city": {"remember": "user"}, "budget": {}}}}`
	if err := os.WriteFile(filepath.Join(dir, "apps", "a.json"), []byte(app), 0o600); err != nil {
		t.Fatal(err)
	}
	texts, err := locales.New()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 { // a map has another order each time
		snap, err := config.Load(config.Options{Dir: dir, Tools: toolTypes(nil, nil, nil), Env: func(string) (string, bool) { return "", false }})
		if err != nil {
			t.Fatal(err)
		}
		catalog, err := toolexec.NewCatalog(snap, builtinTools(texts, nil, nil))
		if err != nil {
			t.Fatal(err)
		}
		for language, want := range map[string]string{"en": "How it sounds", "de-AT": "Wie es klingt"} {
			list := catalog.Definitions("a", language, true)
			if len(list) != 1 || !strings.Contains(string(list[0].Parameters), `\"budget\", \"city\", \"tone\": \"`+want+`\"`) {
				t.Errorf("%s: %+v", language, list)
			}
		}
		catalog.Close()
	}
}
