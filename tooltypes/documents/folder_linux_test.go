package documents_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tooltypes/documents"
)

// A folder that cannot be listed, here because of its name, is named once, and keeps nothing else from
// being found or removed.
func TestAFolderThatCannotBeListedIsNamedOnce(t *testing.T) {
	b := open(t, map[string]string{"a.md": "# A\n\napples", "b.md": "# B\n\npears"})
	b.finds(t, "pears", "pears")
	if err := os.Mkdir(filepath.Join(b.folder, "K\xfcndigung"), 0o700); err != nil {
		t.Fatal(err)
	}
	until(t, "the folder is named", func() bool { return strings.Contains(b.log.String(), "a folder of documents is left out") })
	if err := os.Remove(filepath.Join(b.folder, "a.md")); err != nil {
		t.Fatal(err)
	}
	b.finds(t, "apples", "")
	configtest.Files{"c.md": "# C\n\nquinces"}.Write(t, b.folder)
	b.finds(t, "quinces", "quinces")
	if n := strings.Count(b.log.String(), "a folder of documents is left out"); n != 1 {
		t.Errorf("%d times", n)
	}
}

// A pipe is not a file of synonyms: the look does not wait for its writer.
func TestAPipeHasNoSynonyms(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "synonyms.txt")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour)
	if err := os.Chtimes(pipe, at, at); err != nil {
		t.Fatal(err)
	}
	b := open(t, map[string]string{"a.md": "# A\n\napples"}, func(o *documents.Options) { o.Synonyms = config.File{Path: pipe} })
	b.finds(t, "apples", "apples")
	until(t, "the fault is named", func() bool { return strings.Contains(b.log.String(), `error="is not a file"`) })
}
