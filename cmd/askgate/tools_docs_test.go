package main

import (
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

// The tables of the manual are printed from those that read the files (-update writes them), and
// every key is in one.
func TestManualHasTheKeys(t *testing.T) {
	types := toolTypes(nil, nil, nil)
	text := manual(t)
	tables := regexp.MustCompile(`(?s)<!-- keys of (\S+?)(?: (\S+))? -->\n.*?<!-- end of keys -->`)
	told := ""
	written := tables.ReplaceAllStringFunc(text, func(old string) string {
		at := tables.FindStringSubmatch(old)
		table, err := config.MarkdownTable(types, at[1], at[2], func(path string) bool {
			return strings.Contains(text, "<!-- keys of "+at[1]+" "+path+" -->")
		})
		if err != nil {
			t.Fatal(err)
		}
		told += table
		first, _, _ := strings.Cut(old, "\n")
		return first + "\n" + table + "<!-- end of keys -->"
	})
	for _, row := range config.Rows(types) {
		if !strings.Contains(told, row.Doc) {
			t.Errorf("%s: no table has %s", row.File, row.Path)
		}
	}
	switch {
	case written == text:
	case *update:
		if err := os.WriteFile(filepath.Join("..", "..", "docs", "configuration.md"), []byte(written), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("docs/configuration.md has other keys than the program; go test ./cmd/askgate -run Manual -update")
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
