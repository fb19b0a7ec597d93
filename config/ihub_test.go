package config_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
)

// Files of ihub-apps load unchanged: keys with an equivalent are mapped, and warnings name the
// others.
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
		t.Error("a link to another site must not become an app")
	}
	var all []string
	for _, w := range s.Warnings {
		all = append(all, filepath.ToSlash(w.Error()))
	}
	got := strings.Join(all, "\n")
	for _, want := range []string{
		`apps/contract-check.json:3:3: order: these keys of ihub-apps have no effect here: order, category, color, icon, type, tokenLimit, preferredOutputFormat, preferredStyle`,
		`apps/contract-check.json:18:21: preferredModel: model "house-model-large" is not defined in gateway.json, so the default model is used`,
		`apps/contract-check.json:51:25: tools[1]: tool "webLookup" was skipped`,
		`apps/contract-check.json:51:38: tools[2]: tool "directory_findPerson" was skipped`,
		`apps/contract-check.json:51:62: tools[3]: tool "providerSearch" was skipped`,
		`apps/intranet.json:4:11: type: "redirect" is not an app to chat with`,
		`tools.json:43:3: [1]: tool "webLookup" is skipped: its script "webLookup.js" runs only in ihub-apps`,
		`tools.json:60:3: [3]: tool "providerSearch" is skipped`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no warning %q in\n%s", want, got)
		}
	}
}

// A configured preferred model is used; AskGate's own key takes precedence.
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

// ihubApp returns a small app of ihub-apps with these keys added.
func ihubApp(id, more string) string {
	return `{"id": "` + id + `", "name": {"en": "N"}, "color": "#0EA5E9", "icon": "globe"` + more + `}`
}

func warningsOf(s *config.Snapshot) string {
	var all []string
	for _, w := range s.Warnings {
		all = append(all, filepath.ToSlash(w.Error()))
	}
	return strings.Join(all, "\n")
}

// The contents directory of ihub-apps is a valid configuration: its tools are read one by one, and no
// mistake in it keeps the gateway from starting.
func TestIhubContentsAreAConfiguration(t *testing.T) {
	s := mustLoad(t, tree{
		"apps/nda.json":           ihubApp("nda", `, "ephemeral": true, "newInSix": {"a": 1}, "acces": {"roles": ["x"]}, "tools": ["ask_user", "ask", "search", "gone", "odd"]`),
		"apps/twice.json":         ihubApp("twice", `, "rendererConfig": {}, "system": "first", "system": "second", "name": {"en": "later", "en": "last"}`),
		"apps/Faulty one.json":    ihubApp("faulty", `, "maxSteps": "many"`),
		"apps/Other name.json":    ihubApp("named", ``),
		"apps/copy of nda.json":   ihubApp("nda", ``),
		"apps/starter.json":       ihubApp("starter", `, "starterPrompts": [{"title": {"en": "T"}, "message": {"en": "M"}, "icon": "x"}]`),
		"tools/ask.json":          `{"id": "ask", "script": "askUser.js", "tags": ["x"], "name": {"en": "Ask", "en": "Ask them"}}`,
		"tools/search.json":       `{"id": "search", "script": "search.js", "functions": {"find": {}}}`,
		"tools/odd.json":          `{"id": "odd", "description": 1, "script": "askUser.js"}`,
		"tools/typed.json":        `{"id": "typed", "type": "client"}`,
		"tools/list.json":         `[]`,
		"tools/broken.json":       `{"id": `,
		"models/gpt.json":         `{"id": "gpt"}`,
		"config/platform.json":    `{}`,
		"config/tools.json":       `[]`,
		"pages/en/faq.md":         `x`,
		"tools/.hidden.json":      `{`,
		"apps/intranet/app.json":  ihubApp("intranet", `, "type": "redirect"`),
		"tools.json":              `[{"id": "ask", "type": "client"}]`,
		"apps/twice/tools.json":   `[]`,
		"tools/nothing-json.txt":  `x`,
		"apps/disabled-here.json": ihubApp("disabled-here", `, "enabled": false`),
	}, nil)
	var ids []string
	for _, a := range s.Apps() {
		ids = append(ids, a.ID)
	}
	if !slices.Equal(ids, []string{"named", "nda", "starter", "twice"}) {
		t.Error(ids)
	}
	nda, _ := s.App("nda")
	if !slices.Equal(nda.Tools, []string{"ask_user", "ask"}) {
		t.Error(nda.Tools)
	}
	twice, _ := s.App("twice")
	if twice.System.In("en") != "second" || twice.Name.In("en") != "last" {
		t.Error("of two equal keys the later counts:", twice.System.In("en"), twice.Name.In("en"))
	}
	if ask, ok := s.Tool("nda", "ask"); !ok || ask.Type != "client" || ask.Name.In("en") != "Ask them" {
		t.Errorf("tools.json stands over tools/: %+v", ask)
	}
	got := warningsOf(s)
	for _, want := range []string{
		`nda.json:1:92: newInSix: unknown key "newInSix" has no effect`,
		`unknown key "acces" has no effect; did you mean "access"?`,
		`apps/nda.json:1:36: color: these keys of ihub-apps have no effect here: color, icon, ephemeral`,
		`tool "search" was skipped`, `tool "gone" is not defined here, so the app runs without it`, `tool "odd" was skipped`,
		`apps/twice.json:1:116: system: "system" appears twice (first on line 1); this one is used`,
		`apps/Faulty one.json:1:88: maxSteps: the app is left out: want a whole number`,
		`apps/copy of nda.json:1:8: id: the app is left out: another app has the id "nda"`,
		`unknown key "icon" has no effect`,
		`tools/odd.json:1:30: description: the tool is left out: want a string`,
		`tools/typed.json:1:1: is a tool with a type, so it is ignored; move it to tools.json`,
		`tools/list.json:1:1: is not a tool of ihub-apps, so it is ignored`,
		`tools/broken.json:1:7: the tool is left out: unexpected end of file`,
		`unknown key "tags" has no effect`,
		`config:1:1: is a folder of ihub-apps and is ignored`, `models:1:1: is a folder of ihub-apps and is ignored`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no warning %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "pages") || strings.Contains(got, "hidden") {
		t.Error(got)
	}
}

// In the older list of tools of ihub-apps, only a tool that cannot be read is left out.
func TestIhubListOfTools(t *testing.T) {
	s := mustLoad(t, tree{
		"tools.json":  `[{"id": "a b", "script": "x.js"}, {"id": "ask", "script": "askUser.js", "concurrency": 1, "extra": 1, "extra": 2}, {"id": "bad", "script": "askUser.js", "enabled": "no"}]`,
		"apps/a.json": ihubApp("a", `, "tools": ["ask", "bad"]`),
	}, nil)
	if a, _ := s.App("a"); !slices.Equal(a.Tools, []string{"ask"}) {
		t.Error(a.Tools, warningsOf(s))
	}
	// A list with an AskGate tool is not a file of ihub-apps.
	if _, err := load(t, tree{"tools.json": `[{"id": "ask", "script": "askUser.js", "extra": 1}, {"id": "c", "type": "client"}]`}, nil); err == nil || !strings.Contains(err.Error(), `unknown key "extra"`) {
		t.Error(err)
	}
}

// An AskGate app is read by its own rules even next to apps of ihub-apps.
func TestOurAppsStayStrictBesideIhubs(t *testing.T) {
	for file, want := range map[string]string{
		`{"id": "a", "acces": {}}`:               `unknown key "acces"; did you mean "access"?`,
		`{"id": "a", "name": "x", "name": "y"}`:  `"name" appears twice`,
		`{"id": "b", "color": "x"}`:              `does not match the file name`,
		`{"id": "a", "icon": "x", "tools": "x"}`: `want a list`,
	} {
		if _, err := load(t, tree{"apps/a.json": file, "apps/i.json": ihubApp("i", "")}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
