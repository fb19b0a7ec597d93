package documents_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tooltypes/documents"
)

// A file of synonyms is read again when it changes. One that cannot be used leaves what was read
// before, and is named with its line, once.
func TestSynonymsAreReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "synonyms.txt")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("fee, charge\n")
	b := open(t, map[string]string{"a.md": "# Harbour Code\n\n## Berths\n\nThe fee of a berth."}, func(o *documents.Options) {
		o.Synonyms = config.File{Path: file}
		o.Languages = []string{"en"}
	})
	finds := func(query string) bool { return len(b.search(t, query).Items) > 0 }
	until(t, "the synonyms are known", func() bool { return finds("charges") })
	if finds("levy") {
		t.Error("a word that means something else is found")
	}
	write("fee, levy, price of mooring\n")
	until(t, "the new synonyms are known", func() bool { return finds("levy") && finds("prices of mooring") && !finds("charge") })
	write("# a comment\nfee\n")
	until(t, "the fault is named", func() bool { return strings.Contains(b.log.String(), "line 2: has only one term") })
	if !finds("levy") {
		t.Error("a file that became bad takes the synonyms away")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	until(t, "the fault is named", func() bool {
		return strings.Contains(b.log.String(), "no such file") || strings.Contains(b.log.String(), "cannot find")
	})
	if !finds("levy") {
		t.Error("a file that is gone takes the synonyms away")
	}
	if n := strings.Count(b.log.String(), "file of synonyms"); n != 2 {
		t.Errorf("%d faults in the log: %s", n, b.log)
	}
	write("fee, charge\n")
	until(t, "the file is used again", func() bool { return finds("charge") && !finds("levy") })
}

func TestSynonymsOfABuiltInFolder(t *testing.T) {
	built := fstest.MapFS{"synonyms.txt": {Data: []byte("berth, mooring")}}
	b := open(t, nil, func(o *documents.Options) {
		o.Folder = config.Folder{Path: "laws", Built: fstest.MapFS{"a.md": {Data: []byte("# Harbour Code\n\nberth")}}}
		o.Synonyms = config.File{Path: "synonyms.txt", Built: built}
	})
	until(t, "the synonyms are known", func() bool { return len(b.search(t, "mooring").Items) > 0 })
}

// denied is a folder whose files cannot be opened for now.
type denied struct {
	fstest.MapFS
	now *atomic.Bool
}

func (d denied) Open(name string) (fs.File, error) {
	if d.now.Load() {
		return nil, fs.ErrPermission
	}
	return d.MapFS.Open(name)
}

// A file of synonyms that could not be opened is read as soon as it can, although its time is the same.
func TestSynonymsAreReadOnceTheyCanBe(t *testing.T) {
	file := denied{fstest.MapFS{"synonyms.txt": {Data: []byte("fee, charge")}}, &atomic.Bool{}}
	file.now.Store(true)
	b := open(t, map[string]string{"a.md": "# Harbour Code\n\nThe fee of a berth."}, func(o *documents.Options) {
		o.Synonyms = config.File{Path: "synonyms.txt", Built: file}
	})
	until(t, "the fault is named", func() bool { return strings.Contains(b.log.String(), "permission denied") })
	file.now.Store(false)
	until(t, "the synonyms are known", func() bool { return len(b.search(t, "charge").Items) > 0 })
}

func TestKeysOfWords(t *testing.T) {
	types := []config.ToolType{documents.Type(nil)}
	entry := func(keys string) configtest.Files {
		return configtest.Tools(`{"id": "laws", "type": "documents", "documents": {"path": "laws", ` + keys + `}}`)
	}
	for keys, want := range map[string]string{
		`"languages": [¶"it"]`:       "unknown language",
		`"languages": ¶[]`:           "name at least one",
		`"languages": ["es", ¶"es"]`: "twice",
		`"synonyms": ¶""`:            "empty",
	} {
		configtest.Faulty(t, entry(keys), nil, types, want)
	}
	for text, want := range map[string]string{"": "does not exist; create it", "fee": "line 1: has only one term", strings.Repeat("a, b\n", 100_000): "more than 10000 lines"} {
		files := entry(`"synonyms": "synonyms.txt"`)
		files["laws/a.md"] = "x"
		if text != "" {
			files["synonyms.txt"] = text
		}
		dir := t.TempDir()
		files.Write(t, dir)
		_, err := config.Load(config.Options{Dir: dir, Tools: types, Checking: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.10q: %v", text, err)
		}
		if _, err := config.Load(config.Options{Dir: dir, Tools: types}); err != nil {
			t.Errorf("a gateway does not start: %v", err)
		}
	}
}
