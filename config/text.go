package config

import "strings"

// Text is a text from the configuration, in one or several languages. The zero
// value is an empty text. Immutable.
type Text struct {
	entries []textEntry // in the order of the file
}

type textEntry struct {
	tag  string // BCP 47 tag as written; empty: a plain string, for every language
	text string
}

// NewText returns a text that is the same in every language.
func NewText(s string) Text {
	if s == "" {
		return Text{}
	}
	return Text{entries: []textEntry{{text: s}}}
}

// IsZero reports whether the text is empty.
func (t Text) IsZero() bool { return len(t.entries) == 0 }

// In returns the text for a BCP 47 tag: that of the same tag, regardless of case, or else of its base
// language, or of en, or the first one in the file. Contract section 3.
func (t Text) In(language string) string {
	if len(t.entries) == 0 {
		return ""
	}
	language = strings.ReplaceAll(language, "_", "-")
	base, _, _ := strings.Cut(language, "-")
	for _, want := range []string{language, base, "en"} {
		for _, e := range t.entries {
			if strings.EqualFold(e.tag, want) {
				return e.text
			}
		}
	}
	return t.entries[0].text
}

// Languages returns the tags of the text in the order of the file; none for a plain string.
func (t Text) Languages() []string {
	var tags []string
	for _, e := range t.entries {
		if e.tag != "" {
			tags = append(tags, e.tag)
		}
	}
	return tags
}
