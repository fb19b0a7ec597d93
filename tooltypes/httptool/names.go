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

// plainName matches names that all servers read alike. Others, such as "a[]" and "a.b", mean
// different things to different servers.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// checkNames refuses arguments that a server might take for a parameter of the admin's.
// arguments excludes those that have a placeholder in the address. The error is for the model.
func (t *Tool) checkNames(arguments map[string]any) error {
	query := t.options.Method == http.MethodGet
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		declared := slices.Contains(t.options.Declared, name)
		switch {
		case t.fixed.has(name):
			return fmt.Errorf("this tool has no argument %q: leave it out", name)
		case !query && declared: // goes into the body, as the admin intends
		case query && !declared && !plainName.MatchString(name), t.address.has(name):
			return fmt.Errorf("this tool has no argument %q: leave it out", name)
		}
	}
	return nil
}

// has reports whether the address has a parameter with that name, or with one that some
// servers do not distinguish from it.
func (t *template) has(name string) bool {
	return slices.ContainsFunc(t.query, func(p pair) bool {
		key := strings.TrimSuffix(p.key, "=")
		if plain, err := url.QueryUnescape(key); err == nil {
			key = plain
		}
		return same(key, name)
	})
}

// same reports whether some servers do not distinguish two parameters. Many ignore case, or read
// "a.b" as "a_b". To some, "a[]" and "a[0]" are "a", while "a[x]" and "a[y]" are different.
func same(a, b string) bool {
	nameA, placeA, _ := strings.Cut(a, "[")
	nameB, placeB, _ := strings.Cut(b, "[")
	return normal(a) == normal(b) ||
		normal(nameA) == normal(nameB) && (strings.Trim(placeA, "] ") == "" || strings.Trim(placeB, "] ") == "")
}

// normal removes from a name what some servers ignore.
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
