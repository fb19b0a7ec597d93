//go:build browser

package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheDocumentationHoldsTheKitsAsTheyStand(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/fronts/kits.md")
	if err != nil {
		t.Fatal(err)
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
		if !strings.Contains(string(page), "```"+strings.TrimPrefix(filepath.Ext(f.Name()), ".")+"\n"+string(text)+"```") {
			t.Errorf("docs/fronts/kits.md does not show docs/examples/kits/%s as it stands", f.Name())
		}
	}
}
