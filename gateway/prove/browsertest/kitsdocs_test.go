//go:build browser

package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheDocumentationShowsTheKitsUnchanged(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../../docs/fronts/kits*.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(text)
	}
	files, err := os.ReadDir(kitSources)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(kitSources + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(shown.String(), "```"+strings.TrimPrefix(filepath.Ext(f.Name()), ".")+"\n"+string(text)+"```") {
			t.Errorf("no docs/fronts/kits*.md shows docs/examples/kits/%s unchanged", f.Name())
		}
	}
}
