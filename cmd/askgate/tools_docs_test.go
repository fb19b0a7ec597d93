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

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The tables of the reference are printed from the tables that the files are read by (-update writes
// them), and every key is in one.
func TestManualHasTheKeys(t *testing.T) {
	const name = "configuration-keys.md"
	types := toolTypes(nil, nil, nil)
	text := page(t, name)
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
		if err := os.WriteFile(filepath.Join("..", "..", "docs", name), []byte(written), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("docs/%s has other keys than the program; go test ./cmd/askgate -run Manual -update", name)
	}
}

// manualPages are those with examples of the configuration; docs/tools has more, with a test below.
var manualPages = []string{
	"configuration.md", "configuration-keys.md", "auth.md", "asking.md", "memory.md", "apps.md", "files.md", "limits.md", "tools/README.md",
}

const wholeExamples = "\n## Three examples\n"

// The faults that the manual shows are those that its example has, and its other examples have
// none. Those below wholeExamples are several files each, and have the next test.
func TestManualExamples(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```jsonc?\n(?:// conf/(\\S+)\n)?(.*?)```\n(?:\n```\n(conf/gateway.json:.*?)```\n)?")
	files, shown := 0, 0
	long := strings.Repeat("x", 32)
	e := configtest.Env{
		"GLOSSARY_TOKEN": "x", "OPENAI_API_KEY": "x", "ANTHROPIC_API_KEY": "x", "LLM_KEY": "x", "SESSION_SECRET": long,
		"DATABASE_URL": "postgres://h/d", "WEBHOOK_SECRET": "whsec_" + long, "SLACK_URL": "https://h/s", "NTFY_URL": "https://h/n",
	}
	for _, name := range manualPages {
		text := page(t, name)
		if from := strings.Index(text, wholeExamples); from >= 0 {
			below := text[from+len(wholeExamples):]
			text = text[:from] + below[strings.Index(below, "\n## "):]
		}
		for _, b := range blocks.FindAllStringSubmatch(text, -1) {
			file, example, faults := b[1], strings.ReplaceAll(b[2], `"sha256:..."`, `"sha256:`+strings.Repeat("0", 64)+`"`), b[3]
			variables := e
			var in configtest.Files
			switch {
			case file != "" && strings.HasPrefix(name, "tools/"):
				continue // a directory of them: the test of these pages
			case file != "":
				in = configtest.Files{file: "// conf/" + file + "\n" + example} // faults name lines
			case strings.HasPrefix(example, "["):
				in = configtest.Files{"tools.json": example}
			case strings.HasPrefix(example, `"attachments"`):
				in = configtest.Files{"apps/a.json": `{"id": "a", ` + example + "}"}
			case strings.HasPrefix(example, "{"):
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
				t.Errorf("%s: %s\ngot:\n%s\nshown:\n%s", name, example, got, faults)
			}
		}
	}
	if files < 17 || shown != 1 {
		t.Errorf("%d examples of files, %d with faults", files, shown)
	}
}

// Each whole example of the guide is a directory without a fault or warning, with the variables that
// it exports.
func TestManualWholeExamples(t *testing.T) {
	_, text, found := strings.Cut(page(t, "configuration.md"), wholeExamples)
	if !found {
		t.Fatal("no whole examples")
	}
	text, _, _ = strings.Cut(text, "\n## ")
	examples := strings.Split(text, "\n### ")[1:]
	if len(examples) != 3 {
		t.Errorf("%d whole examples, want 3", len(examples))
	}
	block := regexp.MustCompile("(?s)```jsonc\n(?:// conf/(\\S+)\n)?(.*?)```")
	exports, variable := regexp.MustCompile(`(?m)^export (.*)$`), regexp.MustCompile(`([A-Z_]+)=(?:'(.*?)'|"\$\(openssl rand -hex 32\)")`)
	for _, example := range examples {
		title, _, _ := strings.Cut(example, "\n")
		files, set := configtest.Files{}, configtest.Env{}
		for _, b := range block.FindAllStringSubmatch(example, -1) {
			if b[1] == "" || files[b[1]] != "" {
				t.Errorf("%s: a block names no file of its own:\n%s", title, b[2])
			}
			files[b[1]] = b[2]
		}
		if files["gateway.json"] == "" {
			t.Errorf("%s: no gateway.json", title)
		}
		for _, line := range exports.FindAllStringSubmatch(example, -1) {
			for _, m := range variable.FindAllStringSubmatch(line[1], -1) {
				set[m[1]] = m[2]
				if len(m[2]) < 4 { // of openssl, or "..."
					set[m[1]] = strings.Repeat("0f", 32)
				}
			}
		}
		dir := t.TempDir()
		files.Write(t, dir)
		s, err := config.Load(config.Options{Dir: dir, Env: set.Lookup, Tools: toolTypes(nil, nil, nil), Question: askuser.CheckTemplate})
		if err != nil || len(s.Warnings) > 0 {
			t.Errorf("%s: %v %+v", title, err, s)
		}
	}
}

// The whole examples on the pages of tools are configurations without a fault.
func TestToolPagesExamples(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", "..")) // programs are found relative to the working directory
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "tools", "*.md"))
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
		t.Chdir(dir)
		for _, program := range regexp.MustCompile(`"command": "\./([a-z]+)"`).FindAllStringSubmatch(files["tools.json"], -1) {
			if err := os.WriteFile(program[1], []byte("#!/bin/sh\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		s, err := config.Load(config.Options{Dir: dir, Env: set.Lookup, Tools: toolTypes(nil, nil, nil), Question: askuser.CheckTemplate})
		if err != nil || len(s.Warnings) > 0 {
			t.Errorf("%s: %v %+v", page, err, s)
		}
	}
}
