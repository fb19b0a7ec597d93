package pattern_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/askgate/askgate/tools/askuser/pattern"
)

// lines decodes a file of one JSON object per line.
func lines[T any](t testing.TB, name string) []T {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []T
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var one T
		if err := json.Unmarshal(scanner.Bytes(), &one); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, one)
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

type labelled struct {
	Pattern, Label, Why string
	Degree, Max         int
}

func corpus(t testing.TB) []labelled {
	return lines[labelled](t, "patterneval/testdata/corpus.jsonl")
}

// In the corpus, all exponential and all cubic or worse patterns are refused as unsafe, and no others.
func TestCorpus(t *testing.T) {
	all := corpus(t)
	if len(all) < 250 {
		t.Fatalf("the corpus has shrunk to %d entries", len(all))
	}
	for _, c := range all {
		length := c.Max
		if length == 0 {
			length = 4000
		}
		dangerous := false
		switch c.Label {
		case "exponential":
			dangerous = true
		case "polynomial":
			dangerous = c.Degree > 2
		case "safe":
		default:
			t.Errorf("%s: unknown label %q", c.Pattern, c.Label)
		}
		if c.Why == "" {
			t.Errorf("%s: no reason given", c.Pattern)
		}
		_, err := pattern.Check(c.Pattern, length)
		switch {
		case dangerous && err == nil:
			t.Errorf("accepted, but %s (%s): %s", c.Label, c.Why, c.Pattern)
		case dangerous && reason(t, err) != pattern.ReasonUnsafe:
			t.Errorf("refused for the wrong reason: %s: %v", c.Pattern, err)
		case !dangerous && err != nil:
			t.Errorf("refused, but harmless (%s): %s: %v", c.Why, c.Pattern, err)
		}
	}
}
