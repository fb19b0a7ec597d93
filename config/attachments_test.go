package config_test

import (
	"fmt"
	"testing"
)

// An app accepts files with messages as configured. If the gateway stores no files, it accepts none, and
// a warning reports that.
func TestAttachments(t *testing.T) {
	const kept, none = `{}`, `{"files": {"maxBytes": 0}}`
	for _, c := range []struct {
		says, gateway, want string
		warnings            int
	}{
		{`true`, kept, "{10 10000000 []}", 0},
		{`false`, kept, "{0 0 []}", 0},
		{`{}`, kept, "{10 10000000 []}", 0},
		{`{"maxFiles": 3, "maxBytes": 500, "accept": ["image/*", ".csv"]}`, kept, "{3 500 [image/* .csv]}", 0},
		{`{"maxBytes": 20000000}`, kept, "{10 10000000 []}", 1},
		{`true`, none, "{0 0 []}", 1},
		{`false`, none, "{0 0 []}", 0},
	} {
		s := mustLoad(t, tree{"apps/a.json": `{"id": "a", "attachments": ` + c.says + `}`, "gateway.json": c.gateway}, nil)
		a, _ := s.App("a")
		if got := fmt.Sprint(a.Attachments); got != c.want || len(s.Warnings) != c.warnings {
			t.Errorf("%s: %s, %v", c.says, got, s.Warnings)
		}
	}
}
