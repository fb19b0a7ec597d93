package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askgate/askgate/tools/textsearch"
)

// Suggest returns a hint for an unknown word: the most similar known word, or, if none is similar, the
// known words, at most 24 of them.
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

// near returns the most similar known word as a question to append to a sentence, or "".
func near(word string, known []string) string {
	if w := nearest(word, known); w != "" {
		return fmt.Sprintf("; did you mean %q?", w)
	}
	return ""
}

// nearest returns the known word with the fewest edits from word, or "" if that takes more edits than a
// third of word's length (at least one, at most three).
func nearest(word string, known []string) string {
	if utf8.RuneCountInString(word) > 64 {
		return "" // not a typing mistake; this also limits the work
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
