package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Recall and false alarms on questions that are new to the weights are not worse than documented.
func TestRecall(t *testing.T) {
	all, err := load(builtIn)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	counts := apart(&out, all, "k", true)
	c := counts[""]
	if c.secrets < 200 || c.safe < 200 || percent(c.found, c.secrets) < 96 || percent(c.alarms, c.safe) > 2 {
		t.Errorf("found %d of %d, %d false alarms of %d\n%s", c.found, c.secrets, c.alarms, c.safe, out.String())
	}
	for _, language := range []string{"en", "de", "fr", "es"} {
		if c := counts[language]; c == nil || percent(c.found, c.secrets) < 92 {
			t.Errorf("%s: %+v", language, c)
		}
	}
}

// Of held-out questions, at least 90 % of those that ask for a secret are found, and at most 1 %
// of the others.
func TestQuestionsKeptApart(t *testing.T) {
	data, err := os.ReadFile("testdata/apart.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	records, err := load(data)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	c := evaluate(&out, "apart", records, true, current)[""]
	if c.secrets < 540 || c.safe < 860 || percent(c.found, c.secrets) < 90 || percent(c.alarms, c.safe) > 1 {
		t.Errorf("found %d of %d, %d false alarms of %d\n%s", c.found, c.secrets, c.alarms, c.safe, out.String())
	}
}

// TestHardKindsKeptApart: the questions of apart-choices.jsonl were not used to fit or choose anything. They have cases
// that the others lack: options that name secrets, secrets to pick from a list, separated letters, a vague question with
// an error message, backup codes, .env files, session cookies and member numbers. At least 75 % of those that ask for a
// secret are found, and at most 1 % of the others.
func TestHardKindsKeptApart(t *testing.T) {
	data, err := os.ReadFile("testdata/apart-choices.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	records, err := load(data)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	c := evaluate(&out, "choices", records, true, current)[""]
	if c.secrets < 68 || c.safe < 101 || percent(c.found, c.secrets) < 75 || percent(c.alarms, c.safe) > 1 {
		t.Errorf("found %d of %d, %d false alarms of %d\n%s", c.found, c.secrets, c.alarms, c.safe, out.String())
	}
}

// The current weights result from the built-in questions and the lexicon.
func TestWeightsAreFitted(t *testing.T) {
	var out strings.Builder
	if err := run(&out, nil, "", false, true); err != nil {
		t.Fatal(err)
	}
	in, err := os.ReadFile("../weights.bin")
	if err != nil {
		t.Fatal(err)
	}
	fitted := out.String()
	stale := len(fitted) != len(in)
	for i := 0; i < len(in) && !stale; i++ { // other processors round differently
		d := int(int8(fitted[i])) - int(int8(in[i]))
		stale = d < -1 || d > 1
	}
	if stale {
		t.Error("weights.bin is stale: go run ./tools/askuser/secret/secreteval -fit > weights.bin, and move it to tools/askuser/secret")
	}
}

// Another file can be measured, and -v lists the wrong questions.
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
	if err := run(&out, []string{file}, "", true, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"recall    1 of    2  50.00 %", "false alarms    1 of    2  50.00 %", "What do you log in with?", "alarm", "Which password?", "p50"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if err := run(&out, []string{file + "x"}, "", false, false); err == nil {
		t.Error("a missing file is not an error")
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(&out, []string{file}, "", false, false); err == nil {
		t.Error("a line that is not JSON is not an error")
	}
	out.Reset()
	if err := run(&out, nil, "d", false, false); err != nil || !strings.HasPrefix(out.String(), "d ") {
		t.Errorf("%v: %s", err, out.String())
	}
}
