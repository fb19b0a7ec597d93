package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tools/askuser"
)

func manual(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The manual names every key of every file.
func TestManualNamesEveryKey(t *testing.T) {
	text := manual(t)
	for _, name := range config.SchemaNames() {
		raw, err := config.Schema(name, toolTypes(nil, nil, nil))
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		var walk func(map[string]any)
		walk = func(node map[string]any) {
			if props, ok := node["properties"].(map[string]any); ok {
				for key := range props {
					if !strings.Contains(text, "`"+key+"`") && !strings.Contains(text, "."+key+"`") && !strings.Contains(text, "`"+key+".") && !strings.Contains(text, `"`+key+`"`) {
						t.Errorf("%s: the manual lacks %s", name, key)
					}
				}
			}
			for _, value := range node {
				if child, ok := value.(map[string]any); ok {
					walk(child)
				}
			}
		}
		walk(doc)
	}
}

// The faults that the manual shows are those that its example has, and its
// other examples have none.
func TestManualExamples(t *testing.T) {
	text := manual(t)
	blocks := regexp.MustCompile("(?s)```jsonc?\n(.*?)```\n(?:\n```\n(conf/gateway.json:.*?)```\n)?").FindAllStringSubmatch(text, -1)
	files, shown := 0, 0
	long := strings.Repeat("x", 32)
	e := configtest.Env{
		"GLOSSARY_TOKEN": "x", "OPENAI_API_KEY": "x", "ANTHROPIC_API_KEY": "x", "LLM_KEY": "x", "SESSION_SECRET": long,
		"DATABASE_URL": "postgres://h/d", "WEBHOOK_SECRET": "whsec_" + long, "SLACK_URL": "https://h/s", "NTFY_URL": "https://h/n",
	}
	for _, b := range blocks {
		example, faults := strings.ReplaceAll(b[1], `"sha256:..."`, `"sha256:`+strings.Repeat("0", 64)+`"`), b[2]
		variables := e
		var in configtest.Files
		switch {
		case strings.HasPrefix(example, "["):
			in = configtest.Files{"tools.json": example}
		case strings.Contains(example, `"id": "translator"`):
			in = configtest.Files{"apps/translator.json": example}
		case strings.HasPrefix(example, "// conf/apps/"):
			name, rest, _ := strings.Cut(strings.TrimPrefix(example, "// conf/"), "\n")
			in = configtest.Files{name: rest}
		case strings.HasPrefix(example, `"attachments"`):
			in = configtest.Files{"apps/a.json": `{"id": "a", ` + example + "}"}
		case strings.HasPrefix(example, "{"), faults != "":
			in = configtest.Files{"gateway.json": example}
		case regexp.MustCompile(`^"(name|apiKey|tls)"`).MatchString(example):
			continue // single keys, twice; files that only the reader has
		default:
			in = configtest.Files{"gateway.json": "{" + example + "}"}
		}
		files++
		if faults != "" {
			shown++
			variables = nil
		}
		dir := t.TempDir()
		in.Write(t, dir)
		_, err := config.Load(config.Options{Dir: dir, Env: variables.Lookup, Tools: toolTypes(nil, nil, nil)})
		got := ""
		if err != nil {
			got = strings.ReplaceAll(filepath.ToSlash(err.Error()), filepath.ToSlash(dir), "conf") + "\n"
		}
		if got != faults {
			t.Errorf("%s\ngot:\n%s\nshown:\n%s", example, got, faults)
		}
	}
	if files < 14 || shown != 1 {
		t.Errorf("%d examples of files, %d with faults", files, shown)
	}
}

// The whole examples on the pages of tools are configurations without a fault.
func TestToolPagesExamples(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "tools", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages", err)
	}
	variables := regexp.MustCompile(`export ([A-Z_]+)=`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		files, set := configtest.Files{}, configtest.Env{}
		for _, b := range regexp.MustCompile("(?s)```jsonc\n// conf/(\\S+)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			files[b[1]] = b[2]
		}
		for _, m := range variables.FindAllStringSubmatch(string(text), -1) {
			set[m[1]] = "x"
		}
		if files["tools.json"] == "" {
			t.Errorf("%s: no whole example", page)
		}
		dir := t.TempDir()
		files.Write(t, dir)
		for _, folder := range regexp.MustCompile(`"path": "([a-z]+)"`).FindAllStringSubmatch(files["tools.json"], -1) {
			if err := os.Mkdir(filepath.Join(dir, folder[1]), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		s, err := config.Load(config.Options{Dir: dir, Env: set.Lookup, Tools: toolTypes(nil, nil, nil), Question: askuser.CheckTemplate})
		if err != nil || len(s.Warnings) > 0 {
			t.Errorf("%s: %v %+v", page, err, s)
		}
	}
}
