package config

import (
	"encoding/json"
	"strings"
)

// The values of Rule.Then.
const (
	RuleAllow = "allow" // the call runs at once
	RuleAsk   = "ask"   // a person decides
	RuleDeny  = "deny"  // the call is not made
)

// Approval says what decides about the calls of a tool: the key needsApproval.
type Approval struct {
	Rules     []Rule // the first whose When fits decides
	Otherwise Rule   // decides where none fits; without When
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
}

// approvalOfAll is what needsApproval: true means.
func approvalOfAll() *Approval { return &Approval{Otherwise: Rule{Then: RuleAsk}} }

// anyMember stands for the members of a family that have no name of their own in Approval.Tools.
const anyMember = "*"

// ApprovalOf returns what decides about the calls of the entry's tool with an id, which is the entry's
// own unless it is a family; nil: nothing has to.
func (t *Tool) ApprovalOf(id string) *Approval {
	if t.Approval == nil || t.Approval.Tools == nil {
		return t.Approval
	}
	_, member, _ := strings.Cut(id, MemberSeparator)
	if a, ok := t.Approval.Tools[member]; ok {
		return a
	}
	if a, ok := t.Approval.Tools[anyMember]; ok {
		return a
	}
	return approvalOfAll()
}

// MayAsk reports whether the approval may ask a person about a call.
func (a *Approval) MayAsk() bool { return a.has(RuleAsk) }

// MayAllow reports whether the approval may allow a call without asking.
func (a *Approval) MayAllow() bool { return a.has(RuleAllow) }

func (a *Approval) has(then string) bool {
	if a == nil {
		return false
	}
	for i := range a.Rules {
		if a.Rules[i].Then == then {
			return true
		}
	}
	return a.Otherwise.Then == then
}

// approval is the key needsApproval.
func (t *Tool) approval() Key {
	on := t.Approval != nil
	k := Switch("needsApproval", &on, t.approvedBy, "`true`: [the user must approve each call](tools/approval.md); not for `ask_user`. For `mcp` it applies to all tools of the server. `{\"by\": {\"role\": \"finance\"}}`: [a holder of that role must approve](tools/approval.md#approved-by-someone-else), not the user")
	return k.First(func() { t.Approval = approvalOfAll() }).Then(func(Value) {
		if !on {
			t.Approval = nil
		}
	})
}

// approvedBy returns the keys that say who approves instead of the owner of the chat.
func (t *Tool) approvedBy() []Key {
	role := new(string)
	if t.Approval != nil {
		role = &t.Approval.Otherwise.Role
	}
	return []Key{
		Object("by", func() []Key {
			return []Key{String("role", role, isRole, "the role whose holders approve").orNone(role).Must(`write the role whose holders approve: {"role": "..."}`)}
		}, "").Must(`write who approves, as {"by": {"role": "..."}}, or write true for the owner of the chat`),
	}
}
