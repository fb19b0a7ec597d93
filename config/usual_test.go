package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
)

// A valid value that does not do what it seems to gets exactly one warning.
func TestWarningsOfUsualMistakes(t *testing.T) {
	model := func(keys string) tree {
		return gateway(`{"models": {"default": {"provider": "openai", "model": "m", ` + keys + `}}}`)
	}
	template := func(keys string) tree {
		return tree{"tools.json": `[{"id": "ask_user", "type": "ask_user", "templates": {"t": {"question": "Which?", ` + keys + `}}}]`}
	}
	for name, c := range map[string]struct {
		files tree
		want  string
	}{
		"a variable in a text":   {model(`"apiKey": "Bearer $TOKEN"`), `write "$TOKEN"`},
		"in a field of body":     {model(`"body": {"a": [{"b": "u-$TOKEN"}]}`), `write "$TOKEN"`},
		"in braces":              {model(`"apiKey": "${TOKEN}"`), `write "$TOKEN"`},
		"in braces, in a text":   {model(`"apiKey": "Bearer ${TOKEN}"`), `write "$TOKEN"`},
		"a variable":             {model(`"apiKey": "$TOKEN"`), ""},
		"a text behind $$":       {model(`"apiKey": "$$TOKEN"`), ""},
		"a password with signs":  {model(`"apiKey": "pa$word$1"`), ""},
		"an endpoint":            {model(`"baseUrl": "https://h/v1/completions"`), "end it before /completions"},
		"an endpoint with slash": {model(`"baseUrl": "https://h/v1/messages/"`), "end it before /messages"},
		"an API by its endpoint": {model(`"baseUrl": "https://h/v1/chat/completions"`), ""},
		"a base":                 {model(`"baseUrl": "https://h/v1/"`), ""},
		"YAML":                   {tree{"gateway.yaml": "a: b"}, "write the configuration as JSON"},
		"an app in YAML":         {tree{"apps/a.json": `{"id": "a"}`, "apps/b.yml": "a: b"}, "write the app as JSON"},
		"no keys":                {gateway(`{"auth": {"mode": "apiKeys", "keys": []}}`), "askgate key new"},
		"rules of a select":      {template(`"input_type": "select", "options": [{"label": "A"}], "validation": {"min": 1}`), "has no effect on a select"},
		"rules of a multiselect": {template(`"input_type": "multiselect", "options": [{"label": "A"}], "validation": {"min": 1}`), ""},
		"rules of a text":        {template(`"input_type": "text", "validation": {"pattern": "[a-z]+"}`), ""},
	} {
		s := mustLoad(t, c.files, env{"TOKEN": "x"})
		switch {
		case c.want == "" && len(s.Warnings) > 0:
			t.Errorf("%s: %v", name, s.Warnings)
		case c.want != "" && (len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Message, c.want)):
			t.Errorf("%s: %v", name, s.Warnings)
		}
	}
}

func TestAPatternThatRE2DoesNotHave(t *testing.T) {
	for pattern, want := range map[string]string{`^(?=.*x).*$`: "(?=...)", `(?<!a)b`: "(?<!...)", `(`: "RE2 syntax"} {
		_, err := load(t, tree{"tools.json": `[{"id": "a", "type": "client", "parameters": {"type": "object", "properties": {"x": {"type": "string", "pattern": "` + pattern + `"}}}}]`}, nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "RE2") || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// Each commented block in the configuration of askgate init can be uncommented alone. Then only
// values that the admin must supply are missing.
func TestBlocksOfTheDefaultConfiguration(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if err := config.WriteDefault(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "gateway.json"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	blocks := 0
	for from := range lines {
		before := from > 0 && strings.HasPrefix(strings.TrimSpace(lines[from-1]), `// "`)
		if !strings.HasPrefix(strings.TrimSpace(lines[from]), `// "`) || before && !strings.HasPrefix(strings.TrimSpace(lines[from-1]), `// "publicUrl`) {
			continue
		}
		if inner := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(lines[from]), "//")); strings.HasPrefix(inner, `"`) && !strings.Contains(inner, `":`) {
			continue // words in quotes
		}
		blocks++
		changed := append([]string(nil), lines...)
		for i, depth := from, 0; ; i++ {
			text := strings.TrimPrefix(strings.TrimSpace(lines[i]), "//")
			changed[i] = text
			depth += strings.Count(text, "{") + strings.Count(text, "[") - strings.Count(text, "}") - strings.Count(text, "]")
			next := i+1 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i+1]), `// "`) && !strings.Contains(text, "publicUrl")
			if depth <= 0 && !next {
				break
			}
		}
		_, err := load(t, tree{"gateway.json": strings.Join(changed, "\n")}, nil)
		if err == nil {
			continue
		}
		for fault := range strings.Lines(err.Error()) {
			if !strings.Contains(fault, "is not set; set it") && !strings.Contains(fault, "not a key hash") && !strings.Contains(fault, "no such file") {
				t.Errorf("line %d, uncommented: %s", from+1, fault)
			}
		}
	}
	if blocks < 6 {
		t.Errorf("only %d blocks were found", blocks)
	}
}
