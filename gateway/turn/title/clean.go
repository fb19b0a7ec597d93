package title

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
)

// around are the characters that models put around titles, or before them.
const around = "#*_`~>\"'“”„‟«»‹›‘’‚「」『』 \t"

// label is what models write before a title; marks are what makes parts of it bold or code.
var (
	label = regexp.MustCompile(`(?i)^(title|titel|titre|título)\s*:\s*`)
	marks = strings.NewReplacer("**", "", "__", "", "`", "")
)

// clean returns the title in a model's answer: its first line, without labels, marks and quotes.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			return '\n'
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d':
			return -1 // joiners stay: some scripts are written with them
		}
		return r
	}, s)
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.Join(strings.Fields(marks.Replace(line)), " ")
		for before := ""; before != line; {
			before = line
			line = label.ReplaceAllString(strings.TrimRight(strings.Trim(line, around), ".:;,"), "")
		}
		if line != "" {
			return short(line)
		}
	}
	return ""
}

// short cuts a title that is too long, after a word if one ends in its second half.
func short(s string) string {
	all := []rune(s)
	if len(all) <= chat.MaxModelTitle {
		return s
	}
	cut := string(all[:chat.MaxModelTitle-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:.") + "…"
}
