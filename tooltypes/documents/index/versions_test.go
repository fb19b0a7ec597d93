package index_test

import (
	"fmt"
	"testing"

	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// The anchor of a passage of a PDF is its page, on which another version has something else; and a section
// may have several pages.
func TestSectionsOfAPDFAreFoundByTheirHeadings(t *testing.T) {
	x := filled(t, nil)
	var files []index.File
	for i, headings := range [][]string{{"", "§ 5", "§ 6", "§ 6", ""}, {"", "§ 4a", "§ 5", "§ 5", "§ 6"}} {
		facts := &passages.Facts{Key: "act", From: fmt.Sprintf("20%d0-01-01", i)}
		f := index.File{Path: fmt.Sprintf("%d.pdf", i)}
		for page, heading := range headings {
			anchor := fmt.Sprint(passages.PageAnchor, page+1)
			f.Passages = append(f.Passages, passages.Passage{Key: "#" + anchor, Anchor: anchor, Work: "Act", Title: "Act › " + heading, Heading: heading, Text: fmt.Sprintf("%d %s", i, anchor), First: page == 0, Part: 1, Facts: facts})
		}
		files = append(files, f)
	}
	if err := x.Update(t.Context(), files, nil); err != nil {
		t.Fatal(err)
	}
	_, list, _, err := x.Sections(t.Context(), index.ID("0.pdf", "#page=4"), "2005-01-01")
	if err != nil || len(list[0].Parts) != 2 || list[0].Parts[0].Text != "0 page=3" {
		t.Errorf("the section of a page in its own version: %+v, %v", list, err)
	}
	for page, want := range map[int]string{1: "1 page=1", 2: "1 page=3\n\n1 page=4", 3: "1 page=5", 4: "1 page=5", 5: ""} {
		id := index.ID("0.pdf", fmt.Sprint("#", passages.PageAnchor, page))
		_, list, ok, err := x.Sections(t.Context(), id, "2015-01-01")
		if err != nil || !ok || len(list) != 1 || !list[0].Version {
			t.Fatal(page, list, ok, err)
		}
		got := ""
		for _, p := range list[0].Parts {
			got += p.Gap + p.Text
		}
		if got != want {
			t.Errorf("page %d: %q, want %q", page, got, want)
		}
	}
}
