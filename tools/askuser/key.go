package askuser

import (
	"slices"

	"github.com/askgate/askgate/tools"
)

// key reads the key of a question. If the model sent an invalid one, the question is asked
// without a key.
func (r *reader) key(path string, v any) string {
	s, isText := v.(string)
	if s = r.trim(s); v == nil || isText && s == "" {
		return ""
	}
	if tools.IsKey(s) {
		return s
	}
	if r.admins {
		r.refuse(ReasonWrongKind, path+fieldKey, " is %s: a key has 1 to %d of the characters A-Z, a-z, 0-9, _, . and -.", quoted(scalar(v)), tools.MaxKey)
	}
	r.repaired(RepairKey)
	return ""
}

// templateKey returns the key of a question from a template: the admin's, or else the model's.
func (r *reader) templateKey(path string, t Template, f map[string]any, admins string) string {
	if admins != "" || slices.Contains(t.Values, fieldKey) { // there it is a value
		return admins
	}
	return r.key(path, f[fieldKey])
}

// askAgain reads whether the call asks again.
func (r *reader) askAgain(path string, v any) {
	if r.boolean(path+fieldAgain, v) {
		r.again = true
	}
}
