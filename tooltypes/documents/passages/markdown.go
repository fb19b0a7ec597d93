package passages

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	hashes    = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	underline = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	fence     = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})")
	ownID     = regexp.MustCompile(`\s*\{#([^}\s]+)\}\s*$`)
	linked    = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	emphasis  = regexp.MustCompile("[*`]+|\\b__?|__?\\b")
	blockMark = regexp.MustCompile(`^ {0,3}(?:[-*+>|]|\d+[.)])`)
)

// markdown reads a text with its front matter.
func (r *Reader) markdown(s string, file fileName) (document, []Fault) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	f, ok, faults := cutFront(s)
	c := &checker{}
	if ok {
		s = f.body
		c.said, faults = f.members()
	}
	title, link := c.title(), c.link()
	d := sections(s, title)
	d.link = link
	return d, append(append(faults, c.faults...), r.describe(&d, c.said, file)...)
}

// sections splits a text at its headings; without a title, the first one is that. The text keeps its
// markup, for the model to read and the page to render.
func sections(s, title string) document {
	lines := strings.Split(s, "\n")
	o := outline{title: title}
	open := "" // the fence of the code block that contains the line
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if f := fence.FindStringSubmatch(l); f != nil {
			switch {
			case open == "":
				open = f[1]
			case strings.HasPrefix(f[1], open) && strings.Trim(l, " \t"+open[:1]) == "":
				open = ""
			}
			o.write(l)
			continue
		}
		if m := hashes.FindStringSubmatch(l); open == "" && m != nil {
			o.heading(len(m[1]), m[2])
			continue
		}
		if open == "" && i+1 < len(lines) && strings.TrimSpace(l) != "" && !blockMark.MatchString(l) && o.blankBefore() {
			if m := underline.FindStringSubmatch(lines[i+1]); m != nil {
				o.heading(map[byte]int{'=': 1, '-': 2}[m[1][0]], l)
				i++
				continue
			}
		}
		o.write(l)
	}
	return o.document()
}

// outline collects sections by their headings.
type outline struct {
	title    string    // "": the first heading
	levels   [7]string // the headings above, by level; 0 is not used
	sections []section
	now      section
	lines    []string
	anchors  map[string]int
}

func (o *outline) write(line string) { o.lines = append(o.lines, line) }

func (o *outline) blankBefore() bool {
	return len(o.lines) == 0 || strings.TrimSpace(o.lines[len(o.lines)-1]) == ""
}

func (o *outline) heading(level int, text string) {
	anchor := ""
	if m := ownID.FindStringSubmatch(text); m != nil {
		text, anchor = strings.TrimSuffix(text, m[0]), m[1]
	}
	text = strings.TrimSpace(emphasis.ReplaceAllString(linked.ReplaceAllString(text, "$1"), ""))
	o.begin(level, text, anchor)
}

// begin begins a section. anchor comes from the document; if it is "", one is made of the heading.
func (o *outline) begin(level int, text, anchor string) {
	o.end()
	if o.title == "" {
		o.title = text
	}
	if text != o.title {
		o.levels[level] = text
	} else {
		o.levels[level] = ""
	}
	for below := level + 1; below < len(o.levels); below++ {
		o.levels[below] = ""
	}
	if len(anchor) > maxKey {
		anchor = ""
	}
	if anchor == "" {
		anchor = o.slug(text)
	}
	var above []string
	for _, heading := range o.levels {
		if heading != "" {
			above = append(above, heading)
		}
	}
	o.now = section{heading: strings.Join(above, " › "), anchor: anchor}
	o.levels[1] = "" // a preamble or an annex is not above the articles that follow it
}

// end closes the section. A section without text is dropped: the titles of those below contain its
// heading.
func (o *outline) end() {
	o.now.text = strings.Trim(strings.Join(o.lines, "\n"), "\n")
	if strings.TrimSpace(o.now.text) != "" {
		o.sections = append(o.sections, o.now)
	}
	o.lines = nil
}

func (o *outline) document() document {
	o.end()
	return document{title: o.title, sections: o.sections}
}

// slug makes an anchor of a heading, as most programs do.
func (o *outline) slug(heading string) string {
	s := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case unicode.IsSpace(r):
			return '-'
		}
		return -1
	}, strings.TrimSpace(heading))
	if len(s) > maxKey {
		s = strings.ToValidUTF8(s[:maxKey], "")
	}
	if o.anchors == nil {
		o.anchors = map[string]int{}
	}
	n := o.anchors[s]
	o.anchors[s]++
	if n > 0 {
		s += "-" + itoa(n)
	}
	return s
}
