package toolexec_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// The cap counts the calls in their order, whichever is checked first; metrics name the cap.
func TestApprovalsAreCappedInTheOrderOfTheCalls(t *testing.T) {
	b := guarded(t, never(t))
	b.app.Clarifications.ApprovalsPerTurn = 3
	batch := toolexec.Batch{App: b.app, Interactive: true, AskedApprovals: 1}
	for range 3 {
		batch.Calls = append(batch.Calls, call("calculator", `{"n":1}`), call("calculator", `{"n":"x"}`), call("picker", `{"n":1}`))
	}
	var mu sync.Mutex
	seen := map[int]string{}
	batch.Observe = func(i int, _ time.Time, out tools.Outcome) {
		mu.Lock()
		defer mu.Unlock()
		seen[i] += come(out) + ";"
	}
	want := []string{
		"approval", tools.CodeInvalidArguments, "input",
		"approval", tools.CodeInvalidArguments, "input",
		tools.CodeApprovalLimitReached, tools.CodeInvalidArguments, "input",
	}
	for i, out := range b.executor.Execute(t.Context(), b.catalog, batch) {
		if come(out) != want[i] || seen[i] != want[i]+";" {
			t.Errorf("call %d resulted in %s, and was observed as %s; want %s", i, come(out), seen[i], want[i])
		}
	}
	err := testutil.GatherAndCompare(b.registry, strings.NewReader(`
# HELP askgate_clarifications_rejected_total Calls that would have asked a person and were refused, by reason.
# TYPE askgate_clarifications_rejected_total counter
askgate_clarifications_rejected_total{app="a",reason="limit_approvals"} 1
`), "askgate_clarifications_rejected_total")
	if err != nil {
		t.Error(err)
	}
}

// come returns the result of a call: the kind of its question, the code of its error, or its
// result.
func come(out tools.Outcome) string {
	switch {
	case out.Question != nil:
		return string(out.Question.Kind)
	case out.Error != nil:
		return out.Error.Code
	}
	return out.Result
}

// Approvals that a fork, or an argument that was never given, asks for count as well. Calls that
// are already allowed do not.
func TestWhicheverRuleAsksForApprovalTheCapCounts(t *testing.T) {
	b, ran := sending(t, `"unfounded": "ask",`)
	b.app.Clarifications.ApprovalsPerTurn = 1
	batch := toolexec.Batch{App: b.app, Interactive: true, Said: saidBob, Calls: []tools.Call{
		{ID: "1", Name: "send", Arguments: toBob}, {ID: "2", Name: "send", Arguments: toEve}, {ID: "3", Name: "send", Arguments: toEve},
	}}
	definition := b.executor.Execute(t.Context(), b.catalog, batch)[1].Question.Definition
	for name, c := range map[string]struct {
		before  map[string]string
		allowed map[string]toolexec.Approved
		want    string
	}{
		"unfounded":         {nil, nil, "sent approval " + tools.CodeApprovalLimitReached},
		"ran before":        {map[string]string{"1": "It ran."}, nil, "approval " + tools.CodeApprovalLimitReached + " " + tools.CodeApprovalLimitReached},
		"allowed meanwhile": {nil, map[string]toolexec.Approved{"2": {Definition: definition}}, "sent sent approval"},
	} {
		batch.RanBefore, batch.Approved, *ran = c.before, c.allowed, 0
		var got []string
		for _, out := range b.executor.Execute(t.Context(), b.catalog, batch) {
			got = append(got, come(out))
		}
		if all := strings.Join(got, " "); all != c.want {
			t.Errorf("%s: %s, want %s", name, all, c.want)
		}
	}
}

// Where no one is asked for approval, a tool that needs it is not offered.
func TestToolsThatNeedApprovalAreNotOfferedWhereNobodyIsAsked(t *testing.T) {
	b := guarded(t, never(t))
	b.app.Clarifications.ApprovalsPerTurn = 0
	var names []string
	for _, d := range b.catalog.Definitions("a", "en", true) {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, " "); got != "ask_user picker" {
		t.Errorf("offered: %s", got)
	}
	if out := b.run(t, call("clock", `{"n":1}`))[0]; out.Error == nil || out.Error.Code != tools.CodeApprovalLimitReached || !strings.Contains(out.Error.Message, "(the limit is 0 per turn)") {
		t.Errorf("a call anyway: %+v", out)
	}
}
