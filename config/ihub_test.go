package config_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
)

// Files in the style of ihub-apps load unchanged: what has an equivalent is
// mapped, the rest is named in warnings.
func TestIhubFilesLoadUnchanged(t *testing.T) {
	s, err := config.Load(config.Options{Dir: filepath.Join("testdata", "ihub"), Env: env{}.Lookup, Tools: fakeTypes})
	if err != nil {
		t.Fatal(err)
	}
	a, ok := s.App("contract-check")
	if !ok {
		t.Fatal("the app is missing")
	}
	if a.Model != "default" || a.Temperature == nil || *a.Temperature != 0.4 || a.Name.In("de") != "Vertragsprüfung" || !strings.HasPrefix(a.System.In("de"), "Du prüfst") {
		t.Errorf("%+v", a)
	}
	if !slices.Equal(a.Tools, []string{"ask_user"}) {
		t.Error("tools that cannot run must be left out:", a.Tools)
	}
	if len(a.StarterPrompts) != 2 || a.StarterPrompts[0].In("de") != "Nenne alle Fristen dieses Vertrags." || a.StarterPrompts[1].In("de") != "Wer haftet bei Verzug?" {
		t.Error(a.StarterPrompts)
	}
	ask, _ := s.Tool("contract-check", "ask_user")
	if ask.Type != config.TypeAskUser || !ask.RequiresUserInput || ask.Parameters == nil {
		t.Errorf("%+v", ask)
	}
	if german := string(ask.ParametersIn("de")); !strings.Contains(german, `"description":"Die zu stellende Frage"`) || strings.Contains(german, `"en":`) {
		t.Error(german)
	}
	if _, ok := s.App("intranet"); ok {
		t.Error("a link to another site is no app to chat with")
	}
	var all []string
	for _, w := range s.Warnings {
		all = append(all, filepath.ToSlash(w.Error()))
	}
	got := strings.Join(all, "\n")
	for _, want := range []string{
		`apps/contract-check.json:3:3: keys of ihub-apps without effect here: order, category, color, icon, type, tokenLimit, preferredOutputFormat, preferredStyle`,
		`apps/contract-check.json:18:21: "house-model-large" is no model of gateway.json: the default model is used`,
		`apps/contract-check.json:51:25: the tool "webLookup" was skipped`,
		`apps/contract-check.json:51:38: the tool "directory_findPerson" was skipped`,
		`apps/contract-check.json:51:62: the tool "providerSearch" was skipped`,
		`apps/intranet.json:4:11: "redirect" is no app to chat with`,
		`tools.json:43:3: the tool "webLookup" is skipped: its script "webLookup.js" runs only in ihub-apps`,
		`tools.json:60:3: the tool "providerSearch" is skipped`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no warning %q in\n%s", want, got)
		}
	}
}

// A preferred model that is configured is taken; our own key wins.
func TestPreferredModel(t *testing.T) {
	s := mustLoad(t, tree{
		"gateway.json": `{"models": {"m": {"provider": "demo"}, "n": {"provider": "demo"}}}`,
		"apps/a.json":  `{"id": "a", "preferredModel": "m", "preferredTemperature": 1}`,
		"apps/b.json":  `{"id": "b", "preferredModel": "m", "model": "n", "preferredTemperature": 1, "temperature": 0}`,
	}, nil)
	a, _ := s.App("a")
	b, _ := s.App("b")
	if a.Model != "m" || *a.Temperature != 1 || b.Model != "n" || *b.Temperature != 0 {
		t.Errorf("%+v %+v", a, b)
	}
}
