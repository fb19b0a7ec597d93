package askuser

import (
	"slices"

	"github.com/askgate/askgate/tools"
)

// id reads the id of a question. An invalid one counts as missing: no one reads it, and it
// only serves as the key of an answer.
func (r *reader) id(v any) string {
	s, isText := v.(string)
	if s = r.trim(s); v == nil || isText && s == "" {
		return ""
	}
	if !tools.IsPartID(s) || !r.unused(s) {
		r.repaired(RepairID)
		return ""
	}
	return s
}

// unused reports whether no earlier question has this id, and reserves it.
func (r *reader) unused(id string) bool {
	if r.ids[id] {
		return false
	}
	if r.ids == nil {
		r.ids = map[string]bool{}
	}
	r.ids[id] = true
	return true
}

// templateID returns the id of a question from a template: the model's, or else the admin's.
// A call may ask the same template twice, so a duplicate of the admin's id is not a repair.
func (r *reader) templateID(t Template, f map[string]any, admins string) string {
	if !slices.Contains(t.Values, fieldID) { // there it is a value
		if id := r.id(f[fieldID]); id != "" {
			return id
		}
	}
	if admins == "" || !r.unused(admins) {
		return ""
	}
	return admins
}
