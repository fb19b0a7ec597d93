package passages

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools/extract"
)

// PageAnchor begins the anchors of the pages of a PDF.
const PageAnchor = "page="

// Extracted splits the text of a PDF or DOCX file into passages. The anchor of one of a PDF is its page,
// as browsers open it: "page=7". name is the file's path. The file says nothing about itself but its
// title; faults concern its name.
func (r *Reader) Extracted(name string, t extract.Text) (list []Passage, faults []Fault) {
	d := document{title: t.Title}
	var above [7]string // the headings above, by level; 0 is not used
	anchors := outline{}
	now := section{}
	for _, p := range t.Parts {
		if p.Heading != "" {
			heading := line(p.Heading, MaxTitle)
			if d.title == "" {
				d.title = heading
			}
			above[p.Level] = heading
			clear(above[p.Level+1:])
			now = section{anchor: anchors.slug(heading)}
			now.heading = strings.Join(slices.DeleteFunc(slices.Clone(above[:]), func(h string) bool { return h == "" || h == line(d.title, MaxTitle) }), " › ")
		}
		if p.Page > 0 {
			now.anchor = fmt.Sprint(PageAnchor, p.Page)
		}
		now.text = p.Text
		d.sections = append(d.sections, now)
	}
	file := r.fileName(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	faults = r.describe(&d, said{}, file)
	return d.passages(file.plain), faults
}
