package tools_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
)

// The name of a file determines its type if the content agrees.
func TestFileType(t *testing.T) {
	zip, text, ole := "application/zip", "text/plain", "application/x-ole-storage"
	for _, c := range []struct {
		name string
		seen []string
		want string
	}{
		{"a.csv", []string{text}, "text/csv"},
		{"A.CSV", []string{text}, "text/csv"},
		{"a.txt", []string{"text/html", text}, text},
		{"a.log", []string{text}, text},
		{"notes", []string{text}, text},
		{"a.go", []string{text}, text},
		{"a.json", []string{"application/json", text}, "application/json"},
		{"a.docx", []string{zip}, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"a.xls", []string{ole}, "application/vnd.ms-excel"},
		{"a.png", []string{"text/html", text}, "text/html"},
		{"a.png", []string{"image/jpeg"}, "image/jpeg"},
		{"a.csv", []string{"image/png"}, "image/png"},
		{"a.docx", []string{"application/pdf"}, "application/pdf"},
		{"a.pdf", []string{zip}, zip},
		{"a.bin", nil, "application/octet-stream"},
	} {
		if got := tools.FileType(c.name, c.seen); got != c.want {
			t.Errorf("%s, seen as %v: %s, want %s", c.name, c.seen, got, c.want)
		}
	}
}

func TestAccepts(t *testing.T) {
	for _, c := range []struct{ accept, name, media string }{
		{"", "a.exe", "application/x-dosexec"},
		{"image/*", "a", "image/png"},
		{"text/csv image/png", "a.png", "image/png"},
		{".pdf", "A.PDF", "application/pdf"},
		{".dat", "x.dat", "application/octet-stream"},
	} {
		if !tools.Accepts(strings.Fields(c.accept), c.name, c.media) {
			t.Errorf("%q refuses %s, %s", c.accept, c.name, c.media)
		}
	}
	for _, c := range []struct{ accept, name, media string }{
		{"image/*", "a.png", "text/html"},
		{"image/png", "a.png", "image/jpeg"},
		{".pdf", "a.pdf", "text/html"},
		{".pdf", "a.html", "application/pdf"},
		{".dat", "x.txt", "text/plain"},
		{"image/*", "a", "imagery/png"},
	} {
		if tools.Accepts(strings.Fields(c.accept), c.name, c.media) {
			t.Errorf("%q accepts %s, %s", c.accept, c.name, c.media)
		}
	}
}

func TestIsAccept(t *testing.T) {
	for _, s := range []string{".pdf", ".tar.gz", "image/*", "text/plain", "application/vnd.ms-excel", "image/svg+xml"} {
		if !tools.IsAccept(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{"", ".", "pdf", "*", "*/*", "/png", "image/", "image/p*", "a/b/c", ".a/b", ".*", "image/png; q=1", "IMAGE/PNG", "." + strings.Repeat("a", 100)} {
		if tools.IsAccept(s) {
			t.Errorf("%q is taken", s)
		}
	}
}

func TestIsFileID(t *testing.T) {
	if !tools.IsFileID("fil_" + strings.Repeat("a7", 13)) {
		t.Error("an id is refused")
	}
	for _, s := range []string{"", "fil_", "fil_../../../../../../etc/passwd", "fil_" + strings.Repeat("A", 26), "clr_" + strings.Repeat("a", 26), "fil_" + strings.Repeat("a", 27)} {
		if tools.IsFileID(s) {
			t.Errorf("%q is taken", s)
		}
	}
}

func TestFileName(t *testing.T) {
	for given, want := range map[string]string{
		"report.pdf": "report.pdf", "../../etc/passwd": "passwd", `C:\Users\me\a.txt`: "a.txt", "": "file", "/": "file", "...": "file",
		"a\x00b\r\nc.txt": "ab c.txt", "evil\u202egpj.exe": "evilgpj.exe", " \u200b ": "file", ".htaccess": "htaccess", "\xff\xfe.txt": "txt",
		"Prüfbericht 2026.docx": "Prüfbericht 2026.docx",
	} {
		if got := tools.FileName(given); got != want {
			t.Errorf("%q is kept as %q, want %q", given, got, want)
		}
	}
	long := tools.FileName(strings.Repeat("ü", 500) + ".pdf")
	if utf8.RuneCountInString(long) != tools.MaxFileName || !strings.HasSuffix(long, "ü.pdf") {
		t.Errorf("a long name is kept as %q", long)
	}
}

// FuzzFileName: any name that a client sends becomes one short visible name, not a path.
func FuzzFileName(f *testing.F) {
	for _, s := range []string{"a.pdf", "../x", "\x00", "a\u202eb", strings.Repeat("x", 300), "..", "a/..", "a\\.."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name := tools.FileName(s)
		if tools.Blank(name) || !utf8.ValidString(name) || utf8.RuneCountInString(name) > tools.MaxFileName ||
			strings.ContainsAny(name, "/\\\x00\r\n") || name[0] == '.' {
			t.Errorf("%q is kept as %q", s, name)
		}
		if again := tools.FileName(name); again != name {
			t.Errorf("%q is kept as %q, and that as %q", s, name, again)
		}
	})
}
