package config

import "strings"

// Text is text that an admin gave in one language or in several. The zero
// value is no text. Immutable.
type Text struct {
	entries []textEntry // in the order of the file
}

type textEntry struct {
	tag  string // BCP 47 as written; empty: a plain string, of every language
	text string
}

// NewText is a text that is the same in every language.
func NewText(s string) Text {
	if s == "" {
		return Text{}
	}
	return Text{entries: []textEntry{{text: s}}}
}

// IsZero reports that there is no text in any language.
func (t Text) IsZero() bool { return len(t.entries) == 0 }

// In is the text for a BCP 47 tag: the exact tag (in any case), then its base
// language, then en, then the first one given. Contract section 3.
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

// Languages are the tags given, in the order of the file; none for a plain string.
func (t Text) Languages() []string {
	var tags []string
	for _, e := range t.entries {
		if e.tag != "" {
			tags = append(tags, e.tag)
		}
	}
	return tags
}
