// The rules of the house for its documents.
package main_test

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// documents are the Markdown pages by path, relative to root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			name, err = filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			pages[filepath.ToSlash(name)] = string(text)
		}
	}
	if len(pages) < 20 {
		t.Fatalf("only %d documents: this test looks in the wrong place", len(pages))
	}
	return pages
}

var fence = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$")

// anchors are the fragments that lead to a heading of the page, by GitHub's rule: lower case, spaces as
// hyphens, other punctuation dropped, and a number after a second heading of the same name.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#{1,6} +(.+?)[ #]*$`).FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		heading := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(m[1], "$1")
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, heading)
		id := slug
		for n := 1; found[id]; n++ {
			id = fmt.Sprintf("%s-%d", slug, n)
		}
		found[id] = true
	}
	return found
}

func TestLinksOfTheDocumentationLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pages := documents(t)
	for name, text := range pages {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			to, fragment, _ := strings.Cut(m[1], "#")
			target := name
			if to != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), to))
				if _, err := os.Stat(filepath.Join(root, target)); err != nil {
					t.Errorf("%s: a link leads to %s, which does not exist", name, to)
					continue
				}
			}
			if page, ok := pages[target]; ok && fragment != "" && !anchors(page)[fragment] {
				t.Errorf("%s: a link leads to %s, a page without that heading", name, m[1])
			}
		}
	}
}

// A page that people finish: guides are short, and no paragraph, list item or table cell is a page of its own.
func TestDocumentsCanBeFinished(t *testing.T) {
	const guide, paragraph = 2500, 120 // words
	pages := documents(t)
	for _, name := range []string{"README.md", "docs/configuration.md", "docs/operations.md", "docs/frontend.md"} {
		if n := len(strings.Fields(fence.ReplaceAllString(pages[name], ""))); n == 0 || n > guide {
			t.Errorf("%s has %d words; a guide has at most %d: move what only some readers need to a page of its own", name, n, guide)
		}
	}
	if n := strings.Count(pages["README.md"], "\n"); n > 120 {
		t.Errorf("README.md has %d lines, want at most 120", n)
	}
	block := regexp.MustCompile(`(?m)^\s*(?:[-*]|\d+\.) |^#{1,6} |\n[ \t]*\n|(?:^|[^\\])\||^>`)
	for name, text := range pages {
		for _, part := range block.Split(fence.ReplaceAllString(text, "\n\n"), -1) {
			if words := strings.Fields(part); len(words) > paragraph {
				t.Errorf("%s: %d words without a pause, more than %d: %s ...", name, len(words), paragraph, strings.Join(words[:8], " "))
			}
		}
	}
}

// TestTheReadmeHasItsPictures: the same page in light and dark. "make pictures" takes them; what is on
// them is for people to judge.
func TestTheReadmeHasItsPictures(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, m := range regexp.MustCompile(`src(?:set)?="([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
		named = append(named, m[1])
	}
	if want := []string{"docs/pictures/question-dark.png", "docs/pictures/question-light.png"}; !slices.Equal(named, want) {
		t.Fatalf("README.md shows %q, want %q", named, want)
	}
	for _, name := range named {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if picture, err := png.Decode(bytes.NewReader(data)); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if size := picture.Bounds().Size(); size.X != 1000 || size.Y != 760 {
			t.Errorf("%s has %v pixels, want 1000 by 760", name, size)
		}
		if len(data) >= 120_000 {
			t.Errorf("%s has %d bytes, want less than 120,000", name, len(data))
		}
	}
}

// The index is also the sidebar of the site, so a page that it leaves out is one that no one finds.
func TestTheIndexListsEveryPage(t *testing.T) {
	pages := documents(t)
	for name := range pages {
		rest, ok := strings.CutPrefix(name, "docs/")
		if ok && rest != "README.md" && !regexp.MustCompile(`(?m)^- \[[^\]]+\]\(`+regexp.QuoteMeta(rest)+`\)`).MatchString(pages["docs/README.md"]) {
			t.Errorf("docs/README.md does not list %s", rest)
		}
	}
}

// Operators look for the log lines that these pages quote, so a page with an old text sends them astray.
func TestTheLogLinesOfTheRunbooksExist(t *testing.T) {
	var code strings.Builder
	for _, f := range house(t) {
		if f.test {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, f.name))
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	quoted := regexp.MustCompile("`([a-z][A-Za-z' ,;.]{12,})`")
	pages, found := documents(t), 0
	for _, name := range []string{"docs/runbooks.md", "docs/logs.md", "docs/audit.md"} {
		for _, m := range quoted.FindAllStringSubmatch(pages[name], -1) {
			if strings.Count(m[1], " ") < 3 || strings.HasPrefix(m[1], "docker ") {
				continue
			}
			found++
			if !strings.Contains(code.String(), strings.TrimSuffix(m[1], "...")) { // its end may vary
				t.Errorf("%s quotes %q, which no code logs", name, m[1])
			}
		}
	}
	if found < 5 {
		t.Errorf("found %d quoted lines: this test looks for the wrong thing", found)
	}
}
