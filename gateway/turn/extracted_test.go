package turn_test

import (
	"archive/zip"
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools/extract"
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

// A model gets the texts of DOCX files and of PDFs, like those of text files; a PDF itself only if it
// reads PDFs; and of a file without text, the reason. A file is read once, not in each turn.
func TestTheModelGetsTextsOfPDFAndDOCX(t *testing.T) {
	h, dir := filing(t, says("One."), says("Two."), says("Three."))
	o := h.engine.Options
	o.Extract, o.Registry = extract.New(), prometheus.NewRegistry()
	t.Cleanup(o.Extract.Close)
	h.open(o)
	h.takes(config.Attachments{MaxFiles: 3, MaxBytes: 100_000})
	var empty bytes.Buffer
	z := zip.NewWriter(&empty)
	if _, err := z.Create("word/document.xml"); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	pdf := sample(t, "law.pdf")
	a, b, c := h.upload("a.docx", sample(t, "law.docx")), h.upload("b.pdf", pdf), h.upload("c.docx", empty.String())
	h.drive(h.bearing("Look", a.ID, b.ID, c.ID))
	want := []string{"\n\nText of a.docx:\n  Gebührensatzung\n", "\n  Hund | 120 €\n", "\n\nText of b.pdf:\n  Gebührensatzung\n", "\n  Hund 120 €\n",
		"\n\nc.docx: its text cannot be read, because the file has no text, only pictures or empty pages; run text recognition (OCR) on it."}
	got := h.model.last()
	for _, text := range want {
		if !strings.Contains(got.Content, text) {
			t.Errorf("%q has no %q", got.Content, text)
		}
	}
	if len(got.PDFs) > 0 || strings.Contains(got.Content, "You see the names") {
		t.Errorf("%d PDFs, %q", len(got.PDFs), got.Content)
	}
	for _, f := range []string{a.ID, b.ID, c.ID} {
		if err := os.WriteFile(dir+"/"+f, []byte("gone"), 0o600); err != nil { // it is not read again
			t.Fatal(err)
		}
	}
	h.drive(h.message("Again"))
	if again := h.model.sent[len(h.model.sent)-1].Messages[0]; again.Content != got.Content {
		t.Errorf("in the next turn: %q", again.Content)
	}
	h.configure(`"clarifications": {}`, `{"models": {"default": {"provider": "demo", "pdf": true}}}`)
	h.takes(config.Attachments{MaxFiles: 3, MaxBytes: 100_000})
	d := h.upload("d.pdf", pdf)
	h.drive(h.bearing("Look", d.ID))
	if got := h.model.last(); len(got.PDFs) != 1 || string(got.PDFs[0].Data) != pdf || strings.Contains(got.Content, "Text of d.pdf") {
		t.Errorf("%d PDFs, %q", len(got.PDFs), got.Content)
	}
}
