package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestThePageHasTheFiguresOfThisCommand: the page names the limits that the command checks, and what it
// computes follows from what it says was measured.
func TestThePageHasTheFiguresOfThisCommand(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "scale.md"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := parsed(string(text))
	if err != nil {
		t.Fatalf("%v; run go run ./gateway/prove/scale -page docs/scale.md", err)
	}
	if have, want := below(string(text), headComputed), strings.TrimRight(computed(got), "\n"); strings.TrimRight(have, "\n") != want {
		t.Errorf("what the page computes does not follow from its figures:\n%s\nwant:\n%s", have, want)
	}
}

// TestAFigureAboveItsLimitFails: the command ends with an error then.
func TestAFigureAboveItsLimitFails(t *testing.T) {
	got := results{list: figures[list].most}
	if err := got.print(t.Output(), options{}); err != nil {
		t.Error(err)
	}
	got[list]++
	if err := got.print(t.Output(), options{}); err == nil {
		t.Error("a list that takes too long passes")
	}
}

// TestCopiesOfAnIDDiffer: of the same id from each other, of different ids in the same copy, and in
// nothing but the random end.
func TestCopiesOfAnIDDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range []string{"cnv_019a0f00c1d2abcdefghij", "msg_abcdefghijklmnopqrstuvwxyz"} {
		for i := range 20_000 {
			c := another(id, i)
			if seen[c] || len(c) != len(id) || c[:len(c)-10] != id[:len(id)-10] {
				t.Fatalf("copy %d of %s: %s", i, id, c)
			}
			seen[c] = true
		}
	}
}
