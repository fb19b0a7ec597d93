package documents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
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

// Other files are found while the process that reads PDF files takes its time.
func TestOtherFilesDoNotWaitForPDF(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // only Linux has /proc
	}
	texts := extract.New()
	defer texts.Close()
	law := sample(t, "law.pdf")
	if _, err := texts.Read(t.Context(), extract.PDF, []byte(law)); err != nil {
		t.Fatal(err)
	}
	children := extracting(t)
	for _, id := range children {
		if err := syscall.Kill(id, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{folder: t.TempDir(), cache: filepath.Join(t.TempDir(), "cache"), log: &record{}, extract: texts}
	configtest.Files{"a.pdf": law, "b.docx": sample(t, "law.docx"), "z.md": "# Other\n\nQuinces"}.Write(t, b.folder)
	b.open(t, func(o *documents.Options) { o.Include = []string{"**"} })
	b.finds(t, "quinces", "Quinces")
	if b.shelf.Statuses()[0].Ready {
		t.Error("the PDF has been read")
	}
	for _, id := range children {
		_ = syscall.Kill(id, syscall.SIGCONT) // it may have been idle for too long
	}
	b.finds(t, "Straßenreinigungsgebührenordnungen", "Straßenreinigungsgebührenordnungen")
}

// extracting returns the processes of this one that read PDF and DOCX files.
func extracting(t *testing.T) (ids []int) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		stat, _ := os.ReadFile(name) // it may have ended
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		_, rest, _ := strings.Cut(string(stat), ") ")
		var state string
		var parent, id int
		_, _ = fmt.Sscan(rest, &state, &parent)
		_, _ = fmt.Sscan(string(stat), &id)
		if parent == os.Getpid() && strings.Contains(string(command), "__extract") {
			ids = append(ids, id)
		}
	}
	return ids
}
