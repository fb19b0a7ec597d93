package documents_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/tooltypes/documents"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// A field that is too large for a result, or for the description of a search, leaves room for the others.
func TestALargeFieldLeavesRoomForTheOthers(t *testing.T) {
	document := func(topics, long int) string {
		values := make([]string, topics)
		for i := range values {
			values[i] = fmt.Sprintf("%02d%s", i, strings.Repeat("é", long))
		}
		return front("status: draft\nabout: ["+strings.Join(values, ", ")+"]", "needle")
	}
	b := open(t, map[string]string{"a.md": document(20, 400)}, func(o *documents.Options) {
		o.Fields = map[string]passages.Kind{"about": passages.List, "status": passages.Enum}
	})
	b.finds(t, "needle", "needle")
	var p page
	b.ask(t, "search", args{"query": "needle"}, &p)
	if f := p.Items[0].Fields; len(f) != 1 || f["status"] != "draft" {
		t.Errorf("%v", f)
	}
	b.replace(t, "a.md", document(50, 90))
	until(t, "people see the values", func() bool { return len(b.Facets().Fields["about"].Values) == 50 })
	if d := b.Members("en")[0].Description; !strings.HasSuffix(d, ` instructions: status: "draft".`) {
		t.Error(d)
	}
}
