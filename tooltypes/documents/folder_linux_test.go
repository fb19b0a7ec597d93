package documents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/config/configtest"
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
