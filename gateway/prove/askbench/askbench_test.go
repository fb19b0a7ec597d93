package main

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestAMissedGoalIsCounted: it is in the table, and the command fails.
func TestAMissedGoalIsCounted(t *testing.T) {
	reached := func(_ context.Context, t *table) error {
		t.add(true, "one", "1 of 1", "all")
		return nil
	}
	missing := func(_ context.Context, t *table) error {
		t.add(false, "two", "1 of 2", "all")
		return nil
	}
	var out strings.Builder
	n, err := run(t.Context(), &out, reached, missing)
	const want = "what  measured  goal  verdict\none   1 of 1    all   reached\ntwo   1 of 2    all   MISSED\n"
	if n != 1 || err != nil || out.String() != want {
		t.Errorf("%d, %v\n%s", n, err, out.String())
	}
	lacking := func(_ context.Context, t *table) error {
		t.lacks("three", "no server", "all")
		return nil
	}
	for ci, want := range map[string]int{"": 0, "true": 1} {
		t.Setenv("CI", ci)
		out.Reset()
		if n, err := run(t.Context(), &out, lacking); n != want || err != nil || strings.Contains(out.String(), "reached") || strings.Contains(out.String(), "not measured") == (want > 0) {
			t.Errorf("CI=%q: %d, %v\n%s", ci, n, err, out.String())
		}
	}
	broken := errors.New("no")
	if _, err := run(t.Context(), &out, func(context.Context, *table) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("a bench that cannot measure: %v", err)
	}
}

// TestTheSetsAreWhole: no set contains a question twice, and no near miss is a repeat.
func TestTheSetsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	pairs := 0
	for _, set := range alike {
		for _, text := range set {
			if seen[text] {
				t.Errorf("%q is contained twice", text)
			}
			seen[text] = true
		}
		pairs += len(set) - 1
	}
	for _, p := range nearly {
		if p[0] == p[1] || strings.EqualFold(p[0], p[1]) {
			t.Errorf("%q and %q are the same", p[0], p[1])
		}
	}
	if pairs < 25 || len(nearly)+len(chosen) < 30 {
		t.Errorf("%d pairs and %d near misses are too few", pairs, len(nearly)+len(chosen))
	}
}
