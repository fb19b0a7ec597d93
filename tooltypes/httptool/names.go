package httptool

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// plainName is what every server reads as it stands. Others, such as "a[]" and "a.b", mean
// different things to different servers.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// checkNames refuses arguments that a server might take for a parameter of the admin's.
// Those that have a place in the address are not among them. The error is for the model.
func (t *Tool) checkNames(arguments map[string]any) error {
	query := t.options.Method == http.MethodGet
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		declared := slices.Contains(t.options.Declared, name)
		switch {
		case !query && declared: // in the body, where the admin wants it
		case query && !declared && !plainName.MatchString(name), t.address.has(name):
			return fmt.Errorf("%q is no argument of this tool: leave it out", name)
		}
	}
	return nil
}

// has says whether the admin wrote a parameter of that name, or one that some server takes
// for the same.
func (t *template) has(name string) bool {
	return slices.ContainsFunc(t.query, func(p pair) bool {
		key := strings.TrimSuffix(p.key, "=")
		if plain, err := url.QueryUnescape(key); err == nil {
			key = plain
		}
		return same(key, name)
	})
}

// same says whether some server takes one parameter for the other: many do not tell upper
// from lower case, or "a.b" from "a_b"; "a[]" and "a[0]" are "a" to some, while "a[x]" and
// "a[y]" are two.
func same(a, b string) bool {
	nameA, placeA, _ := strings.Cut(a, "[")
	nameB, placeB, _ := strings.Cut(b, "[")
	return normal(a) == normal(b) ||
		normal(nameA) == normal(nameB) && (strings.Trim(placeA, "] ") == "" || strings.Trim(placeB, "] ") == "")
}

// normal is a name without what servers do not distinguish.
func normal(name string) string {
	folded := strings.ToLower(norm.NFKC.String(name))
	kept := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, folded)
	if kept == "" {
		return folded
	}
	return kept
}
