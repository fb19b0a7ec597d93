package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Recall and false alarms do not fall behind what the documentation says of them: a word
// that mends one question and breaks another shows here.
func TestBuiltInSet(t *testing.T) {
	sets, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]struct{ recall, alarms float64 }{ // percent: at least, at most
		"tuning": {97, 0.7}, "heldout": {97.5, 0.5}, "third": {96, 1}, "fresh": {85, 1.5}, "frames": {90, 4.5},
	}
	for _, s := range sets {
		var out strings.Builder
		counts := evaluate(&out, s.name, s.records, s.name == "tuning")
		for _, language := range []string{"en", "de", "fr", "es"} {
			if c := counts[language]; c == nil || c.secrets < 15 || c.safe < 15 {
				t.Errorf("%s: too few questions in %s", s.name, language)
			} else if percent(c.found, c.secrets) < least[s.name].recall-16 {
				t.Errorf("%s, %s: found %d of %d", s.name, language, c.found, c.secrets)
			}
		}
		all := counts[""]
		if r := percent(all.found, all.secrets); r < least[s.name].recall {
			t.Errorf("%s: recall %.1f %%, was %.1f %%\n%s", s.name, r, least[s.name].recall, out.String())
		}
		if a := percent(all.alarms, all.safe); a > least[s.name].alarms {
			t.Errorf("%s: false alarms %.1f %%, were %.1f %%\n%s", s.name, a, least[s.name].alarms, out.String())
		}
	}
}

// The weights in force are those that the tuning sets and the lexicon lead to.
func TestWeightsAreFitted(t *testing.T) {
	var out strings.Builder
	if err := run(&out, nil, false, true); err != nil {
		t.Fatal(err)
	}
	in, err := os.ReadFile("../weights.txt")
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(in) {
		t.Error("weights.txt is stale: go run ./tools/askuser/secret/secreteval -fit > weights.txt, and move it to tools/askuser/secret")
	}
}

// No fresh question is in a set that the weights are fitted to.
func TestFreshQuestionsAreApart(t *testing.T) {
	sets, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	fitted := map[string]bool{}
	for _, s := range sets {
		for _, r := range s.records {
			if s.name != "fresh" {
				fitted[r.Language+r.Header+r.Context+r.Question] = true
			}
		}
	}
	for _, r := range sets[3].records {
		if fitted[r.Language+r.Header+r.Context+r.Question] {
			t.Errorf("%q is fitted to, too", r.Question)
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
	if err := run(&out, []string{file}, true, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"recall    1 of    2  50.00 %", "false alarms    1 of    2  50.00 %", "What do you log in with?", "alarm", "Which password?", "p50"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if err := run(&out, []string{file + "x"}, false, false); err == nil {
		t.Error("a missing file is no error")
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(&out, []string{file}, false, false); err == nil {
		t.Error("a line that is no JSON is no error")
	}
	out.Reset()
	if err := run(&out, nil, false, false); err != nil || !strings.Contains(out.String(), "heldout") {
		t.Errorf("%v: %s", err, out.String())
	}
}
