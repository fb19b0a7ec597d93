package toolexec_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// personal is a tool whose calls fail without a subject, and depend on the caller.
type personal struct {
	run func(who tools.Caller, call tools.Call) (tools.Outcome, error)
	who tools.Caller
}

func (p personal) As(who tools.Caller) tools.Tool { return personal{p.run, who} }

func (p personal) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	if p.who.Subject == "" {
		return tools.Outcome{}, &tools.Error{Code: tools.CodeToolFailed, Message: "no caller"}
	}
	return p.run(p.who, call)
}

const personalJSON = `[
	{"id": "ask_user", "templates": {
		"orders": {"question": "Which of {team}?", "optionsFrom": {"tool": "all", "arguments": {"team": "{team}", "mail": "{caller.claims.email}"}, "label": ""}, "fallback": "text"},
		"mine": {"question": "Which?", "optionsFrom": {"tool": "own", "label": ""}, "fallback": "text"},
		"plain": {"question": "Which?", "optionsFrom": {"tool": "all", "label": ""}, "fallback": "text"}
	}},
	{"id": "own", "type": "http", "http": {"url": "http://h/{caller.tenant}"}},
	{"id": "all", "type": "http", "http": {"url": "http://h/"}, "parameters": {"type": "object", "properties": {"team": {"type": "string"}, "mail": {"type": "string", "pattern": "^[^!]*$"}}}}
]`

// personally is a bench of two apps: a, whose tools depend on the caller, and b, whose tools do not.
func personally(t testing.TB, run func(who tools.Caller, call tools.Call) (tools.Outcome, error)) *bench {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "apps"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"gateway.json": `{"auth": {"mode": "jwt", "jwt": {"jwks": "https://h/k", "issuer": "i", "audience": ["a"]}}}`,
		"apps/a.json":  `{"id": "a", "tools": ["ask_user", "own", "all"], "clarifications": {"maxOptions": 3, "perTurn": 1000, "perConversation": 1000}}`,
		"apps/b.json":  `{"id": "b", "tools": ["all"]}`,
		"tools.json":   personalJSON,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	snap, err := config.Load(config.Options{Dir: dir, Env: func(string) (string, bool) { return "", false }, Tools: types, Question: askuser.CheckTemplate})
	if err != nil {
		t.Fatal(err)
	}
	if got := snap.Claims("a"); len(got) != 1 || got[0] != "email" || len(snap.Claims("b")) > 0 {
		t.Errorf("the claims are %q and %q", got, snap.Claims("b"))
	}
	catalog, err := toolexec.NewCatalog(snap, toolexec.Factories{
		config.TypeAskUser: func(_ *config.App, entry *config.Tool) (tools.Tool, error) {
			if entry == nil {
				return askuser.New(askuser.Limits{}, nil), nil
			}
			var list []askuser.Template
			for name, of := range entry.Templates {
				arguments := append([]byte{}, of.From.Arguments...)
				if len(arguments) == 0 {
					arguments = []byte("{}")
				}
				list = append(list, askuser.Template{Name: name, Values: of.Values, Arguments: arguments, Question: func(language string) []byte { return of.QuestionIn(language) }})
			}
			return askuser.New(askuser.Limits{}, nil, list...), nil
		},
		"http": func(_ *config.App, entry *config.Tool) (tools.Tool, error) {
			if entry.ID == "own" {
				return personal{run: run}, nil
			}
			return fake(func(_ context.Context, call tools.Call) (tools.Outcome, error) { return run(tools.Caller{}, call) }), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := snap.App("a")
	registry, log := prometheus.NewRegistry(), &strings.Builder{}
	return &bench{toolexec.New(registry, slog.New(slog.NewTextHandler(log, nil))), catalog, a, registry, log}
}

// as is the bench with the catalog of a caller.
func (b *bench) as(who tools.Caller) *bench {
	mine := *b
	mine.catalog = b.catalog.As("a", who)
	return &mine
}

func (b *bench) template(t testing.TB, arguments string) *tools.Question {
	t.Helper()
	out := b.run(t, call("ask_user", arguments))[0]
	if out.Question == nil {
		t.Fatalf("no question: %+v", out.Error)
	}
	return out.Question
}

func someone(subject, email string) tools.Caller {
	return tools.Caller{Tenant: "acme", Subject: subject, App: "a", Chat: "c-" + subject, Claims: map[string]string{"email": email}}
}

func TestCallsAreMadeForTheCaller(t *testing.T) {
	b := personally(t, func(who tools.Caller, _ tools.Call) (tools.Outcome, error) {
		return tools.Outcome{Result: "for " + who.Subject}, nil
	})
	alice, bob := b.as(someone("alice", "a@x")), b.as(someone("bob", "b@x"))
	for _, c := range []struct {
		of   *bench
		tool string
		want string
	}{{alice, "own", "for alice"}, {bob, "own", "for bob"}, {alice, "own", "for alice"}, {alice, "all", "for "}} {
		if out := c.of.run(t, call(c.tool, `{}`))[0]; out.Result != c.want {
			t.Errorf("%s: %+v; want %s", c.tool, out, c.want)
		}
	}
	if out := b.run(t, call("own", `{}`))[0]; out.Error == nil || out.Error.Code != tools.CodeToolFailed {
		t.Errorf("without a caller: %+v", out)
	}
	brought := alice.catalog.With("a", []tools.Definition{{Name: "scan", Parameters: json.RawMessage(`{}`)}})
	if defs := brought.Definitions("a", "en", true); len(defs) != 4 || defs[3].Name != "scan" {
		t.Errorf("%+v", defs)
	}
	alice.catalog = brought
	if out := alice.run(t, call("own", `{}`))[0]; out.Result != "for alice" {
		t.Errorf("with a client's tools: %+v", out)
	}
}

func TestAppsThatDoNotDependOnTheCallerShareTheirCatalog(t *testing.T) {
	b := personally(t, nil)
	who := someone("alice", "a@x")
	if allocs := testing.AllocsPerRun(100, func() {
		if b.catalog.As("b", who) != b.catalog || b.catalog.As("none", who) != b.catalog {
			t.Error("another catalog")
		}
	}); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// Definitions are made once for all callers: the same text, not an equal one.
func TestCallersShareDefinitions(t *testing.T) {
	b := personally(t, nil)
	first, second := b.as(someone("alice", "a@x")).catalog.Definitions("a", "en", true), b.as(someone("bob", "b@x")).catalog.Definitions("a", "en", true)
	for i := range first {
		if &first[i].Parameters[0] != &second[i].Parameters[0] {
			t.Errorf("%s is described twice", first[i].Name)
		}
	}
}

// A list belongs to those who have the same values, and others than the used ones do not matter.
func TestListsAreKeptApartByTheValuesUsed(t *testing.T) {
	var calls []string
	b := personally(t, func(who tools.Caller, c tools.Call) (tools.Outcome, error) {
		calls = append(calls, who.Tenant+c.Arguments)
		return tools.Outcome{Result: `["` + who.Tenant + ` ` + strings.ReplaceAll(c.Arguments, `"`, "'") + `"]`}, nil
	})
	other := someone("carol", "c@x")
	other.Tenant = "other"
	const orders = `{"template":"orders","values":{"team":"{caller.subject}"}}`
	for i, c := range []struct {
		who       tools.Caller
		arguments string
		calls     int
		option    string
	}{
		{someone("alice", "a@x"), orders, 1, ` {'mail':'a@x','team':'{caller.subject}'}`}, // the model's value stays as it is
		{someone("bob", "b@x"), orders, 2, ` {'mail':'b@x','team':'{caller.subject}'}`},
		{someone("alice", "a@x"), orders, 2, ` {'mail':'a@x','team':'{caller.subject}'}`},
		{someone("alice at another desk", "a@x"), orders, 2, ` {'mail':'a@x','team':'{caller.subject}'}`},
		{someone("alice", "a@x"), `{"template":"mine"}`, 3, "acme {}"},
		{someone("bob", "b@x"), `{"template":"mine"}`, 3, "acme {}"},
		{other, `{"template":"mine"}`, 4, "other {}"},
		{someone("alice", "a@x"), `{"template":"plain"}`, 5, " {}"},
		{other, `{"template":"plain"}`, 5, " {}"},
	} {
		q := b.as(c.who).template(t, c.arguments)
		if len(calls) != c.calls || len(q.Parts[0].Options) != 1 || q.Parts[0].Options[0].Label != strings.TrimSpace(c.option) {
			t.Errorf("%d: %d calls, %+v", i, len(calls), q.Parts[0].Options)
		}
		if written, _ := json.Marshal(q.Sources); strings.Contains(string(written), "@x") || strings.Contains(string(written), "acme") {
			t.Errorf("%d: the question has values of the caller: %s", i, written)
		}
	}
}

// Two callers with the same values share one call; two with others do not wait for each other's.
func TestConcurrentListsAreKeptApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		b := personally(t, func(_ tools.Caller, c tools.Call) (tools.Outcome, error) {
			calls.Add(1)
			time.Sleep(time.Second)
			return tools.Outcome{Result: `[` + c.Arguments[strings.Index(c.Arguments, ":")+1:strings.Index(c.Arguments, ",")] + `]`}, nil
		})
		got := make(chan string, 3)
		for _, email := range []string{"a@x", "a@x", "b@x"} {
			go func() {
				q := b.as(someone("s", email)).template(t, `{"template":"orders","values":{"team":"t"}}`)
				got <- email + "=" + q.Parts[0].Options[0].Value
			}()
		}
		for range 3 {
			if mail, value, _ := strings.Cut(<-got, "="); mail != value {
				t.Errorf("%s got the list of %s", mail, value)
			}
		}
		if calls.Load() != 2 {
			t.Errorf("%d calls", calls.Load())
		}
	})
}

// Without the claim, a template does what it does when its source is away, for each use, and never
// has the list of someone else.
func TestSourcesOfACallerWithoutTheClaim(t *testing.T) {
	calls := 0
	b := personally(t, func(tools.Caller, tools.Call) (tools.Outcome, error) {
		calls++
		return tools.Outcome{Result: `["1","2","3","4","5"]`}, nil
	})
	const orders = `{"template":"orders","values":{"team":"t"}}`
	q := b.as(someone("alice", "a@x")).template(t, orders)
	for name, who := range map[string]tools.Caller{"no caller": {}, "no claim": {Tenant: "acme", Subject: "alice"}, "an empty claim": someone("alice", "")} {
		b := b.as(who)
		if p := b.template(t, orders).Parts[0]; p.InputType != tools.Text || len(p.Options) > 0 {
			t.Errorf("%s: %+v", name, p)
		}
		if _, _, err := b.executor.Search(t.Context(), b.catalog, b.asked(q), 0, "4", 0, 5); !errors.Is(err, toolexec.ErrNoOptions) {
			t.Errorf("%s: searched: %v", name, err)
		}
		if _, err := b.executor.Verify(t.Context(), b.catalog, b.asked(q), tools.Answer{Value: json.RawMessage(`"5"`)}); !errors.Is(err, toolexec.ErrNoOptions) {
			t.Errorf("%s: an option that was not offered: %v", name, err)
		}
		if _, err := b.executor.Verify(t.Context(), b.catalog, b.asked(q), tools.Answer{Value: json.RawMessage(`"1"`)}); err != nil {
			t.Errorf("%s: an option that was offered: %v", name, err)
		}
		if found := b.catalog.Listed("a", "ask_user", q.Sources[0], []string{"5"}); len(found) > 0 {
			t.Errorf("%s: the list of someone else: %v", name, found)
		}
	}
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
	if log := b.log.String(); !strings.Contains(log, "no claim email") || strings.Contains(log, "a@x") {
		t.Errorf("the log: %s", log)
	}
}

// The model reads neither the values of the caller nor what a schema says about them.
func TestValuesOfTheCallerStayOutOfErrors(t *testing.T) {
	b := personally(t, func(tools.Caller, tools.Call) (tools.Outcome, error) { return tools.Outcome{Result: `[]`}, nil })
	out := b.as(someone("alice", "s3cr3t!")).run(t, call("ask_user", `{"template":"orders","values":{"team":"t"}}`))[0]
	if out.Error == nil || strings.Contains(out.Error.Message, "s3cr3t") || !strings.Contains(out.Error.Message, "do not match") {
		t.Errorf("%+v", out.Error)
	}
	if log := b.log.String(); strings.Contains(log, "s3cr3t") {
		t.Error(log)
	}
}

// A question that was stored before its template got placeholders of the caller is not filled with the
// arguments of then, which everybody's list would answer.
func TestQuestionsFromBeforeTheirPlaceholders(t *testing.T) {
	calls := 0
	b := personally(t, func(tools.Caller, tools.Call) (tools.Outcome, error) {
		calls++
		return tools.Outcome{Result: `["1"]`}, nil
	})
	alice := b.as(someone("alice", "a@x"))
	q := *alice.template(t, `{"template":"orders","values":{"team":"t"}}`)
	q.Sources[0].Arguments, q.Sources[0].Values = `{"team":"t"}`, ""
	if _, _, err := alice.executor.Search(t.Context(), alice.catalog, alice.asked(&q), 0, "1", 0, 5); !errors.Is(err, toolexec.ErrNoOptions) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
