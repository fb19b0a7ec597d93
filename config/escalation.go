package config

import (
	"slices"

	"github.com/askgate/askgate/tools"
)

// escalation is the key escalate: who may decide, too, and from when on.
type escalation struct {
	list  Value // where it is written
	steps []step
}

// step is one of its steps, with the places of its values.
type step struct {
	after, role Value
	tools.Escalation
}

// key is the key of who may decide about what, too.
func (e *escalation) key(what string) Key {
	return Objects("escalate", tools.MaxEscalations, e.step, "[who may decide, too](escalation.md) about "+what+", and from when on: each `after` is longer than the one before. Requires `by`").
		Then(func(n Value) { e.list = n })
}

// step returns the next step.
func (e *escalation) step() Item {
	var next step
	var after Duration
	return Item{
		Keys: []Key{
			Length("after", &after, tools.MinEscalation, tools.MaxEscalation, "", "time from the question on, in which no one has decided").
				Must(`write how long after the question, like "after": "1d"`).Then(func(n Value) { next.after = n }),
			Object("to", func() []Key {
				role := String("role", &next.Role, isRole, "the role whose holders may decide, too").orNone(&next.Role)
				return []Key{role.Must(`write the role whose holders may decide, too: {"role": "..."}`).Then(func(n Value) { next.role = n })}
			}, "").Must(`write who may decide, too: "to": {"role": "..."}`),
		},
		Done: func(_ Value, clean bool) {
			if next.After = after.Std(); clean {
				e.steps = append(e.steps, next)
			}
		},
	}
}

// of returns the steps of calls about which the holders of a role decide first. It reports steps that are not
// in order, or that ask someone twice.
func (e *escalation) of(by string) []tools.Escalation {
	var list []tools.Escalation
	for i, s := range e.steps {
		asked := slices.ContainsFunc(list, func(earlier tools.Escalation) bool { return earlier.Role == s.Role })
		switch {
		case s.Role == by:
			s.role.Fault(`the holders of the role %q decide from the beginning, because "by" names it; name another role, or remove this step`, s.Role)
		case asked:
			s.role.Fault("the holders of the role %q may decide since an earlier step; name another role, or remove this step", s.Role)
		case i > 0 && s.After <= e.steps[i-1].After:
			s.after.Fault(`each "after" counts from the question on and must be longer than the one before, %s; correct it, or change the order`, Duration(e.steps[i-1].After))
		default:
			list = append(list, s.Escalation)
		}
	}
	return list
}

// ownerless reports steps of calls about which no role decides.
func (e *escalation) ownerless() {
	if e.list.Given() {
		e.list.Fault(`"escalate" requires "by", since others would read the chat of its owner; add "by": {"role": "..."}`)
	}
}

// late warns about steps that a question of the app does not live to see.
func (a *App) late(n Value, t *Tool, id string) {
	lives := a.Clarifications.ExpiresIn.Std()
	if lives == 0 || t.Approval == nil {
		return
	}
	for _, r := range t.ApprovalOf(id).all() {
		for _, s := range r.Escalate {
			if s.After >= lives {
				n.Warn(`questions of this app expire after %s ("expiresIn"), before "escalate" of tool %s asks the role %q after %s; shorten "after", or let questions wait longer`,
					Duration(lives), n.Raw(), s.Role, Duration(s.After))
				return
			}
		}
	}
}

// all returns the rules that may ask, with those of a family's members.
func (a *Approval) all() []Rule {
	if a == nil {
		return nil
	}
	rules := append(slices.Clone(a.Rules), a.Otherwise)
	for _, member := range a.Tools {
		rules = append(rules, member.all()...)
	}
	return rules
}
