package askuser

import (
	"encoding/json"
	"strings"

	"github.com/askgate/askgate/tools"
)

// standard reads the default of a part: what counts as an answer to it, as an answer has it,
// with labels for values. Of a model's question another one is left out, as it only helps; an
// admin or a program is told.
func (r *reader) standard(path string, v any, p tools.Part) json.RawMessage {
	if s, isText := v.(string); v == nil || isText && tools.Blank(s) {
		return nil
	}
	a := tools.Answer{}
	switch p.InputType {
	case tools.Multiselect:
		list, isList := (&findings{}).unnest(v).([]any) // the definition asks for a text
		if !isList {
			list = []any{v}
		}
		for _, item := range list {
			a.Values = append(a.Values, r.preset(p, item))
		}
	case tools.Select, tools.Confirm:
		a.Value = quote(r.preset(p, v))
	case tools.Text:
		if s, isText := v.(string); isText {
			a.Value = quote(tools.Clean(s))
		}
	case tools.Number, tools.Date:
		a.Value = quote(strings.TrimSpace(scalar(v)))
	}
	c := checker{maxAnswer: r.limits.MaxAnswer}
	checked := c.part(p, a)
	switch raw, err := json.Marshal(checked.Values); {
	case len(c.faults) > 0 && (r.admins || r.exact):
		r.refuse(ReasonBadDefault, path, " does not answer the question: set one that does, or leave it out.")
	case len(c.faults) > 0 || err != nil:
		r.repaired(RepairDropped)
	case p.InputType == tools.Multiselect:
		return raw
	default:
		return checked.Value
	}
	return nil
}

// preset is the value of the option that a default names, or what it says.
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
