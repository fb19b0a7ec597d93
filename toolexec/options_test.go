package toolexec_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

const templatesJSON = `[
	{"id": "ask_user", "templates": {
		"pick": {"question": {"en": "Which of {team}?", "de": "Welches von {team}?"}, "optionsFrom": {"tool": "list", "arguments": {"team": "{team}"}, "label": "/n", "value": "/v"}, "fallback": "text"},
		"bare": {"question": "Which of {team}?", "optionsFrom": {"tool": "list", "arguments": {"team": "{team}"}, "label": "/n", "value": "/v"}},
		"fixed": {"description": {"en": "A colour.", "de": "Eine Farbe."}, "question": "Colour?", "input_type": "multiselect", "validation": {"max": 2},
			"optionsFrom": {"tool": "list", "label": ""}, "fallback": [{"label": {"en": "Red", "de": "Rot"}, "value": "r"}, {"label": "Blue"}]}
	}},
	{"id": "list", "type": "http", "http": {"url": "http://h/"}, "parameters": {"type": "object", "properties": {"team": {"type": "string", "maxLength": 9}}}}
]`

// listing is a bench with templates whose source is f.
func listing(t testing.TB, f fake, entries ...string) *bench {
	t.Helper()
	return listed(t, f, entries...)
}

func listed(t testing.TB, f tools.Tool, entries ...string) *bench {
	t.Helper()
	dir := t.TempDir()
	text := templatesJSON
	if len(entries) > 0 {
		text = entries[0]
	}
	for name, content := range map[string]string{
		"apps/a.json": `{"id": "a", "tools": ["ask_user"], "clarifications": {"maxOptions": 3, "perTurn": 1000, "perConversation": 1000}}`, "tools.json": text,
	} {
		if err := os.MkdirAll(filepath.Join(dir, "apps"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	snap, err := config.Load(config.Options{Dir: dir, Env: func(string) (string, bool) { return "", false }, Tools: types, Question: askuser.CheckTemplate})
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := toolexec.NewCatalog(snap, toolexec.Factories{
		config.TypeAskUser: func(_ *config.App, entry *config.Tool) (tools.Tool, error) {
			if entry == nil {
				return askuser.New(askuser.Limits{}, nil), nil
			}
			var list []askuser.Template
			for name, of := range entry.Templates {
				one := askuser.Template{Name: name, Values: of.Values, Question: func(language string) []byte { return of.QuestionIn(language) }}
				if of.From != nil {
					one.Arguments = append([]byte{}, of.From.Arguments...)
					if len(one.Arguments) == 0 {
						one.Arguments = []byte("{}")
					}
				}
				list = append(list, one)
			}
			return askuser.New(askuser.Limits{}, nil, list...), nil
		},
		"http": func(*config.App, *config.Tool) (tools.Tool, error) { return f, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := snap.App("a")
	registry := prometheus.NewRegistry()
	log := &strings.Builder{}
	return &bench{toolexec.New(registry, slog.New(slog.NewTextHandler(log, nil))), catalog, a, registry, log}
}

// rows returns n rows, as a source lists them.
func rows(n int) string {
	list := make([]map[string]any, n)
	for i := range list {
		list[i] = map[string]any{"n": fmt.Sprintf("Name %d", i), "v": i}
	}
	b, _ := json.Marshal(list)
	return string(b)
}

func (b *bench) pick(t testing.TB, team string) *tools.Question {
	t.Helper()
	out := b.run(t, call("ask_user", fmt.Sprintf(`{"template":"pick","values":{"team":%q}}`, team)))[0]
	if out.Question == nil {
		t.Fatalf("no question: %+v", out.Error)
	}
	return out.Question
}

func (b *bench) asked(q *tools.Question) toolexec.Asked {
	return toolexec.Asked{App: b.app, Tool: "ask_user", Question: *q}
}

func TestOptionsComeFromTheTool(t *testing.T) {
	var got tools.Call
	n := 2
	b := listing(t, func(_ context.Context, c tools.Call) (tools.Outcome, error) {
		got = c
		return tools.Outcome{Result: rows(n)}, nil
	})
	out := b.run(t, call("ask_user", `{"template":"pick","values":{"team":"over the limit"}}`))[0]
	if out.Error == nil || out.Error.Code != tools.CodeInvalidClarification || out.Error.Reason != "template_value" || !strings.Contains(out.Error.Message, "at /team") || got.Name != "" {
		t.Errorf("values that the tool refuses: %+v", out)
	}
	q := b.pick(t, "<R> & {x}")
	p := q.Parts[0]
	if got.Arguments != `{"team":"<R> & {x}"}` || got.MaxResult != 16<<20 || p.Question != "Which of <R> & {x}?" {
		t.Errorf("%+v\n%+v", got, p)
	}
	if len(p.Options) != 2 || p.Searchable || p.OptionsTotal != 0 || p.Options[1] != (tools.Option{Label: "Name 1", Value: "1"}) || len(q.Sources) != 1 {
		t.Errorf("%+v", q)
	}
	n = 4
	if p := b.pick(t, "other").Parts[0]; len(p.Options) != 3 || !p.Searchable || p.OptionsTotal != 4 {
		t.Errorf("%+v", p)
	}
}

func TestListsAreOfferedForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		b := listing(t, func(context.Context, tools.Call) (tools.Outcome, error) {
			calls++
			return tools.Outcome{Result: rows(5)}, nil
		})
		b.pick(t, "x")
		time.Sleep(59 * time.Second)
		q := b.pick(t, "x")
		if _, _, err := b.executor.Search(t.Context(), b.catalog, b.asked(q), 0, "name", 0, 5); err != nil || calls != 1 {
			t.Errorf("%d calls within the minute, %v", calls, err)
		}
		if b.pick(t, "y"); calls != 2 {
			t.Errorf("other values: %d calls", calls)
		}
		time.Sleep(time.Second)
		if b.pick(t, "x"); calls != 3 {
			t.Errorf("after the minute: %d calls", calls)
		}
		if _, err := b.executor.Verify(t.Context(), b.catalog, b.asked(q), tools.Answer{Value: json.RawMessage(`"1"`)}); err != nil || calls != 4 {
			t.Errorf("an answer queries the source again: %d calls, %v", calls, err)
		}
		if b.pick(t, "x"); calls != 4 {
			t.Errorf("rows queried for an answer are cached as well: %d calls", calls)
		}
	})
}

func TestManyListsAreNotAllHeld(t *testing.T) {
	calls := 0
	b := listing(t, func(context.Context, tools.Call) (tools.Outcome, error) {
		calls++
		return tools.Outcome{Result: rows(5)}, nil
	})
	for i := range 65 {
		b.pick(t, fmt.Sprint(i))
	}
	if b.pick(t, "64"); calls != 65 {
		t.Errorf("the newest is cached: %d calls", calls)
	}
	if b.pick(t, "0"); calls != 66 {
		t.Errorf("the oldest is not: %d calls", calls)
	}
}

func TestThoseWhoWantTheSameAskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		b := listing(t, func(ctx context.Context, _ tools.Call) (tools.Outcome, error) {
			calls.Add(1)
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return tools.Outcome{}, ctx.Err()
			}
			return tools.Outcome{Result: rows(5)}, nil
		})
		gone, leave := context.WithCancel(t.Context())
		first := make(chan tools.Outcome)
		go func() {
			batch := toolexec.Batch{App: b.app, Interactive: true, Calls: []tools.Call{call("ask_user", `{"template":"pick","values":{"team":"x"}}`)}}
			first <- b.executor.Execute(gone, b.catalog, batch)[0]
		}()
		synctest.Wait()
		found := make(chan *tools.Question)
		for range 10 {
			go func() { found <- b.pick(t, "x") }()
		}
		synctest.Wait()
		leave() // the first caller
		if out := <-first; out.Error == nil || out.Error.Code != tools.CodeCancelled {
			t.Errorf("%+v", out)
		}
		for range 10 {
			if q := <-found; len(q.Parts[0].Options) != 3 {
				t.Errorf("%+v", q.Parts[0])
			}
		}
		if calls.Load() != 1 {
			t.Errorf("%d calls", calls.Load())
		}
	})
}

func TestQuestionIsAskedWithoutItsSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for outcome, f := range map[string]fake{
			"failed": func(context.Context, tools.Call) (tools.Outcome, error) {
				return tools.Outcome{}, &tools.Error{Code: tools.CodeHTTPError, Message: "HTTP 503"}
			},
			"timeout": func(ctx context.Context, _ tools.Call) (tools.Outcome, error) {
				<-ctx.Done()
				return tools.Outcome{}, ctx.Err()
			},
			"unreadable": func(context.Context, tools.Call) (tools.Outcome, error) { return tools.Outcome{Result: "<html>"}, nil },
			"empty":      func(context.Context, tools.Call) (tools.Outcome, error) { return tools.Outcome{Result: "[]"}, nil },
		} {
			b := listing(t, f)
			began := time.Now()
			out := b.run(t, call("ask_user", `{"questions":[{"template":"pick","values":{"team":"x"}},{"template":"fixed"},{"question":"Own?"}]}`))[0]
			if out.Question == nil || time.Since(began) > 10*time.Second {
				t.Fatalf("%s: after %v %+v", outcome, time.Since(began), out.Error)
			}
			text, own := out.Question.Parts[0], out.Question.Parts[1]
			if text.InputType != tools.Text || text.Options != nil || text.Question != "Which of x?" || text.Searchable {
				t.Errorf("%s: %+v", outcome, text)
			}
			if own.InputType != tools.Multiselect || len(own.Options) != 2 || own.Options[0] != (tools.Option{Label: "Red", Value: "r"}) || own.Options[1].Value != "Blue" || own.Validation == nil {
				t.Errorf("%s: %+v", outcome, own)
			}
			if len(out.Question.Sources) != 0 {
				t.Errorf("%s: the answer would be checked: %+v", outcome, out.Question.Sources)
			}
			expected := fmt.Sprintf(`
# HELP askgate_option_source_requests_total Calls of tools that list the options of a template, by outcome: ok, empty, refused, timeout, failed, unreadable.
# TYPE askgate_option_source_requests_total counter
askgate_option_source_requests_total{app="a",outcome=%[1]q,template="fixed"} 1
askgate_option_source_requests_total{app="a",outcome=%[1]q,template="pick"} 1
`, outcome)
			if err := testutil.GatherAndCompare(b.registry, strings.NewReader(expected), "askgate_option_source_requests_total"); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestSourceThatPanicsIsOneThatFails(t *testing.T) {
	b := listing(t, func(context.Context, tools.Call) (tools.Outcome, error) { panic("secret") })
	if q := b.pick(t, "x"); q.Parts[0].InputType != tools.Text || strings.Contains(b.log.String(), "secret") {
		t.Errorf("%+v\n%s", q, b.log)
	}
}

func value(s string) tools.Answer { return tools.Answer{Value: json.RawMessage(s)} }

func TestAnswersAreVerifiedByTheSource(t *testing.T) {
	result := rows(9)
	var fails error
	b := listing(t, func(context.Context, tools.Call) (tools.Outcome, error) { return tools.Outcome{Result: result}, fails })
	q := b.pick(t, "x")
	verify := func(a tools.Answer) (tools.Answer, *tools.StaleError, error) {
		out, err := b.executor.Verify(t.Context(), b.catalog, b.asked(q), a)
		stale, _ := errors.AsType[*tools.StaleError](err)
		return out, stale, err
	}
	if a, _, err := verify(value(`"2"`)); err != nil || a.Options != nil {
		t.Errorf("offered: %+v %v", a, err)
	}
	if a, _, err := verify(value(`8`)); err != nil || len(a.Options) != 1 || a.Options[0] != (tools.Option{Label: "Name 8", Value: "8"}) {
		t.Errorf("found by searching: %+v %v", a, err)
	}
	for _, a := range []tools.Answer{{Declined: true}, {Skipped: true}, {Other: "x"}, {}, value("null"), {Answers: []tools.Answer{{Declined: true}}}} {
		if _, _, err := verify(a); err != nil {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if a, _, err := verify(tools.Answer{Answers: []tools.Answer{value(`"7"`)}}); err != nil || len(a.Answers[0].Options) != 1 {
		t.Errorf("inside answers: %+v %v", a, err)
	}

	fails = errors.New("down")
	for _, v := range []string{`"0"`, `"8"`} { // carried, and in the cached list
		if _, _, err := verify(value(v)); err != nil {
			t.Errorf("%s while the source is away: %v", v, err)
		}
	}
	if _, _, err := verify(value(`"99"`)); !errors.Is(err, toolexec.ErrNoOptions) {
		t.Errorf("nothing is known of it, and: %v", err)
	}
	if found, _, err := b.executor.Search(t.Context(), b.catalog, b.asked(q), 0, "8", 0, 9); err != nil || len(found) != 1 {
		t.Errorf("a search in the cached list: %v %v", found, err)
	}
	other := *q
	other.Sources = []tools.OptionSource{{Template: "pick", Arguments: `{"team":"z"}`}}
	if _, _, err := b.executor.Search(t.Context(), b.catalog, b.asked(&other), 0, "8", 0, 9); !errors.Is(err, toolexec.ErrNoOptions) {
		t.Errorf("a search without any list: %v", err)
	}

	fails, result = nil, `[{"n":"Name 1","v":1},{"n":"New","v":"new"}]`
	for _, v := range []string{`"0"`, `"8"`, `"99"`} {
		if _, stale, err := verify(value(v)); stale == nil || stale.Total != 2 || len(stale.Options) != 2 || stale.Gone[0] != strings.Trim(v, `"`) {
			t.Errorf("%s is gone: %v", v, err)
		}
	}
	if a, _, err := verify(value(`"new"`)); err != nil || len(a.Options) != 1 {
		t.Errorf("new since then: %+v %v", a, err)
	}
	few := b.pick(t, "few") // carries all options
	if _, err := b.executor.Verify(t.Context(), b.catalog, b.asked(few), value(`"99"`)); err != nil {
		t.Errorf("never offered, which Check must refuse: %v", err)
	}
	result = `[]`
	if _, err := b.executor.Verify(t.Context(), b.catalog, b.asked(few), value(`"1"`)); err == nil {
		t.Error("no options are left, and the answer is accepted")
	}
}

func TestVerifyingLeavesTheCallersAnswerAlone(t *testing.T) {
	b := listing(t, func(context.Context, tools.Call) (tools.Outcome, error) { return tools.Outcome{Result: rows(9)}, nil })
	q := b.pick(t, "x")
	a := tools.Answer{Answers: []tools.Answer{value(`"7"`)}}
	for range 2 { // a command may be repeated
		if _, err := b.executor.Verify(t.Context(), b.catalog, b.asked(q), a); err != nil || a.Answers[0].Options != nil {
			t.Errorf("%+v %v", a, err)
		}
	}
}

func TestChosenOptionsAreASetInTheirOrder(t *testing.T) {
	b := listing(t, func(context.Context, tools.Call) (tools.Outcome, error) { return tools.Outcome{Result: rows(9)}, nil })
	q := b.asked(b.pick(t, "x"))
	a, err := b.executor.Verify(t.Context(), b.catalog, q, tools.Answer{Values: []string{"8", "0", "5", "8"}})
	if err != nil || len(a.Options) != 2 || a.Options[0].Value != "5" || a.Options[1].Value != "8" {
		t.Errorf("%+v %v", a.Options, err)
	}
}

func TestMessagesNameAnyOption(t *testing.T) {
	b := listing(t, func(context.Context, tools.Call) (tools.Outcome, error) { return tools.Outcome{Result: rows(9)}, nil })
	q := b.asked(b.pick(t, "x"))
	for text, want := range map[string]string{"8": `"8"`, " name 7 ": `"7"`, "Name": "", "nothing": ""} {
		if a, ok := b.executor.Named(t.Context(), b.catalog, q, text); string(a.Value) != want || ok != (want != "") {
			t.Errorf("%q: %s", text, a.Value)
		}
	}
}

// A question stays answerable, and searchable, when its template is gone.
func TestQuestionOutlivesItsTemplate(t *testing.T) {
	b := listing(t, func(context.Context, tools.Call) (tools.Outcome, error) { return tools.Outcome{Result: rows(9)}, nil })
	q := b.asked(b.pick(t, "x"))
	later := listing(t, never(t), `[]`)
	if a, err := later.executor.Verify(t.Context(), later.catalog, q, value(`"0"`)); err != nil || string(a.Value) != `"0"` {
		t.Errorf("%+v %v", a, err)
	}
	if found, total, err := later.executor.Search(t.Context(), later.catalog, q, 0, "name", 0, 9); err != nil || total != 3 || len(found) != 3 {
		t.Errorf("%v %v", found, err)
	}
	if later.catalog.Lists("a") || !b.catalog.Lists("a") || b.catalog.Lists("none") {
		t.Error("the apps that have options listed by tools")
	}
}

func TestModelIsToldOfTemplates(t *testing.T) {
	never := never(t)
	b := listing(t, never)
	def := b.catalog.Definitions("a", "de", true)[0]
	var schema struct {
		Properties struct {
			Question, Questions json.RawMessage
			Template            struct {
				Enum        []string
				Description string
			}
			Values struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(def.Parameters, &schema); err != nil {
		t.Fatal(err)
	}
	told := schema.Properties.Template
	if strings.Join(told.Enum, " ") != "bare fixed pick" || !strings.Contains(told.Description, "fixed: Eine Farbe.") || !strings.Contains(told.Description, "pick: Welches von {team}? (values: team)") {
		t.Errorf("%+v", told)
	}
	if schema.Properties.Values.Properties["team"] == nil || schema.Properties.Question == nil || schema.Properties.Questions == nil {
		t.Errorf("%s", def.Parameters)
	}
	for _, parameters := range []string{`{}`, `{"type": "object"}`, `{"properties": {}, "type": "object"}`, `{"properties": { "question": {"type": "string"} }}`} {
		own := listing(t, never, `[{"id": "ask_user", "parameters": `+parameters+`, "templates": {"plain": {"question": "A > B?"}}}]`)
		def := own.catalog.Definitions("a", "en", true)[0]
		if !json.Valid(def.Parameters) || !strings.Contains(string(def.Parameters), `"enum":["plain"],"description":"A prepared question, in place of question and its fields; give its values. One of:\nplain: A > B?"`) {
			t.Errorf("%s: %s", parameters, def.Parameters)
		}
	}
}

// finding is a source that searches for words that occur elsewhere in its rows.
type finding struct {
	fake
	asked *string
}

var _ tools.Finder = finding{}

func (f finding) Find(listed, words string) string {
	if listed != `{"team":"x"}` {
		return `{"team":"` + listed + `"}`
	}
	*f.asked = words
	return `{"team":"` + words + `"}`
}

// A source that searches finds options by more than their labels, in its own order. Options that it
// does not find are found by their label, and so are all options when it fails.
func TestASourceThatSearchesIsAskedAnew(t *testing.T) {
	var words string
	found := map[string]string{"x": rows(6), "landlord": `[{"n":"Name 4","v":4},{"n":"Elsewhere","v":99},{"n":"Name 2","v":2}]`, "5": "no list"}
	b := listed(t, finding{func(_ context.Context, c tools.Call) (tools.Outcome, error) {
		var args struct{ Team string }
		_ = json.Unmarshal([]byte(c.Arguments), &args)
		if result, ok := found[args.Team]; ok {
			return tools.Outcome{Result: result}, nil
		}
		return tools.Outcome{Result: `[]`}, nil
	}, &words})
	q := b.pick(t, "x")
	for _, tt := range []struct {
		query       string
		skip, total int
		want        string
	}{
		{"landlord", 0, 2, "4 2"}, {"landlord", 1, 2, "2"}, {"landlord", 5, 2, ""}, {"no match", 0, 0, ""}, {"5", 0, 1, "5"}, {"name 3", 0, 1, "3"}, {" ", 0, 6, "0 1 2 3 4"},
	} {
		options, total, err := b.executor.Search(t.Context(), b.catalog, b.asked(q), 0, tt.query, tt.skip, 5)
		var got []string
		for _, o := range options {
			got = append(got, o.Value)
		}
		if err != nil || total != tt.total || strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %v of %d, %v; want %s of %d", tt.query, got, total, err, tt.want, tt.total)
		}
	}
	if words != "name 3" {
		t.Errorf("the last query was %q", words)
	}
}

// An empty list is reported to the model, with the arguments, unless the template has a fallback. A list
// that cannot be fetched is not an empty one.
func TestAnEmptyListIsReported(t *testing.T) {
	result := "[]"
	b := listing(t, func(context.Context, tools.Call) (tools.Outcome, error) {
		if result == "" {
			return tools.Outcome{}, &tools.Error{Code: tools.CodeHTTPError, Message: "HTTP 503"}
		}
		return tools.Outcome{Result: result}, nil
	})
	out := b.run(t, call("ask_user", `{"questions":[{"question":"Own?"},{"template":"bare","values":{"team":"reds"}}]}`))[0]
	if out.Question != nil || out.Error.Code != tools.CodeInvalidClarification || !strings.Contains(out.Error.Message, `0 rows for the template bare with {"team":"reds"}`) {
		t.Errorf("%+v", out)
	}
	result = ""
	out = b.run(t, call("ask_user", `{"template":"bare","values":{"team":"blues"}}`))[0]
	if out.Question == nil || out.Question.Parts[0].InputType != tools.Text {
		t.Errorf("%+v", out)
	}
}

// An admin's description of ask_user comes after the gateway's rules; that of another tool replaces the
// tool's own.
func TestADescriptionOfAskUserIsAdded(t *testing.T) {
	b := listing(t, func(context.Context, tools.Call) (tools.Outcome, error) { return tools.Outcome{}, nil },
		`[{"id": "ask_user", "description": {"en": "Ask about the cost centre first.", "de": "Zuerst nach der Kostenstelle fragen."}}]`)
	own, _ := askuser.New(askuser.Limits{}, nil).Definition()
	for language, added := range map[string]string{"en": "Ask about the cost centre first.", "de": "Zuerst nach der Kostenstelle fragen."} {
		if got := b.catalog.Definitions("a", language, true)[0].Description; got != own+"\n\n"+added {
			t.Errorf("%s: %q", language, got)
		}
	}
}
