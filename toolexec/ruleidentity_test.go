package toolexec_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// An approval that waits while a gateway is upgraded stays valid: without rules, the definition is
// that of versions that had none.
func TestWithoutRulesADefinitionIsAsBefore(t *testing.T) {
	b := guarded(t, never(t))
	for name, want := range map[string]string{
		"calculator": "6bd4802330b45eb2ffa29c87b7fe25018e40ed7fcf4dea6800006da2dd8950fd",
		"grabber":    "cb9d421e11db2618bd80d4165dfeb95fb2e7a3554f7f324608d4e020f5e8daa4",
	} {
		if got := b.run(t, call(name, `{"n":1}`))[0].Question.Definition; got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	role := func(role string) string {
		b, _ := ruled(t, &config.Approval{Otherwise: config.Rule{Then: config.RuleAsk, Role: role}}, nil)
		return b.run(t, call("refund", `{}`))[0].Question.Definition
	}
	if role("") != role("finance") {
		t.Error("the role changes the definition")
	}
}

// A yes is for the rule that asked: if anything about it changes before the call runs, the call is asked
// about again, or denied.
func TestAYesIsForTheRuleThatAsked(t *testing.T) {
	const arguments = `{"amount":600}`
	b, _ := ruled(t, refunds(), nil)
	asked := b.run(t, call("refund", arguments))[0].Question
	if asked.Editable || asked.Remember != "" || asked.Quorum != 2 {
		t.Fatalf("%+v", asked)
	}
	yes := map[string]toolexec.Approved{"c": {Definition: asked.Definition, Arguments: arguments, For: "finance", Quorum: 2}}
	for name, c := range map[string]struct {
		change func(*config.Approval)
		want   string
	}{
		"nothing":           {func(*config.Approval) {}, "done"},
		"a rule after it":   {func(a *config.Approval) { a.Rules = append(a.Rules, rule(`{}`, config.RuleDeny)) }, "done"},
		"otherwise":         {func(a *config.Approval) { a.Otherwise.Then = config.RuleDeny }, "done"},
		"the reason":        {func(a *config.Approval) { a.Rules[2].Reason = config.NewText("Over five hundred.") }, "approval"},
		"the quorum":        {func(a *config.Approval) { a.Rules[2].Quorum = 3 }, "approval"},
		"the escalation":    {func(a *config.Approval) { a.Rules[2].Escalate = []tools.Escalation{{After: time.Hour, Role: "lead"}} }, "approval"},
		"the role":          {func(a *config.Approval) { a.Rules[2].Role = "board" }, "approval"},
		"the condition":     {func(a *config.Approval) { a.Rules[2].When = json.RawMessage(amount(`"minimum":500`)) }, "approval"},
		"its place":         {func(a *config.Approval) { a.Rules = slices.Delete(a.Rules, 0, 1) }, "approval"},
		"the rule is gone":  {func(a *config.Approval) { a.Rules = a.Rules[:2] }, "approval"},
		"all rules":         {func(a *config.Approval) { a.Rules = nil }, "approval"},
		"a rule before it":  {func(a *config.Approval) { a.Rules[1].When = json.RawMessage(amount(`"minimum":550`)) }, tools.CodeNotPermitted},
		"now it is allowed": {func(a *config.Approval) { a.Rules[0].When = json.RawMessage(amount(`"maximum":1000`)) }, "done"},
	} {
		a := refunds()
		c.change(a)
		b, _ := ruled(t, a, nil)
		batch := toolexec.Batch{App: b.app, Interactive: true, Approved: yes, Calls: []tools.Call{call("refund", arguments)}}
		if got := come(b.executor.Execute(t.Context(), b.catalog, batch)[0]); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	b, _ = ruled(t, refunds(), func(e *config.Tool) { e.Respond = true })
	if q := b.run(t, call("refund", arguments))[0].Question; !q.Respond || q.Definition == asked.Definition {
		t.Errorf("with a result in place of the call: %+v", q)
	}
}

// A yes counts only from those who have to decide: after a change of the role, also without rules, the call is
// asked about again, and a remembered approval does not count.
func TestAYesIsOfThoseWhoMustDecide(t *testing.T) {
	by := func(role string) *bench {
		b, _ := ruled(t, &config.Approval{Otherwise: config.Rule{Then: config.RuleAsk, Role: role}}, func(e *config.Tool) { e.ApprovalRemember = config.RememberChat })
		return b
	}
	definition := by("").run(t, call("refund", `{}`))[0].Question.Definition
	for _, c := range []struct{ said, now, want string }{{"", "", "done"}, {"finance", "finance", "done"}, {"", "finance", "approval"}, {"finance", "board", "approval"}, {"finance", "", "approval"}} {
		b := by(c.now)
		yes := map[string]toolexec.Approved{"c": {Definition: definition, Arguments: `{}`, For: c.said}}
		batch := toolexec.Batch{App: b.app, Interactive: true, Approved: yes, Calls: []tools.Call{call("refund", `{}`)}}
		if got := come(b.executor.Execute(t.Context(), b.catalog, batch)[0]); got != c.want {
			t.Errorf("allowed by %q, now for %q: %s, want %s", c.said, c.now, got, c.want)
		}
		batch.Approved, batch.Journal = nil, &book{definition: definition, role: c.said}
		if got := come(b.executor.Execute(t.Context(), b.catalog, batch)[0]); got != c.want {
			t.Errorf("remembered of %q, now for %q: %s, want %s", c.said, c.now, got, c.want)
		}
	}
}

// A yes is for the escalation with which it was asked about, also without rules: another one is asked about again,
// and so are edited arguments for which others would be asked later.
func TestAYesIsForItsEscalation(t *testing.T) {
	steps := func(after time.Duration, role string) []tools.Escalation {
		return []tools.Escalation{{After: after, Role: role}}
	}
	of := func(later []tools.Escalation) *bench {
		b, _ := ruled(t, &config.Approval{Otherwise: config.Rule{Then: config.RuleAsk, Role: "finance", Escalate: later}}, nil)
		return b
	}
	lead := steps(time.Hour, "lead")
	asked := of(lead).run(t, call("refund", `{}`))[0].Question
	if !slices.Equal(asked.Escalate, lead) {
		t.Fatalf("asked with %+v", asked.Escalate)
	}
	yes := map[string]toolexec.Approved{"c": {Definition: asked.Definition, Arguments: `{}`, For: "finance", Escalate: asked.Escalate}}
	for name, c := range map[string]struct {
		now  []tools.Escalation
		want string
	}{
		"the same": {lead, "done"}, "none": {nil, "approval"}, "another role": {steps(time.Hour, "board"), "approval"},
		"another time": {steps(2*time.Hour, "lead"), "approval"}, "one more": {append(slices.Clone(lead), tools.Escalation{After: 2 * time.Hour, Role: "board"}), "approval"},
	} {
		b := of(c.now)
		batch := toolexec.Batch{App: b.app, Interactive: true, Approved: yes, Calls: []tools.Call{call("refund", `{}`)}}
		if got := come(b.executor.Execute(t.Context(), b.catalog, batch)[0]); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	a := &config.Approval{Rules: []config.Rule{rule(amount(`"minimum":100`), config.RuleAsk), rule(amount(`"minimum":10`), config.RuleAsk)}, Otherwise: config.Rule{Then: config.RuleAsk, Role: "finance"}}
	a.Rules[0].Role, a.Rules[1].Role, a.Rules[1].Escalate = "finance", "finance", lead
	b, _ := ruled(t, a, func(e *config.Tool) { e.Editable = true })
	q := *b.run(t, call("refund", `{"amount":20}`))[0].Question
	for edited, want := range map[string]bool{`{"amount":30}`: true, `{"amount":200}`: false, `{"amount":5}`: false} {
		_, err := b.catalog.Resumer("a", "refund", tools.KindApproval).Check(q, tools.Answer{Value: []byte("true"), Arguments: []byte(edited)})
		if (err == nil) != want {
			t.Errorf("edited to %s: %v", edited, err)
		}
	}
}

// A remembered approval is for the rule that asked, and never for a quorum.
func TestARememberedApprovalIsForItsRule(t *testing.T) {
	remember := func(e *config.Tool) { e.ApprovalRemember, e.Editable = config.RememberChat, true }
	a := refunds()
	a.Rules = append(a.Rules, rule(amount(`"exclusiveMinimum":100`), config.RuleAsk))
	b, _ := ruled(t, a, remember)
	q := b.run(t, call("refund", `{"amount":60}`))[0].Question
	if q.Remember != config.RememberChat || !q.Editable || *q.Rule != -1 {
		t.Fatalf("%+v", q)
	}
	if q := b.run(t, call("refund", `{"amount":600}`))[0].Question; q.Remember != "" || q.Editable {
		t.Errorf("of a quorum: %+v", q)
	}
	journal := &book{definition: q.Definition}
	for arguments, want := range map[string]string{`{"amount":70}`: "done", `{"amount":200}`: "approval", `{"amount":600}`: "approval", `{"amount":6000}`: tools.CodeNotPermitted} {
		batch := toolexec.Batch{App: b.app, Interactive: true, Journal: journal, Calls: []tools.Call{call("refund", arguments)}}
		if got := come(b.executor.Execute(t.Context(), b.catalog, batch)[0]); got != want {
			t.Errorf("%s: %s, want %s", arguments, got, want)
		}
	}
	batch := toolexec.Batch{App: b.app, Interactive: true, Journal: &begun{}, Calls: []tools.Call{call("refund", `{"amount":600}`)}}
	if got := come(b.executor.Execute(t.Context(), b.catalog, batch)[0]); got != "approval" {
		t.Errorf("a quorum, and everything is remembered: %s", got)
	}
}

// Edited arguments must not be denied, nor for others to decide about, neither when they are sent nor
// when the call runs.
func TestEditedArgumentsAreJudgedAgain(t *testing.T) {
	a := refunds()
	board := rule(amount(`"exclusiveMinimum":400`), config.RuleAsk)
	board.Role = "board"
	a.Rules = append(a.Rules, board, rule(amount(`"exclusiveMinimum":300`), config.RuleAsk))
	b, _ := ruled(t, a, func(e *config.Tool) { e.Editable = true })
	const asked = `{"amount":100}`
	q := *b.run(t, call("refund", asked))[0].Question
	for edited, want := range map[string]string{
		`{"amount":60}`: "", `{"amount":5}`: "", `{"amount":350}`: "", // asked of the same, allowed, another rule
		`{"amount":450}`: "other_approver", `{"amount":600}`: "other_approver", `{"amount":6000}`: "not_permitted", `[]`: "arguments",
	} {
		answer, err := b.catalog.Resumer("a", "refund", tools.KindApproval).Check(q, tools.Answer{Value: []byte("true"), Arguments: []byte(edited)})
		code := ""
		if refused, is := errors.AsType[*tools.AnswerError](err); is {
			code = refused.Fields[0].Field + " " + refused.Fields[0].Code
		}
		if want != "" && code != "arguments "+want || want == "" && (err != nil || string(answer.Arguments) != edited) {
			t.Errorf("%s: %s %s, want %q", edited, answer.Arguments, code, want)
		}
		if want == "arguments" {
			continue
		}
		batch := toolexec.Batch{App: b.app, Interactive: true, Calls: []tools.Call{call("refund", edited)},
			Approved: map[string]toolexec.Approved{"c": {Definition: q.Definition, Arguments: asked}}}
		ran := map[string]string{"": "done", "other_approver": "approval", "not_permitted": tools.CodeNotPermitted}[want]
		if got := come(b.executor.Execute(t.Context(), b.catalog, batch)[0]); got != ran {
			t.Errorf("%s, sent with a yes: %s, want %s", edited, got, ran)
		}
	}
	a.Otherwise.Reason = config.NewText("Now there is one.")
	b, _ = ruled(t, a, nil)
	batch := toolexec.Batch{App: b.app, Interactive: true, Calls: []tools.Call{call("refund", `{"amount":5}`)},
		Approved: map[string]toolexec.Approved{"c": {Definition: q.Definition, Arguments: asked}}}
	out := b.executor.Execute(t.Context(), b.catalog, batch)[0]
	if out.Result != "done" || out.Ruled != nil {
		t.Errorf("now allowed by a rule: %+v", out)
	}
	batch.Calls[0].Arguments = `{"amount":60}`
	if got := come(b.executor.Execute(t.Context(), b.catalog, batch)[0]); got != "approval" {
		t.Errorf("the rule that asked has changed: %s", got)
	}
}

// renaming is a family of four tools.
type renaming struct{ family }

func (renaming) Members(string) []tools.Definition {
	return []tools.Definition{{Name: "refund__x_y"}, {Name: "refund__list"}, {Name: "refund__pay"}, {Name: "refund__new"}}
}
func (renaming) Ready(context.Context, string) error                            { return nil }
func (renaming) CheckArguments(tools.Call) error                                { return nil }
func (r renaming) Run(ctx context.Context, c tools.Call) (tools.Outcome, error) { return ok(ctx, c) }

// Each tool of a server has its own approval, by the server's name for it. A server that renames an
// argument has its calls asked about.
func TestEachToolOfAServerHasItsOwnApproval(t *testing.T) {
	a := refunds()
	for name, c := range map[string]struct {
		tools map[string]*config.Approval
		want  map[string]string // by member and amount
	}{
		"a rest": {map[string]*config.Approval{"x_y": a, "list": nil, "*": {Otherwise: config.Rule{Then: config.RuleDeny}}}, map[string]string{
			`refund__x_y {"amount":5}`: "fine", `refund__x_y {"sum":5}`: "approval", `refund__x_y {"amount":6000}`: tools.CodeNotPermitted,
			`refund__list {}`: "fine", `refund__pay {}`: tools.CodeNotPermitted, `refund__new {}`: tools.CodeNotPermitted,
		}},
		"no rest":     {map[string]*config.Approval{"list": nil}, map[string]string{`refund__x_y {}`: "approval", `refund__list {}`: "fine", `refund__new {}`: "approval"}},
		"not its own": {map[string]*config.Approval{"refund__list": nil}, map[string]string{`refund__list {}`: "approval"}},
	} {
		b := ruledTool(t, &config.Approval{Tools: c.tools}, nil, `"type": "mcp", "mcp": {"url": "http://h"}`, "mcp", renaming{family{Tool: askuser.New(askuser.Limits{}, nil)}})
		for of, want := range c.want {
			member, arguments, _ := strings.Cut(of, " ")
			if got := come(b.run(t, call(member, arguments))[0]); got != want {
				t.Errorf("%s: %s: %s, want %s", name, of, got, want)
			}
		}
		var offered []string
		for _, d := range b.catalog.Definitions("a", "en", false) {
			offered = append(offered, strings.TrimPrefix(d.Name, "refund__"))
		}
		want := map[string]string{"a rest": "x_y list", "no rest": "list", "not its own": ""}[name]
		if got := strings.Join(offered, " "); got != want {
			t.Errorf("%s: where no one answers, %q are offered, want %q", name, got, want)
		}
	}
}
