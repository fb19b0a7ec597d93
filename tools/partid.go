package tools

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPartID is the maximum length of the id of a part, in code points.
const MaxPartID = 64

// IsPartID reports whether a text is valid as the id of a part: 1 to MaxPartID visible
// characters, with spaces between them. __proto__ is not valid, because a JavaScript object
// cannot store an answer under this name.
func IsPartID(s string) bool {
	return s != "" && s != "__proto__" && len(s) <= MaxPartID*utf8.UTFMax && utf8.ValidString(s) && utf8.RuneCountInString(s) <= MaxPartID &&
		s == strings.TrimSpace(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || Invisible(r) && r != ' ' })
}

// MaxKey is the maximum length of a key, in characters.
const MaxKey = 64

// KeyPattern matches valid keys.
var KeyPattern = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// IsKey reports whether a text is valid as the key of a part.
func IsKey(s string) bool { return KeyPattern.MatchString(s) }

// Identify gives an id to each part without one: q1 to qn by its position, or another of these
// if a part already has that id.
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
	for i := range parts { // by position first, so that an unusual id does not move the others
		give(i, i+1)
	}
	for i := range parts {
		for number := range parts {
			give(i, number+1)
		}
	}
}
