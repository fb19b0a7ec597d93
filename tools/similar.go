package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/askgate/askgate/tools/textsearch"
)

const (
	maxCalled  = 64 // bytes of the called name
	maxSimilar = 3  // names suggested in its place
)

// NotAvailable returns the error for a call of a tool that does not exist, with the called name
// and the most similar names of existing tools.
func NotAvailable(called string, there []string) *Error {
	hint := "Use only the tools that you were given, or go on without."
	if len(there) == 0 {
		hint = "There are no tools: answer without."
	} else if like := Similar(called, there); len(like) > 0 {
		hint = "Did you mean " + strings.Join(like, ", ") + "?"
	}
	return &Error{Code: CodeNotAvailable, Message: fmt.Sprintf("There is no tool %q here. %s", Clip(Clean(strings.ToValidUTF8(called, "\ufffd")), maxCalled), hint)}
}

// Similar returns up to three of the names that are similar to name, the most similar first:
// a few letters differ, or one contains the other. Only letters and digits count, regardless
// of case.
func Similar(name string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	wanted := letters(Clip(name, maxCalled))
	for _, n := range names {
		is := letters(Clip(n, maxCalled))
		shorter := min(len(wanted), len(is))
		slack := max(1, shorter/3)
		d := textsearch.Distance(wanted, is, maxCalled)
		within := shorter >= 4 && (strings.Contains(string(wanted), string(is)) || strings.Contains(string(is), string(wanted)))
		if shorter > 0 && (within || d <= slack) {
			found = append(found, candidate{n, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var list []string
	for _, c := range found[:min(len(found), maxSimilar)] {
		list = append(list, c.name)
	}
	return list
}

func letters(name string) []rune {
	return slices.DeleteFunc([]rune(strings.ToLower(name)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
