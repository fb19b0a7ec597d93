package toolexec_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/approval"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tools/grounding"
)

// sending is a bench whose one tool has a required and an optional argument, and these additional
// keys. ran counts its calls.
func sending(t *testing.T, keys string) (b *bench, ran *int) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "apps"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"apps/a.json": `{"id": "a", "tools": ["send"]}`,
		"tools.json": `[{"id": "send", "type": "http", ` + keys + `
			"parameters": {"properties": {"to": {"type": "string"}, "cc": {"type": "string"}}, "required": ["to"]},
			"http": {"method": "POST", "url": "http://server.test/"}}]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	snap, err := config.Load(config.Options{Dir: dir, Env: func(string) (string, bool) { return "", false }, Tools: types})
	if err != nil {
		t.Fatal(err)
	}
	ran = new(int)
	asker := askuser.New(askuser.Limits{}, nil)
	words := func(tools.Call) string { return "About it" }
	catalog, err := toolexec.NewCatalog(snap, toolexec.Factories{
		config.TypeAskUser: func(*config.App, *config.Tool) (tools.Tool, error) { return asker, nil },
		toolexec.Approval: func(*config.App, *config.Tool) (tools.Tool, error) {
			return approval.New(asker, words, words, func(string) (yes, no string) { return "Yes", "No" }), nil
		},
		"http": func(*config.App, *config.Tool) (tools.Tool, error) {
			return fake(func(context.Context, tools.Call) (tools.Outcome, error) {
				*ran++
				return tools.Outcome{Result: "sent"}, nil
			}), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	app, _ := snap.App("a")
	registry := prometheus.NewRegistry()
	return &bench{executor: toolexec.New(registry, nil), catalog: catalog, app: app, registry: registry}, ran
}

// saidBob is a chat in which only Bob was named.
func saidBob() *grounding.Said {
	return grounding.Read([]grounding.Text{{Content: "Please write to bob@example.org, not too long."}})
}

const (
	toBob = `{"to":"bob@example.org","cc":"eve@example.org"}` // cc is optional: it is not checked
	toEve = `{"to":"eve@example.org"}`
)

func TestACallWithAValueThatNobodyGave(t *testing.T) {
	for _, c := range []struct {
		keys, arguments string
		alone           bool // no one can answer
		want            string
		counted         float64
	}{
		{``, toBob, false, "sent", 0},
		{``, toEve, false, "sent", 1},
		{`"unfounded": "allow",`, toEve, false, "sent", 0},
		{`"unfounded": "count",`, toEve, false, "sent", 1},
		{`"unfounded": "refuse",`, toBob, false, "sent", 0},
		{`"unfounded": "refuse",`, toEve, false, "INVALID_ARGUMENTS", 1},
		{`"unfounded": "refuse", "needsApproval": true,`, toEve, false, "INVALID_ARGUMENTS", 1},
		{`"unfounded": "ask",`, toBob, false, "sent", 0},
		{`"unfounded": "ask",`, toBob, true, "sent", 0},
		{`"unfounded": "ask", "editable": true,`, toEve, false, "asked about [/to]", 1},
		{`"unfounded": "ask",`, toEve, true, "NO_USER_AVAILABLE", 1},
		{`"needsApproval": true,`, toBob, false, "asked about []", 0},
		{`"needsApproval": true,`, toEve, false, "asked about [/to]", 1},
		{`"needsApproval": true, "unfounded": "allow",`, toEve, false, "asked about []", 0},
	} {
		b, ran := sending(t, c.keys)
		out := b.executor.Execute(t.Context(), b.catalog, toolexec.Batch{
			App: b.app, Interactive: !c.alone, Said: saidBob, Calls: []tools.Call{{ID: "1", Name: "send", Arguments: c.arguments}},
		})[0]
		got := out.Result
		switch {
		case out.Error != nil:
			got = out.Error.Code
			if got == tools.CodeInvalidArguments && (!strings.Contains(out.Error.Message, "/to") || !strings.Contains(out.Error.Message, "ask the user")) {
				t.Errorf("%+v: the model gets %q", c, out.Error.Message)
			}
		case out.Question != nil:
			got = "asked about [" + strings.Join(out.Question.Unfounded, " ") + "]"
		}
		if got != c.want || (*ran == 1) != (c.want == "sent") {
			t.Errorf("%+v: %s, run %d times", c, got, *ran)
		}
		if n, err := testutil.GatherAndCount(b.registry, "askgate_tool_arguments_unfounded_total"); err != nil || (n > 0) != (c.counted > 0) {
			t.Errorf("%+v: %d series, %v", c, n, err)
		}
	}
}

// A call that a person has allowed runs: by allowing it, they gave its arguments.
func TestWhatAPersonAllowedIsNotLookedForAgain(t *testing.T) {
	b, ran := sending(t, `"unfounded": "ask",`)
	batch := toolexec.Batch{App: b.app, Interactive: true, Said: saidBob, Calls: []tools.Call{{ID: "1", Name: "send", Arguments: toEve}}}
	asked := b.executor.Execute(t.Context(), b.catalog, batch)[0].Question
	if asked == nil || asked.Kind != tools.KindApproval {
		t.Fatalf("asked %+v", asked)
	}
	batch.Approved = map[string]toolexec.Approved{"1": {Definition: asked.Definition, Arguments: toEve}}
	journal := &begun{}
	batch.Journal = journal
	if out := b.executor.Execute(t.Context(), b.catalog, batch)[0]; out.Result != "sent" || *ran != 1 {
		t.Errorf("%+v, run %d times", out, *ran)
	}
	if !slices.Equal(journal.calls, []int{0}) {
		t.Errorf("a call that a person allowed may run twice: begun %v", journal.calls)
	}
	batch.Approved["1"] = toolexec.Approved{Definition: "another definition"}
	if out := b.executor.Execute(t.Context(), b.catalog, batch)[0]; out.Question == nil {
		t.Errorf("allowed for another tool: %+v", out)
	}
}

// begun remembers every approval, and which calls began.
type begun struct{ calls []int }

func (*begun) Remembered(int, string, string) bool { return true }
func (b *begun) Begin(i int, _ *tools.Ruled) error { b.calls = append(b.calls, i); return nil }
func (*begun) End(int, tools.Outcome)              {}

func TestARememberedApprovalIsNotForValuesThatNobodyGave(t *testing.T) {
	b, ran := sending(t, `"needsApproval": true, "approvalRemember": "chat", "unfounded": "ask",`)
	for arguments, asks := range map[string]bool{toBob: false, toEve: true} {
		*ran = 0
		out := b.executor.Execute(t.Context(), b.catalog, toolexec.Batch{
			App: b.app, Interactive: true, Said: saidBob, Journal: &begun{}, Calls: []tools.Call{{ID: "1", Name: "send", Arguments: arguments}},
		})[0]
		if (out.Question != nil) != asks || (*ran == 0) != asks {
			t.Errorf("%s: %+v", arguments, out)
		}
	}
}
