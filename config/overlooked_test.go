package config_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools/askuser"
)

// warned loads files, and checks that there is one warning at each mark, which contains these parts, and
// no other.
func warned(t *testing.T, files tree, want ...string) {
	t.Helper()
	files, places := files.Unmark()
	dir := t.TempDir()
	files.Write(t, dir)
	s, err := config.Load(config.Options{Dir: dir, Env: env{}.Lookup, Tools: fakeTypes, Question: askuser.CheckTemplate})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Warnings) != len(places) {
		t.Fatalf("want %d warnings, got:\n%v", len(places), warningsOf(s))
	}
	for i, w := range s.Warnings {
		if p := places[i]; w.File != filepath.Join(dir, filepath.FromSlash(p.File)) || w.Line != p.Line || w.Col != p.Col {
			t.Errorf("want it at %s:%d:%d, got:\n%v", p.File, p.Line, p.Col, w)
		}
		for _, part := range want {
			if !strings.Contains(w.Message, part) {
				t.Errorf("the message lacks %q:\n%v", part, w)
			}
		}
	}
}

func keysWith(key, auth string) string {
	return `{"auth": {"mode": "apiKeys", "keys": [{"id": "k", "hash": "` + hash + `", "tenant": "t", "subject": "s"` + key + `}]` + auth + `}}`
}

const payTool = `[{"id": "pay", "type": "client", "needsApproval": {"by": {"role": %s"finance"}}}]`

// A role that no key has is found wherever a role can be named, if roles come from keys alone.
func TestRolesThatNoOneHas(t *testing.T) {
	lists := `{"id": "a", "tools": ["pay"]}`
	for name, c := range map[string]struct {
		files tree
		want  []string
	}{
		"may ask":            {tree{"gateway.json": keysWith(`, "roles": ["oncall"], "mayAsk": ["bob", "role:oncall", ¶"role:oncal", "*"]`, "")}, []string{`no API key has the role "oncal"; did you mean "oncall"?`}},
		"rights of a role":   {tree{"gateway.json": keysWith(`, "roles": ["ci"]`, `, "roles": {"ci": {"mayAsk": []}, ¶"cii": {"mayAsk": ["role:ci"]}}`)}, []string{`did you mean "ci"?`}},
		"a role's may ask":   {tree{"gateway.json": keysWith(`, "roles": ["ci"]`, `, "roles": {"ci": {"mayAsk": [¶"role:boss"]}}`)}, []string{`known: ci`}},
		"no role at all":     {tree{"gateway.json": keysWith(`, "mayAsk": [¶"role:boss"]`, "")}, []string{`no API key has the role "boss"; add it to "roles" of a key`}},
		"approval":           {tree{"gateway.json": keysWith(`, "roles": ["finanz"]`, ""), "apps/a.json": lists, "tools.json": fmt.Sprintf(payTool, mark)}, []string{`no API key has the role "finance"; did you mean "finanz"?`}},
		"approval, no roles": {tree{"apps/a.json": lists, "tools.json": fmt.Sprintf(payTool, mark)}, []string{"no one can approve", "set up API keys"}},
		"approval, jwt":      {tree{"gateway.json": `{"auth": {"mode": "jwt", "jwt": ` + jwt("") + `}}`, "apps/a.json": lists, "tools.json": fmt.Sprintf(payTool, mark)}, []string{"auth.jwt.claims.roles"}},
		"roles from a token": {tree{"gateway.json": `{"auth": {"mode": "jwt", "jwt": ` + jwt(`, "claims": {"roles": "r"}`) + `, "roles": {"x": {"mayAsk": ["role:y"]}}}}`, "apps/a.json": lists, "tools.json": fmt.Sprintf(payTool, "")}, nil},
		"a role of a key":    {tree{"gateway.json": keysWith(`, "roles": ["finance"]`, ""), "apps/a.json": lists, "tools.json": fmt.Sprintf(payTool, "")}, nil},
		"access":             {tree{"gateway.json": keysWith(`, "roles": ["sales"]`, ""), "apps/a.json": `{"id": "a", "access": {"roles": ["sales", ¶"sale"]}}`}, []string{`did you mean "sales"?`}},
	} {
		t.Run(name, func(t *testing.T) { warned(t, c.files, c.want...) })
	}
	// A value of the wrong kind is one fault.
	for _, files := range []tree{
		{"gateway.json": keysWith("", `, "roles": []`)},
		{"gateway.json": keysWith(`, "mayAsk": "role:x"`, "")},
		{"gateway.json": keysWith("", ""), "apps/a.json": `{"id": "a", "access": {"roles": "x"}}`},
	} {
		if _, err := load(t, files, nil); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", files, err)
		}
	}
}

// A place that nothing fills is found in prompts and in questions.
func TestPlacesThatNothingFills(t *testing.T) {
	question := func(more string) tree {
		return tree{
			"tools.json":  `[{"id": "ask_user", "templates": {"t": {` + more + `}}}, {"id": "l", "type": "http", "http": {"url": "http://h"}}]`,
			"apps/a.json": `{"id": "a", "tools": ["ask_user", "l"]}`,
		}
	}
	const from = `, "optionsFrom": {"tool": "l", "label": ""}`
	for name, c := range map[string]struct {
		files tree
		want  []string
	}{
		"system":                 {app(`"system": ¶"Hi {{user}} and {{user}}", "tools": []`), []string{`no variable fills {{user}}`, `add it to "variables"`}},
		"misspelt":               {app(`"prompt": {"en": "{{content}}", "de": ¶"{{content}} auf {{langage}}"}, "variables": [{"name": "language"}]`), []string{`{{langage}}`, `did you mean "language"?`}},
		"misspelt message":       {app(`"prompt": ¶"{{contnt}}"`), []string{`{{contnt}}`, `did you mean "content"?`}},
		"the message in system":  {app(`"system": ¶"{{content}}"`), []string{`only in "prompt"`}},
		"of ihub-apps":           {tree{"apps/a.json": `{"id": "a", "system": ¶"Use {{sources}}."}`}, []string{"{{sources}}", "ihub-apps", `type "documents"`}},
		"ihub's date":            {tree{"apps/a.json": `{"id": "a", "system": ¶"It is {{date}}."}`}, []string{`the tool "clock"`}},
		"ihub's user":            {tree{"apps/a.json": `{"id": "a", "prompt": ¶"{{user_name}}: {{content}}"}`}, []string{"{{user_name}} is filled only by ihub-apps", "define a variable"}},
		"ihub's, but a variable": {tree{"apps/a.json": `{"id": "a", "system": "{{tone}}", "variables": [{"name": "tone", "defaultValue": "calm"}]}`}, nil},
		"a question":             {question(`"question": ¶"Which of {{customer}}?"` + from), []string{"write {customer}"}},
		"arguments":              {question(`"question": "Which of {customer}?", "optionsFrom": {"tool": "l", "label": "", "arguments": {"q": ¶"{{customer}}"}}`), []string{"write {customer}"}},
		"an option":              {question(`"question": "Which of {customer}?", "options": [{"label": ¶"Another of {customer}"}, {"label": "{x}"}]`), []string{"{customer} is not replaced here"}},
		"in single braces":       {question(`"question": "Which of {customer}?"` + from), nil},
	} {
		t.Run(name, func(t *testing.T) { warned(t, c.files, c.want...) })
	}
}

// A keyword that JSON Schema does not have is found at every depth, and so is a required property that
// does not exist.
func TestKeywordsOfSchemas(t *testing.T) {
	for name, c := range map[string]struct {
		schema string
		want   []string
	}{
		"misspelt":         {`{"type": "object", "properties": {"a": {"type": "string", ¶"maxLenght": 3}}}`, []string{`"maxLenght" is not a keyword`, `did you mean "maxLength"?`}},
		"a property":       {`{"type": "object", ¶"city": {"type": "string"}}`, []string{`"city"`, `belongs into "properties"`}},
		"in a list":        {`{"anyOf": [{"type": "object", "items": {"$comment": "", ¶"pattrn": ""}}]}`, []string{`did you mean "pattern"?`}},
		"an extension":     {`{"x-order": 1, "properties": {"x": {"x-y": {"whatever": 1}}, "nope": {"default": {"any": 1}, "description": {"en": "E"}}}}`, nil},
		"of another draft": {`{"id": "http://x", "definitions": {"a": {}}, "dependencies": {"a": ["b"]}}`, nil},
		"required":         {`{"properties": {"name": {}}, "required": ["name", ¶"nmae"]}`, []string{`"nmae" is required but not in "properties"; did you mean "name"?`}},
		"required in any":  {`{"anyOf": [{"required": ["a"]}], "properties": {"a": {}}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			warned(t, tree{"tools.json": `[{"id": "c", "type": "client", "parameters": ` + c.schema + `}]`, "apps/a.json": `{"id": "a", "tools": ["c"]}`}, c.want...)
		})
	}
}

// An entry that no app uses is found, and a name in an app that has no entry.
func TestToolsThatNoAppLists(t *testing.T) {
	const entry = `{"id": "find", "type": "client"}`
	for name, c := range map[string]struct {
		files tree
		want  []string
	}{
		"no app lists it":      {tree{"tools.json": `[{"id": ¶"find", "type": "client"}]`, "apps/a.json": `{"id": "a"}`}, []string{`no app lists the tool "find"`}},
		"an app's own":         {tree{"apps/a/tools.json": `[{"id": ¶"find", "type": "client"}]`, "apps/a/app.json": `{"id": "a"}`}, []string{`"find"`}},
		"listed":               {tree{"tools.json": "[" + entry + "]", "apps/a.json": `{"id": "a", "tools": ["find"]}`}, nil},
		"listed when disabled": {tree{"tools.json": "[" + entry + "]", "apps/a.json": `{"id": "a", "enabled": false, "tools": ["find"]}`, "apps/b.json": `{"id": "b"}`}, nil},
		"changed by an app":    {tree{"tools.json": "[" + entry + "]", "apps/a/tools.json": `[{"id": "find", "name": "Find"}]`, "apps/a/app.json": `{"id": "a", "tools": ["find"]}`}, nil},
		"changes a built-in":   {tree{"tools.json": `[{"id": "clock", "name": "Clock"}, {"id": "ask_user", "name": "Ask"}]`, "apps/a.json": `{"id": "a"}`}, nil},
		"lists options":        {tree{"tools.json": `[{"id": "l", "type": "http", "http": {"url": "http://h"}}, {"id": "ask_user", "templates": {"t": {"question": "Which?", "optionsFrom": {"tool": "l", "label": ""}}}}]`, "apps/a.json": `{"id": "a", "tools": ["ask_user"]}`}, nil},
		"misspelt in ihub's":   {tree{"tools.json": "[" + entry + "]", "apps/a.json": `{¶"id": "a", "color": "x", "icon": "x", "tools": [¶"fnd"]}`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "misspelt in ihub's" {
				s := mustLoad(t, tree{"tools.json": c.files["tools.json"], "apps/a.json": strings.ReplaceAll(c.files["apps/a.json"], mark, "")}, nil)
				if got := warningsOf(s); len(s.Warnings) != 2 || !strings.Contains(got, `runs without it; did you mean "find"?`) {
					t.Error(got)
				}
				return
			}
			warned(t, c.files, c.want...)
		})
	}
}

// The values of a starter prompt are kept with its text; those that cannot be used are left out.
func TestValuesOfStarterPrompts(t *testing.T) {
	const variables = `"variables": [{"name": "language", "predefinedValues": ["German", "French"], "defaultValue": "French"}, {"name": "words", "type": "number"}], `
	s := mustLoad(t, app(variables+`"system": "{{language}} {{words}}", "starterPrompts": [{"title": "T", "message": {"en": "Go", "de": "Los"}, "variables": {"language": "German", "words": 7}}, "Plain"]`), nil)
	a := s.Apps()[0]
	for message, want := range map[string]string{"Go": "map[language:German words:7]", " Los ": "map[language:German words:7]", "Plain": "map[]", "T": "map[]", "go": "map[]"} {
		if got := fmt.Sprint(a.Started(message)); got != want {
			t.Errorf("%q: %s", message, got)
		}
	}
	if len(s.Warnings) > 0 || len(a.Asked(nil)) != 1 || len(a.Asked(a.Started("Go"))) != 2 || len(a.Askable()) != 2 {
		t.Error(s.Warnings, a.Asked(nil), a.Askable())
	}
	if got := string(config.Form(a.Askable(), "en", a.Started("Go"))); !strings.Contains(got, `"default":"German"`) || !strings.Contains(got, `"default":"7"`) {
		t.Error(got)
	}
	for name, c := range map[string]struct{ values, want string }{
		"unknown":     {`{¶"langage": "German"}`, `no variable "langage", so the value is not used; did you mean "language"?`},
		"no option":   {`{"language": ¶"Latin"}`, `known: French, German`},
		"no number":   {`{"words": ¶"many"}`, `write one of type "number"`},
		"not a value": {`{"words": ¶[1]}`, "write a string, a number, true or false"},
		"no object":   {`¶["words"]`, "by the names of variables"},
	} {
		t.Run(name, func(t *testing.T) {
			warned(t, app(variables+`"starterPrompts": [{"message": "Go", "variables": `+c.values+`}]`), c.want)
		})
	}
}
