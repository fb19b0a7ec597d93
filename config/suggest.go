package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Mend names the way out of an unknown word: the nearest known one, and all of
// them where they fit on a line.
func Mend(word string, known []string) string {
	known = slices.Clone(known)
	slices.Sort(known)
	if near := nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		return "none is known here"
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
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < bound {
			best, bound = k, d
		}
	}
	return best
}

// distance counts the edits between two words: insert, delete, replace, and
// swap of neighbours (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
