package config_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
)

func variables(list string) tree {
	return tree{"apps/a.json": `{"id": "a", "prompt": {"en": "{{x}}"}, "variables": ` + list + `}`}
}

// A variable is asked for unless it has a default. An empty default counts only if the variable is not
// required.
func TestVariablesThatAreAskedFor(t *testing.T) {
	s := mustLoad(t, variables(`[
		{"name": "a", "label": {"en": "A?", "de": "A, bitte?"}, "required": true, "placeholder": "p", "description": "why"},
		{"name": "b", "required": true, "defaultValue": {"en": "", "de": ""}},
		{"name": "c", "defaultValue": {"en": ""}}, {"name": "d", "defaultValue": 3}, {"name": "e", "defaultValue": true},
		{"name": "f", "defaultValue": {"en": "x", "de": "y"}}, {"name": "g", "type": "boolean"}, {"name": "h", "type": "date"},
		{"name": "i", "predefinedValues": [{"value": 1, "label": {"en": "one", "de": "eins"}}, "two", {"value": "`+strings.Repeat("l", 101)+`", "label": {"en": "long", "de": "lang"}}]}
	]`), nil)
	a, _ := s.App("a")
	var asked []string
	for _, v := range a.Asked(nil) {
		asked = append(asked, v.Name)
	}
	if got := strings.Join(asked, " "); got != "a b g h i" {
		t.Error(got)
	}
	if a.Variables[3].Default.In("en") != "3" || a.Variables[4].Default.In("de") != "true" || a.Variables[5].Default.In("de-AT") != "y" {
		t.Error(a.Variables)
	}
	want := `{"questions":[{"id":"a","question":"A, bitte?","input_type":"text","placeholder":"p","context":"why"},` +
		`{"id":"b","question":"b","input_type":"text"},{"id":"g","question":"g","input_type":"confirm","allow_skip":true},` +
		`{"id":"h","question":"h","input_type":"date","allow_skip":true},` +
		`{"id":"i","question":"i","input_type":"select","options":[{"label":"eins","value":"1"},{"label":"two","value":"two"},{"label":"lang"}],"allow_skip":true}]}`
	if got := string(config.Form(a.Asked(nil), "de", nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	choice := a.Variables[8]
	if choice.Means("lang") != strings.Repeat("l", 101) || choice.Means("1") != "1" || choice.Means("own words") != "own words" {
		t.Error("an answer does not mean its value")
	}
}

// Places are filled in one pass: {{name}} within a value or a message is not replaced.
func TestPromptsAreFilledOnce(t *testing.T) {
	for i, c := range []struct{ prompt, message, want string }{
		{"{{a}} {{content}} {{a}}", "{{a}} {{content}}", "{{content}}$1 {{a}} {{content}} {{content}}$1"},
		{"{{unknown}} {{ a }} {a} {{{a}}}", "m", "{{unknown}} {{ a }} {a} {{{content}}$1}\n\nm"},
		{"no place", "m", "no place\n\nm"},
		{"", "m", "m"}, {" ", "m", "m"}, {"{{content}}", "", ""},
	} {
		a := config.App{Prompt: config.NewText(c.prompt)}
		if got := a.Worded(c.message, "en", map[string]string{"a": "{{content}}$1", "content": "never"}); got != c.want {
			t.Errorf("%d: got %q, want %q", i, got, c.want)
		}
	}
}

func TestFaultsOfVariables(t *testing.T) {
	many := func(n int, format string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(format, i))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	long := strings.Repeat("x", 8001)
	for list, want := range map[string]string{
		`{}`:                                  "want a list",
		`[1]`:                                 "want an object",
		`[{}]`:                                `"name" is missing`,
		`[{"name": "a b"}]`:                   "use 1 to 64 letters",
		`[{"name": "content"}]`:               "stands for the message itself",
		`[{"name": "__proto__"}]`:             "cannot be the id of a question",
		`[{"name": "a", "label": "\u0000"}]`:  "leave it out.",
		`[{"name": "a"}, {"name": "a"}]`:      `variable "a" is defined twice`,
		`[{"name": "a", "type": "file"}]`:     "unknown type of variable",
		`[{"name": "a", "lable": "x"}]`:       `did you mean "label"?`,
		`[{"name": "a", "required": "yes"}]`:  "want true or false",
		`[{"name": "a", "defaultValue": []}]`: "want a string",
		`[{"name": "a", "defaultValue": "` + long + `"}]`:                   "8001 characters (limit 8000)",
		`[{"name": "a", "predefinedValues": [{"label": "x"}]}]`:             `"value" is missing or empty`,
		`[{"name": "a", "predefinedValues": ["` + long + `"]}]`:             "8001 characters (limit 8000)",
		`[{"name": "a", "predefinedValues": ["x", "x"]}]`:                   `variable "a" cannot be asked for (en)`,
		`[{"name": "a", "label": {"de": "` + long[:600] + `", "en": "x"}}]`: `variable "a" cannot be asked for (de)`,
		many(51, `{"name": "v%d"}`):                                         "too many items; the limit is 50",
		`[{"name": "a", "predefinedValues": ` + many(101, `"v%d"`) + `}]`:   "too many values; the limit is 100",
	} {
		if _, err := load(t, variables(list), nil); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "a template") {
			t.Errorf("%.80s: want %q, got %v", list, want, err)
		}
	}
	prompt, _ := json.Marshal(strings.Repeat("x", 32001))
	if _, err := load(t, app(`"prompt": `+string(prompt)), nil); err == nil || !strings.Contains(err.Error(), "limit 32000") {
		t.Error(err)
	}
}
