package toolexec_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// fake is a tool that does what the test defines.
type fake func(ctx context.Context, call tools.Call) (tools.Outcome, error)

func (f fake) Run(ctx context.Context, call tools.Call) (tools.Outcome, error) { return f(ctx, call) }

func (fake) Definition() (string, json.RawMessage) {
	return "fake", json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","maximum":9}},"required":["n"],"additionalProperties":false}`)
}

type bench struct {
	executor *toolexec.Executor
	catalog  *toolexec.Catalog
	app      *config.App
	registry *prometheus.Registry
	log      *strings.Builder
}

// set creates a catalog of an app with ask_user and calculator, which runs f.
func set(t testing.TB, app string, f fake) *bench {
	t.Helper()
	return setTool(t, app, f)
}

func setTool(t testing.TB, app string, f tools.Tool) *bench {
	t.Helper()
	dir := t.TempDir()
	configtest.Files{
		"apps/a.json": app,
		"tools.json":  `[{"id": "ask_user", "type": "ask_user", "description": {"en": "Ask.", "de": "Frage."}}]`,
	}.Write(t, dir)
	snap, err := config.Load(config.Options{Dir: dir, Env: func(string) (string, bool) { return "", false }, Tools: types})
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := toolexec.NewCatalog(snap, toolexec.Factories{
		config.TypeAskUser: func(*config.App, *config.Tool) (tools.Tool, error) {
			return askuser.New(askuser.Limits{}, func(string) askuser.Words { return askuser.Words{Yes: "Yes", No: "No"} }), nil
		},
		"calculator": func(*config.App, *config.Tool) (tools.Tool, error) { return f, nil },
		"clock":      func(*config.App, *config.Tool) (tools.Tool, error) { return f, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := snap.App("a")
	registry := prometheus.NewRegistry()
	log := &strings.Builder{} // a slog.Handler writes one line at a time
	return &bench{toolexec.New(registry, slog.New(slog.NewTextHandler(log, nil))), catalog, a, registry, log}
}

const both = `{"id": "a", "name": "A", "tools": ["ask_user", "calculator"]}`

func (b *bench) run(t testing.TB, calls ...tools.Call) []tools.Outcome {
	t.Helper()
	outs := b.executor.Execute(t.Context(), b.catalog, toolexec.Batch{App: b.app, Interactive: true, Calls: calls})
	for i := range outs {
		if outs[i].Question != nil {
			b.executor.Asked(b.catalog, b.app.ID, calls[i].Name) // as the storing side does
		}
	}
	return outs
}

func ok(context.Context, tools.Call) (tools.Outcome, error) {
	return tools.Outcome{Result: "fine"}, nil
}

func call(name, arguments string) tools.Call {
	return tools.Call{ID: "c", Name: name, Arguments: arguments, Language: "en"}
}

func TestEveryCallHasExactlyOneOutcomeInItsPlace(t *testing.T) {
	b := set(t, both, func(_ context.Context, c tools.Call) (tools.Outcome, error) {
		return tools.Outcome{Result: c.ID}, nil
	})
	var calls []tools.Call
	for i := range 40 {
		calls = append(calls, tools.Call{ID: fmt.Sprint(i), Name: "calculator", Arguments: `{"n":1}`})
	}
	for i, out := range b.run(t, calls...) {
		if out.Result != fmt.Sprint(i) {
			t.Errorf("call %d: %+v", i, out)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		call    tools.Call
		code    string
		message string
	}{
		"unknown tool":        {call("rm", `{}`), tools.CodeNotAvailable, `There is no tool "rm" here. Use only the tools that you were given`},
		"nearly a tool":       {call("calculate", `{}`), tools.CodeNotAvailable, `"calculate" here. Did you mean calculator?`},
		"known, not listed":   {call("clock", `{"n":1}`), tools.CodeNotAvailable, `"clock"`},
		"wrong type":          {call("calculator", `{"n":"x"}`), tools.CodeInvalidArguments, "/n"},
		"out of range":        {call("calculator", `{"n":10}`), tools.CodeInvalidArguments, "/n"},
		"missing":             {call("calculator", ``), tools.CodeInvalidArguments, "n"},
		"additional":          {call("calculator", `{"n":1,"m":2}`), tools.CodeInvalidArguments, "m"},
		"no JSON":             {call("calculator", `{"n":`), tools.CodeInvalidArguments, "JSON"},
		"no object":           {call("calculator", `[1]`), tools.CodeInvalidArguments, "object"},
		"ten megabytes":       {call("calculator", `{"n":1,"x":"`+strings.Repeat("a", 10<<20)+`"}`), tools.CodeInvalidArguments, "limit"},
		"deep":                {call("calculator", strings.Repeat(`{"n":`, 50_000)), tools.CodeInvalidArguments, "64 levels"},
		"a name twice":        {call("calculator", `{"n":1,"n":2}`), tools.CodeInvalidArguments, `"n"`},
		"a huge number":       {call("calculator", `{"n":1e999}`), tools.CodeInvalidArguments, "double"},
		"a question twice":    {call("ask_user", `{"question":"A?","question":"B?"}`), tools.CodeInvalidClarification, `"question"`},
		"a deep question":     {call("ask_user", strings.Repeat(`{"question":`, 65)+"1"+strings.Repeat("}", 65)), tools.CodeInvalidClarification, "64 levels"},
		"a huge bound":        {call("ask_user", `{"question":"A?","validation":{"min":1e999}}`), tools.CodeInvalidClarification, "double"},
		"blank question":      {call("ask_user", `{"question":" "}`), tools.CodeInvalidClarification, "question"},
		"arguments no object": {call("ask_user", `7`), tools.CodeInvalidClarification, "object"},
	} {
		b := set(t, both, ok)
		out := b.run(t, c.call)[0]
		if out.Error == nil || out.Error.Code != c.code || !strings.Contains(out.Error.Message, c.message) {
			t.Errorf("%s: %+v %v", name, out.Error, out.Result)
		}
		if len(out.Error.Message) > 3000 {
			t.Errorf("%s: a message of %d bytes", name, len(out.Error.Message))
		}
	}
}

func TestCapsCountWithinTheBatchAndRefusedCallsDoNot(t *testing.T) {
	b := set(t, `{"id": "a", "name": "A", "tools": ["ask_user"], "clarifications": {"perConversation": 10, "perTurn": 2}}`, ok)
	outs := b.run(t, call("ask_user", `{"question":""}`), call("ask_user", `{"question":"1"}`), call("ask_user", `{"question":"2"}`), call("ask_user", `{"question":"3"}`))
	if outs[0].Error == nil || outs[1].Question == nil || outs[2].Question == nil {
		t.Fatalf("%+v", outs)
	}
	if e := outs[3].Error; e == nil || e.Code != tools.CodeLimitReached ||
		e.Message != "Maximum clarification limit (2) reached for this turn. Please proceed with the available information or make reasonable assumptions." {
		t.Errorf("%+v", e)
	}
	out := b.executor.Execute(t.Context(), b.catalog, toolexec.Batch{
		App: b.app, Interactive: true, AskedConversation: 10, Calls: []tools.Call{call("ask_user", `{"question":"4"}`)},
	})[0]
	if e := out.Error; e == nil || e.Message != "Maximum clarification limit (10) reached for this conversation. Please proceed with the available information or make reasonable assumptions." {
		t.Errorf("%+v", e)
	}
}

func TestCapsBeyondAChatAreWordedAndCounted(t *testing.T) {
	b := set(t, `{"id": "a", "name": "A", "tools": ["ask_user"], "clarifications": {"perPrincipalPerDay": 20, "perAppPerMinute": 3}}`, ok)
	for reached, want := range map[toolexec.Cap]string{
		toolexec.CapPrincipal: "Maximum clarification limit (20) reached for this user today. ",
		toolexec.CapApp:       "Maximum clarification limit (3) reached for this app at the moment. ",
	} {
		out := b.executor.Refuse(b.app, "ask_user", reached)
		if e := out.Error; out.Question != nil || e == nil || e.Code != tools.CodeLimitReached ||
			e.Message != want+"Please proceed with the available information or make reasonable assumptions." {
			t.Errorf("%s: %+v", reached, out)
		}
	}
	err := testutil.GatherAndCompare(b.registry, strings.NewReader(`
# HELP askgate_clarifications_rejected_total Calls that would have asked a person and were refused, by reason.
# TYPE askgate_clarifications_rejected_total counter
askgate_clarifications_rejected_total{app="a",reason="limit_app"} 1
askgate_clarifications_rejected_total{app="a",reason="limit_principal"} 1
# HELP askgate_tool_calls_total Tool calls of the model, by outcome: ok, error, rejected, refused, cancelled, question, repeated, remembered.
# TYPE askgate_tool_calls_total counter
askgate_tool_calls_total{app="a",outcome="refused",tool="ask_user"} 2
`))
	if err != nil {
		t.Error(err)
	}
}

func TestNobodyThereAndNeverAsk(t *testing.T) {
	b := set(t, both, ok)
	out := b.executor.Execute(t.Context(), b.catalog, toolexec.Batch{App: b.app, Calls: []tools.Call{call("ask_user", `{"question":"x"}`)}})[0]
	if out.Error == nil || out.Error.Code != tools.CodeNoUser {
		t.Errorf("%+v", out)
	}
	for name, n := range map[string]int{
		both: 2,
		`{"id": "a", "name": "A", "tools": ["ask_user", "calculator"], "clarifications": {"perConversation": 0}}`: 1,
		`{"id": "a", "name": "A", "tools": ["ask_user", "calculator"], "clarifications": {"perTurn": 0}}`:         1,
	} {
		b := set(t, name, ok)
		if got := len(b.catalog.Definitions("a", "en", true)); got != n {
			t.Errorf("%s: %d tools offered, want %d", name, got, n)
		}
		if got := len(b.catalog.Definitions("a", "en", false)); got != 1 {
			t.Errorf("%s: %d tools offered although no one can answer, want 1", name, got)
		}
	}
}

func TestDefinitionsSpeakTheChatsLanguage(t *testing.T) {
	b := set(t, both, ok)
	for language, want := range map[string]string{"en": "Ask.", "de": "Frage.", "de-AT": "Frage.", "fr": "Ask."} {
		d := b.catalog.Definitions("a", language, true)[0]
		if d.Name != "ask_user" || !strings.HasSuffix(d.Description, "\n\n"+want) || !json.Valid(d.Parameters) {
			t.Errorf("%s: %q", language, d.Description)
		}
	}
}

func TestWhateverAToolDoesTheLoopGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		tool fake
		code string
	}{
		"panics": {func(context.Context, tools.Call) (tools.Outcome, error) { panic("secret") }, tools.CodeToolFailed},
		"fails":  {func(context.Context, tools.Call) (tools.Outcome, error) { return tools.Outcome{}, errors.New("secret") }, tools.CodeToolFailed},
		"tells": {func(context.Context, tools.Call) (tools.Outcome, error) {
			return tools.Outcome{}, &tools.Error{Code: "OWN", Message: "m"}
		}, "OWN"},
		"wants more": {func(context.Context, tools.Call) (tools.Outcome, error) {
			return tools.Outcome{Question: &tools.Question{}}, nil
		}, tools.CodeToolFailed},
	} {
		out := set(t, both, c.tool).run(t, call("calculator", `{"n":1}`))[0]
		if out.Error == nil || out.Error.Code != c.code || strings.Contains(out.Error.Message, "secret") {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

func TestSlowToolIsEndedAndCancelledToolSaysSo(t *testing.T) {
	wait := func(ctx context.Context, _ tools.Call) (tools.Outcome, error) {
		<-ctx.Done()
		return tools.Outcome{}, ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		out := set(t, both, wait).run(t, call("calculator", `{"n":1}`))[0]
		if out.Error == nil || out.Error.Code != tools.CodeToolTimeout || time.Since(begin) > time.Minute {
			t.Errorf("after %s: %+v", time.Since(begin), out)
		}
	})
	b := set(t, both, wait)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := b.executor.Execute(ctx, b.catalog, toolexec.Batch{App: b.app, Calls: []tools.Call{call("calculator", `{"n":1}`)}})[0]
	if out.Error == nil || out.Error.Code != tools.CodeCancelled {
		t.Errorf("%+v", out)
	}
}

// patient is a tool with its own time limit.
type patient struct {
	fake
	timeout time.Duration
}

func (p patient) Timeout() time.Duration { return p.timeout }

func TestToolsMaySetTheirOwnBound(t *testing.T) {
	wait := func(ctx context.Context, _ tools.Call) (tools.Outcome, error) {
		<-ctx.Done()
		return tools.Outcome{}, ctx.Err()
	}
	for _, timeout := range []time.Duration{time.Second, 5 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			b := setTool(t, both, patient{wait, timeout})
			begin := time.Now()
			out := b.run(t, call("calculator", `{"n":1}`))[0]
			if took := time.Since(begin); out.Error == nil || out.Error.Code != tools.CodeToolTimeout || took != timeout {
				t.Errorf("after %s: %+v", took, out)
			}
		})
	}
}

func TestOperatorsReadTheCauseAndModelsDoNot(t *testing.T) {
	b := set(t, both, func(context.Context, tools.Call) (tools.Outcome, error) {
		return tools.Outcome{}, &tools.Error{Code: "OWN", Message: "told", Cause: "logged"}
	})
	out := b.run(t, call("calculator", `{"n":1}`))[0]
	if told, _ := json.Marshal(out.Error); string(told) != `{"code":"OWN","message":"told"}` {
		t.Errorf("told %s", told)
	}
	if log := b.log.String(); !strings.Contains(log, "error=logged") || strings.Contains(log, "told") {
		t.Errorf("logged %s", log)
	}
}

func TestCallsRunSideBySideButNotAllAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		b := set(t, both, func(context.Context, tools.Call) (tools.Outcome, error) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			return tools.Outcome{Result: "x"}, nil
		})
		var calls []tools.Call
		for range 8 {
			calls = append(calls, call("calculator", `{"n":1}`))
		}
		begin := time.Now()
		b.run(t, calls...)
		if took := time.Since(begin); took != 2*time.Second || most.Load() != 4 {
			t.Errorf("took %s, %d at a time", took, most.Load())
		}
	})
}

func TestResultsAreBoundedAndUTF8(t *testing.T) {
	b := set(t, both, func(context.Context, tools.Call) (tools.Outcome, error) {
		return tools.Outcome{Result: "a\xff" + strings.Repeat("ü", 1<<20)}, nil
	})
	out := b.run(t, call("calculator", `{"n":1}`))[0]
	if len(out.Result) > 64<<10 || len(out.Result) < 64<<10-4 || !utf8.ValidString(out.Result) {
		t.Errorf("%d bytes, valid %v", len(out.Result), utf8.ValidString(out.Result))
	}
}

func TestCounts(t *testing.T) {
	b := set(t, both, ok)
	b.run(t, call("calculator", `{"n":1}`), call("calculator", `{}`), call("x"+strings.Repeat("y", 100), `{}`),
		call("ask_user", `{"question":"q","type":"text"}`), call("ask_user", `{}`))
	err := testutil.GatherAndCompare(b.registry, strings.NewReader(`
# HELP askgate_tool_calls_total Tool calls of the model, by outcome: ok, error, rejected, refused, cancelled, question, repeated, remembered.
# TYPE askgate_tool_calls_total counter
askgate_tool_calls_total{app="a",outcome="ok",tool="calculator"} 1
askgate_tool_calls_total{app="a",outcome="question",tool="ask_user"} 1
askgate_tool_calls_total{app="a",outcome="refused",tool="ask_user"} 1
askgate_tool_calls_total{app="a",outcome="refused",tool="calculator"} 1
askgate_tool_calls_total{app="a",outcome="refused",tool="unknown"} 1
`), "askgate_tool_calls_total")
	if err != nil {
		t.Error(err)
	}
	if n := testutil.CollectAndCount(b.registry, "askgate_clarification_repairs_total"); n != 1 {
		t.Errorf("%d kinds of repairs counted, want 1", n)
	}
}

func TestQuestionOfAToolThatIsGoneCanStillBeClosed(t *testing.T) {
	b := set(t, `{"id": "a", "name": "A", "tools": []}`, ok)
	q := tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{Question: "q", InputType: tools.Text}}}
	if _, err := b.catalog.Resumer("a", "ask_user", tools.KindQuestion).Check(q, tools.Answer{Value: json.RawMessage(`"x"`)}); err != nil {
		t.Error(err)
	}
}

func FuzzExecute(f *testing.F) {
	f.Add("ask_user", `{"question":"x","options":"[1,2]"}`)
	f.Add("calculator", `{"n":1}`)
	f.Add("calc\x00", "\xff")
	b := set(f, both, ok)
	f.Fuzz(func(t *testing.T, name, arguments string) {
		out := b.run(t, call(name, arguments))[0]
		kinds := 0
		for _, set := range []bool{out.Result != "", out.Error != nil, out.Question != nil} {
			if set {
				kinds++
			}
		}
		if kinds != 1 {
			t.Fatalf("%q %q: %+v", name, arguments, out)
		}
	})
}

// book is a journal that records its calls, and refuses those in refused.
type book struct {
	mu         sync.Mutex
	lines      []string
	refused    map[int]bool
	remembered map[int]bool
	definition string // of the remembered approval; "": any
	role       string // of the person who gave it
}

func (b *book) Remembered(i int, definition, role string) bool {
	return b.remembered[i] || definition == b.definition && role == b.role
}

func (b *book) Begin(i int, ruled *tools.Ruled) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	line := fmt.Sprint("begin ", i)
	if ruled != nil {
		line += " " + decided(ruled)
	}
	b.lines = append(b.lines, line)
	if b.refused[i] {
		return errors.New("the store is away")
	}
	return nil
}

func (b *book) End(i int, out tools.Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, fmt.Sprint("end ", i, " ", out.Result))
}

// pure is a tool whose calls may be repeated.
type pure struct{ fake }

func (pure) Repeatable(tools.Call) bool { return true }

func TestCallsThatMustNotRunTwiceAreJournalledAroundTheirRun(t *testing.T) {
	ran := map[string]bool{}
	j := &book{refused: map[int]bool{2: true}}
	b := set(t, both, func(_ context.Context, c tools.Call) (tools.Outcome, error) {
		j.mu.Lock()
		defer j.mu.Unlock()
		if last := j.lines[len(j.lines)-1]; !strings.HasPrefix(last, "begin") {
			t.Errorf("call %s runs after %q", c.ID, last)
		}
		ran[c.ID] = true
		return tools.Outcome{Result: "of " + c.ID}, nil
	})
	batch := toolexec.Batch{App: b.app, Journal: j}
	for i, arguments := range []string{`{"n":1}`, `{"n":"refused by its schema"}`, `{"n":1}`} {
		batch.Calls = append(batch.Calls, tools.Call{ID: fmt.Sprint(i), Name: "calculator", Arguments: arguments})
	}
	var out []tools.Outcome
	for i := range batch.Calls { // one by one: the order of the journal is then known
		one := batch
		one.Calls, one.Journal = batch.Calls[i:i+1], &shifted{j, i}
		out = append(out, b.executor.Execute(t.Context(), b.catalog, one)...)
	}
	if got, want := strings.Join(j.lines, ", "), "begin 0, end 0 of 0, begin 2"; got != want {
		t.Errorf("the journal has %s, want %s", got, want)
	}
	if out[2].Error == nil || out[2].Error.Code != tools.CodeCancelled || ran["2"] {
		t.Errorf("a call that could not be journalled: %+v, run: %v", out[2], ran["2"])
	}
}

// shifted is the journal of the call at an index.
type shifted struct {
	*book
	at int
}

func (s *shifted) Begin(_ int, r *tools.Ruled) error { return s.book.Begin(s.at, r) }
func (s *shifted) End(_ int, out tools.Outcome)      { s.book.End(s.at, out) }

func TestCallsThatMayBeRepeatedAreNotJournalled(t *testing.T) {
	b := setTool(t, both, pure{ok})
	j := &book{}
	out := b.executor.Execute(t.Context(), b.catalog, toolexec.Batch{App: b.app, Journal: j, Calls: []tools.Call{call("calculator", `{"n":1}`)}})
	if out[0].Result != "fine" || len(j.lines) != 0 {
		t.Errorf("%+v, journal %v", out[0], j.lines)
	}
}

// The processor time of the calls of a step is counted together, and separately for each step.
func TestCallsOfAStepCountTheirProcessorTimeTogether(t *testing.T) {
	b := set(t, both, func(_ context.Context, c tools.Call) (tools.Outcome, error) {
		c.Processor.Add(time.Second)
		return tools.Outcome{Result: fmt.Sprintf("%p", c.Processor)}, nil
	})
	first, second := b.run(t, call("calculator", `{"n":1}`), call("calculator", `{"n":2}`)), b.run(t, call("calculator", `{"n":1}`))
	if first[0].Result != first[1].Result || first[0].Result == second[0].Result {
		t.Errorf("%+v %+v", first, second)
	}
}
