package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/askgate/askgate/tooltypes/documents"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// facts adds front matter to documents: three in a row are the versions of one work.
var facts bool

// know has a tool read the front matter, if documents have some.
func know(o *documents.Options) {
	if facts {
		o.Fields = map[string]passages.Kind{"status": passages.Enum, "subjects": passages.List, "published_at": passages.Date, "rank": passages.Number}
		o.Versions = &passages.Versions{Key: "id", From: "valid_from", To: "valid_to"}
	}
}

// front returns the front matter of a document.
func front(n int) string {
	if !facts {
		return ""
	}
	status := "replaced"
	if n%3 == 2 {
		status = "in force"
	}
	return fmt.Sprintf("---\nid: G-%d\nstatus: %s\nsubjects: [subject %d, subject %d]\npublished_at: %d-%02d-01\nrank: %d\nvalid_from: %d-01-01\n---\n\n",
		n/3, status, n%10, n%45, 1990+n%30, 1+n%12, n%1000, 2000+n%3*8)
}

// scopes are arguments that narrow a search.
var scopes = []struct{ of, arguments string }{
	{"all versions", `{"versions": "all"}`},
	{"earlier day", `{"asOf": "2005-06-01"}`},
	{"a status", `{"versions": "all", "filter": {"status": "replaced"}}`},
	{"a subject", `{"versions": "all", "filter": {"subjects": "subject 3"}}`},
	{"dates, a day", `{"asOf": "2012-01-01", "filter": {"published_at": {"after": "1995-01-01", "before": "2010-01-01"}}}`},
	{"a number", `{"versions": "all", "filter": {"rank": 7}}`},
}

// narrowed measures searches with filters and days.
func narrowed(m *made, tool *documents.Tool, out io.Writer) error {
	if !facts {
		return nil
	}
	for _, s := range scopes {
		args := map[string]any{}
		if err := json.Unmarshal([]byte(s.arguments), &args); err != nil {
			return err
		}
		if err := timed(m, tool, s.of, args, out); err != nil {
			return err
		}
	}
	return nil
}
