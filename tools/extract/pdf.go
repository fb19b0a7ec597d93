package extract

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// maxPages64 is the most memory of PDFium, in pages of WebAssembly of 64 KiB: what MaxMemory leaves
// after its compilation. Twice MaxFile must fit.
const maxPages64 = 192 << 20 >> 16

// engine compiles PDFium once in a process.
var engine = sync.OnceValues(func() (pdfium.Pool, error) {
	settings := wazero.NewRuntimeConfig().WithMemoryLimitPages(maxPages64).
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling) // as go-pdfium demands
	pool, err := webassembly.Init(webassembly.Config{
		Context: experimental.WithCompilationWorkers(context.Background(), 2), RuntimeConfig: settings,
		FSConfig: wazero.NewFSConfig(), // no files
		MaxTotal: 1, Stdout: io.Discard, Stderr: io.Discard,
	})
	debug.FreeOSMemory()
	return pool, err
})

// errEngine ends a child: the file is not the cause.
var errEngine = errors.New("extract: PDFium cannot be started")

func readPDF(data []byte, ready func()) (t Text, err error) {
	pool, err := engine()
	if err != nil {
		return t, errEngine
	}
	ready()
	p, err := pool.GetInstance(time.Minute)
	if err != nil {
		return t, err
	}
	defer func() { _ = p.Close() }()
	doc, err := p.OpenDocument(&requests.OpenDocument{File: &data})
	if errors.Is(err, pdferrors.ErrPassword) || errors.Is(err, pdferrors.ErrSecurity) {
		return t, Encrypted
	} else if err != nil {
		return t, err
	}
	count, err := p.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	switch {
	case err != nil:
		return t, err
	case count.PageCount > MaxPages:
		return t, Pages
	}
	if title, err := p.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: doc.Document, Tag: "Title"}); err == nil {
		t.Title = sensible(title.Value)
	}
	var lines []line
	size := 0
	for i := range count.PageCount {
		page, err := pageLines(p, doc.Document, i)
		if err != nil {
			return t, err
		}
		for _, l := range page {
			size += len(l.text)
		}
		if size > MaxText {
			return t, Long
		}
		lines = append(lines, page...)
	}
	t.Parts = laidOut(lines)
	return t, nil
}

// line is a line of a page.
type line struct {
	page int // the first is 1
	text string
	size float64 // of its letters as shown, in points; 0: unknown
	bold bool
}

func pageLines(p pdfium.Pdfium, doc references.FPDF_DOCUMENT, index int) ([]line, error) {
	page, err := p.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: index})
	if err != nil {
		return nil, nil // a page that is damaged is empty; readers show the others, too
	}
	defer func() { _, _ = p.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page.Page}) }()
	of, err := p.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: requests.Page{ByReference: &page.Page}})
	if err != nil {
		return nil, err
	}
	defer func() { _, _ = p.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: of.TextPage}) }()
	count, err := p.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: of.TextPage})
	if err != nil || count.Count <= 0 {
		return nil, err
	}
	all, err := p.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: of.TextPage, StartIndex: 0, Count: count.Count})
	if err != nil {
		return nil, err
	}
	var list []line
	at := 0 // PDFium's index of the line's first letter
	for text := range strings.Lines(strings.ToValidUTF8(all.Text, "")) {
		begins := at + runes(text[:len(text)-len(strings.TrimLeftFunc(text, blank))])
		last := at + runes(strings.TrimRightFunc(text, blank)) - 1
		at += runes(text)
		l := line{page: index + 1, text: strings.TrimRight(strings.Trim(text, "\r\n\x00"), " ")}
		if strings.TrimSpace(l.text) != "" && len(l.text) <= maxHeading {
			l.size = fontSize(p, of.TextPage, begins)
			l.bold = isBold(p, of.TextPage, begins) && isBold(p, of.TextPage, last)
		}
		list = append(list, l)
	}
	return list, nil
}

func runes(s string) int { return utf8.RuneCountInString(s) }

func blank(r rune) bool { return unicode.IsSpace(r) || r == 0 }

// fontSize returns the size of a letter as it is shown: the font's size, scaled.
func fontSize(p pdfium.Pdfium, page references.FPDF_TEXTPAGE, index int) float64 {
	size, err := p.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: page, Index: index})
	if err != nil {
		return 0
	}
	m, err := p.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: page, Index: index})
	if err != nil {
		return size.FontSize
	}
	return shown(size.FontSize, float64(m.Matrix.C), float64(m.Matrix.D))
}

func isBold(p pdfium.Pdfium, page references.FPDF_TEXTPAGE, index int) bool {
	w, err := p.FPDFText_GetFontWeight(&requests.FPDFText_GetFontWeight{TextPage: page, Index: index})
	if err == nil && w.FontWeight >= boldWeight {
		return true
	}
	font, err := p.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: page, Index: index})
	return err == nil && strings.Contains(strings.ToLower(font.FontName), "bold")
}
