package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/front/aisdk"
	"github.com/askgate/askgate/gateway/inbox"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/demo"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/approval"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tooltypes/httptool"
)

// realTools makes ask_user, with its templates, and tools of type http, and asks for approval.
func realTools() toolexec.Factories {
	about := func(call tools.Call) string { return "About " + call.Name }
	factories := toolexec.Factories{
		config.TypeAskUser: func(app *config.App, entry *config.Tool) (tools.Tool, error) {
			var templates []askuser.Template
			if entry != nil {
				for name, t := range entry.Templates {
					templates = append(templates, askuser.Template{Name: name, Question: func(language string) []byte { return t.QuestionIn(language) }, Arguments: []byte("{}")})
				}
			}
			return askuser.New(askuser.Limits{MaxFile: app.MaxFile}, nil, templates...), nil
		},
		toolexec.Approval: func(*config.App, *config.Tool) (tools.Tool, error) {
			return approval.New(askuser.New(askuser.Limits{}, nil), about, about, func(string) (yes, no string) { return "Yes", "No" }), nil
		},
	}
	factories.Add(httptool.Type())
	return factories
}

// realServer is the API over the real engine, a SQLite file and the demo model.
func realServer(t *testing.T, f files, change func(*turn.Options), more ...func(*api.Options)) *server {
	t.Helper()
	return newServer(t, f, func(o *api.Options) {
		db := testdb.Open(t)
		snap := o.Setup().Config
		catalog, err := toolexec.NewCatalog(snap, realTools())
		if err != nil {
			t.Fatal(err)
		}
		setup := &turn.Setup{Config: snap, Catalog: catalog, Models: map[string]model.Model{"default": demo.New(o.Catalog.Text)}}
		eo := turn.Options{
			Store: db, Hub: stream.NewLocal(), Executor: toolexec.New(o.Registry, o.Log), Setup: func() *turn.Setup { return setup },
			Text: o.Catalog.Text, Registry: o.Registry, Log: o.Log, Node: "node",
		}
		if change != nil {
			change(&eo)
		}
		engine, err := turn.New(t.Context(), eo)
		if err != nil {
			t.Fatal(err)
		}
		o.Engine, o.Store, o.Ready = api.ForEngine(engine, &follow.Reader{Store: eo.Store, Hub: eo.Hub, Shared: eo.Shared}), api.ForStore(eo.Store), eo.Store.Ping
		o.Inbox = api.ForInbox(inbox.New(inbox.Options{Store: eo.Store, Hub: eo.Hub, Shared: eo.Shared, Log: o.Log}))
		o.Setup, o.Fronts = eo.Setup, []front.Front{aisdk.Front{}}
		o.Definitions = func(setup *turn.Setup, app, language string) []tools.Definition {
			return setup.Catalog.Definitions(app, language, true)
		}
		for _, change := range more {
			if change != nil {
				change(o)
			}
		}
	})
}

// run posts a body and reads the events, checking each against its schema and against the rules
// that apply to every stream.
func (s *server) run(c schemas, chatID, body string, headers ...string) []sse.Event {
	s.t.Helper()
	r := s.post(chatID, body, headers...)
	if r.StatusCode != 200 {
		s.t.Fatalf("%d: %s", r.StatusCode, r.body)
	}
	list := events(s.t, string(r.body))
	last := ""
	for i, ev := range list {
		c.check("Events/properties/"+ev.Name, ev.Data)
		if ev.ID <= last {
			s.t.Errorf("id %q after %q", ev.ID, last)
		}
		last = ev.ID
		if (ev.Name == "done") != (i == len(list)-1) {
			s.t.Errorf("event %d of %d is %s", i+1, len(list), ev.Name)
		}
	}
	return list
}

func events(t testing.TB, text string) []sse.Event {
	t.Helper()
	var list []sse.Event
	for ev, err := range sse.Read(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev)
	}
	return list
}

// find decodes the first event of a name.
func find(t testing.TB, list []sse.Event, name string) map[string]any {
	t.Helper()
	for _, ev := range list {
		if ev.Name == name {
			var v map[string]any
			if err := json.Unmarshal(ev.Data, &v); err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("no %s among %d events", name, len(list))
	return nil
}

// answers are valid for the demo model's questions.
var answers = map[string]string{
	"text": `{"value":"AB-123"}`, "select": `{"value":"fr","note":"formal"}`, "multiselect": `{"values":["summary"]}`,
	"confirm": `{"value":true}`, "number": `{"value":3}`, "date": `{"value":"2026-12-01"}`,
}

func TestQuestionsOfEveryTypeAreAskedAndAnswered(t *testing.T) {
	s, c := realServer(t, nil, nil), loadSchemas(t)
	for _, kind := range []string{"text", "select", "multiselect", "confirm", "number", "date"} {
		asked := s.run(c, kind, `{"message":"`+kind+`"}`)
		q := find(t, asked, "clarification")
		if q["input_type"] != kind || find(t, asked, "done")["finishReason"] != "clarification" {
			t.Fatalf("%s: %v", kind, q)
		}
		path := "/v1/apps/plain/chats/" + kind
		snapshot := s.call("GET", path, "")
		c.check("Snapshot", snapshot.body)

		answer := answers[kind]
		if kind == "multiselect" {
			first := q["options"].([]any)[0].(map[string]any)["value"]
			answer = fmt.Sprintf(`{"values":[%q]}`, first)
		}
		resumed := s.run(c, kind, `{"answer":`+answer+`,"idempotencyKey":"k"}`)
		if start := find(t, resumed, "turn.start"); start["resumed"] != true || start["turnId"] != q["turnId"] {
			t.Errorf("%s: %v", kind, start)
		}
		if outcome := find(t, resumed, "clarification.resolved")["outcome"]; outcome != "answered" {
			t.Errorf("%s: %v", kind, outcome)
		}
		if reason := find(t, resumed, "done")["finishReason"]; reason != "stop" {
			t.Errorf("%s: %v", kind, reason)
		}

		// The same answer with the same key gets the same run; without the key, it is too late.
		again := s.run(c, kind, `{"answer":`+answer+`,"idempotencyKey":"k"}`)
		if find(t, again, "done")["turnId"] != q["turnId"] || again[len(again)-1].ID != resumed[len(resumed)-1].ID {
			t.Errorf("%s: the repeated request is another run", kind)
		}
		late := s.post(kind, fmt.Sprintf(`{"answer":{"clarificationId":%q,"declined":true}}`, q["clarificationId"]))
		p := late.wantProblem(t, 409, "already_answered")
		c.check("Problem", late.body)
		if p.Outcome != "answered" || len(p.Answer) < 3 {
			t.Errorf("%s: %s", kind, late.body)
		}
		s.post(kind, `{"answer":{"declined":true},"idempotencyKey":"k"}`).wantProblem(t, 409, "idempotency_conflict")
	}
	list := s.call("GET", "/v1/apps/plain/chats?limit=2", "")
	c.check("ChatList", list.body)
}

func TestRefusedAnswersChangeNothing(t *testing.T) {
	s, c := realServer(t, nil, nil), loadSchemas(t)
	s.run(c, "c1", `{"message":"form"}`)
	path := "/v1/apps/plain/chats/c1"
	before := s.call("GET", path, "").body
	for _, body := range []string{
		`{"answer":{}}`, `{"answer":{"value":"x"}}`, `{"answer":{"answers":[]}}`, `{"answer":{"answers":[{},{},{},{}]}}`,
		`{"answer":{"answers":[{"value":" "},{"value":"nosuch"},{"value":"2026-02-30"}]}}`, `{"answer":{"skipped":true}}`,
		`{"answer":{"value":"x","result":1}}`,
	} {
		r := s.post("c1", body, "Accept-Language", "de")
		if p := r.wantProblem(t, 422, "invalid_answer"); len(p.Errors) == 0 || p.Errors[0].Message == "" || strings.HasPrefix(p.Errors[0].Message, "answer.") {
			t.Errorf("%s: %s", body, r.body)
		}
		c.check("Problem", r.body)
	}
	s.post("c1", `{"answer":{"toolCallId":"nosuch","value":"x"}}`).wantProblem(t, 404, "not_found")
	s.post("c1", `{"answer":{"clarificationId":"clr_nosuch","value":"x"}}`).wantProblem(t, 404, "not_found")
	if after := s.call("GET", path, "").body; string(after) != string(before) {
		t.Errorf("before %s\nafter %s", before, after)
	}
	list := s.call("GET", "/v1/clarifications?status=pending", "")
	c.check("ClarificationList", list.body)
	if !strings.Contains(string(list.body), `"app":"plain"`) {
		t.Errorf("%s", list.body)
	}
	s.wantMetric(`askgate_clarification_answers_rejected_total{app="plain",reason=`)

	done := s.run(c, "c1", `{"answer":{"declined":true}}`)
	if find(t, done, "clarification.resolved")["outcome"] != "declined" {
		t.Error("the question could not be declined")
	}
}

func TestAMalformedLastEventIDShowsNothing(t *testing.T) {
	s, c := realServer(t, nil, nil), loadSchemas(t)
	s.run(c, "c1", `{"message":"select"}`)
	for _, id := range []string{"", "x", "0"} {
		s.post("c1", fmt.Sprintf(`{"message":"German","lastEventId":%q}`, id)).wantProblem(t, 409, "clarification_pending")
	}
	if find(t, s.run(c, "c1", `{"message":"German"}`), "clarification.resolved")["outcome"] != "answered" {
		t.Error("without one, it counts as an answer")
	}
}

func TestClosedQuestions(t *testing.T) {
	s := realServer(t, files{"apps/plain.json": strings.Replace(plainApp, `"tools"`, `"clarifications": {"onMessageWhilePending": "supersede"}, "tools"`, 1)}, nil)
	c := loadSchemas(t)
	q := find(t, s.run(c, "c1", `{"message":"select"}`), "clarification")
	if find(t, s.run(c, "c1", `{"message":"text"}`), "clarification.resolved")["outcome"] != "superseded" {
		t.Error("not superseded")
	}
	r := s.post("c1", fmt.Sprintf(`{"answer":{"clarificationId":%q,"value":"fr"}}`, q["clarificationId"]))
	if p := r.wantProblem(t, 410, "clarification_closed"); p.State != "superseded" {
		t.Errorf("%s", r.body)
	}
	c.check("Problem", r.body)
}

func TestFollowingSeesWhatHappens(t *testing.T) {
	s, c := realServer(t, nil, nil), loadSchemas(t)
	s.call("GET", "/v1/apps/plain/chats/c1/events", "", "Last-Event-ID", "1").wantProblem(t, 404, "not_found")
	first := s.run(c, "c1", `{"message":"select"}`)

	follow := func(id string) func() sse.Event {
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/v1/apps/plain/chats/c1/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Last-Event-ID", id)
		res, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		if res.StatusCode != 200 {
			t.Fatal(res.StatusCode)
		}
		ch := make(chan sse.Event)
		go func() {
			defer close(ch)
			for ev, err := range sse.Read(res.Body) {
				if err != nil {
					return
				}
				ch <- ev
			}
		}()
		return func() sse.Event { return <-ch }
	}

	// A replay contains exactly the events after the id.
	next := follow(first[1].ID)
	for _, want := range first[2:] {
		if got := next(); got.ID != want.ID || got.Name != want.Name || string(got.Data) != string(want.Data) {
			t.Fatalf("replay %s %s, want %s %s", got.ID, got.Name, want.ID, want.Name)
		}
	}
	// Without an id, or with an id that is unknown, a snapshot comes first.
	fresh, lost := follow(""), follow("what?")
	for _, next := range []func() sse.Event{fresh, lost} {
		ev := next()
		if ev.Name != "snapshot" {
			t.Fatalf("first event %s", ev.Name)
		}
		c.check("Snapshot", ev.Data)
	}
	// All viewers see the next run live, and see the same.
	second := s.run(c, "c1", `{"answer":{"value":"fr"}}`)
	for _, next := range []func() sse.Event{next, fresh, lost} {
		for _, want := range second {
			if got := next(); got.ID != want.ID || string(got.Data) != string(want.Data) {
				t.Fatalf("live %s %s, want %s %s", got.ID, got.Data, want.ID, want.Data)
			}
		}
	}
	// Erasing the chat ends its views.
	if r := s.call("DELETE", "/v1/apps/plain/chats/c1", ""); r.StatusCode != 204 || len(r.body) != 0 {
		t.Errorf("%d", r.StatusCode)
	}
	if ev := next(); ev.Name != "" {
		t.Errorf("%s after the end", ev.Name)
	}
	s.call("GET", "/v1/apps/plain/chats/c1", "").wantProblem(t, 404, "not_found")
	s.call("DELETE", "/v1/apps/plain/chats/c1", "").wantProblem(t, 404, "not_found")
	s.call("POST", "/v1/apps/plain/chats/c1/stop", "").wantProblem(t, 404, "not_found")
}

func TestJSONModeOverTheRealEngine(t *testing.T) {
	s, c := realServer(t, nil, nil), loadSchemas(t)
	r := s.post("c1", `{"message":"confirm","locale":"de"}`, "Accept", "application/json")
	c.check("RunResult", r.body)
	var got struct {
		Status        chat.Status
		FinishReason  chat.FinishReason
		Clarification *struct{ Options []tools.Option }
	}
	r.decode(t, 200, &got)
	if got.Status != chat.StatusAwaitingInput || got.FinishReason != chat.FinishClarification || got.Clarification == nil {
		t.Errorf("%s", r.body)
	}
	r = s.post("c1", `{"answer":{"value":"yes"}}`, "Accept", "application/json")
	c.check("RunResult", r.body)
}

func TestWhatIsSomeoneElsesDoesNotExist(t *testing.T) {
	s, c := realServer(t, withKeys, nil), loadSchemas(t)
	alice := []string{"Authorization", "Bearer ag_alice"}
	bob := []string{"Authorization", "Bearer ag_backend", "X-Askgate-User", "bob"}
	q := find(t, s.run(c, "c1", `{"message":"select"}`, alice...), "clarification")
	for _, call := range [][2]string{{"GET", ""}, {"POST", "/stop"}, {"DELETE", ""}} {
		s.call(call[0], "/v1/apps/plain/chats/c1"+call[1], "", bob...).wantProblem(t, 404, "not_found")
	}
	s.post("c1", fmt.Sprintf(`{"answer":{"clarificationId":%q,"value":"fr"}}`, q["clarificationId"]), bob...).wantProblem(t, 404, "not_found")
	s.call("GET", "/v1/apps/plain/chats/c1/events", "", append(bob, "Last-Event-ID", "1")...).wantProblem(t, 404, "not_found")
	looksOn := s.look(c, "c1", bob...)
	if ev := looksOn(); ev.Name != "snapshot" || ev.ID != "" || !strings.Contains(string(ev.Data), `"messages":[]`) || !strings.Contains(string(ev.Data), `"status":"idle"`) {
		t.Errorf("bob sees %+v", ev)
	}
	for path, empty := range map[string]bool{"/v1/apps/plain/chats": true, "/v1/clarifications": true} {
		if r := s.call("GET", path, "", bob...); strings.Contains(string(r.body), `"items":[]`) != empty {
			t.Errorf("%s: %s", path, r.body)
		}
	}
	// The same id of another principal is another chat.
	own := s.run(c, "c1", `{"message":"text"}`, bob...)
	if ev := looksOn(); ev.ID != own[0].ID || string(ev.Data) != string(own[0].Data) {
		t.Errorf("bob sees %+v, want %+v", ev, own[0])
	}
	s.run(c, "c1", `{"answer":{"value":"fr"}}`, alice...)
}

// away is a store that cannot be reached.
type away struct{ store.Store }

func (away) Update(context.Context, chat.Ref, func(store.Tx) error) error {
	return fmt.Errorf("disk full: %w", store.ErrUnavailable)
}

func (a away) UpdateLazily(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	return a.Update(ctx, ref, fn)
}

func (away) Ping(context.Context) error { return store.ErrUnavailable }

func TestAStoreThatIsAway(t *testing.T) {
	s := realServer(t, nil, func(o *turn.Options) { o.Store = away{o.Store} })
	r := s.post("c1", `{"message":"hi"}`)
	r.wantProblem(t, 503, "store_unavailable")
	loadSchemas(t).check("Problem", r.body)
	s.call("GET", "/readyz", "").wantProblem(t, 503, "store_unavailable")
	if strings.Contains(string(r.body), "disk full") {
		t.Errorf("%s", r.body)
	}
}

// look follows a chat, and returns the next event at each call.
func (s *server) look(c schemas, chatID string, headers ...string) func() sse.Event {
	s.t.Helper()
	res := s.open(http.MethodGet, "/v1/apps/plain/chats/"+chatID+"/events", "", headers...)
	s.t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != 200 {
		s.t.Fatal(res.Status)
	}
	next, stop := iter.Pull2(sse.Read(res.Body))
	s.t.Cleanup(stop)
	return func() sse.Event {
		ev, err, _ := next()
		if err != nil {
			s.t.Fatal(err)
		}
		c.check("Events/properties/"+ev.Name, ev.Data)
		return ev
	}
}
