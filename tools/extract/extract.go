package extract

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
)

// The limits of a file. What exceeds them is refused whole.
const (
	MaxFile   = 50 << 20         // bytes
	MaxPages  = 5000             // of a PDF
	MaxTime   = 20 * time.Second // of reading it, without the start of the child
	MaxMemory = 512 << 20        // bytes of the child
	MaxText   = 16 << 20         // bytes of its text
)

// Text is the text of a file.
type Text struct {
	Title string `json:"title"` // that the file gives itself, if it looks like one; "": none
	Parts []Part `json:"parts"`
}

// Part is the text under a heading, or of the page of a PDF: each page begins a part, and each
// heading.
type Part struct {
	Heading string `json:"heading,omitempty"` // "": it continues the part before
	Level   int    `json:"level,omitempty"`   // of the heading: 1 to 6
	Page    int    `json:"page,omitempty"`    // of a PDF, the first is 1; 0: the format has no pages
	Text    string `json:"text"`
}

// String returns the text as a whole, with its headings.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t.Parts {
		for _, s := range []string{p.Heading, p.Text} {
			if s != "" {
				if b.Len() > 0 {
					b.WriteString("\n\n")
				}
				b.WriteString(s)
			}
		}
	}
	return b.String()
}

func (t Text) size() int {
	n := len(t.Title)
	for _, p := range t.Parts {
		n += len(p.Heading) + len(p.Text)
	}
	return n
}

// any reports whether the text has a letter or a digit.
func (t Text) any() bool {
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return slices.ContainsFunc(t.Parts, func(p Part) bool { return strings.ContainsFunc(p.Heading, word) || strings.ContainsFunc(p.Text, word) })
}

// Format is a format of files.
type Format byte

// The formats.
const (
	PDF  Format = 'p'
	DOCX Format = 'd'
)

// ByName returns the format of files of a name, by its extension, or 0 if this package does not read
// them.
func ByName(name string) Format {
	switch strings.ToLower(path.Ext(name)) {
	case ".pdf":
		return PDF
	case ".docx":
		return DOCX
	}
	return 0
}

// ByType returns the format of files of a media type, or 0 if this package does not read them.
func ByType(media string) Format {
	switch media {
	case "application/pdf":
		return PDF
	case "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
		return DOCX
	}
	return 0
}

// Refused is the error of a file that cannot be read, however often it is tried. Its text continues a
// sentence that begins with the file ("is encrypted; ..."), and contains nothing from the file.
type Refused byte

func (r Refused) Error() string { return reasons[r] }

// The reasons to refuse a file.
const (
	Encrypted Refused = 'e'
	Damaged   Refused = 'd'
	Scanned   Refused = 's'
	Pages     Refused = 'p'
	Large     Refused = 'l'
	Long      Refused = 'm'
	Slow      Refused = 't'
	Unpacked  Refused = 'u'
	Old       Refused = 'o'
)

var reasons = map[Refused]string{
	Encrypted: "is encrypted; save it without a password",
	Damaged:   fmt.Sprintf("is damaged, or takes more than %d MiB of memory to read; save it again with another program, or split it", MaxMemory>>20),
	Scanned:   "has no text, only pictures or empty pages; run text recognition (OCR) on it",
	Pages:     fmt.Sprintf("has more than %d pages; split it", MaxPages),
	Large:     fmt.Sprintf("is larger than %d MiB; split it", MaxFile>>20),
	Long:      fmt.Sprintf("has more than %d MiB of text; split it", MaxText>>20),
	Slow:      fmt.Sprintf("takes more than %d seconds to read; save it again with another program, or split it", MaxTime/time.Second),
	Unpacked:  fmt.Sprintf("unpacks to more than %d MiB or %d parts; save it again without pictures, or split it", maxUnpacked>>20, maxEntries),
	Old:       "is encrypted or in an older format of Word; save it as DOCX without a password",
}
