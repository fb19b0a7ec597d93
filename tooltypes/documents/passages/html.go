package passages

import (
	"bytes"
	"cmp"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

func itoa(n int) string { return strconv.Itoa(n) }

// unread lists elements that contain no text of the document.
var unread = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Nav: true, atom.Svg: true, atom.Math: true, atom.Head: true,
	atom.Iframe: true, atom.Object: true, atom.Canvas: true, atom.Audio: true, atom.Video: true, atom.Button: true, atom.Select: true, atom.Textarea: true, atom.Dialog: true,
}

// blocks lists elements that begin a new line, with the text that separates them.
var blocks = map[atom.Atom]string{
	atom.P: "\n\n", atom.Div: "\n", atom.Section: "\n\n", atom.Article: "\n\n", atom.Ul: "\n\n", atom.Ol: "\n\n", atom.Dl: "\n\n", atom.Dt: "\n", atom.Dd: "\n", atom.Li: "\n- ",
	atom.Table: "\n\n", atom.Tr: "\n", atom.Caption: "\n", atom.Blockquote: "\n\n", atom.Pre: "\n\n", atom.Br: "\n", atom.Hr: "\n\n", atom.Header: "\n", atom.Footer: "\n\n",
	atom.Figure: "\n\n", atom.Figcaption: "\n", atom.Main: "\n", atom.Aside: "\n\n", atom.Address: "\n", atom.Details: "\n\n", atom.Summary: "\n",
}

var levels = map[atom.Atom]int{atom.H1: 1, atom.H2: 2, atom.H3: 3, atom.H4: 4, atom.H5: 5, atom.H6: 6}

// html reduces a document to its text, and splits it at headings.
func (r *Reader) html(data []byte, file fileName) (document, []Fault, error) {
	in, err := charset.NewReader(bytes.NewReader(data), "text/html")
	if err != nil {
		return document{}, nil, err
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return document{}, nil, err
	}
	root, err := html.Parse(bytes.NewReader(bytes.ToValidUTF8(text, []byte("\ufffd")))) // refuses elements that are nested too deeply for a stack
	if err != nil {
		return document{}, nil, err
	}
	c := &checker{said: said{fold: true, members: map[string]value{}}}
	body, named := root, ""
	for n := range root.Descendants() {
		switch {
		case n.DataAtom == atom.Title && named == "":
			named = words(n)
		case n.DataAtom == atom.Main:
			body = n
		case n.DataAtom == atom.Meta && n.Parent.DataAtom == atom.Head:
			c.meta(n)
		}
	}
	title, link := c.title(), c.link()
	if r.selector != nil {
		if n := r.selector.MatchFirst(root); n != nil {
			title = cmp.Or(words(n), title)
		}
	}
	w := &walker{outline: outline{title: title}}
	w.walk(body)
	w.flush()
	d := w.document()
	d.title, d.link = cmp.Or(d.title, named), link
	faults := append(c.faults, r.describe(&d, c.said, file)...)
	c.locate(faults, data)
	return d, faults, nil
}

// meta adds what a meta element says. Its value may be a number, because all values are in quotation
// marks; several elements of one name are a list.
func (c *checker) meta(n *html.Node) {
	name, _ := attribute(n, "name")
	content, ok := attribute(n, "content")
	name = strings.ToLower(name)
	if name == "" || !ok {
		return
	}
	c.names = append(c.names, name)
	v := numberValue(content, len(c.names)) // instead of its line, which the tree does not have
	switch old := c.members[name]; old.is {
	case absent:
	case single:
		v = value{line: old.line, is: several, items: []value{old, v}}
	default:
		old.items = append(old.items, v)
		v = old
	}
	c.members[name] = v
}

// locate gives faults their lines: those of the first elements of their names.
func (c *checker) locate(faults []Fault, data []byte) {
	if len(faults) == 0 {
		return
	}
	lines, line := map[string]int{}, 1
	for z := html.NewTokenizer(bytes.NewReader(data)); z.Next() != html.ErrorToken; {
		raw := z.Raw()
		breaks := bytes.Count(raw, []byte("\n"))
		if t := z.Token(); t.DataAtom == atom.Meta {
			name, _ := attribute(&html.Node{Attr: t.Attr}, "name")
			if name = strings.ToLower(name); lines[name] == 0 {
				lines[name] = line
			}
		}
		line += breaks
	}
	for i := range faults {
		if n := faults[i].Line; n > 0 {
			faults[i].Line = lines[c.names[n-1]]
		}
	}
}

// walker writes the text of a tree.
type walker struct {
	outline
	text    strings.Builder
	gap     string // text to write before the next word
	space   bool
	pre     int
	section string // id of the element that the next heading belongs to
}

func (w *walker) walk(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.write(n.Data)
		return
	case html.ElementNode:
	case html.DocumentNode:
		w.children(n)
		return
	default:
		return
	}
	_, hidden := attribute(n, "hidden")
	if unread[n.DataAtom] || hidden {
		return
	}
	if level := levels[n.DataAtom]; level > 0 {
		w.heading(n, level)
		return
	}
	if id, ok := attribute(n, "id"); ok && (n.DataAtom == atom.Section || n.DataAtom == atom.Article || n.DataAtom == atom.Div) {
		w.section = id
	}
	before, block := blocks[n.DataAtom]
	if block {
		w.line(before)
	}
	switch n.DataAtom {
	case atom.Pre:
		w.pre++
		defer func() { w.pre-- }()
	case atom.Td, atom.Th:
		if w.gap == "" && w.text.Len() > 0 {
			w.text.WriteString(" | ")
			w.space = false
		}
	}
	w.children(n)
	if block && n.DataAtom != atom.Br {
		w.line(strings.TrimSuffix(before, "- "))
	}
}

func (w *walker) children(n *html.Node) {
	for c := range n.ChildNodes() {
		w.walk(c)
	}
}

func (w *walker) heading(n *html.Node, level int) {
	anchor, ok := attribute(n, "id")
	if !ok {
		for c := range n.Descendants() {
			if id, is := attribute(c, "id"); is {
				anchor = id
			} else if name, is := attribute(c, "name"); is && c.DataAtom == atom.A {
				anchor = name
			}
		}
	}
	if anchor == "" {
		anchor = w.section
	}
	w.section = ""
	w.flush()
	w.begin(level, words(n), anchor)
}

// flush adds the text to the section.
func (w *walker) flush() {
	if w.text.Len() > 0 {
		w.outline.write(w.text.String())
	}
	w.text.Reset()
	w.gap, w.space = "", false
}

// line begins a new line before the next word. Of several breaks, the widest counts.
func (w *walker) line(sign string) {
	if len(sign) > len(w.gap) || strings.HasSuffix(sign, "- ") {
		w.gap = sign
	}
}

func (w *walker) write(s string) {
	if w.pre > 0 && strings.TrimSpace(s) != "" {
		w.between()
		w.text.WriteString(s)
		return
	}
	for i, word := range strings.Fields(s) {
		if i > 0 || strings.IndexAny(s[:1], " \t\r\n\f") == 0 {
			w.space = true
		}
		w.between()
		w.text.WriteString(word)
	}
	if s != "" && strings.TrimRight(s, " \t\r\n\f") != s {
		w.space = true
	}
}

func (w *walker) between() {
	switch {
	case w.gap != "" && (w.text.Len() > 0 || strings.HasSuffix(w.gap, "- ")):
		w.text.WriteString(w.gap)
	case w.space && w.text.Len() > 0:
		w.text.WriteByte(' ')
	}
	w.gap, w.space = "", false
}

// words returns the text of an element in one line.
func words(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func attribute(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val, a.Val != "" || key == "hidden"
		}
	}
	return "", false
}
