package documents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tools/extract"
	"github.com/askgate/askgate/tooltypes/documents"
)

func TestMain(m *testing.M) {
	extract.Hook()
	m.Run()
}

func sample(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../tools/extract/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// PDF and DOCX files are searched with the others. A passage of a PDF links to its page, one of a DOCX
// has its headings. A file that cannot be read is left out and named once, and not read again.
func TestPDFAndDOCXAreDocuments(t *testing.T) {
	texts := extract.New()
	defer texts.Close()
	if _, err := texts.Read(t.Context(), extract.PDF, []byte(sample(t, "law.pdf"))); err != nil { // it takes long to start
		t.Fatal(err)
	}
	b := &bench{folder: t.TempDir(), cache: filepath.Join(t.TempDir(), "cache"), log: &record{}, extract: texts}
	configtest.Files{"a/law.pdf": sample(t, "law.pdf"), "office.docx": sample(t, "law.docx"), "locked.pdf": sample(t, "encrypted.pdf"), "x.md": "# Other\n\nKatze"}.Write(t, b.folder)
	b.open(t, func(o *documents.Options) {
		o.Include, o.Link = []string{"**"}, "https://x.example/{path}#{anchor}"
	})
	b.finds(t, "Straßenreinigungsgebührenordnungen", "Straßenreinigungsgebührenordnungen")
	until(t, "all files are read", func() bool { return b.shelf.Statuses()[0].Ready && b.shelf.Statuses()[0].Faulty == 1 })
	seen := map[string]string{}
	for _, i := range b.search(t, "Katze keine").Items {
		seen[i.Link] = i.Title
	}
	if got := seen["https://x.example/a/law.pdf#page=2"]; got != "Gebührensatzung › § 2 Höhe" {
		t.Errorf("%v", seen)
	}
	if got := seen["https://x.example/office.docx#-2-h%C3%B6he"]; got != "Gebührensatzung › § 2 Höhe" {
		t.Errorf("%v", seen)
	}
	if n := strings.Count(b.log.String(), "locked.pdf"); n != 1 || !strings.Contains(b.log.String(), "is encrypted; save it without a password") {
		t.Errorf("%s", b.log)
	}
}
