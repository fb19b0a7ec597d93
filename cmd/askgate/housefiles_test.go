// These tests check the rules of this repository for files and documents. Those for imports are in
// house_test.go.
package main_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	said := map[string]string{}
	for _, f := range house(t) {
		if f.test {
			continue
		}
		switch name := f.tree.Name.Name; name {
		case "util", "utils", "common", "helper", "helpers", "misc", "shared", "base", "lib":
			t.Errorf("%s: package %s says nothing about its purpose", f.name, name)
		}
		said[f.room] += f.tree.Doc.Text()
	}
	for room, text := range said {
		if len(strings.Fields(text)) < 8 {
			t.Errorf("%s has no package comment, or hardly one: %q", room, text)
		}
	}
}

func TestFilesCanBeReadAtOneSitting(t *testing.T) {
	for _, f := range house(t) {
		if !f.test && f.lines > maxLines {
			t.Errorf("%s has %d lines; more than %d want to be two files", f.name, f.lines, maxLines)
		}
	}
}

func TestNothingIsLeftForLater(t *testing.T) {
	later := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)
	for _, f := range house(t) {
		for _, group := range f.tree.Comments {
			if word := later.FindString(group.Text()); word != "" {
				t.Errorf("%s: a comment says %s; do it, or open an issue", f.name, word)
			}
		}
	}
}

// A skipped test has not passed. Only testenv may skip a test: it says what
// is missing, and in CI it fails instead.
func TestTestsDoNotSkip(t *testing.T) {
	for _, f := range house(t) {
		if f.room == "gateway/prove/testenv" {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name) {
				if x, ok := s.X.(*ast.Ident); ok && slices.Contains([]string{"t", "tb", "b", "f"}, x.Name) {
					t.Errorf("%s: a test skips itself; a server that it needs comes from gateway/prove/testenv, and what it cannot test is removed", f.name)
				}
			}
			return true
		})
	}
}

// A chat may have any size, so code that serves requests reads only parts of it. View, which reads all
// of it, is for tests and provers.
func TestNothingThatServesReadsAChatWhole(t *testing.T) {
	for _, f := range house(t) {
		if f.test || strings.HasPrefix(f.room, "gateway/prove/") || strings.HasPrefix(f.room, "gateway/store") {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if method, ok := call.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "View" && len(call.Args) == 2 {
				t.Errorf("%s calls View, which reads a whole chat: read a part of it, or what names the rows", f.name)
			}
			return true
		})
	}
}

// metricsInCode returns the names of all metrics, each with a file that defines it.
func metricsInCode(t *testing.T) map[string]string {
	t.Helper()
	name := regexp.MustCompile(`^askgate_[a-z0-9_]+$`)
	inCode := map[string]string{}
	for _, f := range house(t) {
		if f.test {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && name.MatchString(s) {
					inCode[s] = f.name
				}
			}
			return true
		})
	}
	if len(inCode) == 0 {
		t.Fatal("found no metric in the code: this test looks for the wrong thing")
	}
	return inCode
}

// plainMetric returns the name of a metric without the suffixes of a histogram's series.
func plainMetric(s string) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		s = strings.TrimSuffix(s, suffix)
	}
	return s
}

// TestEveryMetricIsInTheOperatorsBook: docs/metrics.md explains each metric that the code has, and no
// page of docs/ names one that it does not have.
func TestEveryMetricIsInTheOperatorsBook(t *testing.T) {
	inCode := metricsInCode(t)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`\baskgate_[a-z0-9_]+\b`)
	explained := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range name.FindAllString(string(text), -1) {
			if filepath.Base(page) == "metrics.md" {
				explained[s] = true
			}
			if binary := strings.HasPrefix(s, "askgate_v0"); !binary && inCode[s] == "" && inCode[plainMetric(s)] == "" {
				t.Errorf("docs/%s names %s, which no code has", filepath.Base(page), s)
			}
		}
	}
	for s, where := range inCode {
		if !explained[s] {
			t.Errorf("%s counts %s, which docs/metrics.md does not explain", where, s)
		}
	}
}

// The quick run names only existing tests. go test does not report a name in -run without a test.
func TestTheQuickRunNamesTestsThatThereAre(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, f := range house(t) {
		for _, d := range f.tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.test && fn.Recv == nil {
				there[fn.Name.Name] = true
			}
		}
	}
	lists := regexp.MustCompile(`-run \^Test\(([^)]+)\)\$`).FindAllSubmatch(script, -1)
	if len(lists) < 2 {
		t.Fatalf("found %d lists of tests in .ci/run", len(lists))
	}
	for _, list := range lists {
		for name := range strings.SplitSeq(string(list[1]), "|") {
			if !there["Test"+name] {
				t.Errorf(".ci/run runs Test%s, which does not exist", name)
			}
		}
	}
}

// A renamed test would leave a sample of .ci/run without it, and "go test -run" passes if nothing matches.
func TestTheSamplesOfCIAreTests(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	var tests []string
	for _, f := range house(t) {
		for _, d := range f.tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.test && fn.Recv == nil {
				tests = append(tests, fn.Name.Name)
			}
		}
	}
	named := regexp.MustCompile(`\^Test\(([^)]+)\)`).FindAllStringSubmatch(string(script), -1)
	if len(named) < 3 {
		t.Fatalf("found %d samples in .ci/run: this test looks for the wrong thing", len(named))
	}
	for _, m := range named {
		for _, name := range strings.Split(m[1], "|") {
			if !slices.ContainsFunc(tests, func(s string) bool { return strings.HasPrefix(s, "Test"+name) }) {
				t.Errorf(".ci/run names Test%s, which does not exist", name)
			}
		}
	}
}
