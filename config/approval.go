package config

import (
	"encoding/json"

	"github.com/askgate/askgate/tools"
)

// The values of Rule.Then.
const (
	RuleAllow = "allow" // the call runs at once
	RuleAsk   = "ask"   // a person decides
	RuleDeny  = "deny"  // the call is not made
)

// Approval says what decides about the calls of a tool: the key needsApproval.
type Approval struct {
	Rules []Rule // the first whose When fits decides
	// Otherwise decides where none fits; without When. Its Role, Quorum and Escalate are those next to the
	// rules, for any Then: they hold for calls that must be asked about although no rule asks.
	Otherwise Rule
	// Tools are the approvals of a family's members, by the family's own names for them, "*" for the
	// rest; a value is nil if no one decides about the member's calls. Nil: the fields above are for all.
	Tools map[string]*Approval
}

// Rule decides about the calls whose arguments fit.
type Rule struct {
	When   json.RawMessage // a JSON Schema over the canonical arguments
	Then   string          // RuleAllow etc.
	Reason Text            // shown to people, and with RuleDeny to the model
	Role   string          // with RuleAsk: its holders decide; "": the owner of the chat does
	Quorum int             // with a Role: so many holders must allow; 0: one
	// Escalate, with a Role, says whose holders may decide, too, and from when on, in this order.
	Escalate []tools.Escalation
}

// approvalOfAll is what needsApproval: true means.
func approvalOfAll() *Approval { return &Approval{Otherwise: Rule{Then: RuleAsk}} }

// anyMember stands for the members of a family that have no name of their own in Approval.Tools.
const anyMember = "*"

// ApprovalOf returns what decides about the calls of the entry's tool with an id: its own id or, of a
// family, that under which a member is offered; nil: nothing has to. For the id of a family it returns
// the approval of the whole family.
func (t *Tool) ApprovalOf(id string) *Approval {
	if t.Approval == nil || t.Approval.Tools == nil || id == t.ID {
		return t.Approval
	}
	var found []*Approval
	for name, a := range t.Approval.Tools {
		if name != anyMember && t.offered(name) == id {
			found = append(found, a)
		}
	}
	switch len(found) {
	case 0:
	case 1:
		return found[0]
	default: // two names that the family offers as one
		return approvalOfAll()
	}
	if a, ok := t.Approval.Tools[anyMember]; ok {
		return a
	}
	return approvalOfAll()
}

// offered returns the id under which a family offers the member that it calls name.
func (t *Tool) offered(name string) string {
	if t.kind != nil && t.kind.Offered != nil {
		return t.kind.Offered(t.ID, name)
	}
	return t.ID + MemberSeparator + name
}

// MayAsk reports whether the approval may ask a person about a call; that of a whole family, about a
// call of any member.
func (a *Approval) MayAsk() bool {
	return a.has(RuleAsk) || a != nil && a.Tools != nil && !a.named(anyMember)
}

// MayAllow reports whether the approval may allow a call without asking; that of a whole family, a call
// of any member.
func (a *Approval) MayAllow() bool { return a.has(RuleAllow) }

// Allows reports whether the approval allows every call.
func (a *Approval) Allows() bool { return !a.MayAsk() && !a.has(RuleDeny) }

// named reports whether a member of a family has an approval of its own, or none.
func (a *Approval) named(member string) bool {
	_, ok := a.Tools[member]
	return ok
}

func (a *Approval) has(then string) bool {
	if a == nil {
		return false
	}
	for _, member := range a.Tools {
		if member.has(then) || member == nil && then == RuleAllow {
			return true
		}
	}
	for i := range a.Rules {
		if a.Rules[i].Then == then {
			return true
		}
	}
	return a.Otherwise.Then == then
}
