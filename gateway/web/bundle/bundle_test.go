package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The pages load what the sources give, in every checkout.
func TestDistIsMadeOfTheSources(t *testing.T) {
	want, err := build("../static")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("../dist")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got, err := os.ReadFile(filepath.Join("../dist", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want[e.Name()]) {
			t.Errorf("%s is not what static gives: run make bundle", e.Name())
		}
		delete(want, e.Name())
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("%s is missing: run make bundle", name)
	}
}

// The folder in which it runs does not matter.
func TestABundleIsTheSameEverywhere(t *testing.T) {
	first, err := build("../static")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "sources")
	if err := os.CopyFS(elsewhere, os.DirFS("../static")); err != nil {
		t.Fatal(err)
	}
	second, err := build(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.EqualFunc(first, second, bytes.Equal) {
		t.Errorf("%v\n%v", slices.Sorted(maps.Keys(first)), slices.Sorted(maps.Keys(second)))
	}
}

// A fault in a source is an error with its place, not a page that fails in the browser.
func TestAFaultInASourceIsReportedWithItsPlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "static")
	if err := os.CopyFS(dir, os.DirFS("../static")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "page", "root.js"), []byte("export const root = ;"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := build(dir); err == nil || !bytes.Contains([]byte(err.Error()), []byte("page/root.js:1: ")) {
		t.Errorf("%v", err)
	}
}
