package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askgate/askgate/tools/textsearch"
)

// Suggest names the way out of an unknown word: the nearest known one, and all of
// them where they fit on a line.
func Suggest(word string, known []string) string {
	known = slices.Clone(known)
	slices.Sort(known)
	if near := nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		return "none is defined here"
	}
	if len(known) > 24 {
		known = append(known[:24:24], "...")
	}
	return "known: " + strings.Join(known, ", ")
}

// near is the nearest known word, as a question behind a sentence; "" where there is none.
func near(word string, known []string) string {
	if w := nearest(word, known); w != "" {
		return fmt.Sprintf("; did you mean %q?", w)
	}
	return ""
}

// nearest is the known word within a third of word's length in edits (at least
// one, at most three), "" where there is none.
func nearest(word string, known []string) string {
	if utf8.RuneCountInString(word) > 64 {
		return "" // no typing mistake; also bounds the work
	}
	best, bound := "", min(3, max(1, utf8.RuneCountInString(word)/3))+1
	for _, k := range known {
		if strings.EqualFold(k, word) {
			return k
		}
		if d := textsearch.Distance([]rune(strings.ToLower(word)), []rune(strings.ToLower(k)), bound); d < bound {
			best, bound = k, d
		}
	}
	return best
}
