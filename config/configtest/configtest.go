// Package configtest helps to test code that reads a configuration: tests write files, and check where
// faults are reported. With Schema, the package of a tool type tests that it reads what its schema
// allows.
package configtest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/config"
)

// Files are the files to write into a directory: content by path.
type Files map[string]string

// Tools returns a tools.json with these entries, separated by commas.
func Tools(entries string) Files { return Files{"tools.json": "[" + entries + "]"} }

// Write writes the files into dir, each in one step: a reader that watches it never sees a part of one.
func (files Files) Write(t testing.TB, dir string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
		if err := os.WriteFile(part, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(part, path); err != nil {
			t.Fatal(err)
		}
	}
}

// Env is a complete environment: no other variable is set.
type Env map[string]string

// Lookup is a function for config.Options.Env.
func (e Env) Lookup(name string) (string, bool) {
	v, ok := e[name]
	return v, ok
}

// Load writes files to a directory and loads it, as a program with these types of tools does.
func Load(t testing.TB, files Files, e Env, types ...config.ToolType) (*config.Snapshot, error) {
	t.Helper()
	dir := t.TempDir()
	files.Write(t, dir)
	return config.Load(config.Options{Dir: dir, Env: e.Lookup, Tools: types})
}

// Mark marks the place in a file where a fault is expected: it is directly before the value or key.
const Mark = "¶"

// Place is the position of a mark; line and column count from 1.
type Place struct {
	File      string
	Line, Col int
}

// Unmark removes the marks, and returns their places.
func (files Files) Unmark() (clean Files, places []Place) {
	clean = Files{}
	for name, text := range files {
		for {
			before, after, found := strings.Cut(text, Mark)
			if !found {
				break
			}
			line := strings.Count(before, "\n")
			col := utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:])
			places = append(places, Place{name, line + 1, col + 1})
			text = before + after
		}
		clean[name] = text
	}
	return clean, places
}

// Faulty loads files and checks that there are faults exactly at the marks, or, without a mark, at the
// start of gateway.json. Each message must contain all wanted parts.
func Faulty(t testing.TB, files Files, e Env, types []config.ToolType, want ...string) config.Faults {
	t.Helper()
	files, places := files.Unmark()
	dir := t.TempDir()
	files.Write(t, dir)
	_, err := config.Load(config.Options{Dir: dir, Env: e.Lookup, Tools: types})
	var faults config.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("want Faults, got %v", err)
	}
	if len(places) == 0 { // a fault about the whole file
		places = []Place{{"gateway.json", 1, 1}}
	}
	if len(faults) != len(places) {
		t.Fatalf("want %d faults, got:\n%v", len(places), err)
	}
	for i, f := range faults {
		p := places[i]
		if f.File != filepath.Join(dir, p.File) || f.Line != p.Line || f.Col != p.Col {
			t.Errorf("want it at %s:%d:%d, got:\n%v", p.File, p.Line, p.Col, f)
		}
		for _, part := range want {
			if !strings.Contains(f.Message, part) {
				t.Errorf("the message lacks %q:\n%v", part, f)
			}
		}
	}
	return faults
}
