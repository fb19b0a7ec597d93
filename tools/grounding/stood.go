package grounding

import "strings"

// Stood returns the parts of text that were said: its longest runs of words, unchanged, one
// per line. Figures count only with the same separators, so "1250" is not found in "12.50".
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

// written reports whether a word with figures was said with the same marks between them.
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
