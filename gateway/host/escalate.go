package host

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// ReadEscalate reads whose holders may answer, too, and from when on:
// [{"after": "1d", "to": {"role": "lead"}}].
func (a *Asking) ReadEscalate(d *jsontext.Decoder) error {
	a.Escalate = nil
	return ListUpTo(tools.MaxEscalations, func(d *jsontext.Decoder) error {
		var to Asking
		var after time.Duration
		err := Object(d, map[string]Field{
			"after": func(d *jsontext.Decoder) (err error) {
				var text string
				if err := String(func(s string) { text = s })(d); err != nil {
					return err
				}
				after, err = tools.ParseDuration(text)
				if after = after.Truncate(time.Millisecond); err != nil || after < tools.MinEscalation || after > tools.MaxEscalation {
					return Invalid("escalate_after", Place(d))
				}
				return nil
			},
			"to": to.ReadTo,
		})
		at := fmt.Sprintf("escalate[%d]", len(a.Escalate))
		switch {
		case err != nil:
			return err
		case after == 0:
			return &Fault{Code: chat.CodeInvalidRequest, Detail: "missing_field", Field: at + ".after"}
		case to.To == Whom{}:
			return &Fault{Code: chat.CodeInvalidRequest, Detail: "missing_field", Field: at + ".to"}
		case to.To.Role == "":
			return Invalid("escalate_role", at+".to")
		}
		a.Escalate = append(a.Escalate, tools.Escalation{After: after, Role: to.To.Role})
		return nil
	})(d)
}

// checkEscalation refuses an escalation of a question to a person, one that asks someone twice or not in
// order, and one to roles that the caller may not ask.
func checkEscalation(r *Request, q *Asking) error {
	if len(q.Escalate) > 0 && q.To.Role == "" {
		return Invalid("escalate_without_role", "escalate")
	}
	asked := map[string]bool{q.To.Role: true}
	for i, s := range q.Escalate {
		switch at := fmt.Sprintf("escalate[%d]", i); {
		case asked[s.Role]:
			return Invalid("escalate_role", at+".to")
		case i > 0 && s.After <= q.Escalate[i-1].After:
			return Invalid("escalate_after", at+".after")
		case !r.Caller.MayAsk(Whom{Role: s.Role}):
			return &Fault{Code: chat.CodeForbidden, Detail: "may_not_ask"}
		}
		asked[s.Role] = true
	}
	return nil
}
