package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The models in a list are tried in order, each followed by its own list, and none twice.
func TestFallbacks(t *testing.T) {
	s := mustLoad(t, gateway(`{"models": {
		"a": {"provider": "demo", "fallback": ["b", "c"]},
		"b": {"provider": "demo", "fallback": ["d", "c"]},
		"c": {"provider": "demo", "fallback": ["default"]},
		"d": {"provider": "demo"}
	}}`), nil)
	for model, want := range map[string]string{"a": "b d c default", "b": "d c default", "c": "default", "d": "", "default": "", "none": ""} {
		if got := strings.Join(s.Fallbacks(model), " "); got != want {
			t.Errorf("%s: %s, want %s", model, got, want)
		}
	}
}

// A long chain is cut, so that a user need not wait for all of it.
func TestFallbacksAreBounded(t *testing.T) {
	models := []string{`"m0": {"provider": "demo"}`}
	for i := range 500 {
		models = append(models, fmt.Sprintf(`"m%d": {"provider": "demo", "fallback": ["m%d"]}`, i+1, i))
	}
	slices.Reverse(models)
	s := mustLoad(t, gateway(`{"models": {`+strings.Join(models, ",")+`}}`), nil)
	if got := s.Fallbacks("m500"); len(got) != 10 || got[9] != "m490" {
		t.Errorf("%q", got)
	}
}
