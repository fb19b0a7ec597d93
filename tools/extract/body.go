package extract

import (
	"fmt"
	"slices"
	"strings"
)

// body collects the text of a document, of its main part or of a note. Its element is called for each
// element and text.
type body struct {
	styles map[string]style
	lists  *lists
	notes  map[string]string // by their id

	title string
	parts []Part
	open  []paragraph // a paragraph can contain others, in a text box
	skip  int         // depth in an element that is left out
	text  int         // depth in elements whose text counts
	cells [][]string  // of the rows of the tables that are open
	foots []string    // notes of the part
	done  []string    // paragraphs of the part
}

type paragraph struct {
	text  strings.Builder
	style string
	level int // -1: that of the style
	list  listed
}

// leftOut are elements whose content is not shown: what was deleted or moved away, the code of fields,
// the second version of a text box, and remarks on how a paragraph was formatted before.
var leftOut = map[string]bool{"del": true, "moveFrom": true, "instrText": true, "Fallback": true, "pPrChange": true, "rPrChange": true, "sectPrChange": true, "tblPrChange": true, "delText": true}

func (b *body) element(e event) {
	switch {
	case b.skip > 0:
		if e.open {
			b.skip++
		} else if e.text == "" {
			b.skip--
		}
	case e.open && leftOut[e.name]:
		b.skip = 1
	case e.open:
		b.begin(e)
	case e.text != "":
		if b.text > 0 {
			b.write(e.text)
		}
	default:
		b.finish(e.name)
	}
}

func (b *body) begin(e event) {
	switch e.name {
	case "p":
		b.open = append(b.open, paragraph{level: -1, list: noList})
	case "t":
		b.text++
	case "tab", "ptab":
		b.write("\t")
	case "br", "cr":
		b.write("\n")
	case "noBreakHyphen":
		b.write("-")
	case "footnoteReference", "endnoteReference":
		if note := b.notes[e.name[:1]+e.attr("id")]; note != "" {
			b.foots = append(b.foots, note)
			b.write(fmt.Sprintf("[%d]", len(b.foots)))
		}
	case "tr":
		b.cells = append(b.cells, nil)
	case "tc":
		if n := len(b.cells); n > 0 {
			b.cells[n-1] = append(b.cells[n-1], "")
		}
	}
	n := len(b.open)
	if n == 0 {
		return
	}
	p := &b.open[n-1]
	switch e.name {
	case "pStyle":
		p.style = e.attr("val")
	case "outlineLvl":
		p.level = e.number("val") + 1
	case "tabs":
		b.skip = 1 // positions of tabs, not tabs in the text
	default:
		p.list.read(e)
	}
}

func (b *body) finish(name string) {
	switch name {
	case "t":
		b.text--
	case "p":
		if n := len(b.open); n > 0 {
			p := b.open[n-1]
			b.open = b.open[:n-1]
			b.paragraph(&p)
		}
	case "tr":
		n := len(b.cells)
		if n == 0 {
			return
		}
		row := b.cells[n-1]
		b.cells = b.cells[:n-1]
		b.add(strings.Join(row, " | "), "\n")
	}
}

func (b *body) write(s string) {
	if n := len(b.open); n > 0 {
		b.open[n-1].text.WriteString(s)
	}
}

// paragraph takes a paragraph that has ended.
func (b *body) paragraph(p *paragraph) {
	s := inherited(b.styles, p.style)
	p.list.inherit(s.list)
	text := strings.TrimSpace(p.text.String())
	if text == "" {
		return
	}
	level := s.level
	if p.level >= 0 {
		level = p.level % (maxLevel + 4) // 9 is none: Word has nine levels, and a tenth for text
		if p.level > maxLevel {
			level = 0
		}
	}
	mark := b.lists.mark(p.list)
	switch oneLine := strings.Join(strings.Fields(mark+text), " "); {
	case len(b.cells) > 0:
		b.add(mark+text, " ")
	case s.title && b.title == "" && len(oneLine) <= maxHeading:
		b.title = oneLine
	case level > 0 && len(oneLine) <= maxHeading:
		b.flush()
		b.parts = append(b.parts, Part{Heading: oneLine, Level: level})
	case mark != "":
		b.add(mark+text, "\n")
	default:
		b.add(text, "\n\n")
	}
}

// add adds a text, after a separator, to the cell of a table that is open, or to the part.
func (b *body) add(text, separator string) {
	if n := len(b.cells); n > 0 {
		row := b.cells[n-1]
		if len(row) == 0 {
			b.cells[n-1] = []string{text}
		} else if last := &row[len(row)-1]; *last == "" {
			*last = text
		} else {
			*last += " " + text
		}
		return
	}
	if strings.Trim(text, " |") != "" {
		b.done = append(b.done, separator, text)
	}
}

// flush ends a part.
func (b *body) flush() {
	for i, note := range b.foots {
		b.done = append(b.done, "\n", fmt.Sprintf("[%d] %s", i+1, note))
	}
	if len(b.done) > 0 {
		if len(b.parts) == 0 {
			b.parts = append(b.parts, Part{})
		}
		b.parts[len(b.parts)-1].Text = strings.Join(b.done[1:], "")
	}
	b.done, b.foots = nil, nil
}

// end returns the parts of the document.
func (b *body) end() []Part {
	for len(b.open) > 0 || len(b.cells) > 0 { // walk ends elements; a note can end in the middle
		if len(b.open) > 0 {
			b.finish("p")
		} else {
			b.finish("tr")
		}
	}
	b.flush()
	return slices.Clip(b.parts)
}
