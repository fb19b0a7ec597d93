package toolexec

import (
	"encoding/json"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// approver checks the answer to an approval, including edited arguments against the tool's
// parameters and the rules.
type approver struct {
	tools.Resumer
	name string // of the tool
	b    *bound // nil if the tool is gone: the call does not run then, even if it is allowed
}

// Check implements tools.Resumer.
func (p approver) Check(q tools.Question, a tools.Answer) (tools.Answer, error) {
	edited := a.Arguments
	if edited == nil || !q.Editable {
		return p.Resumer.Check(q, a) // refuses edited arguments
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
		_ = json.Unmarshal(edited, &written) // they may be sent as a text with JSON in it
		if strings.TrimSpace(written) == "" {
			written = "null" // Canonical reads an empty text as {}
		}
		canonical, fault := arguments.Canonical(written)
		if fault == nil {
			fault = p.b.check(tools.Call{Name: p.name, Arguments: canonical})
		}
		if fault != nil {
			refused.Code, refused.Params = "arguments", map[string]any{"Fault": fault.Error()}
		} else if r := p.b.judge(p.name, canonical); r.then() == config.RuleDeny {
			refused.Code = "not_permitted"
		} else if !r.decidedBy(q.For, q.Quorum, q.Escalate) {
			refused.Code = "other_approver"
		} else {
			checked.Arguments = json.RawMessage(canonical)
			return checked, nil
		}
	}
	return tools.Answer{}, &tools.AnswerError{Fields: []tools.FieldError{refused}}
}
