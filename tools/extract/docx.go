package extract

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"
)

const (
	maxUnpacked = 100 << 20 // bytes of the parts that are read, together
	maxEntries  = 10_000    // of the archive
	maxDepth    = 500       // of elements
)

// The relations of a package's parts that matter here (ECMA-376, part 1). Strict documents use another
// address, which ends in the same words.
const (
	mainPart      = "/officeDocument"
	stylesPart    = "/styles"
	numberingPart = "/numbering"
	footnotesPart = "/footnotes"
	endnotesPart  = "/endnotes"
	corePart      = "/metadata/core-properties"
)

// ole begins the files of older formats of Word, and DOCX files that are encrypted.
var ole = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

// docx is an opened DOCX file. No part of it is run, and nothing outside of it is read.
type docx struct {
	files map[string]*zip.File
	left  int64 // bytes that may still be unpacked
}

func readDOCX(data []byte, ready func()) (t Text, err error) {
	ready()
	if bytes.HasPrefix(data, ole) {
		return t, Old
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return t, err
	}
	if len(archive.File) > maxEntries {
		return t, Unpacked
	}
	d := &docx{files: make(map[string]*zip.File, len(archive.File)), left: maxUnpacked}
	for _, f := range archive.File {
		if f.Flags&1 != 0 {
			return t, Encrypted
		}
		d.files[strings.ToLower(strings.TrimPrefix(f.Name, "/"))] = f // names of parts differ by more than case
	}
	root, err := d.relations("")
	if err != nil {
		return t, err
	}
	main := root[mainPart]
	of, err := d.relations(main)
	if err != nil {
		return t, err
	}
	b := body{}
	if b.styles, err = d.styles(of[stylesPart]); err != nil {
		return t, err
	}
	if b.lists, err = d.numbering(of[numberingPart]); err != nil {
		return t, err
	}
	if b.notes, err = d.notes(of[footnotesPart], of[endnotesPart]); err != nil {
		return t, err
	}
	if err := d.walk(main, b.element); err != nil {
		return t, err
	}
	t.Title, t.Parts = b.title, b.end()
	title, err := d.title(root[corePart])
	if title != "" {
		t.Title = title
	}
	return t, err
}

// part opens a part of the archive. One that is missing is nil.
func (d *docx) part(name string) (io.ReadCloser, error) {
	f := d.files[strings.ToLower(name)]
	if f == nil {
		return nil, nil //nolint:nilnil // documented
	}
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{&unpacked{in, &d.left}, in}, nil
}

// unpacked counts what is unpacked, whatever the archive says of its size.
type unpacked struct {
	r    io.Reader
	left *int64
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if *u.left -= int64(n); *u.left < 0 {
		return 0, Unpacked
	}
	return n, err
}

var errMarkup = errors.New("extract: XML that no DOCX has")

// walk calls f for each element and text of a part: with open for its beginning, then with its texts,
// and at its end. A part that is missing is empty. Entities are never read from elsewhere: a document
// type is refused.
func (d *docx) walk(name string, f func(e event)) error {
	in, err := d.part(name)
	if in == nil || err != nil {
		return err
	}
	defer in.Close()
	x := xml.NewDecoder(in)
	for depth := 0; ; {
		token, err := x.Token()
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return errMarkup
			}
			f(event{open: true, name: t.Name.Local, attrs: t.Attr})
		case xml.EndElement:
			depth--
			f(event{name: t.Name.Local})
		case xml.CharData:
			if len(t) > 0 {
				f(event{text: string(t)})
			}
		case xml.Directive:
			return errMarkup
		}
		if err == io.EOF { //nolint:errorlint // Token returns it as it is
			return nil
		} else if err != nil {
			return err
		}
	}
}

// event is the beginning of an element, a text, or (with neither open nor text) the end of an element.
type event struct {
	open  bool
	name  string
	text  string
	attrs []xml.Attr
}

func (e event) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e event) number(name string) int {
	n, err := strconv.Atoi(e.attr(name))
	if err != nil {
		return -1
	}
	return n
}

// relations returns the parts that a part (or, with "", the package) names, by the end of the
// relation's type. If the main part is not named, it is where all programs write it.
func (d *docx) relations(of string) (map[string]string, error) {
	dir, file := path.Split(of)
	found := map[string]string{}
	if of == "" {
		found[mainPart] = "word/document.xml"
	}
	err := d.walk(dir+"_rels/"+file+".rels", func(e event) {
		if !e.open || e.name != "Relationship" || e.attr("TargetMode") == "External" {
			return
		}
		target := e.attr("Target")
		if !strings.HasPrefix(target, "/") {
			target = dir + target
		}
		for _, kind := range []string{mainPart, stylesPart, numberingPart, footnotesPart, endnotesPart, corePart} {
			if strings.HasSuffix(e.attr("Type"), kind) {
				found[kind] = strings.TrimPrefix(path.Clean("/"+target), "/")
			}
		}
	})
	return found, err
}

// title returns the title of the document's properties.
func (d *docx) title(part string) (string, error) {
	in, title := false, ""
	err := d.walk(part, func(e event) {
		switch {
		case e.name == "title":
			in = e.open
		case in:
			title += e.text
		}
		in = in && len(title) < 4*maxHeading
	})
	return sensible(title), err
}

// style is a style of paragraphs.
type style struct {
	level   int    // of the heading, 1 to 6; 0: that of basedOn
	title   bool   // of the document
	basedOn string // id
	list    listed
}

// headingNames are the names of the built-in styles: they are English in documents of any language,
// where only the ids are translated.
var headingNames = map[string]int{"heading 1": 1, "heading 2": 2, "heading 3": 3, "heading 4": 4, "heading 5": 5, "heading 6": 6}

func (d *docx) styles(part string) (map[string]style, error) {
	styles := map[string]style{}
	for i := range maxLevel { // documents that programs make may not define these
		styles["Heading"+strconv.Itoa(i+1)] = style{level: i + 1, list: noList}
	}
	id, now := "", style{}
	err := d.walk(part, func(e event) {
		switch {
		case e.name == "style" && e.open:
			id, now = e.attr("styleId"), style{list: noList}
		case e.name == "style":
			styles[id] = now
		case !e.open:
		case e.name == "name":
			name := strings.ToLower(e.attr("val"))
			now.title = name == "title"
			if level := headingNames[name]; level > 0 {
				now.level = level
			}
		case e.name == "basedOn":
			now.basedOn = e.attr("val")
		case e.name == "outlineLvl":
			if n := e.number("val"); n >= 0 && n < maxLevel && now.level == 0 {
				now.level = n + 1
			}
		default:
			now.list.read(e)
		}
	})
	return styles, err
}

// inherited returns a style with what it has from those it is based on.
func inherited(styles map[string]style, id string) style {
	found := styles[id]
	if found.list == (listed{}) {
		found.list = noList
	}
	for range 20 { // a chain can have no end
		above, ok := styles[found.basedOn]
		if !ok {
			break
		}
		found.basedOn = above.basedOn
		if found.level == 0 {
			found.level = above.level
		}
		found.title = found.title || above.title
		found.list.inherit(above.list)
	}
	return found
}

// notes returns the texts of footnotes and endnotes, by "f" or "e" and their id.
func (d *docx) notes(foot, end string) (map[string]string, error) {
	notes := map[string]string{}
	for kind, part := range map[string]string{"f": foot, "e": end} {
		id, b := "", body{}
		err := d.walk(part, func(e event) {
			switch {
			case (e.name == "footnote" || e.name == "endnote") && e.open:
				id, b = kind+e.attr("id"), body{}
				if e.attr("type") != "" {
					id = "" // a line between text and notes
				}
			case e.name == "footnote" || e.name == "endnote":
				if text := (Text{Parts: b.end()}).String(); id != "" && text != "" {
					notes[id] = text
				}
			default:
				b.element(e)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return notes, nil
}
