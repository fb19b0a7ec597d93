package config

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// AskRole is what begins an entry of mayAsk that names a role, and AskAnybody the entry for
// everybody of the tenant.
const (
	AskRole    = "role:"
	AskAnybody = "*"
)

// RoleRights are what a role lets its holders do.
type RoleRights struct {
	MayAsk []string `json:"mayAsk"` // as APIKey.MayAsk
}

// maxSubject bounds, in bytes, a subject that an issuer of tokens made up.
const maxSubject = 255

const mayAskRule = `write a subject, "role:" and a role, or "*" for everybody of the tenant`

// MayBeAsked says whether a text can stand in a mayAsk: one that cannot names nobody.
func MayBeAsked(text string) bool {
	if role, ok := strings.CutPrefix(text, AskRole); ok {
		return plainID.MatchString(role)
	}
	return text == AskAnybody || text != "" && len(text) <= maxSubject && utf8.ValidString(text) && strings.TrimSpace(text) == text &&
		!strings.ContainsRune(text, '*') && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

func (n Node) mayAsk(dst *[]string) {
	n.Words(dst, 100, func(n Node, text string) bool {
		if !MayBeAsked(text) {
			n.Fault("%s is nobody who can be asked; %s", n.Raw(), mayAskRule)
			return false
		}
		return true
	})
}

// roles reads what roles let their holders do.
func (n Node) roles(dst *map[string]RoleRights) {
	list, _ := n.Members()
	rights := map[string]RoleRights{}
	for _, m := range list {
		if !plainID.MatchString(m.Key) {
			m.Name.Fault("%s is no role; %s", m.Name.Raw(), plainIDRule)
			continue
		}
		var r RoleRights
		m.Object(Keys{"mayAsk": func(n Node) { n.mayAsk(&r.MayAsk) }}, nil)
		rights[m.Key] = r
	}
	*dst = rights
}
