package admin

import "github.com/askgate/askgate/config"

// adminApproval says in short what decides about the calls of a tool.
type adminApproval struct {
	Rules     []adminRule `json:"rules,omitempty"`
	Otherwise *adminRule  `json:"otherwise,omitempty"` // omitted if there are Tools
	// Tools are those of single tools of a server, by the server's names; null: no one decides.
	Tools map[string]*adminApproval `json:"tools,omitempty"`
}

// adminRule is a rule without the arguments that it is for.
type adminRule struct {
	Then   string `json:"then"`
	By     string `json:"by,omitempty"` // the role that is asked; "": the owner of the chat
	Quorum int    `json:"quorum,omitempty"`
	// Escalate are the roles that are asked later, too, with the time after which each is.
	Escalate []adminStep `json:"escalate,omitempty"`
	Reason   string      `json:"reason,omitempty"`
}

// adminStep is a step of an escalation.
type adminStep struct {
	After config.Duration `json:"after"`
	Role  string          `json:"role"`
}

func newAdminApproval(a *config.Approval, lang string) *adminApproval {
	if a == nil {
		return nil
	}
	if a.Tools != nil {
		of := &adminApproval{Tools: map[string]*adminApproval{}}
		for name, one := range a.Tools {
			of.Tools[name] = newAdminApproval(one, lang)
		}
		return of
	}
	otherwise := newAdminRule(&a.Otherwise, lang)
	of := &adminApproval{Otherwise: &otherwise}
	for i := range a.Rules {
		of.Rules = append(of.Rules, newAdminRule(&a.Rules[i], lang))
	}
	return of
}

func newAdminRule(r *config.Rule, lang string) adminRule {
	rule := adminRule{Then: r.Then, Reason: r.Reason.In(lang)}
	if r.Then == config.RuleAsk {
		rule.By, rule.Quorum = r.Role, r.Quorum
		for _, s := range r.Escalate {
			rule.Escalate = append(rule.Escalate, adminStep{config.Duration(s.After), s.Role})
		}
	}
	return rule
}
