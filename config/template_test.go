package config_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
)

// templated returns a tools.json with one template, and tools that can list its options.
func templated(template string) tree {
	return tree{"tools.json": `[
		{"id": "ask_user", "templates": {"pick": ` + template + `}},
		{"id": "list", "type": "http", "http": {"url": "https://h/"}},
		{"id": "narrow", "type": "http", "http": {"url": "https://h/{q}"}, "parameters": {"properties": {"q": {"type": "string"}}, "required": ["q"]}},
		{"id": "guarded", "type": "http", "needsApproval": true, "http": {"url": "https://h/"}},
		{"id": "erase", "type": "http", "http": {"method": "DELETE", "url": "https://h/"}},
		{"id": "picker", "type": "client", "parameters": {}},
		{"id": "off", "type": "client", "enabled": false}
	]`}
}

func TestTemplateFault(t *testing.T) {
	from := func(more string) string {
		return `{"question": "Which?", "optionsFrom": {"tool": "list", "label": ""}, ` + more + `}`
	}
	for name, c := range map[string]struct {
		files tree
		want  []string
	}{
		"no question":           {templated(`¶{"input_type": "text"}`), []string{`"question" is missing`}},
		"unknown key":           {templated(`{"question": "q", ¶"inputType": "text"}`), []string{"input_type"}},
		"no object":             {templated(`¶"Which?"`), []string{"want an object"}},
		"name":                  {tree{"tools.json": `[{"id": "ask_user", "templates": {¶"a b": {"question": "q"}}}]`}, []string{"not a valid template name"}},
		"input type":            {templated(`{"question": "q", "input_type": ¶"selct"}`), []string{`did you mean "select"?`}},
		"id is not a text":      {templated(`{"question": "q", "id": ¶7}`), []string{"want a string"}},
		"blank id":              {templated(`{"question": "q", "id": ¶""}`), []string{"1 to 64 printable characters"}},
		"long id":               {templated(`{"question": "q", "id": ¶"` + strings.Repeat("a", 65) + `"}`), []string{"1 to 64 printable characters"}},
		"id of the unseen":      {templated(`{"question": "q", "id": ¶"a\u200bb"}`), []string{"printable", `like "city"`}},
		"key is not a text":     {templated(`{"question": "q", "key": ¶7}`), []string{"want a string"}},
		"key with a space":      {templated(`{"question": "q", "key": ¶"a b"}`), []string{"1 to 64", `like "report_format"`}},
		"no options":            {templated(`¶{"question": "q", "input_type": "select"}`), []string{"options", "1 to 100"}},
		"long question":         {templated(`¶{"question": {"en": "q", "de": "` + strings.Repeat("ä", 501) + `"}}`), []string{"(de)", "501 characters", "500"}},
		"duplicate value":       {templated(`¶{"question": "q", "options": [{"label": "A", "value": "x"}, {"label": "B", "value": "x"}]}`), []string{"value"}},
		"pattern":               {templated(`¶{"question": "q", "validation": {"pattern": "(a+)+"}}`), []string{"pattern"}},
		"pattern is not a text": {templated(`{"question": "q", "validation": {"pattern": ¶1}}`), []string{"want a string"}},
		"format":                {templated(`{"question": "q", "format": ¶"mail"}`), []string{`did you mean "email"?`}},
		"default of no kind":    {templated(`{"question": "q", "default": ¶null}`), []string{"want an answer"}},
		"default in a list":     {templated(`{"question": "q", "options": [{"label": "A"}], "input_type": "multiselect", "default": [¶1]}`), []string{"want a string"}},
		"default that fails":    {templated(`¶{"question": "q", "input_type": "number", "default": "x"}`), []string{"default", "does not answer the question"}},
		"default of a list":     {templated(`¶` + from(`"default": "A"`)), []string{"default", "does not answer the question"}},
		"default, one language": {templated(`¶{"question": "q", "format": "email", "default": {"en": "a@b.example", "de": "a"}}`), []string{"(de)", "default"}},
		"condition":             {templated(`{"question": "q", ¶"when": {"question": "q1", "is": ["a"]}}`), []string{"known"}},
		"preview":               {templated(`{"question": "q", "options": [{"label": "A", "preview": ¶7}]}`), []string{"want a string"}},
		"bound":                 {templated(`{"question": "q", "validation": {"min": ¶true}}`), []string{"want a number, or a date"}},
		"option without label":  {templated(`{"question": "q", "options": [¶{"value": "x"}]}`), []string{`"label" is missing`}},
		"option key":            {templated(`{"question": "q", "options": [{"label": "A", ¶"id": "x"}]}`), []string{"known"}},
		"many options":          {templated(`{"question": "q", "options": [` + strings.Repeat(`{"label": "A"},`, 100) + `¶{"label": "B"}]}`), []string{"the limit is 100"}},
		"language":              {templated(`{"question": {¶"english": "q"}}`), []string{"BCP 47"}},
		"both":                  {templated(from(`"options": ¶[{"label": "A"}]`)), []string{"optionsFrom", "fallback"}},
		"text with a source":    {templated(from(`"input_type": ¶"text"`)), []string{`write "select" or "multiselect"`}},
		"fallback of nothing":   {templated(`{"question": "q", "fallback": ¶"text"}`), []string{"optionsFrom"}},
		"expiry":                {templated(`{"question": "q", ¶"expiresIn": "1h"}`), []string{"no longer supported", "clarifications"}},
		"cache":                 {templated(from(`¶"cache": "2d"`)), []string{"no longer supported", "a minute"}},
		"fallback":              {templated(from(`"fallback": ¶"none"`)), []string{`"text"`, "list of options"}},
		"fallback with faults":  {templated(from(`"fallback": ¶[{"label": " "}]`)), []string{"label", "blank"}},
		"pointer":               {templated(`{"question": "q", "optionsFrom": {"tool": "list", "label": ¶"name"}}`), []string{`"/name"`}},
		"tilde":                 {templated(`{"question": "q", "optionsFrom": {"tool": "list", "label": "/name", "value": ¶"/a~2"}}`), []string{"~0"}},
		"no tool":               {templated(`{"question": "q", "optionsFrom": ¶{"label": "/name"}}`), []string{`"tool" is missing`}},
		"no label":              {templated(`{"question": "q", "optionsFrom": ¶{"tool": "list"}}`), []string{`"label" is missing`}},
		"arguments":             {templated(`{"question": "q", "optionsFrom": {"tool": "list", "label": "", "arguments": ¶[]}}`), []string{"object of arguments"}},
		"unknown tool":          {templated(`{"question": "q", "optionsFrom": {"tool": ¶"lst", "label": ""}}`), []string{"no such tool", `did you mean "list"?`}},
		"disabled tool":         {templated(`{"question": "q", "optionsFrom": {"tool": ¶"off", "label": ""}}`), []string{"disabled"}},
		"tool with approval":    {templated(`{"question": "q", "optionsFrom": {"tool": ¶"guarded", "label": ""}}`), []string{"needsApproval"}},
		"tool of the caller":    {templated(`{"question": "q", "optionsFrom": {"tool": ¶"picker", "label": ""}}`), []string{`"client"`, `"http"`}},
		"tool that deletes":     {templated(`{"question": "q", "optionsFrom": {"tool": ¶"erase", "label": ""}}`), []string{"DELETE", "GET or POST"}},
		"missing argument":      {templated(`{"question": "q", "optionsFrom": {"tool": ¶"narrow", "label": "", "arguments": {"Q": "x"}}}`), []string{`needs the argument "q"`}},
		"asks by asking":        {templated(`{"question": "q", "optionsFrom": {"tool": ¶"ask_user", "label": ""}}`), []string{`"ask_user"`}},
		"templates elsewhere":   {tree{"tools.json": `[{"id": "x", "type": "client", "templates": ¶{}}]`}, []string{`requires type "ask_user"`}},
		"an app takes the source away": {
			tree{
				"tools.json":        templated(`{"question": "q", "optionsFrom": {"tool": "list", "label": ""}}`)["tools.json"],
				"apps/a/app.json":   `{"id": "a", "tools": ["ask_user"]}`,
				"apps/a/tools.json": `¶[{"id": "list", "needsApproval": true}]`,
			}, []string{`"pick"`, "needsApproval"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files, places := c.files.Unmark()
			if files["apps/a/app.json"] == "" {
				files["apps/a.json"] = `{"id": "a"}`
			}
			_, err := load(t, files, nil)
			var faults config.Faults
			if !errors.As(err, &faults) || len(faults) != 1 || len(places) != 1 {
				t.Fatalf("want one fault, got:\n%v", err)
			}
			f := faults[0]
			if !strings.HasSuffix(f.File, filepath.FromSlash(places[0].File)) || f.Line != places[0].Line || f.Col != places[0].Col {
				t.Errorf("want it at %v, got %v", places[0], f)
			}
			for _, want := range c.want {
				if !strings.Contains(f.Message, want) {
					t.Errorf("want %q in: %s", want, f.Message)
				}
			}
		})
	}
}

func TestTemplate(t *testing.T) {
	s := mustLoad(t, tree{
		"tools.json": `[
			{"id": "ask_user", "templates": {
				"pick": {
					"description": {"en": "Ask it.", "de": "Frag es."},
					"question": {"en": "Which of {team}?", "de": "Welches von {team}?"}, "header": "{head}", // both are values
					"validation": {"max": 2, "message": {"en": "Two.", "de": "Zwei."}}, "input_type": "multiselect",
					"optionsFrom": {"tool": "list", "arguments": {"q": "x{deep}", "n": 5}, "rows": "/a", "label": "/b", "value": "/c", "description": "/d"},
					"fallback": [{"label": {"en": "Other", "de": "Andere"}, "value": "o"}],
				},
				"plain": {"id": "home", "question": "$HOME?"},
			}},
			{"id": "list", "type": "http", "http": {"url": "https://h/"}},
		]`,
		"apps/a/app.json":   `{"id": "a", "tools": ["ask_user"]}`,
		"apps/a/tools.json": `[{"id": "ask_user", "templates": {"plain": {"question": "Own?"}, "more": {"question": "q", "optionsFrom": {"tool": "list", "label": "/x"}}}}]`,
	}, nil)
	shared, _ := s.Tool("", "ask_user")
	pick := shared.Templates["pick"]
	if !slices.Equal(pick.Values, []string{"deep", "head", "team"}) || pick.Description.In("de") != "Frag es." {
		t.Errorf("%+v", pick)
	}
	if f := pick.From; f.Tool != "list" || string(f.Arguments) != `{"q":"x{deep}","n":5}` || f.Rows != "/a" || f.Label != "/b" || f.Value != "/c" || f.Description != "/d" {
		t.Errorf("%+v", f)
	}
	if got := string(pick.QuestionIn("de-AT")); got != `{"question":"Welches von {team}?","header":"{head}","validation":{"max":2,"message":"Zwei."},"input_type":"multiselect"}` {
		t.Error(got)
	}
	if got := string(pick.FallbackIn("de")); got != `[{"label":"Andere","value":"o"}]` {
		t.Error(got)
	}
	if plain := shared.Templates["plain"]; string(plain.QuestionIn("en")) != `{"id":"home","question":"$HOME?"}` || plain.FallbackIn("en") != nil {
		t.Errorf("%s", plain.QuestionIn("en"))
	}
	own, _ := s.Tool("a", "ask_user")
	if len(own.Templates) != 3 || own.Templates["pick"] != pick || string(own.Templates["plain"].QuestionIn("en")) != `{"question":"Own?"}` || len(shared.Templates) != 2 {
		t.Errorf("an app's templates: %v, shared: %v", own.Templates, shared.Templates)
	}
	if more := own.Templates["more"]; string(more.QuestionIn("en")) != `{"input_type":"select","question":"q"}` {
		t.Errorf("%s", more.QuestionIn("en"))
	}
}
