package askuser

import (
	"slices"

	"github.com/askgate/askgate/tools"
)

// id reads the name of a question. A bad one is as none: nobody reads it, and nothing hangs
// on it but the key of an answer.
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

// unused says that no question before has this id, and takes it.
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

// templateID is the id of a question from a template: the model's, or else the admin's, which
// is no mistake of the model's where the call asks the same template twice.
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
