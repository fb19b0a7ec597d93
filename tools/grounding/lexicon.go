package grounding

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed lexicon.txt
var lexicon string

var (
	stops    = make(map[string]bool)     // words that name nothing
	concepts = make(map[string][]string) // other names, by squashed name
	codes    = make(map[string]bool)     // names that count only in capitals
	lands    = make(map[string]bool)     // names of countries
)

// The lexicon has a line for each thing with several names, in one or more languages: the
// names, separated by commas. A name of two letters, or that begins with "=", is a code, which
// counts only in capitals since it can also be a word. Lines that begin with "+" are
// countries. Lines that begin with "-" have words that name nothing.
func init() {
	for line := range strings.Lines(lexicon) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "-"); ok {
			for w := range strings.FieldsSeq(rest) {
				stops[squash(lex(w, nil))] = true
			}
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		line, land := strings.CutPrefix(line, "+")
		var names []string
		for name := range strings.SplitSeq(line, ",") {
			code, is := strings.CutPrefix(strings.TrimSpace(name), "=")
			squashed := squash(lex(code, nil))
			names = append(names, squashed)
			if land {
				lands[squashed] = true
			}
			if is || len(squashed) <= 2 {
				codes[squashed] = true
			}
		}
		for _, name := range names {
			concepts[name] = slices.Concat(concepts[name], names)
		}
	}
}

// concept reports whether a thing was said by another of its names.
func (s *Said) concept(of string) bool {
	for _, name := range concepts[squash(lex(camel(of), nil))] {
		if s.acronyms[name] || !codes[name] && s.index.has(name, len(name) >= 4) {
			return true
		}
	}
	return false
}
