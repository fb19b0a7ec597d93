package tools

import (
	"regexp"
	"strings"
)

// GatewayMark begins a line that the gateway adds after a result.
const GatewayMark = "[gateway]"

// A person's words follow a tool's result in lines of their own: their note, and the message
// that they changed the arguments. If they gave no answer, the result is an object whose
// userAnswer is null.
var (
	personal     = []string{"note:", "memory:", "theuserchangedthearguments", "aholderoftherole"}
	gateways     = []string{GatewayMark}
	unansweredBy = regexp.MustCompile(`"userAnswer"\s*:\s*null`)
)

// Quoted returns the text of a tool, a server or an application for the model, with "> "
// before each line that could pass for words of the person, and two spaces before each line
// that could pass for words of the gateway. All other lines are unchanged.
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

// begins reports whether a line seems to begin with one of words: it ignores invisible
// characters and Markdown for emphasis and lists.
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

// LineBreak reports whether any reader starts a new line at r: Unicode's line breaks (UAX 14:
// BK, CR, LF, NL) and the separators that Python's splitlines adds. CR LF is one line break.
func LineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// Indented returns a text unchanged except for two spaces after each line break, so that no
// line of it can pass for a line of the surrounding text.
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
