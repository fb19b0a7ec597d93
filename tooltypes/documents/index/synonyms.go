package index

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a file of synonyms.
const (
	MaxSynonyms     = 1 << 20 // bytes
	maxSynonymLines = 10_000
	maxGroup        = 50 // terms that mean the same
	maxTerm         = 8  // words of one
)

// Synonyms are groups of terms that mean the same. They are never changed.
type Synonyms struct {
	groups [][][]string // terms, as folded words
}

// ReadSynonyms reads a file of synonyms: one group a line, its terms separated by commas; # begins a
// comment. An error names the line, and has no text of the file.
func ReadSynonyms(raw []byte) (*Synonyms, error) {
	if len(raw) > MaxSynonyms {
		return nil, fmt.Errorf("is larger than %d MiB; split its groups between tools, or shorten it", MaxSynonyms>>20)
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("is not UTF-8 text; convert it")
	}
	s := &Synonyms{}
	n := 0
	for line := range strings.Lines(string(raw)) {
		if n++; n > maxSynonymLines {
			return nil, fmt.Errorf("line %d: more than %d lines; shorten it", n, maxSynonymLines)
		}
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		var group [][]string
		for text := range strings.SplitSeq(line, ",") {
			var term []string
			pieces(text, func(p piece) bool {
				term = append(term, p.folded)
				return len(term) <= maxTerm
			})
			switch {
			case len(term) == 0:
				return nil, fmt.Errorf("line %d: has a term without words; write terms with one comma between them", n)
			case len(term) > maxTerm:
				return nil, fmt.Errorf("line %d: has a term of more than %d words; shorten it", n, maxTerm)
			case len(group) == maxGroup:
				return nil, fmt.Errorf("line %d: has more than %d terms; split it into groups", n, maxGroup)
			}
			group = append(group, term)
		}
		if len(group) < 2 {
			return nil, fmt.Errorf("line %d: has only one term; add another that means the same, with a comma between them", n)
		}
		s.groups = append(s.groups, group)
	}
	return s, nil
}

// synonym is a term of a group.
type synonym struct {
	term  []string
	group [][]string
}

// bySense returns the terms by the stems of their first words.
func (w *Words) bySense() map[string][]synonym {
	if w.synonyms == nil {
		return nil
	}
	terms := map[string][]synonym{}
	for _, group := range w.synonyms.groups {
		for _, term := range group {
			for _, key := range w.senses(term[0]) {
				terms[key] = append(terms[key], synonym{term, group})
			}
		}
	}
	return terms
}

// senses returns a word and its stems.
func (w *Words) senses(folded string) []string {
	list := []string{folded}
	for _, stem := range w.stems(folded) {
		if stem != folded {
			list = append(list, stem)
		}
	}
	return list
}

// same reports whether two words are forms of one.
func (w *Words) same(a, b string) bool {
	if a == b {
		return true
	}
	of := w.stems(b)
	return slices.ContainsFunc(w.stems(a), func(stem string) bool { return slices.Contains(of, stem) })
}

// alternatives returns the synonyms of the words said from i on, with how many words each stands for.
func (w *Words) alternatives(said []string, i int) (terms [][]string, long int) {
	if w == nil || w.terms == nil {
		return nil, 0
	}
	for _, key := range w.senses(said[i]) {
		for _, s := range w.terms[key] {
			if len(s.term) > len(said)-i || len(s.term) < long || !w.begin(said[i:], s.term) {
				continue
			}
			if len(s.term) > long {
				terms, long = nil, len(s.term)
			}
			for _, other := range s.group {
				if !slices.Equal(other, s.term) && !slices.ContainsFunc(terms, func(t []string) bool { return slices.Equal(t, other) }) {
					terms = append(terms, other)
				}
			}
		}
	}
	return terms, long
}

// begin reports whether words begin with a term.
func (w *Words) begin(said, term []string) bool {
	for i, word := range term {
		if !w.same(said[i], word) {
			return false
		}
	}
	return true
}
