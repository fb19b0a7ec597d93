package arguments_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/arguments"
)

func TestCheck(t *testing.T) {
	s, err := arguments.Compile([]byte(`{"properties":{"n":{"type":"integer","maximum":3},"m":{"format":"email"}},"required":["n"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		`{"n":3,"m":"no mail"}`: "", // a format is only an annotation
		`{"n":4}`:               "at /n: maximum: got 4, want 3",
		``:                      "missing property 'n'",
		`[1]`:                   "one JSON object",
		`{"n":1}{}`:             "not valid JSON",
		`{"x":"` + strings.Repeat("x", 256<<10) + `"}`: "the limit is 262144",
	} {
		err := s.Check(given)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40s: %v", given, err)
		}
	}
	if err := (*arguments.Schema)(nil).Check(`{"any":1}`); err != nil {
		t.Error(err)
	}
}

func TestStrictSchemasAssertFormats(t *testing.T) {
	s, err := arguments.CompileStrict([]byte(`{"properties":{"m":{"format":"email"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	faults := s.Faults([]byte(`{"m":"no mail"}`))
	if len(faults) != 1 || len(faults[0].Path) != 1 || faults[0].Path[0] != "m" {
		t.Errorf("%+v", faults)
	}
	if faults := s.Faults([]byte(`{"m":"a@b.example"}`)); len(faults) != 0 {
		t.Errorf("%+v", faults)
	}
}

func TestSchemasLeadNowhere(t *testing.T) {
	for _, ref := range []string{"file:///etc/passwd", "http://127.0.0.1/x", "other.json"} {
		if _, err := arguments.Compile([]byte(`{"$ref":"` + ref + `"}`)); err == nil {
			t.Errorf("%s was followed", ref)
		}
	}
}
