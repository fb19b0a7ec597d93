package tools

import (
	"regexp"
	"strings"
)

// GatewayMark begins a line of the gateway's own behind a result.
const GatewayMark = "[gateway]"

// What the model reads of a person stands behind what a tool says, in lines of its own:
// their note, and that they changed the arguments. Where they gave no answer,
// it is an object whose userAnswer is null.
var (
	personal     = []string{"note:", "memory:", "theuserchangedthearguments", "aholderoftherole"}
	gateways     = []string{GatewayMark}
	unansweredBy = regexp.MustCompile(`"userAnswer"\s*:\s*null`)
)

// Quoted is what a tool, a server or an application says, as the model reads it: "> " stands
// before each line that could pass for words of the person, and two spaces before one that
// could pass for the gateway's. All other lines are as they were.
func Quoted(text string) string {
	var b strings.Builder
	at := 0
	for at < len(text) {
		end := len(text)
		if i := strings.IndexFunc(text[at:], LineBreak); i >= 0 {
			end = at + i
		}
		switch line := text[at:end]; {
		case unansweredBy.MatchString(line), begins(line, personal):
			b.WriteString("> ")
		case !strings.HasPrefix(line, "  ") && begins(line, gateways):
			b.WriteString("  ")
		}
		next := end + strings.IndexFunc(text[end:]+"x", func(r rune) bool { return !LineBreak(r) })
		b.WriteString(text[at:next])
		at = next
	}
	return b.String()
}

// begins says whether a line begins with one of words to a cursory reader: whatever stands
// in between that shows nothing, or is Markdown for emphasis and lists.
func begins(line string, words []string) bool {
	so := ""
	for _, r := range line {
		switch {
		case Invisible(r) || strings.ContainsRune("*_#~-+•`", r):
			continue
		case r >= '！' && r <= '～': // full width
			r -= '！' - '!'
		}
		so += strings.ToLower(string(r))
		possible := false
		for _, word := range words {
			if so == word {
				return true
			}
			possible = possible || strings.HasPrefix(word, so)
		}
		if !possible {
			return false
		}
	}
	return false
}

// LineBreak says whether some reader starts a new line at r: Unicode's line breaks (UAX 14:
// BK, CR, LF, NL) and the separators that Python's splitlines adds. CR LF is one break.
func LineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// Indented is a text byte for byte, with two spaces after each line break: no line of it
// passes for one of the text that it stands in.
func Indented(s string) string {
	var b strings.Builder
	start := 0
	for i, r := range s {
		if !LineBreak(r) || r == '\r' && strings.HasPrefix(s[i:], "\r\n") {
			continue
		}
		end := i + len(string(r))
		b.WriteString(s[start:end])
		b.WriteString("  ")
		start = end
	}
	b.WriteString(s[start:])
	return b.String()
}
