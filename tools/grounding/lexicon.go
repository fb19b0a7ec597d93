package grounding

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed lexicon.txt
var lexiconText string

// names is what the lexicon says.
type names struct {
	stops    map[string]bool     // words that name nothing
	concepts map[string][]string // other names, by squashed name
	codes    map[string]bool     // names that count only in capitals
	lands    map[string]bool     // names of countries
}

// lexicon is read when it is first used: it takes most of a megabyte of memory.
var lexicon = sync.OnceValue(readLexicon)

// stops reports whether a word names nothing.
func stops(w string) bool { return lexicon().stops[w] }

// The lexicon has a line for each thing with several names, in one or more languages: the
// names, separated by commas. A name of two letters, or that begins with "=", is a code, which
// counts only in capitals since it can also be a word. Lines that begin with "+" are
// countries. Lines that begin with "-" have words that name nothing.
func readLexicon() names {
	x := names{map[string]bool{}, map[string][]string{}, map[string]bool{}, map[string]bool{}}
	for line := range strings.Lines(lexiconText) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "-"); ok {
			for w := range strings.FieldsSeq(rest) {
				x.stops[squash(lex(w, nil))] = true
			}
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		line, land := strings.CutPrefix(line, "+")
		var all []string
		for name := range strings.SplitSeq(line, ",") {
			code, is := strings.CutPrefix(strings.TrimSpace(name), "=")
			squashed := squash(lex(code, nil))
			all = append(all, squashed)
			if land {
				x.lands[squashed] = true
			}
			if is || len(squashed) <= 2 {
				x.codes[squashed] = true
			}
		}
		for _, name := range all {
			x.concepts[name] = slices.Concat(x.concepts[name], all)
		}
	}
	return x
}

// concept reports whether a thing was said by another of its names.
func (s *Said) concept(of string) bool {
	x := lexicon()
	for _, name := range x.concepts[squash(lex(camel(of), nil))] {
		if s.acronyms[name] || !x.codes[name] && s.index.has(name, len(name) >= 4) {
			return true
		}
	}
	return false
}
