package tools

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPartID is how many code points the id of a part may have.
const MaxPartID = 64

// IsPartID says whether a text may be the id of a part: 1 to MaxPartID characters that can
// be seen, and spaces between them. No object of JavaScript can have an answer by the name
// __proto__.
func IsPartID(s string) bool {
	return s != "" && s != "__proto__" && len(s) <= MaxPartID*utf8.UTFMax && utf8.ValidString(s) && utf8.RuneCountInString(s) <= MaxPartID &&
		s == strings.TrimSpace(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || Invisible(r) && r != ' ' })
}

// MaxKey is how many characters a key may have.
const MaxKey = 64

// KeyPattern is what keys look like.
var KeyPattern = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// IsKey says whether a text may be the key of a part.
func IsKey(s string) bool { return KeyPattern.MatchString(s) }

// Identify gives an id to each part that has none: q1 to qn by its place, or another of these
// where a part has that one already.
func Identify(parts []Part) {
	taken := make(map[string]bool, len(parts))
	for i := range parts {
		taken[parts[i].ID] = true
	}
	give := func(i, number int) {
		if id := fmt.Sprintf("q%d", number); parts[i].ID == "" && !taken[id] {
			parts[i].ID, taken[id] = id, true
		}
	}
	for i := range parts { // first its own place, so that one strange id moves no other
		give(i, i+1)
	}
	for i := range parts {
		for number := range parts {
			give(i, number+1)
		}
	}
}
