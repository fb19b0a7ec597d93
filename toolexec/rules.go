package toolexec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// ruleSet is an approval with its rules compiled. nil: nothing has to decide.
type ruleSet struct {
	approval *config.Approval
	when     []*arguments.Schema // of approval.Rules
}

// everyCall asks about each call.
var everyCall = &ruleSet{approval: &config.Approval{Otherwise: config.Rule{Then: config.RuleAsk}}}

// bindRules compiles the rules of an entry, those of a family's members too.
func bindRules(entry *config.Tool) (map[*config.Approval]*ruleSet, error) {
	if entry.Approval == nil {
		return nil, nil
	}
	bound := map[*config.Approval]*ruleSet{}
	for _, a := range append(slices.Collect(maps.Values(entry.Approval.Tools)), entry.Approval) {
		if a == nil {
			continue
		}
		set, err := compileRules(a)
		if err != nil {
			return nil, err
		}
		bound[a] = set
	}
	return bound, nil
}

func compileRules(a *config.Approval) (*ruleSet, error) {
	set := &ruleSet{approval: a}
	for i := range a.Rules {
		when, err := arguments.Compile(a.Rules[i].When)
		if err != nil {
			return nil, fmt.Errorf("needsApproval: rule %d: %w", i, err)
		}
		set.when = append(set.when, when)
	}
	return set, nil
}

// rulesOf returns what decides about the calls of a tool or a member of a family, by the name under
// which it is offered.
func (b *bound) rulesOf(name string) *ruleSet {
	a := b.entry.ApprovalOf(name)
	if a == nil {
		return nil
	}
	if set := b.rules[a]; set != nil {
		return set
	}
	return everyCall // a member that the approvals of its family do not name
}

// mayRun reports whether a call can be allowed: by a person, if one may be asked, or by a rule.
func (set *ruleSet) mayRun(ask bool) bool {
	return set == nil || ask || set.approval.MayAllow()
}

// ruling says which rule decides about a call. The zero ruling: nothing has to decide.
type ruling struct {
	approval *config.Approval
	rule     *config.Rule
	index    *int // of rule, -1 if no rule fits; nil without rules
}

// judge returns the ruling about a call's arguments. A rule that cannot be judged, because that takes
// too long, does not fit if it allows, and fits otherwise: a mistake can only lead to a question or to
// a denial.
func (b *bound) judge(name, args string) ruling {
	set := b.rulesOf(name)
	if set == nil {
		return ruling{}
	}
	r := ruling{approval: set.approval, rule: &set.approval.Otherwise}
	if len(set.when) == 0 {
		return r
	}
	r.index = new(-1)
	canonical, spoiled := arguments.Canonical(args)
	for i, when := range set.when {
		rule := &set.approval.Rules[i]
		fits, err := false, spoiled
		if err == nil {
			fits, err = when.Fits(json.RawMessage(canonical))
		}
		if err != nil {
			fits = rule.Then != config.RuleAllow
		}
		if fits {
			r.rule, r.index = rule, new(i)
			break
		}
	}
	return r
}

// then returns what is to be done, as in config.Rule.Then; "" if nothing has to decide.
func (r ruling) then() string {
	if r.approval == nil {
		return ""
	}
	return r.rule.Then
}

// approver returns who has to be asked: the holders of a role, "" for the owner of the chat, how many
// of them if it is more than one, and who else later. A call that a rule allows may have to be asked about for other
// reasons: then those decide who decide where no rule fits.
func (r ruling) approver() (role string, quorum int, later []tools.Escalation) {
	if r.approval == nil {
		return "", 0, nil
	}
	rule := r.rule
	if rule.Then != config.RuleAsk {
		rule = &r.approval.Otherwise
	}
	if rule.Quorum > 1 {
		quorum = rule.Quorum
	}
	return rule.Role, quorum, rule.Escalate
}

// decidedBy reports whether these may decide about the call too, or no one has to. Without rules there
// is only one who decides.
func (r ruling) decidedBy(role string, quorum int, later []tools.Escalation) bool {
	if r.index == nil || r.then() == config.RuleAllow {
		return true
	}
	otherRole, otherQuorum, otherLater := r.approver()
	return r.then() == config.RuleAsk && role == otherRole && max(quorum, 1) == max(otherQuorum, 1) && slices.Equal(later, otherLater)
}

// identity returns what an approval has to have been given for; nil without rules, quorum and escalation.
func (r ruling) identity() []any {
	role, quorum, later := r.approver()
	if r.index == nil && quorum == 0 && len(later) == 0 {
		return nil
	}
	var when bytes.Buffer
	_ = json.Compact(&when, r.rule.When) // checked JSON, or none
	parts := []any{r.index, when.String(), r.rule.Then, role, quorum, texts(r.rule.Reason)}
	if len(later) > 0 { // without steps, the hash is as it always was
		parts = append(parts, later)
	}
	return parts
}

// ruled returns the ruling as the outcome of a call that no person decides about.
func (r ruling) ruled(language string) *tools.Ruled {
	return &tools.Ruled{Allowed: r.then() == config.RuleAllow, Rule: r.index, Reason: r.rule.Reason.In(language)}
}

// notPermitted refuses a call that a rule denies.
func notPermitted(r ruling, language string) tools.Outcome {
	out := failure(tools.CodeNotPermitted, "The rules for this tool do not permit this call, so it was not made, and no one was asked. Do not repeat it with these arguments.")
	out.Ruled = r.ruled(language)
	if out.Ruled.Reason != "" {
		out.Error.Message = out.Ruled.Reason
	}
	return out
}

// Approved is a call that a person has allowed.
type Approved struct {
	Definition string             // of the tool when the person was asked (tools.Question)
	Arguments  string             // of which the person was asked; those that run may be edited
	For        string             // the role of the person, "" for the owner of the chat
	Quorum     int                // how many decided, 0 for one
	Escalate   []tools.Escalation // who else was asked later
}

// approved reports whether a person has allowed this call, and neither the tool's definition nor the rule
// that asked has changed since, nor who decides: without rules, the definition does not say who does.
// Edited arguments must not be for others to decide about.
func (b *bound) approved(batch *Batch, call tools.Call, r ruling) bool {
	yes, ok := batch.Approved[call.ID]
	if !ok {
		return false
	}
	asked, edited := r, yes.Arguments != call.Arguments
	if edited {
		asked = b.judge(call.Name, yes.Arguments)
	}
	role, _, _ := asked.approver()
	return yes.Definition == b.identity(call.Name, asked) && yes.For == role && (!edited || r.decidedBy(yes.For, yes.Quorum, yes.Escalate))
}

// The values of decision in askgate_approvals_total for what rules decide.
const (
	allowedByRule = "allowed_by_rule"
	deniedByRule  = "denied_by_rule"
)

// Ruled counts what rules decided about a call. It is called after that is stored.
func (e *Executor) Ruled(c *Catalog, app, tool string, ruled *tools.Ruled) {
	decision := deniedByRule
	if ruled.Allowed {
		decision = allowedByRule
	}
	e.Decided(c, app, tool, decision)
}

// Decided counts a decision about a call. It is called after that is stored.
func (e *Executor) Decided(c *Catalog, app, tool, decision string) {
	e.metrics.approvals.WithLabelValues(app, c.Label(app, tool), decision).Inc()
}
