package askuser

import (
	"slices"
	"strings"
	"unicode"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/secret"
)

var (
	sentences = tools.Late(`[.;!?]\s|[\n\r]`)
	says      = tools.Late(`(?i)^\s*(.+?)(?:\s+(?:is|are|ist|sind|lautet|lauten|est|sont|es|son)\s+|\s*[:=]\s*)\S`)
	whose     = tools.Late(`(?i)^(?:(?:the|my|their|his|her|users?|user['’]s|der|die|das|des|mein|meine|nutzers?|le|la|les|mon|ma|mes|el|los|las|mi|mis)\s+)+`)
)

// HoldsSecret reports whether a text contains a secret that no question may ask for: its
// topic, about, names a secret, a sentence gives one ("the Wi-Fi password is ..."), or a word
// has the shape of one. words are an admin's own names of secrets. It is pure.
func HoldsSecret(about, text string, words ...string) bool {
	about = strings.NewReplacer("_", " ", ".", " ", "-", " ").Replace(about)
	reader := secret.New(words)
	wanted := func(name string) bool {
		return len(reader.Find([]tools.Part{{InputType: tools.Text, Question: "What is your " + whose().ReplaceAllString(name, "") + "?"}})) > 0
	}
	if wanted(about) || secret.Shaped(text) || slices.ContainsFunc(strings.Fields(text), secret.Shaped) {
		return true
	}
	return slices.ContainsFunc(sentences().Split(text, -1), func(s string) bool {
		if m := says().FindStringSubmatch(s); len(m) > 1 && wanted(m[1]) {
			return true
		}
		name, last := "", strings.TrimSpace(s)
		if i := strings.LastIndexFunc(last, unicode.IsSpace); i > 0 {
			name, last = last[:i], last[i:]
		}
		return name != "" && strings.ContainsFunc(last, unicode.IsDigit) && wanted(name) // "PIN 4711"
	})
}

// WantsSecret reports whether a part of a question asks for a secret, regardless of
// Limits.Secrets. words are an admin's own names of secrets. It is pure.
func WantsSecret(parts []tools.Part, part int, words []string) bool {
	return slices.ContainsFunc(secret.New(words).Find(parts), func(f secret.Finding) bool { return f.Part == part })
}
