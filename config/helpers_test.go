package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools/askuser"
)

// tree is a directory to be: text by file.
type tree map[string]string

func (files tree) write(t testing.TB, dir string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// env is an environment; no other variable is set.
type env map[string]string

func (e env) lookup(name string) (string, bool) {
	v, ok := e[name]
	return v, ok
}

func load(t testing.TB, files tree, e env) (*config.Snapshot, error) {
	t.Helper()
	dir := t.TempDir()
	files.write(t, dir)
	return config.Load(config.Options{Dir: dir, Env: e.lookup, Question: askuser.CheckTemplate})
}

func mustLoad(t testing.TB, files tree, e env) *config.Snapshot {
	t.Helper()
	s, err := load(t, files, e)
	if err != nil {
		t.Fatalf("no fault expected:\n%v", err)
	}
	return s
}

// mark stands in a test's file right before what is to blame.
const mark = "¶"

type place struct {
	file      string
	line, col int
}

// unmark takes the marks out and says where they stood.
func unmark(files tree) (clean tree, places []place) {
	clean = tree{}
	for name, text := range files {
		for {
			before, after, found := strings.Cut(text, mark)
			if !found {
				break
			}
			line := strings.Count(before, "\n")
			col := utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:])
			places = append(places, place{name, line + 1, col + 1})
			text = before + after
		}
		clean[name] = text
	}
	return clean, places
}
