package toolexec

import (
	"encoding/json"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// approver takes the answer to an approval: it knows the parameters that edited
// arguments must fit.
type approver struct {
	tools.Resumer
	name string // of the tool
	b    *bound // nil where the tool is gone: then the call does not run, even if it is allowed
}

// Check implements tools.Resumer.
func (p approver) Check(q tools.Question, a tools.Answer) (tools.Answer, error) {
	edited := a.Arguments
	if edited == nil || !q.Editable {
		return p.Resumer.Check(q, a) // which refuses arguments
	}
	a.Arguments = nil
	checked, err := p.Resumer.Check(q, a)
	if err != nil {
		return checked, err
	}
	refused := tools.FieldError{Field: "arguments", Code: "not_expected"}
	if checked.Allows() {
		if p.b == nil {
			return checked, nil
		}
		written := string(edited)
		_ = json.Unmarshal(edited, &written) // those sent as a text, not as an object
		if strings.TrimSpace(written) == "" {
			written = "null" // nothing at all is no object here
		}
		canonical, fault := arguments.Canonical(written)
		if fault == nil {
			fault = p.b.check(tools.Call{Name: p.name, Arguments: canonical})
		}
		if fault == nil {
			checked.Arguments = json.RawMessage(canonical)
			return checked, nil
		}
		refused.Code, refused.Params = "arguments", map[string]any{"Fault": fault.Error()}
	}
	return tools.Answer{}, &tools.AnswerError{Fields: []tools.FieldError{refused}}
}
