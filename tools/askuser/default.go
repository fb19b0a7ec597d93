package askuser

import (
	"encoding/json"
	"strings"

	"github.com/askgate/askgate/tools"
)

// standard reads the default of a part and returns it in the form of an answer. Labels are
// accepted in place of values. A default that does not answer the part is dropped if the
// model asks, since it only helps, and refused if an admin or a program asks.
func (r *reader) standard(path string, v any, p tools.Part) json.RawMessage {
	if s, isText := v.(string); v == nil || isText && tools.Blank(s) {
		return nil
	}
	a := tools.Answer{}
	if row := types[p.InputType]; row.standard != nil {
		a = row.standard(r, p, v)
	}
	c := checker{maxAnswer: r.limits.MaxAnswer}
	checked := c.part(p, a)
	switch raw, err := json.Marshal(checked.Values); {
	case len(c.faults) > 0 && (r.admins || r.exact):
		r.refuse(ReasonBadDefault, path, " does not answer the question: set one that does, or leave it out.")
	case len(c.faults) > 0 || err != nil:
		r.repaired(RepairDropped)
	case p.InputType.TakesValues():
		return raw
	default:
		return checked.Value
	}
	return nil
}

// preset returns the value of the option that a default names, or v as text.
func (r *reader) preset(p tools.Part, v any) string {
	s := strings.TrimSpace(scalar(v))
	value, found := optionNamed(p, s)
	if !found {
		return s
	}
	if value != v {
		r.repaired(RepairOptionValue)
	}
	return value
}
