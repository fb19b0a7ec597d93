// The rules of the house for words.
package main_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// awkward are phrases that made readers read a sentence twice, each with what says the same plainly.
// The list is a net and not the goal: what it lets through can still be unclear.
var awkward = []struct{ phrase, instead string }{
	{`there (?:is|are) no|(?:is|are) no (?:longer|more than|less than|fewer than|match for)`, ""}, // good English, and first, so that the next line passes it
	{`http\.NoBody|admin\.nobody`, ""}, // names in code
	{`(?:is|are) no`, `"is not a", "has no", or say what it is`},
	{`nobody|somebody|anybody`, `"no one", "someone", "anyone", or name who`},
	{`whoever`, `"anyone who", "the person who"`},
	{`anew`, `"again"`},
	{`mend|mends|mended|mending`, `"fix", "hint"`},
	{`in force`, `"active", "applied"`},
	{`beside`, `"next to", "with", "in addition to"`},
	{`as ever|as it was`, `"unchanged", "as before"`},
	{`such an? one`, `"one like it", or name it`},
	{`what stands`, `"the content of", "what it contains"`},
}

// allowed are the lines that need such a phrase: a file or a folder, part of the line, and why.
var allowed = []struct{ file, line, why string }{
	{"cmd/askgate/housewords_test.go", "", "lists the phrases"},
	{"CHANGELOG.md", "not in force today", "a law is in force"},
	{"config/default/ordinances/", "status: in force", "a law is in force"},
	{"docs/configuration-keys.md", "day in force", "a law is in force"},
	{"docs/openapi.yaml", "in force", "a law is in force"},
	{"docs/tools/documents.md", "in force", "a law is in force"},
	{"tooltypes/documents/", "in force", "a law is in force"},
	{"gateway/front/command.go", `json:"Nobody,omitempty"`, "the name is part of the hashes of stored requests"},
}

func TestAwkwardPhrasesDoNotComeBack(t *testing.T) {
	var parts []string
	for _, a := range awkward {
		parts = append(parts, a.phrase)
	}
	net := regexp.MustCompile(`(?i)\b(?:(` + strings.Join(parts, ")|(") + `))\b`)
	used := make([]bool, len(allowed))
	files := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if slices.Contains([]string{".git", "node_modules", "testdata", "dist", "bin", "conf"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		case !slices.Contains([]string{".go", ".md", ".js", ".mjs", ".ts", ".jsx", ".tsx", ".html", ".css", ".json", ".yaml", ".yml", ".sh", ".tmpl"}, path.Ext(name)) &&
			!slices.Contains([]string{"Makefile", "Dockerfile", ".ci/run"}, name), strings.HasSuffix(name, "package-lock.json"):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		files++
	lines:
		for i, line := range strings.Split(string(text), "\n") {
			for _, m := range net.FindAllStringSubmatchIndex(line, -1) {
				group := 0 // of the phrase
				for group = range awkward {
					if m[2+2*group] >= 0 {
						break
					}
				}
				if awkward[group].instead == "" {
					continue
				}
				for k, a := range allowed {
					if (a.file == name || strings.HasSuffix(a.file, "/") && strings.HasPrefix(name, a.file)) && strings.Contains(line, a.line) {
						used[k] = true
						continue lines
					}
				}
				t.Errorf("%s:%d: %q: say %s", name, i+1, line[m[0]:m[1]], awkward[group].instead)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Errorf("only %d files below %s: this test looks in the wrong place", files, root)
	}
	for k, a := range allowed {
		if !used[k] {
			t.Errorf("%s no longer needs an exception for %q (%s)", a.file, a.line, a.why)
		}
	}
}
