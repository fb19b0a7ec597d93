package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Questions in words find the right passage first in 60 of 100 cases, and among the first ten in
// 95; exact citations find it first. documentsbench says more, about more statutes.
func TestQuestionsAndCitationsFindTheirPassage(t *testing.T) {
	const laws, asks = 400, 200
	dir := t.TempDir()
	folder, synonyms := filepath.Join(dir, "laws"), filepath.Join(dir, "synonyms.txt")
	s := newStatutes(laws, 17)
	files, err := s.write(folder)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := statutesFiles.ReadFile("statutes/synonyms.txt")
	if err == nil {
		err = os.WriteFile(synonyms, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	speaks = languages
	tool, end, err := indexedWith(dir, folder, files, synonyms)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	words, err := judge("questions in words", tool, s.questions(asks), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if first, ten := percent(words.first, words.asked), percent(words.ten, words.asked); first < 60 || ten < 95 {
		t.Errorf("found first: %.1f %%, among ten: %.1f %%: %q", first, ten, words.missed)
	}
	cited, err := judge("citations", tool, s.citations(asks), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if cited.first < cited.asked {
		t.Errorf("found first: %d of %d: %q", cited.first, cited.asked, cited.missed)
	}
}
