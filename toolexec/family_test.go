package toolexec_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// family has the members a and b; the test defines what they do.
type family struct {
	*askuser.Tool
	run    fake
	closed *atomic.Int64

	changed *atomic.Bool // its members change
}

func (f family) Run(ctx context.Context, call tools.Call) (tools.Outcome, error) {
	return f.run(ctx, call)
}

func (f family) Resume(ctx context.Context, call tools.Call, q tools.Question, c tools.Closing) (tools.Outcome, error) {
	call.Asked = &tools.Asked{Question: q, Closing: c}
	return f.run(ctx, call)
}

func (f family) Close() error {
	f.closed.Add(1)
	return nil
}

func (f family) Members(string) []tools.Definition {
	if f.changed != nil && f.changed.Load() {
		return []tools.Definition{{Name: "s__c"}, {Name: "s__b", Description: "now", Parameters: json.RawMessage(`{}`)}}
	}
	return []tools.Definition{{Name: "s__a", Parameters: json.RawMessage(`{}`)}, {Name: "s__b", Parameters: json.RawMessage(`{}`)}}
}

func (family) Ready(_ context.Context, name string) error {
	if name != "s__a" && name != "s__b" {
		return &tools.Error{Code: tools.CodeNotAvailable, Message: "no " + name}
	}
	return nil
}

func (family) CheckArguments(call tools.Call) error {
	if call.Arguments != "{}" {
		return &tools.Error{Message: "none, please"}
	}
	return nil
}

// related is a bench whose app lists these of a family.
func related(t *testing.T, listed string, run fake) (*bench, *atomic.Int64) {
	t.Helper()
	return changing(t, listed, run, nil)
}

// changing is related; its members change once changed is set.
func changing(t *testing.T, listed string, run fake, changed *atomic.Bool) (*bench, *atomic.Int64) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "apps"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"apps/a.json": `{"id": "a", "tools": [` + listed + `], "clarifications": {"perConversation": 2, "perTurn": 2}}`,
		"tools.json":  `[{"id": "s", "type": "mcp", "mcp": {"url": "http://h"}}]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	snap, err := config.Load(config.Options{Dir: dir, Env: func(string) (string, bool) { return "", false }, Tools: types})
	if err != nil {
		t.Fatal(err)
	}
	asker, closed := askuser.New(askuser.Limits{}, nil), &atomic.Int64{}
	catalog, err := toolexec.NewCatalog(snap, toolexec.Factories{
		config.TypeAskUser: func(*config.App, *config.Tool) (tools.Tool, error) { return asker, nil },
		"mcp":              func(*config.App, *config.Tool) (tools.Tool, error) { return family{asker, run, closed, changed}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := snap.App("a")
	registry := prometheus.NewRegistry()
	return &bench{toolexec.New(registry, slog.New(slog.DiscardHandler)), catalog, a, registry, &strings.Builder{}}, closed
}

func TestMembersAreOfferedAndRunAsTheAppListsThem(t *testing.T) {
	for listed, want := range map[string]string{
		`"s"`: "s__a s__b", `"s__b"`: "s__b", `"s__b", "s__gone"`: "s__b", `"s__b", "s__a"`: "s__a s__b", `"s__b", "s"`: "s__a s__b", `"s", "s__b"`: "s__a s__b",
	} {
		b, closed := related(t, listed, func(_ context.Context, c tools.Call) (tools.Outcome, error) {
			return tools.Outcome{Result: c.Name}, nil
		})
		var names []string
		for _, d := range b.catalog.Definitions("a", "en", true) {
			names = append(names, d.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: offered %s", listed, got)
		}
		for _, name := range []string{"s__a", "s__b", "s", "s__", "s__c"} {
			out := b.run(t, call(name, `{}`))[0]
			if offered := strings.Contains(" "+want+" ", " "+name+" "); offered != (out.Result == name) || !offered && out.Error.Code != tools.CodeNotAvailable {
				t.Errorf("%s: %s resulted in %+v", listed, name, out)
			}
		}
		if out := b.run(t, call("s__b", `{"x":1}`))[0]; out.Error == nil || out.Error.Code != tools.CodeInvalidArguments {
			t.Errorf("%+v", out)
		}
		b.catalog.Close()
		if closed.Load() != 1 {
			t.Errorf("%s: closed %d times", listed, closed.Load())
		}
	}
}

func TestQuestionsInsideCallsCountAndNeedSomebody(t *testing.T) {
	var refused atomic.Int32
	b, _ := related(t, `"s"`, func(_ context.Context, c tools.Call) (tools.Outcome, error) {
		if c.Asked != nil {
			if c.Asked.Closing.State == tools.StateCancelled {
				refused.Add(1)
			}
			return tools.Outcome{Result: "went on"}, nil
		}
		return tools.Outcome{Question: &tools.Question{Kind: tools.KindQuestion, State: json.RawMessage(`1`), Parts: []tools.Part{{InputType: tools.Text}, {ID: "own", InputType: tools.Text}}}}, nil
	})
	out := b.run(t, call("s__a", `{}`), call("s__b", `{}`), call("s__a", `{}`))
	if out[0].Question == nil || out[1].Question == nil || out[2].Error == nil || out[2].Error.Code != tools.CodeLimitReached {
		t.Errorf("%+v", out)
	}
	if p := out[0].Question.Parts; p[0].ID != "q1" || p[1].ID != "own" {
		t.Errorf("%+v", p)
	}
	alone := b.executor.Execute(t.Context(), b.catalog, toolexec.Batch{App: b.app, Calls: []tools.Call{call("s__a", `{}`)}})[0]
	if alone.Error == nil || alone.Error.Code != tools.CodeNoUser {
		t.Errorf("%+v", alone)
	}
	if n := refused.Load(); n != 2 {
		t.Errorf("%d of 2 calls learn that no one can answer", n)
	}
	again := call("s__a", `{"no longer": "checked"}`)
	again.Asked = &tools.Asked{}
	journal := &book{}
	went := b.executor.Execute(t.Context(), b.catalog, toolexec.Batch{App: b.app, Calls: []tools.Call{again, call("s__b", `{}`)}, Journal: journal, Interactive: true})
	if went[0].Result != "went on" || went[1].Question == nil {
		t.Errorf("%+v", went)
	}
	if lines := strings.Join(journal.lines, ","); strings.Count(lines, "begin") != 2 || strings.Count(lines, "end") != 1 {
		t.Errorf("the journal has %s", lines) // a question does not end the call
	}
}

// TestWhatAFamilyOfferedStaysDescribed: a stored tool is offered unchanged, whatever the family has
// now; a call of a removed tool is refused, and a new tool is not offered.
func TestWhatAFamilyOfferedStaysDescribed(t *testing.T) {
	changed := &atomic.Bool{}
	b, _ := changing(t, `"s"`, func(_ context.Context, c tools.Call) (tools.Outcome, error) {
		return tools.Outcome{Result: c.Name}, nil
	}, changed)
	before := b.catalog.Definitions("a", "en", true)
	raw, err := json.Marshal(b.catalog.Keep("a", "en", true))
	if err != nil {
		t.Fatal(err)
	}
	var kept toolexec.Kept // as it comes back from a store
	if err := json.Unmarshal(raw, &kept); err != nil {
		t.Fatal(err)
	}
	changed.Store(true)
	if got := b.catalog.DefinitionsKept("a", "en", true, &kept); !reflect.DeepEqual(got, before) {
		t.Errorf("offered %v, before %v", got, before)
	}
	if got := b.catalog.DefinitionsKept("a", "en", true, &toolexec.Kept{Families: []string{"other"}}); len(got) != 2 || got[0].Name != "s__c" {
		t.Errorf("from a new family: %v", got)
	}
	if out := b.run(t, call("s__c", `{}`))[0]; out.Error == nil || out.Error.Code != tools.CodeNotAvailable {
		t.Errorf("a call of a removed tool resulted in %+v", out)
	}
}

// A tool with its own check does not receive arguments that could not be shown or sealed.
func TestArgumentsWithoutACanonicalFormReachNoTool(t *testing.T) {
	b, _ := related(t, `"s"`, ok)
	for _, spoiled := range []string{"null", `{"n":1}{}`, `{"n":`} {
		out := b.run(t, call("s__a", spoiled))[0]
		if out.Error == nil || out.Error.Code != tools.CodeInvalidArguments || strings.Contains(out.Error.Message, "none, please") {
			t.Errorf("%s: %+v", spoiled, out)
		}
	}
}
