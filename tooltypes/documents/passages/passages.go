package passages

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
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
	Key     string // unique in the file
	Anchor  string // of the section in its document, or ""
	Work    string // title of the document
	Title   string // includes the work
	Heading string // those above the text, without the work; "" before the first one
	Link    string // from the document itself, or ""
	Text    string
	First   bool   // whether it is the first of its document
	Part    int    // of its section, from 1
	Gap     string // between the part before and this one: "", " ", "\n" or "\n\n"
	Facts   *Facts // of its document; nil: it says nothing about itself
}

// Fault reports a part of a file that is left out, or that says something about the document which
// cannot be used, and why. It contains none of the file's text.
type Fault struct {
	Line int // 0: the whole file
	Why  string
	Read bool // the document is read, only without this
}

// Reader reads files.
type Reader struct {
	settings Settings
	pointer  []string          // of the title in a line of JSON
	selector cascadia.Selector // of the title in HTML; nil: the first heading
	used     []string          // names of the members that are read of a document, apart from title and link
}

// New makes a reader.
func New(s Settings) (*Reader, error) {
	r := &Reader{settings: s, pointer: []string{"title"}}
	r.used = append(slices.Sorted(maps.Keys(s.Fields)), idMember, "date")
	if v := s.Versions; v != nil {
		r.used = append(r.used, v.Key, v.From, v.To)
	}
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
	facts            *Facts
}

var bom = []byte("\ufeff")

// Read splits a file into passages. name is the file's path; its extension is that of the format.
func (r *Reader) Read(name string, data []byte) (list []Passage, faults []Fault) {
	if len(data) > MaxFile {
		return nil, []Fault{{Why: fmt.Sprintf("is larger than %d MiB; split it", MaxFile>>20)}}
	}
	file := r.fileName(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		d, faults, err := r.html(data, file)
		if err != nil {
			return nil, []Fault{{Why: "is not readable HTML"}}
		}
		return d.passages(file.plain), faults
	case ".jsonl", ".ndjson":
		return r.lines(bytes.TrimPrefix(data, bom), file)
	}
	data = bytes.TrimPrefix(data, bom)
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, []Fault{{Why: "is not UTF-8 text; convert it"}}
	}
	var d document
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		d, faults = r.markdown(string(data), file)
	default:
		d = text(string(data))
		faults = r.describe(&d, said{}, file)
	}
	return d.passages(file.plain), faults
}

// passages returns the passages of a document. plain is its title if it has none.
func (d document) passages(plain string) []Passage {
	work := cmp.Or(line(d.title, MaxTitle), line(plain, MaxTitle), "?") // a name may have only invisible characters
	var list []Passage
	keys := map[string]bool{}
	next := map[string]int{} // of a key that came before
	add := func(s section, text piece, part int) {
		title := work
		heading := headings(s.heading)
		if heading != "" && heading != work {
			title += " › " + heading
		}
		if part > 1 {
			title += fmt.Sprintf(" (%d)", part)
		}
		key := d.key + "#" + s.anchor
		if part > 1 {
			key += fmt.Sprintf("~%d", part)
		}
		twin, n := key, max(len(keys), next[key])
		for ; keys[key]; n++ { // the document has the anchor twice, or even another that is like this
			key = fmt.Sprintf("%s~%d+", twin, n)
			next[twin] = n + 1
		}
		keys[key] = true
		list = append(list, Passage{Key: key, Anchor: s.anchor, Work: work, Title: title, Heading: heading, Link: d.link, Text: text.text, First: len(list) == 0, Part: part, Gap: text.gap, Facts: d.facts})
	}
	for _, s := range d.sections {
		for i, text := range split(strings.TrimSpace(tools.Clean(s.text))) {
			add(s, text, i+1)
		}
	}
	if len(list) == 0 { // it has only a title
		add(section{}, piece{}, 1)
	}
	return list
}

// headings returns the headings above a text in one line. If they are too long, the upper ones are
// left out: the last one has the number of the article.
func headings(s string) string {
	whole := line(s, len(s))
	short := whole
	for utf8.RuneCountInString(short) > MaxTitle {
		_, lower, ok := strings.Cut(whole, " › ")
		if !ok {
			return line(whole, MaxTitle)
		}
		whole = lower
		short = "… › " + whole
	}
	return short
}

// line returns s in one line of at most n code points, without invisible characters.
func line(s string, n int) string {
	return tools.Shorten(strings.Join(strings.Fields(tools.Clean(strings.ToValidUTF8(s, ""))), " "), n) // names of files may be no UTF-8
}

// piece is a part of a section.
type piece struct {
	text string
	gap  string // between the piece before and this one
}

// split cuts a text into pieces of at most MaxText code points, at natural breaks.
func split(text string) (list []piece) {
	gap := ""
	for text != "" {
		end := limit(text, MaxText)
		if end < len(text) {
			end = cut(text[:end])
		}
		kept := strings.TrimSpace(text[:end])
		if kept != "" {
			list = append(list, piece{kept, gap})
		}
		rest := strings.TrimLeft(text[end:], "\n ")
		gap = space(text[len(strings.TrimRight(text[:end], "\n ")) : len(text)-len(rest)])
		text = rest
	}
	return list
}

// space returns the break that white space makes.
func space(s string) string {
	switch lines := strings.Count(s, "\n"); {
	case lines > 1:
		return "\n\n"
	case lines == 1:
		return "\n"
	case s != "":
		return " "
	}
	return ""
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
