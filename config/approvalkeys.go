package config

import (
	"fmt"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

const (
	maxRules  = 50
	maxReason = 500 // characters
	minQuorum = 2
	maxQuorum = 5
)

// ask is who is asked about calls, as a rule, or the object with the rules, says it.
type ask struct {
	role, quorum Value // where they are written
	by           string
	of           int
	later        escalation
}

// keys are the keys of who is asked about what.
func (a *ask) keys(what string) []Key {
	return []Key{
		Object("by", func() []Key {
			role := String("role", &a.by, isRole, "the role whose holders decide about "+what).orNone(&a.by)
			return []Key{role.Must(`write the role whose holders approve: {"role": "..."}`).Then(func(n Value) { a.role = n })}
		}, "").Must(""),
		Int("quorum", &a.of, minQuorum, maxQuorum, "how many different holders of the role must allow each of "+what+"; requires `by`").Unset("one").
			Then(func(n Value) { a.quorum = n }),
		a.later.key(what),
	}
}

// ruleReader reads one rule.
type ruleReader struct {
	Rule
	ask
	at   Value // the rule
	when Value // its when; not given if that has faults
}

func (r *ruleReader) keys() []Key {
	return append([]Key{
		Free("when", "JSON Schema", `"type": "object"`, r.readWhen, "[JSON Schema](tools/rules.md#how-a-call-is-judged) of the arguments that the rule is for, with the limits of `parameters`; in a rule that allows, it must [judge each property that it names](tools/rules.md#no-rule-allows-by-silence)").
			Must(`write the JSON Schema of the arguments that the rule is for, or use "otherwise" for all others`),
		Word("then", &r.Then, "decision", []string{RuleAllow, RuleAsk, RuleDeny}, "`allow`: the call runs at once; `ask`: a person decides; `deny`: the call is not made, and the model gets `NOT_PERMITTED`").
			Must(`write "allow", "ask" or "deny"`),
		Localised("reason", &r.Reason, maxReason, "shown to the person who is asked, or told to the model whose call is denied").literally(),
	}, r.ask.keys("these calls")...)
}

func (r *ruleReader) readWhen(n Value) {
	_, english := readSchema(n)
	if english == nil {
		return
	}
	if _, err := arguments.Compile(english); err != nil { // such as patterns that are too large
		n.Fault("%s", err)
		return
	}
	r.When, r.when = english, n
}

// approvalReader reads needsApproval, or the value for one of a family's tools.
type approvalReader struct {
	ask       // next to the rules
	on        bool
	rules     []*ruleReader
	otherwise string
	tools     map[string]*Approval
	// asks are the places that name who is asked.
	asks []ask
}

// key is the key needsApproval of a tool.
func (r *approvalReader) key(t *Tool) Key {
	r.on = t.Approval != nil
	k := r.form("needsApproval", true, "`true`: [the user must approve each call](tools/approval.md); not for `ask_user`. `{\"by\": {\"role\": \"finance\"}}`: [a holder of that role must approve](tools/approval.md#approved-by-someone-else), not the user. `rules`: [the arguments decide](tools/rules.md). For `mcp` it applies to all tools of the server, unless `tools` names them")
	return k.Then(func(n Value) { t.Approval = r.result(n) })
}

// form is a key for true, false, or an object that says what decides. family: it may have tools.
func (r *approvalReader) form(name string, family bool, doc string) Key {
	r.otherwise = RuleAsk
	return Switch(name, &r.on, func() []Key {
		keys := append(r.ask.keys("the calls"),
			Objects("rules", maxRules, r.rule, ""),
			Word("otherwise", &r.otherwise, "decision", []string{RuleAllow, RuleAsk, RuleDeny}, "what happens to calls that no rule fits"),
		)
		if family {
			keys = append(keys, r.members())
		}
		return keys
	}, doc)
}

// rule returns the next rule.
func (r *approvalReader) rule() Item {
	next := &ruleReader{}
	r.rules = append(r.rules, next)
	return Item{Keys: next.keys(), Done: func(n Value, _ bool) { next.at = n }}
}

// members is the key for the approvals of a family's members.
func (r *approvalReader) members() Key {
	return Key{
		Name: "tools", kind: "true, false or an object, by name", bounds: fmt.Sprintf("up to %d", tools.MaxDefinitions),
		Doc:    "for `mcp`: what decides about each of the server's tools, by [the server's names](tools/rules.md#single-tools-of-an-mcp-server), `\"*\"` for the rest; the values are those of `needsApproval`. A tool that is not named, and no `\"*\"` stands for, is asked about",
		schema: fmt.Sprintf(`"type": "object", "minProperties": 1, "maxProperties": %d, "additionalProperties": {"anyOf": [{"type": "boolean"}, {%%s}]}`, tools.MaxDefinitions),
		keys:   func() []Key { return (&approvalReader{}).form("", false, "").keys() }, also: true,
		read: r.readMembers,
	}
}

func (r *approvalReader) readMembers(n Value) {
	list, ok := n.Members()
	if ok && len(list) == 0 {
		n.Fault(`"tools" names no tool; name one, or write true for all in place of the object`)
	}
	r.tools = map[string]*Approval{}
	for i, m := range list {
		if i == tools.MaxDefinitions {
			m.Name.Fault("too many tools; the limit is %d", tools.MaxDefinitions)
			return
		}
		one := approvalReader{}
		k := one.form(m.Key, false, "")
		k.read(m.Value)
		r.tools[m.Key] = one.result(m.Value)
		r.asks = append(r.asks, one.asks...)
	}
}

// result returns what was read at n; nil: no one decides.
func (r *approvalReader) result(n Value) *Approval {
	if !r.on {
		return nil
	}
	if n.kind() != "an object" {
		return approvalOfAll()
	}
	if r.tools != nil {
		for _, key := range []string{"by", "quorum", "escalate", "rules", "otherwise"} {
			if at := n.Key(key); at.Given() {
				at.Fault(`%q does not go with "tools"; move it to each tool that it is for, or to "*" for the rest`, key)
			}
		}
		return &Approval{Tools: r.tools}
	}
	if !n.Key("by").Given() && !n.Key("rules").Given() && !n.Key("otherwise").Given() && !n.Key("tools").Given() && !n.Key("quorum").Given() && !n.Key("escalate").Given() {
		n.Fault(`write what decides, as {"by": {"role": "..."}} or {"rules": [...]}, or write true for the owner of the chat`)
	}
	a := &Approval{Otherwise: Rule{Then: r.otherwise, Role: r.by, Quorum: r.of}}
	if n.Key("by").Given() {
		a.Otherwise.Escalate = r.later.of(r.by)
	} else {
		r.later.ownerless()
	}
	if r.quorum.Given() && !n.Key("by").Given() {
		r.quorum.Fault(`"quorum" requires "by", since the owner of the chat is one person; add "by": {"role": "..."}`)
	}
	r.asks = append(r.asks, r.ask)
	for _, rule := range r.rules {
		r.resolve(rule, a.Otherwise.Escalate)
		a.Rules = append(a.Rules, rule.Rule)
	}
	r.unreached()
	return a
}

// resolve checks a rule, and sets whom it asks. later are the steps next to the rules.
func (r *approvalReader) resolve(rule *ruleReader, later []tools.Escalation) {
	if rule.when.Given() && rule.Then != "" {
		noSilence(rule.when, rule.Then == RuleAllow)
	}
	if rule.Then != RuleAsk {
		for _, key := range []string{"by", "quorum", "escalate"} {
			if at := rule.at.Key(key); at.Given() && rule.Then != "" {
				at.Fault(`%q requires "then": "ask", since no one is asked about calls that this rule fits; remove it, or change "then"`, key)
			}
		}
		return
	}
	rule.Role, rule.Quorum = rule.by, rule.of
	if rule.Role == "" {
		rule.Role = r.by
	}
	if rule.Quorum == 0 {
		rule.Quorum = r.of
	}
	if rule.quorum.Given() && rule.Role == "" && !rule.at.Key("by").Given() {
		rule.quorum.Fault(`"quorum" requires "by", since the owner of the chat is one person; add "by": {"role": "..."}`)
	}
	rule.escalate(later)
	if rule.role.Given() || rule.quorum.Given() || rule.later.list.Given() {
		r.asks = append(r.asks, ask{rule.role, rule.quorum, rule.Role, rule.Quorum, rule.later})
	}
}

// escalate sets the steps of a rule that asks: its own, or else those next to the rules.
func (r *ruleReader) escalate(next []tools.Escalation) {
	switch {
	case r.Role == "" && !r.at.Key("by").Given():
		r.later.ownerless()
	case r.later.list.Given():
		r.Escalate = r.later.of(r.Role)
	case slices.ContainsFunc(next, func(s tools.Escalation) bool { return s.Role == r.Role }):
		r.role.Fault(`"escalate" next to the rules asks the role %q later, but here it decides from the beginning; write "escalate" for this rule, too: [] for no one else`, r.Role)
	default:
		r.Escalate = next
	}
}

// unreached warns about rules that are never reached.
func (r *approvalReader) unreached() {
	for i, rule := range r.rules {
		if rule.when.Given() && fitsAll(rule.when, true) {
			for _, behind := range r.rules[i+1:] {
				behind.at.Warn("this rule is never reached, since rule %d fits every call; remove one of the two, or move this one before it", i)
			}
			return
		}
	}
}

// together checks the approval against the other keys of the entry.
func (r *approvalReader) together(n Value, t *Tool) {
	if t.Approval == nil {
		return
	}
	if t.Approval.Tools != nil && t.Type != "" && !t.IsFamily() {
		at := n.Key("needsApproval").Key("tools")
		if !at.Given() { // the entry changes the type, and not the approval
			at = n.Key("type")
		}
		at.Fault(`"tools" under "needsApproval" requires an entry that stands for several tools, such as type "mcp", not %q; write the rules without "tools"`, t.Type)
	}
	if t.kind.OwnParameters || t.Parameters == nil {
		return
	}
	for _, rule := range r.rules {
		if rule.when.Given() {
			for _, name := range undeclared(rule.when.v, t.Parameters) {
				rule.when.child(name).Warn(`"parameters" do not declare %q, so no call has it; correct one of the two`, literal(name))
			}
		}
	}
	at := n.Key("parameters")
	if !at.Given() || n.Key("needsApproval").Given() {
		return
	}
	for i, rule := range t.Approval.Rules { // of the entry that this one changes
		when, _ := hujson.Parse(rule.When) // Load has checked it
		for _, name := range undeclared(&when, t.Parameters) {
			at.Warn(`these parameters do not declare %q, which rule %d of "needsApproval" judges; write "needsApproval" here, too`, literal(name), i)
		}
	}
}

// offeredOnce reports names under "tools" of needsApproval that stand for the same tool.
func (t *Tool) offeredOnce(n Value) {
	at := n.Key("needsApproval").Key("tools")
	if !at.Given() || t.Approval == nil || t.Approval.Tools == nil {
		return
	}
	list, _ := at.Members()
	ids := map[string]string{}
	for _, m := range list {
		id := t.offered(m.Key)
		if first, twice := ids[id]; twice && m.Key != anyMember {
			m.Name.Fault("%s and %q are both offered as %q, so only one of them is; remove the other", m.Name.Raw(), first, id)
		}
		ids[id] = m.Key
	}
}
