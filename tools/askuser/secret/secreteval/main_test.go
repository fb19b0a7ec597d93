package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Recall and false alarms do not fall behind what the documentation says of them. A
// rule that mends one question and breaks another shows here.
func TestBuiltInSet(t *testing.T) {
	for _, half := range []struct {
		name           string
		data           []byte
		recall, alarms float64 // percent: at least, at most
	}{{"tuning", tuning, 98.5, 0.5}, {"heldout", heldOut, 93, 2.5}} {
		var out strings.Builder
		counts, err := evaluate(&out, half.name, half.data, half.name == "tuning")
		if err != nil {
			t.Fatal(err)
		}
		for _, language := range []string{"en", "de", "fr", "es"} {
			if c := counts[language]; c == nil || c.secrets < 25 || c.safe < 30 {
				t.Errorf("%s: too few questions in %s", half.name, language)
			} else if percent(c.found, c.secrets) < half.recall-6 {
				t.Errorf("%s, %s: found %d of %d", half.name, language, c.found, c.secrets)
			}
		}
		all := counts[""]
		if r := percent(all.found, all.secrets); r < half.recall {
			t.Errorf("%s: recall %.1f %%, was %.1f %%\n%s", half.name, r, half.recall, out.String())
		}
		if a := percent(all.alarms, all.safe); a > half.alarms {
			t.Errorf("%s: false alarms %.1f %%, were %.1f %%\n%s", half.name, a, half.alarms, out.String())
		}
	}
}

// A file of one's own is measured, and -v names what is wrong with each question.
func TestFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "set.jsonl")
	lines := `{"language":"en","kind":"password","question":"What is your password?"}
{"language":"en","kind":"password","question":"What do you log in with?"}

{"language":"en","kind":"","question":"Which password?"}
{"language":"en","kind":"","question":"Enter your password","input_type":"confirm"}
`
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(&out, []string{file}, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"recall    1 of    2  50.00 %", "false alarms    1 of    2  50.00 %", "What do you log in with?", "alarm", "Which password?", "p50"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if err := run(&out, []string{file + "x"}, false); err == nil {
		t.Error("a missing file is no error")
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(&out, []string{file}, false); err == nil {
		t.Error("a line that is no JSON is no error")
	}
	out.Reset()
	if err := run(&out, nil, false); err != nil || !strings.Contains(out.String(), "heldout") {
		t.Errorf("%v: %s", err, out.String())
	}
}
