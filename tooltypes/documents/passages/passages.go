package passages

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/cascadia"

	"github.com/askgate/askgate/tools"
)

// Limits, in code points unless noted otherwise.
const (
	MaxFile  = 10 << 20 // bytes
	MaxText  = 8000     // of a passage
	MaxTitle = 200      // of a work, and of a passage
	maxLink  = 2000     // bytes
	maxKey   = 500      // bytes of an id or an anchor
)

// Passage is a part of a document.
type Passage struct {
	Key    string // unique in the file
	Anchor string // of the section in its document, or ""
	Work   string // title of the document
	Title  string // includes the work
	Link   string // from the document itself, or ""
	Text   string
	First  bool   // whether it is the first of its document
	Facts  *Facts // of its document; nil: it says nothing about itself
}

// Fault reports a part of a file that is left out, and why. It contains none of the file's text.
type Fault struct {
	Line int // 0: the whole file
	Why  string
}

// Reader reads files.
type Reader struct {
	settings Settings
	pointer  []string          // of the title in a line of JSON
	selector cascadia.Selector // of the title in HTML; nil: the first heading
}

// New makes a reader.
func New(s Settings) (*Reader, error) {
	r := &Reader{settings: s, pointer: []string{"title"}}
	title := s.Title
	var err error
	switch {
	case strings.HasPrefix(title, "/"):
		r.pointer, err = pointer(title)
	case title != "":
		if r.selector, err = cascadia.Compile(title); err != nil {
			err = errors.New("it is neither a JSON pointer, which begins with /, nor an HTML selector")
		}
	}
	return r, err
}

// section is the text between two headings.
type section struct {
	heading string // with the headings above it; "" before the first one
	anchor  string
	text    string
}

// document is the content of a file, or of a line of JSON.
type document struct {
	key, title, link string
	sections         []section
}

var bom = []byte("\ufeff")

// Read splits a file into passages. name is the file's path; its extension is that of the format.
func (r *Reader) Read(name string, data []byte) (list []Passage, faults []Fault) {
	if len(data) > MaxFile {
		return nil, []Fault{{Why: fmt.Sprintf("is larger than %d MiB; split it", MaxFile>>20)}}
	}
	plain := strings.TrimSuffix(path.Base(name), path.Ext(name))
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		d, err := r.html(data)
		if err != nil {
			return nil, []Fault{{Why: "is not readable HTML"}}
		}
		return d.passages(plain), nil
	case ".jsonl", ".ndjson":
		return r.lines(bytes.TrimPrefix(data, bom), plain)
	}
	data = bytes.TrimPrefix(data, bom)
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, []Fault{{Why: "is not UTF-8 text; convert it"}}
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		return markdown(string(data)).passages(plain), nil
	default:
		return text(string(data)).passages(plain), nil
	}
}

// passages returns the passages of a document. plain is its title if it has none.
func (d document) passages(plain string) []Passage {
	work := line(d.title, MaxTitle)
	if work == "" {
		work = line(plain, MaxTitle)
	}
	var list []Passage
	keys := map[string]bool{}
	add := func(s section, text string, part int) {
		title := work
		if heading := line(s.heading, MaxTitle); heading != "" && heading != work {
			title += " › " + heading
		}
		if part > 1 {
			title += fmt.Sprintf(" (%d)", part)
		}
		key := d.key + "#" + s.anchor
		if part > 1 {
			key += fmt.Sprintf("~%d", part)
		}
		for twin := key; keys[key]; key = fmt.Sprintf("%s~%d+", twin, len(keys)) {
			continue // the document has the anchor twice
		}
		keys[key] = true
		list = append(list, Passage{Key: key, Anchor: s.anchor, Work: work, Title: title, Link: d.link, Text: text, First: len(list) == 0})
	}
	for _, s := range d.sections {
		for i, text := range split(strings.TrimSpace(tools.Clean(s.text))) {
			add(s, text, i+1)
		}
	}
	if len(list) == 0 { // it has only a title
		add(section{}, "", 1)
	}
	return list
}

// line returns s in one line of at most n code points, without invisible characters.
func line(s string, n int) string {
	return tools.Shorten(strings.Join(strings.Fields(tools.Clean(s)), " "), n)
}

// split cuts a text into pieces of at most MaxText code points, at natural breaks.
func split(text string) (list []string) {
	for text != "" {
		end := limit(text, MaxText)
		if end < len(text) {
			end = cut(text[:end])
		}
		if piece := strings.TrimSpace(text[:end]); piece != "" {
			list = append(list, piece)
		}
		text = strings.TrimLeft(text[end:], "\n ")
	}
	return list
}

// limit returns the offset at which the first n code points of a text end.
func limit(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// cut returns the best offset to cut a text in its second half: after a paragraph, a line, a
// sentence or a word.
func cut(s string) int {
	for _, mark := range []string{"\n\n", "\n", ". ", "。", " "} {
		if i := strings.LastIndex(s, mark); i > len(s)/2 {
			return i + len(mark)
		}
	}
	return len(s)
}
