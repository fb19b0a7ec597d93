package tools

import (
	"encoding/json"
	"slices"
	"strings"
)

// When is a condition: a part is asked only if an earlier part of the same question was
// answered with one of these values.
type When struct {
	Question string `json:"question"` // the earlier part's ID
	// Is are values in the form of an answer: of options, "yes" or "no", or the text, number or
	// date itself. A text that a person wrote in place of a value never matches.
	Is []string `json:"is"`
}

// Met reports whether a, the answer to the part that w names, has one of its values.
func (w *When) Met(a Answer) bool {
	is := func(s string) bool { return slices.Contains(w.Is, s) }
	if a.Skipped || a.Declined {
		return false
	}
	literal := strings.TrimSpace(string(a.Value))
	var text string
	switch {
	case literal == "" || literal == "null":
		return slices.ContainsFunc(a.Values, is)
	case json.Unmarshal(a.Value, &text) == nil:
		return is(text)
	case literal == "true":
		return is("yes") || is(literal)
	case literal == "false":
		return is("no") || is(literal)
	}
	return is(literal)
}

// Before returns the index of the earlier part in the condition of part i, -1 if the part has no
// condition and is always asked.
func Before(parts []Part, i int) int {
	w := parts[i].When
	if w == nil {
		return -1
	}
	return slices.IndexFunc(parts[:i], func(p Part) bool { return p.ID == w.Question })
}

// Applies reports for each part whether it is asked, given the answers to the earlier parts, by
// position: its condition must be met, and the part in the condition must be asked itself.
func (q Question) Applies(answers []Answer) []bool {
	applies := make([]bool, len(q.Parts))
	for i, p := range q.Parts {
		j := Before(q.Parts, i)
		applies[i] = j < 0 || applies[j] && j < len(answers) && p.When.Met(answers[j])
	}
	return applies
}
