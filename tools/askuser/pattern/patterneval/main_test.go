package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The built-in corpus is complete: everything dangerous in it is found, nothing harmless is refused.
func TestBuiltInCorpus(t *testing.T) {
	var out strings.Builder
	if err := evaluate(&out, nil, 4000, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"100.00 %", "p50", "p99", "unsafe"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "100.00 %"); n != 2 {
		t.Errorf("recall is not complete:\n%s", out.String())
	}
}

// Records with modes.full are read too; those without a verdict are left out, and -v names what is wrong.
func TestOtherFormat(t *testing.T) {
	file := filepath.Join(t.TempDir(), "set.jsonl")
	text := `{"pattern":"(?:a+)+b","modes":{"full":{"must_reject":true,"class":"exponential"}}}
{"pattern":"a*a*a*b","modes":{"full":{"must_reject":false,"class":"polynomial","degree":2}}}
{"pattern":"a+","modes":{"full":{"must_reject":true,"class":"polynomial","degree":3}}}
{"pattern":"x","modes":{"full":{"must_reject":null,"class":"unconfirmed"}}}

{"pattern":"x","verdict":"safe","modes":{"full":{"must_reject":false,"class":"linear"}}}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := evaluate(&out, []string{file}, 4000, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"exponential         found      1 of    1", "harmful polynomial  found      0 of    1",
		"harmless            refused    0 of    1", "harmless quadratic  refused    1 of    1", "a*a*a*b\n", " a+\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if err := evaluate(&out, []string{file + "x"}, 4000, false); err == nil {
		t.Error("a missing file is no error")
	}
}
