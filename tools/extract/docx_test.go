package extract_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/extract"
)

// archive makes a DOCX file of its parts.
func archive(parts map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range parts {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

const w = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`

// german is a document of a German Word: the ids of its styles are translated.
var german = map[string]string{
	"_rels/.rels":                   `<Relationships><Relationship Type="http://x/officeDocument" Target="word/document2.xml"/><Relationship Type="http://x/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
	"docProps/core.xml":             `<c xmlns:dc="x"><dc:creator>Ada</dc:creator><dc:title>Microsoft Word - a.docx</dc:title></c>`,
	"word/vbaProject.bin":           "macros are never run",
	"word/_rels/document2.xml.rels": `<Relationships><Relationship Type="http://x/styles" Target="styles.xml"/><Relationship Type="http://x/numbering" Target="/word/numbering.xml"/><Relationship Type="http://x/footnotes" Target="footnotes.xml"/><Relationship Type="http://x/styles" TargetMode="External" Target="http://127.0.0.1/styles"/></Relationships>`,
	"word/styles.xml": `<w:styles` + w + `><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
		<w:style w:styleId="Eigene"><w:name w:val="Paragraf"/><w:basedOn w:val="berschrift2"/></w:style><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/><w:basedOn w:val="Eigene"/></w:style>
		<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style></w:styles>`,
	"word/numbering.xml": `<w:numbering` + w + `><w:abstractNum w:abstractNumId="5"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>
		<w:abstractNum w:abstractNumId="6"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="(%1)"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>
		<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
		<w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="6"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>`,
	"word/footnotes.xml": `<w:footnotes` + w + `><w:footnote w:id="0" w:type="separator"><w:p><w:r><w:t>-</w:t></w:r></w:p></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>See § 9.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
	"word/document2.xml": `<w:document` + w + ` xmlns:mc="m"><w:body>` + styled("Titel", "Satzung") + `<w:p><w:r><w:t>Vor</w:t></w:r><w:r><w:t xml:space="preserve">wort &amp;</w:t><w:tab/><w:t>mehr</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:del><w:r><w:delText>weg</w:delText><w:tab/></w:r></w:del><w:moveFrom><w:r><w:t>fort</w:t></w:r></w:moveFrom><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>` +
		styled("berschrift1", "Zweck") + listedAs(2, 0, "erstens") + listedAs(2, 1, "a") + listedAs(2, 1, "b") + listedAs(2, 0, "zweitens") + listedAs(3, 0, "Punkt") +
		styled("Eigene", "Tafel") + `<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Hund</w:t></w:r></w:p><w:p><w:r><w:t>Katze</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc></w:tr></w:tbl>` +
		styled("berschrift1", "Ende") + `<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>Kasten</w:t></w:r></w:p></w:txbxContent></mc:Choice><mc:Fallback><w:p><w:r><w:t>Kasten</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent><w:t>Text</w:t></w:r></w:p></w:body></w:document>`,
}

func styled(style, text string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func listedAs(list, level int, text string) string {
	return fmt.Sprintf(`<w:p><w:pPr><w:tabs><w:tab/></w:tabs><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr></w:pPr><w:r><w:t>%s</w:t></w:r></w:p>`, level, list, text)
}

// Headings are told by the names of built-in styles, in documents of any language; lists and headings
// have the numbers that Word shows; what was deleted is not read.
func TestDOCX(t *testing.T) {
	got, err := reader(t).Read(t.Context(), extract.DOCX, archive(german))
	const want = `Satzung
0 0 : Vorwort &	mehr[1]/[1] See § 9.
0 1 I. Zweck: (1) erstens/1.a) a/1.b) b/(2) zweitens/- Punkt
0 2 Tafel: Hund Katze | 1
0 1 II. Ende: Kasten//Text
`
	if err != nil || parts(got) != want {
		t.Errorf("%v\n%swant\n%s", err, parts(got), want)
	}
	got, err = reader(t).Read(t.Context(), extract.DOCX, file(t, "law.docx"))
	const office = `Gebührensatzung
0 1 Gebührensatzung: Die Größe der Fläche „Öffentlichkeit“; œuvre, niño; final effect office flow.
0 2 § 1 Zweck: `
	if err != nil || !strings.HasPrefix(parts(got), office) || !strings.Contains(parts(got), "0 2 § 2 Höhe: Hund | 120 €/Katze | keine//Das Zeichen ist 法.\n") {
		t.Errorf("%v\n%s", err, parts(got))
	}
}

// Headings are also told in documents that use the styles of headings without defining them, as some
// programs write.
func TestDOCXWithoutStyles(t *testing.T) {
	got, err := reader(t).Read(t.Context(), extract.DOCX, archive(map[string]string{
		"word/document.xml": `<w:document` + w + `><w:body>` + styled("Heading1", "Lantern Act") + styled("Heading2", "Article 4") + styled("Heading9", "Text.") + `</w:body></w:document>`,
	}))
	if want := "\n0 1 Lantern Act: \n0 2 Article 4: Text.\n"; err != nil || parts(got) != want {
		t.Errorf("%v\n%swant%s", err, parts(got), want)
	}
}

func TestDOCXFilesAreRefused(t *testing.T) {
	body := func(s string) []byte {
		return archive(map[string]string{"word/document.xml": `<w:document` + w + `><w:body><w:p><w:r><w:t>` + s + `</w:t></w:r></w:p></w:body></w:document>`})
	}
	many := map[string]string{}
	for i := range 100_000 {
		many[fmt.Sprint(i)] = ""
	}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"no archive":        {[]byte("PK\x03\x04"), nil},
		"encrypted, or DOC": {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), extract.Old},
		"a bomb":            {body(strings.Repeat("a", 101<<20)), extract.Unpacked},
		"100,000 entries":   {archive(many), extract.Unpacked},
		"an entity":         {archive(map[string]string{"word/document.xml": `<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>&x;</d>`}), nil},
		"a document type":   {archive(map[string]string{"word/document.xml": `<!DOCTYPE d><w:document` + w + `><w:body>` + styled("", "x") + `</w:body></w:document>`}), nil},
		"an entity alone":   {body("&x;"), nil},
		"depth":             {body(strings.Repeat("<w:r>", 100_000) + strings.Repeat("</w:r>", 100_000)), nil},
		"markup that ends":  {archive(map[string]string{"word/document.xml": `<w:document` + w + `><w:p>`}), nil},
	} {
		got, err := extract.ReadDOCX(c.data)
		if err == nil || c.want != nil && !errors.Is(err, c.want) || len(got.Parts) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]extract.Refused{"": extract.Scanned, "a": 0, strings.Repeat("a", extract.MaxText+1): extract.Long} {
		_, err := reader(t).Read(t.Context(), extract.DOCX, body(name))
		if want == 0 && err != nil || want != 0 && !errors.Is(err, want) {
			t.Errorf("%d bytes: %v", len(name), err)
		}
	}
}

// Whatever a DOCX contains, its text is bounded by what is in it.
func FuzzDOCX(f *testing.F) {
	f.Add(german["word/document2.xml"], german["word/styles.xml"], german["word/numbering.xml"], german["word/footnotes.xml"])
	f.Add(`<a><p><p><tr><tc><p/></tc><tc></tr></p></a>`, `<style styleId="a"><basedOn val="a"/></style>`, `<num numId="1"><abstractNumId val="1"/></num>`, "")
	f.Fuzz(func(t *testing.T, document, styles, numbering, notes string) {
		parts := map[string]string{"_rels/.rels": german["_rels/.rels"], "word/_rels/document2.xml.rels": german["word/_rels/document2.xml.rels"]}
		parts["word/document2.xml"], parts["word/styles.xml"], parts["word/numbering.xml"], parts["word/footnotes.xml"] = document, styles, numbering, notes
		got, _ := extract.ReadDOCX(archive(parts))
		if n := len(document) + len(numbering) + len(notes); len(got.String()) > 1000+n*(len(notes)+len(numbering)+100) {
			t.Fatalf("%d bytes of %d", len(got.String()), n)
		}
		for _, p := range got.Parts {
			if p.Level < 0 || p.Level > 6 || (p.Level == 0) != (p.Heading == "") {
				t.Fatalf("%+v", p)
			}
		}
	})
}
