package tools

import (
	"encoding/json"
	"slices"
	"strings"
)

// When says that a part is asked only where an earlier part of the same question was answered
// with one of these values.
type When struct {
	Question string `json:"question"` // the earlier part's ID
	// Is are values as an answer has them: of options, "yes" or "no", or the text, number or
	// date itself. What a person wrote in place of an option is none of them.
	Is []string `json:"is"`
}

// Met says that the part which w names was answered with one of its values.
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

// Before is the index of the part that the condition of part i looks back on; -1: it has none,
// and is always asked.
func Before(parts []Part, i int) int {
	w := parts[i].When
	if w == nil {
		return -1
	}
	return slices.IndexFunc(parts[:i], func(p Part) bool { return p.ID == w.Question })
}

// Applies says for each part whether it is asked, given the answers to those before it, by
// position: where its condition is met, and the part that it looks back on is asked itself.
func (q Question) Applies(answers []Answer) []bool {
	applies := make([]bool, len(q.Parts))
	for i, p := range q.Parts {
		j := Before(q.Parts, i)
		applies[i] = j < 0 || applies[j] && j < len(answers) && p.When.Met(answers[j])
	}
	return applies
}
