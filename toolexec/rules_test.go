package toolexec_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/approval"
	"github.com/askgate/askgate/tools/askuser"
)

// decided words what a rule decided.
func decided(r *tools.Ruled) string {
	rule := "none"
	if r.Rule != nil {
		rule = fmt.Sprint(*r.Rule)
	}
	return strings.TrimSpace(fmt.Sprintf("allowed %t by %s %s", r.Allowed, rule, r.Reason))
}

// ruled is a bench whose only tool, refund, has any arguments and what set changes. It counts the calls.
func ruled(t testing.TB, a *config.Approval, set func(*config.Tool)) (b *bench, ran *atomic.Int64) {
	t.Helper()
	ran = &atomic.Int64{}
	return ruledTool(t, a, set, `"type": "http", "http": {"method": "POST", "url": "http://h/"}, "parameters": {"type": "object"}`, "http",
		fake(func(context.Context, tools.Call) (tools.Outcome, error) {
			ran.Add(1)
			return tools.Outcome{Result: "done"}, nil
		})), ran
}

func ruledTool(t testing.TB, a *config.Approval, set func(*config.Tool), keys, kind string, runs tools.Tool) *bench {
	t.Helper()
	dir := t.TempDir()
	configtest.Files{
		"apps/a.json": `{"id": "a", "tools": ["refund"]}`,
		"tools.json":  `[{"id": "refund", "name": {"en": "Refund"}, "needsApproval": true, ` + keys + `}]`,
	}.Write(t, dir)
	snap, err := config.Load(config.Options{Dir: dir, Env: func(string) (string, bool) { return "", false }, Tools: types})
	if err != nil {
		t.Fatal(err)
	}
	entry, _ := snap.Tool("a", "refund")
	entry.Approval = a
	if set != nil {
		set(entry)
	}
	asker := askuser.New(askuser.Limits{}, nil)
	about := func(call tools.Call) string { return "May it? " + call.For }
	catalog, err := toolexec.NewCatalog(snap, toolexec.Factories{
		config.TypeAskUser: func(*config.App, *config.Tool) (tools.Tool, error) { return asker, nil },
		toolexec.Approval: func(*config.App, *config.Tool) (tools.Tool, error) {
			return approval.New(asker, about, func(tools.Call) string { return "" }, func(string) (yes, no string) { return "Yes", "No" }), nil
		},
		kind: func(*config.App, *config.Tool) (tools.Tool, error) { return runs, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	app, _ := snap.App("a")
	registry := prometheus.NewRegistry()
	return &bench{toolexec.New(registry, slog.New(slog.DiscardHandler)), catalog, app, registry, &strings.Builder{}}
}

func rule(when, then string) config.Rule { return config.Rule{When: json.RawMessage(when), Then: then} }

// amount is a condition about a required number.
func amount(bound string) string {
	return `{"properties":{"amount":{"type":"number",` + bound + `}},"required":["amount"]}`
}

func refunds() *config.Approval {
	deny := rule(amount(`"exclusiveMinimum":5000`), config.RuleDeny)
	deny.Reason = config.NewText("Above 5,000 no one may.")
	finance := rule(amount(`"exclusiveMinimum":500`), config.RuleAsk)
	finance.Role, finance.Quorum, finance.Reason = "finance", 2, config.NewText("Over 500.")
	return &config.Approval{
		Rules:     []config.Rule{rule(amount(`"minimum":0,"maximum":50`), config.RuleAllow), deny, finance},
		Otherwise: config.Rule{Then: config.RuleAsk},
	}
}

// became words what became of a call: its result, its error, or who is asked and why.
func became(out tools.Outcome) string {
	got := come(out)
	if q := out.Question; q != nil {
		got += fmt.Sprintf(" of %q", q.For)
		if q.Quorum > 0 {
			got += fmt.Sprint(" x", q.Quorum)
		}
		if q.Rule != nil {
			got += fmt.Sprint(" by ", *q.Rule)
		}
		got += " " + q.Reason
	} else if out.Ruled != nil {
		got += ": " + decided(out.Ruled)
	}
	return strings.TrimSpace(got)
}

// The first rule that fits the arguments decides. Numbers are compared as written, not as doubles.
func TestTheFirstRuleThatFitsDecides(t *testing.T) {
	const asked, finance, denied, done = `approval of "" by -1`, `approval of "finance" x2 by 2 Over 500.`, "NOT_PERMITTED: allowed false by 1 Above 5,000 no one may.", "done"
	for arguments, want := range map[string]string{
		`{"amount":50}`:                      done,
		`{"amount":50.0}`:                    done,
		`{"amount":5e1}`:                     done,
		` { "amount" : 0.5e2 } `:             done,
		`{"amount":-0}`:                      done,
		`{"amount":50.000000000000000001}`:   asked, // a double would be 50
		`{"amount":-0.000000000000000001}`:   asked,
		`{"amount":500}`:                     asked,
		`{"amount":500.00000000000000001}`:   finance,
		`{"amount":5000}`:                    finance,
		`{"amount":5000.000000000000000001}`: denied,
		`{"amount":9007199254740993}`:        denied,
		`{"amount":1e308}`:                   denied,
		`{"amount":"50"}`:                    asked, // a text, not a number
		`{"amount":null}`:                    asked,
		`{"amount":[50]}`:                    asked,
		`{"refund":{"amount":50}}`:           asked,
		`{"Amount":50}`:                      asked,
		`{}`:                                 asked,
		``:                                   asked,
		`{"amount":50,"amount":6000}`:        "INVALID_ARGUMENTS",
		`{"amount":1e400}`:                   "INVALID_ARGUMENTS",
	} {
		b, ran := ruled(t, refunds(), nil)
		out := b.run(t, call("refund", arguments))[0]
		if got := became(out); got != want || (ran.Load() == 1) != (want == done) {
			t.Errorf("%s: %s, ran %d times; want %s", arguments, got, ran.Load(), want)
		}
		if out.Error != nil && out.Error.Code == tools.CodeNotPermitted && out.Error.Message != "Above 5,000 no one may." {
			t.Errorf("%s: the model reads %q", arguments, out.Error.Message)
		}
	}
	exact := &config.Approval{Rules: []config.Rule{
		rule(`{"properties":{"n":{"const":0.3}},"required":["n"]}`, config.RuleAllow),
		rule(`{"properties":{"n":{"const":9007199254740992}},"required":["n"]}`, config.RuleAllow),
	}, Otherwise: config.Rule{Then: config.RuleDeny}}
	for arguments, want := range map[string]string{
		`{"n":0.3}`: done, `{"n":0.30}`: done, `{"n":0.30000000000000004}`: tools.CodeNotPermitted,
		`{"n":9007199254740992}`: done, `{"n":9007199254740993}`: tools.CodeNotPermitted,
	} {
		b, _ := ruled(t, exact, nil)
		if got := come(b.run(t, call("refund", arguments))[0]); got != want {
			t.Errorf("%s: %s, want %s", arguments, got, want)
		}
	}
}

func TestOtherwiseDecidesWhereNoRuleFits(t *testing.T) {
	none := []config.Rule{rule(amount(`"maximum":0`), config.RuleAllow)}
	by := config.Rule{Then: config.RuleAsk, Role: "finance", Quorum: 3}
	for name, c := range map[string]struct {
		approval *config.Approval
		want     string
		journal  string
	}{
		"none":                 {nil, "done", "begin 0, end 0 done"},
		"allow":                {&config.Approval{Rules: none, Otherwise: config.Rule{Then: config.RuleAllow}}, "done", "begin 0 allowed true by -1, end 0 done"},
		"allow, without rules": {&config.Approval{Otherwise: config.Rule{Then: config.RuleAllow}}, "done", "begin 0 allowed true by none, end 0 done"},
		"ask":                  {&config.Approval{Rules: none, Otherwise: config.Rule{Then: config.RuleAsk}}, `approval of "" by -1`, ""},
		"ask, without rules":   {&config.Approval{Otherwise: by}, `approval of "finance" x3`, ""},
		"ask a role":           {&config.Approval{Rules: none, Otherwise: by}, `approval of "finance" x3 by -1`, ""},
		"deny":                 {&config.Approval{Rules: none, Otherwise: config.Rule{Then: config.RuleDeny}}, "NOT_PERMITTED: allowed false by -1", ""},
	} {
		b, _ := ruled(t, c.approval, nil)
		j := &book{}
		batch := toolexec.Batch{App: b.app, Interactive: true, Journal: j, Calls: []tools.Call{call("refund", `{"amount":7}`)}}
		out := b.executor.Execute(t.Context(), b.catalog, batch)[0]
		if got := became(out); got != c.want || strings.Join(j.lines, ", ") != c.journal {
			t.Errorf("%s: %s, want %s; the journal has %q", name, got, c.want, j.lines)
		}
		if name == "deny" && !strings.Contains(out.Error.Message, "do not permit this call") {
			t.Errorf("the model reads %q", out.Error.Message)
		}
	}
}

// A call that a rule allows is made once, even if its tool could repeat it.
func TestACallThatARuleAllowsIsMarkedBeforeItRuns(t *testing.T) {
	b := ruledTool(t, refunds(), nil, `"type": "http", "http": {"method": "POST", "url": "http://h/"}, "parameters": {"type": "object"}`, "http", pure{fake(ok)})
	j := &book{refused: map[int]bool{1: true}}
	batch := toolexec.Batch{App: b.app, Journal: j, Calls: []tools.Call{call("refund", `{"amount":5}`), call("refund", `{"amount":6}`)}}
	batch.Calls[1].ID = "d"
	out := b.executor.Execute(t.Context(), b.catalog, batch)
	if out[0].Result != "fine" || out[1].Error == nil || out[1].Error.Code != tools.CodeCancelled {
		t.Errorf("%+v", out)
	}
	if all := strings.Join(j.lines, ", "); strings.Count(all, "begin 0 allowed true by 0") != 1 || strings.Contains(all, "end 1") {
		t.Errorf("the journal has %s", all)
	}
}

// A rule that cannot be judged can only lead to a question or a denial.
func TestARuleThatCannotBeJudgedNeverAllows(t *testing.T) {
	var branches []string
	for i := range 100 {
		branches = append(branches, fmt.Sprintf(`{"not":{"properties":{"x":{"items":{"const":%d}}}}}`, i+1000))
	}
	slow := `{"allOf":[` + strings.Join(branches, ",") + `]}`
	arguments := `{"x":[` + strings.TrimSuffix(strings.Repeat("1,", 3000), ",") + `]}`
	for _, c := range []struct{ then, otherwise, want string }{
		{config.RuleAllow, config.RuleAsk, `approval of "" by -1`},
		{config.RuleAllow, config.RuleDeny, "NOT_PERMITTED: allowed false by -1"},
		{config.RuleAsk, config.RuleAllow, `approval of "" by 0`},
		{config.RuleDeny, config.RuleAllow, "NOT_PERMITTED: allowed false by 0"},
	} {
		b, _ := ruled(t, &config.Approval{Rules: []config.Rule{rule(slow, c.then)}, Otherwise: config.Rule{Then: c.otherwise}}, nil)
		if got := became(b.run(t, call("refund", arguments))[0]); got != c.want {
			t.Errorf("%s, otherwise %s: %s, want %s", c.then, c.otherwise, got, c.want)
		}
	}
}

// A fork, and an argument that no one gave, ask about a call although a rule allows it; nothing asks
// about one that a rule denies.
func TestWhatComesBeforeARule(t *testing.T) {
	a := refunds()
	a.Otherwise.Role = "finance"
	required := func(e *config.Tool) {
		e.Parameters = json.RawMessage(`{"type":"object","properties":{"to":{"type":"string"},"amount":{"type":"number"}},"required":["to"]}`)
	}
	for name, c := range map[string]struct {
		policy    string
		arguments string
		before    map[string]string
		want      string
	}{
		"allowed":            {config.UnfoundedAsk, `{"to":"bob@example.org","amount":5}`, nil, "done"},
		"no one gave":        {config.UnfoundedAsk, `{"to":"eve@example.org","amount":5}`, nil, `approval of "finance" by 0`},
		"no one gave, deny":  {config.UnfoundedAsk, `{"to":"eve@example.org","amount":6000}`, nil, "NOT_PERMITTED: allowed false by 1 Above 5,000 no one may."},
		"refused":            {config.UnfoundedRefuse, `{"to":"eve@example.org","amount":5}`, nil, tools.CodeInvalidArguments},
		"refused, deny":      {config.UnfoundedRefuse, `{"to":"eve@example.org","amount":6000}`, nil, "NOT_PERMITTED: allowed false by 1 Above 5,000 no one may."},
		"ran before":         {config.UnfoundedAllow, `{"to":"eve@example.org","amount":5}`, map[string]string{"c": "It ran."}, `approval of "finance" by 0`},
		"ran before, denied": {config.UnfoundedAllow, `{"to":"eve@example.org","amount":6000}`, map[string]string{"c": "It ran."}, "NOT_PERMITTED: allowed false by 1 Above 5,000 no one may."},
	} {
		b, _ := ruled(t, a, func(e *config.Tool) { required(e); e.Unfounded = c.policy })
		batch := toolexec.Batch{App: b.app, Interactive: true, Said: saidBob, RanBefore: c.before, Calls: []tools.Call{call("refund", c.arguments)}}
		out := b.executor.Execute(t.Context(), b.catalog, batch)[0]
		if got := became(out); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if q := out.Question; q != nil && q.Parts[0].Question != "May it? finance" {
			t.Errorf("%s: asked %q", name, q.Parts[0].Question)
		}
	}
}

// Where no one answers, a tool is offered if a call of it can be allowed. A call that a person would
// have to decide about is refused, even if its approval is remembered.
func TestToolsWithRulesWhereNobodyAnswers(t *testing.T) {
	askers := &config.Approval{Rules: []config.Rule{rule(amount(`"minimum":0`), config.RuleAsk)}, Otherwise: config.Rule{Then: config.RuleDeny}}
	for name, c := range map[string]struct {
		approval *config.Approval
		offered  int
		asked    string // what a call with the amount 100 becomes
	}{
		"a rule allows":    {refunds(), 1, tools.CodeNoUser},
		"otherwise allows": {&config.Approval{Rules: askers.Rules, Otherwise: config.Rule{Then: config.RuleAllow}}, 1, tools.CodeNoUser},
		"nothing allows":   {askers, 0, tools.CodeNoUser},
		"all are denied":   {&config.Approval{Otherwise: config.Rule{Then: config.RuleDeny}}, 0, tools.CodeNotPermitted},
	} {
		b, _ := ruled(t, c.approval, func(e *config.Tool) { e.ApprovalRemember = config.RememberChat })
		if n := len(b.catalog.Definitions("a", "en", false)); n != c.offered {
			t.Errorf("%s: %d tools are offered, want %d", name, n, c.offered)
		}
		batch := toolexec.Batch{App: b.app, Journal: &begun{}, Calls: []tools.Call{call("refund", `{"amount":100}`)}}
		if got := come(b.executor.Execute(t.Context(), b.catalog, batch)[0]); got != c.asked {
			t.Errorf("%s: %s, want %s", name, got, c.asked)
		}
		b.app.Clarifications.ApprovalsPerTurn = 0
		if n := len(b.catalog.Definitions("a", "en", true)); n != c.offered {
			t.Errorf("%s, no approvals in a turn: %d tools are offered, want %d", name, n, c.offered)
		}
		want := tools.CodeApprovalLimitReached
		if c.asked == tools.CodeNotPermitted {
			want = c.asked
		}
		batch.Interactive, batch.Journal = true, nil
		if got := come(b.executor.Execute(t.Context(), b.catalog, batch)[0]); got != want {
			t.Errorf("%s, no approvals in a turn: %s, want %s", name, got, want)
		}
	}
}

func TestWhatRulesDecideIsCounted(t *testing.T) {
	b, _ := ruled(t, refunds(), nil)
	b.executor.Ruled(b.catalog, "a", "refund", &tools.Ruled{Allowed: true})
	b.executor.Ruled(b.catalog, "a", "refund", &tools.Ruled{})
	b.executor.Decided(b.catalog, "a", "gone", "responded")
	err := testutil.GatherAndCompare(b.registry, strings.NewReader(`
# HELP askgate_approvals_total Decisions about tool calls: allowed_by_rule, denied_by_rule, allowed, refused, responded.
# TYPE askgate_approvals_total counter
askgate_approvals_total{app="a",decision="allowed_by_rule",tool="refund"} 1
askgate_approvals_total{app="a",decision="denied_by_rule",tool="refund"} 1
askgate_approvals_total{app="a",decision="responded",tool="unknown"} 1
`), "askgate_approvals_total")
	if err != nil {
		t.Error(err)
	}
}
