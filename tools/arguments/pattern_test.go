package arguments_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/arguments"
)

// Patterns that are short, but large with their repetitions expanded, are refused before they
// take memory.
func TestLargePatternsAreRefused(t *testing.T) {
	for name, pattern := range map[string]string{
		"repeated":         strings.Repeat("a{1000}", 40),
		"repeated twice":   strings.Repeat("(?:a{30}){30}", 40),
		"from a number on": strings.Repeat("a{1000,}", 40),
		"classes":          strings.Repeat(`\\pL`, 1000),
		"long":             strings.Repeat("a", 5000),
	} {
		for _, schema := range []string{
			`{"properties": {"x": {"pattern": "` + pattern + `"}}}`,
			`{"patternProperties": {"` + pattern + `": {}}}`,
		} {
			if _, err := arguments.Compile([]byte(schema)); !errors.Is(err, arguments.ErrPatterns) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprintf(`"p%d": {"pattern": "^a{%d}$"}`, i, 1000-i))
	}
	if _, err := arguments.Compile([]byte(`{"properties": {` + strings.Join(many, ",") + `}}`)); !errors.Is(err, arguments.ErrPatterns) {
		t.Errorf("many: %v", err)
	}
	same := strings.Repeat(`{"pattern": "^a{1000}$"},`, 100)
	if _, err := arguments.Compile([]byte(`{"allOf": [` + same + `{}]}`)); err != nil {
		t.Errorf("the same many times: %v", err)
	}
}

// The work of a pattern on a long text counts as steps of the check.
func TestThePatternsOfACheckAreBounded(t *testing.T) {
	s, err := arguments.Compile([]byte(`{"properties": {"x": {"pattern": "` + strings.Repeat("[ab]{0,900}", 10) + `c"}, "y": {"pattern": "^[a-z]{1,64}$"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("ab", 10_000)
	if err := s.Check(`{"x": "` + long + `"}`); err == nil || !strings.Contains(err.Error(), "too long to check") {
		t.Errorf("a large pattern: %v", err)
	}
	if err := s.Check(`{"x": "abc", "y": "abc"}`); err != nil {
		t.Error(err)
	}
	if err := s.Check(`{"y": "` + long + `"}`); err == nil || strings.Contains(err.Error(), "too long to check") {
		t.Errorf("a small pattern: %v", err)
	}
}

// A value that is itself a pattern counts separately.
func TestValuesThatArePatterns(t *testing.T) {
	s, err := arguments.CompileStrict([]byte(`{"properties": {"x": {"format": "regex"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if faults := s.Faults(fmt.Appendf(nil, `{"x": "a{%d}"}`, 900+i)); faults != nil {
			t.Fatalf("pattern %d: %+v", i, faults)
		}
	}
	if faults := s.Faults([]byte(`{"x": "` + strings.Repeat("a{1000}", 40) + `"}`)); faults == nil {
		t.Error("a large pattern is accepted")
	}
}
