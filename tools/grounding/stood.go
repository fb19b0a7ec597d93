package grounding

import "strings"

// Stood is what of a text stands in what was said: its longest runs of words, as the text has
// them, one a line. Figures count only as they are written, so "1250" does not stand in "12.50".
func (s *Said) Stood(text string) string {
	var runs []string
	fields := strings.Fields(text)
	for i := 0; i < len(fields); {
		run, next := "", i
		for j := i; j < len(fields) && s.written(fields[j]); j++ {
			longer := run + squash(lex(fields[j], nil))
			if !s.index.has(longer, false) {
				break
			}
			run, next = longer, j+1
		}
		if next == i {
			i++
			continue
		}
		runs = append(runs, strings.Join(fields[i:next], " "))
		i = next
	}
	return strings.Join(runs, "\n")
}

// written says whether a word that has figures stands somewhere with the same marks between them.
func (s *Said) written(field string) bool {
	field = strings.Trim(field, ".,;:!?()[]{}\"'“”„‘’«»")
	if strings.IndexFunc(field, isDigit) < 0 {
		return true
	}
	for text := range s.seen {
		if strings.Contains(text.content, field) {
			return true
		}
	}
	return false
}
