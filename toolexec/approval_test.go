package toolexec_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/approval"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tooltypes/clienttool"
)

// guarded is a bench whose calculator needs approval, and whose picker is the caller's.
func guarded(t *testing.T, f tools.Tool) *bench {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "apps"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"apps/a.json": `{"id": "a", "tools": ["ask_user", "calculator", "clock", "grabber", "picker"], "clarifications": {"perConversation": 1}}`,
		"tools.json": `[{"id": "calculator", "needsApproval": true},
			{"id": "clock", "needsApproval": true, "approvalRemember": "chat"},
			{"id": "grabber", "type": "client", "needsApproval": true, "approvalRemember": "chat"},
			{"id": "picker", "type": "client", "parameters": {"properties": {"n": {"type": "integer"}}, "required": ["n"]}}]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	snap, err := config.Load(config.Options{Dir: dir, Env: func(string) (string, bool) { return "", false }, Tools: types})
	if err != nil {
		t.Fatal(err)
	}
	asker := askuser.New(askuser.Limits{}, nil)
	about := func(call tools.Call) string { return "About " + call.Name + " in " + call.Language }
	catalog, err := toolexec.NewCatalog(snap, toolexec.Factories{
		config.TypeAskUser: func(*config.App, *config.Tool) (tools.Tool, error) { return asker, nil },
		"client":           func(*config.App, *config.Tool) (tools.Tool, error) { return clienttool.New(about), nil },
		toolexec.Approval: func(*config.App, *config.Tool) (tools.Tool, error) {
			return approval.New(asker, about, func(tools.Call) string { return "" }, func(string) (yes, no string) { return "Yes", "No" }), nil
		},
		"calculator": func(*config.App, *config.Tool) (tools.Tool, error) { return f, nil },
		"clock":      func(*config.App, *config.Tool) (tools.Tool, error) { return f, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := snap.App("a")
	registry := prometheus.NewRegistry()
	return &bench{toolexec.New(registry, slog.New(slog.DiscardHandler)), catalog, a, registry, &strings.Builder{}}
}

func never(t *testing.T) fake {
	return func(context.Context, tools.Call) (tools.Outcome, error) {
		t.Error("it ran without approval")
		return tools.Outcome{}, nil
	}
}

func TestNothingRunsBeforeItIsAllowed(t *testing.T) {
	b := guarded(t, never(t))
	out := b.run(t, call("calculator", `{"n":1}`), call("picker", `{"n":1}`), call("ask_user", `{"question":"What?"}`))
	for i, kind := range []tools.Kind{tools.KindApproval, tools.KindInput, tools.KindQuestion} {
		if out[i].Question == nil || out[i].Question.Kind != kind || len(out[i].Question.Parts) != 1 || out[i].Question.Parts[0].ID != "q1" {
			t.Fatalf("call %d: %+v %v", i, out[i].Question, out[i].Error)
		}
	}
	if p := out[0].Question.Parts[0]; p.Question != "About calculator in en" || p.InputType != tools.Confirm || len(p.Options) != 2 {
		t.Errorf("the approval: %+v", p)
	}
	err := testutil.GatherAndCompare(b.registry, strings.NewReader(`
# HELP askgate_tool_calls_total Tool calls of the model, by outcome: ok, error, rejected, refused, cancelled, question, repeated, remembered.
# TYPE askgate_tool_calls_total counter
askgate_tool_calls_total{app="a",outcome="question",tool="ask_user"} 1
askgate_tool_calls_total{app="a",outcome="question",tool="calculator"} 1
askgate_tool_calls_total{app="a",outcome="question",tool="picker"} 1
`), "askgate_tool_calls_total")
	if err != nil {
		t.Error(err)
	}
}

func TestWhatCannotRunIsNotAskedFor(t *testing.T) {
	b := guarded(t, never(t))
	for _, name := range []string{"calculator", "picker"} {
		if out := b.run(t, call(name, `{"n":"x"}`))[0]; out.Error == nil || out.Error.Code != tools.CodeInvalidArguments {
			t.Errorf("%s with invalid arguments: %+v", name, out)
		}
		batch := toolexec.Batch{App: b.app, Calls: []tools.Call{call(name, `{"n":1}`)}}
		if out := b.executor.Execute(t.Context(), b.catalog, batch)[0]; out.Error == nil || out.Error.Code != tools.CodeNoUser {
			t.Errorf("%s, and no one can answer: %+v", name, out)
		}
	}
	if defs := b.catalog.Definitions("a", "en", false); len(defs) != 0 {
		t.Errorf("offered although no one can answer: %+v", defs)
	}
	if defs := b.catalog.Definitions("a", "en", true); len(defs) != 5 {
		t.Errorf("offered: %+v", defs)
	}
}

func TestApprovalsAndInputsCountAgainstNoCapOfQuestions(t *testing.T) {
	b := guarded(t, never(t))
	batch := toolexec.Batch{App: b.app, Interactive: true, AskedConversation: 1, Calls: []tools.Call{
		call("calculator", `{"n":1}`), call("picker", `{"n":1}`), call("ask_user", `{"question":"What?"}`),
	}}
	out := b.executor.Execute(t.Context(), b.catalog, batch)
	if out[0].Question == nil || out[1].Question == nil || out[2].Error == nil || out[2].Error.Code != tools.CodeLimitReached {
		t.Errorf("%+v", out)
	}
}

func TestAllowedCallRunsAndOnlyThatOne(t *testing.T) {
	b := guarded(t, fake(ok))
	other := call("calculator", `{"n":2}`)
	other.ID = "other"
	batch := toolexec.Batch{App: b.app, Interactive: true, Approved: map[string]toolexec.Approved{"c": {Definition: b.run(t, other)[0].Question.Definition}}, Calls: []tools.Call{call("calculator", `{"n":1}`), other}}
	if out := b.executor.Execute(t.Context(), b.catalog, batch); out[0].Result != "fine" || out[1].Question == nil {
		t.Errorf("%+v", out)
	}
}

// A repeatable call is not repeated once a person has allowed it.
func TestAllowedCallIsJournalledWhateverItIs(t *testing.T) {
	j := &book{}
	b := guarded(t, pure{fake(ok)})
	c := call("calculator", `{"n":1}`)
	batch := toolexec.Batch{App: b.app, Interactive: true, Approved: map[string]toolexec.Approved{"c": {Definition: b.run(t, c)[0].Question.Definition}}, Journal: j, Calls: []tools.Call{c}}
	if out := b.executor.Execute(t.Context(), b.catalog, batch); out[0].Result != "fine" || strings.Join(j.lines, ", ") != "begin 0, end 0 fine" {
		t.Errorf("%+v, the journal has %q", out, j.lines)
	}
}

func TestRememberedToolRunsWithoutBeingAskedAbout(t *testing.T) {
	b := guarded(t, fake(ok))
	for name, test := range map[string]struct {
		batch toolexec.Batch
		want  string
	}{
		"remembered":        {toolexec.Batch{Interactive: true, Journal: &book{remembered: map[int]bool{0: true, 1: true, 2: true}}}, "ran approval input"},
		"not remembered":    {toolexec.Batch{Interactive: true, Journal: &book{}}, "approval approval approval"},
		"no journal":        {toolexec.Batch{Interactive: true}, "approval approval approval"},
		"no one can answer": {toolexec.Batch{Journal: &book{remembered: map[int]bool{0: true, 1: true, 2: true}}}, "no no no"},
	} {
		test.batch.App = b.app
		test.batch.Calls = []tools.Call{call("clock", `{"n":1}`), call("calculator", `{"n":1}`), call("grabber", `{}`)} // for the second, nothing is to be remembered
		var got []string
		for _, out := range b.executor.Execute(t.Context(), b.catalog, test.batch) {
			switch {
			case out.Question != nil:
				got = append(got, string(out.Question.Kind))
			case out.Error != nil && out.Error.Code == tools.CodeNoUser:
				got = append(got, "no")
			default:
				got = append(got, "ran")
			}
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %s, want %s", name, s, test.want)
		}
	}
}

func TestAnApprovalHoldsForTheToolAsItWas(t *testing.T) {
	b := guarded(t, fake(ok))
	asked := b.run(t, call("calculator", `{"n":1}`))[0].Question
	if len(asked.Definition) != 64 {
		t.Fatalf("%+v", asked)
	}
	for definition, runs := range map[string]bool{asked.Definition: true, "": false, "what it was before": false} {
		batch := toolexec.Batch{App: b.app, Interactive: true, Approved: map[string]toolexec.Approved{"c": {Definition: definition}}, Calls: []tools.Call{call("calculator", `{"n":1}`)}}
		if out := b.executor.Execute(t.Context(), b.catalog, batch)[0]; (out.Result == "fine") != runs || (out.Question == nil) != runs {
			t.Errorf("allowed as %q: %+v", definition, out)
		}
	}
	for definition, runs := range map[string]bool{b.run(t, call("clock", `{"n":1}`))[0].Question.Definition: true, asked.Definition: false} {
		batch := toolexec.Batch{App: b.app, Interactive: true, Journal: &book{definition: definition}, Calls: []tools.Call{call("clock", `{"n":1}`)}}
		if out := b.executor.Execute(t.Context(), b.catalog, batch)[0]; (out.Result == "fine") != runs {
			t.Errorf("remembered as %q: %+v", definition, out)
		}
	}
}

func TestEditedArgumentsBecomeCanonical(t *testing.T) {
	b := guarded(t, fake(ok))
	q := *b.run(t, call("calculator", `{"n":1}`))[0].Question
	q.Editable = true
	check := func(edited string) (tools.Answer, error) {
		return b.catalog.Resumer("a", "calculator", tools.KindApproval).Check(q, tools.Answer{Value: []byte("true"), Arguments: []byte(edited)})
	}
	if a, err := check(` { "n" : 2 } `); err != nil || string(a.Arguments) != `{"n":2}` {
		t.Errorf("%s, %v", a.Arguments, err)
	}
	if a, err := check(`"{\"n\": 2 }"`); err != nil || string(a.Arguments) != `{"n":2}` {
		t.Errorf("sent as a text: %s, %v", a.Arguments, err)
	}
	for _, edited := range []string{`""`, `"x"`, `{"n":1,"n":2}`, `{"n":1e999}`, `{"n":"x"}`} {
		if a, err := check(edited); err == nil {
			t.Errorf("%s: %s", edited, a.Arguments)
		}
	}
}
