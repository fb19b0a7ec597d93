package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// askKey is a key that may ask.
func askKey(id, roles, mayAsk string) string {
	return strings.TrimSuffix(tenantKey(id, "acme", id, roles, false), "}") + `, "mayAsk": [` + mayAsk + `]}`
}

var askFiles = files{
	"gateway.json": `{"models": {"default": {"provider": "demo"}}, "limits": {"requestsPerMinute": 0, "concurrentTurns": 0},
		"auth": {"mode": "apiKeys", "roles": {"robots": {"mayAsk": ["carol", "role:oncall"]}}, "keys": [` + strings.Join([]string{
		askKey("ci", ``, `"alice", "role:finance"`), askKey("robot", `"robots"`, `"bob"`), askKey("boss", ``, `"*"`), askKey("alice", `"oncall"`, ``),
		askKey("bob", `"oncall"`, ``), askKey("carol", ``, ``), tenantKey("globex", "globex", "alice", `"oncall"`, false),
		strings.TrimSuffix(tenantKey("backend", "acme", "backend", `"robots"`, true), "}") + `, "mayAsk": ["alice"]}`,
	}, ",") + `]}}`,
}

// only returns the one question that was asked.
func (e *fakeEngine) onlyAsked(t testing.TB) turn.Asking {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.asked) != 1 {
		t.Fatalf("asked %d times", len(e.asked))
	}
	a := e.asked[0]
	e.asked = nil
	return a
}

func TestWhoMayAskWhom(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, askFiles, withEngine(engine))
	ask := func(to string, headers ...string) reply {
		body := `{"question": "Q"}`
		if to != "" {
			body = `{"question": "Q", "to": ` + to + `}`
		}
		return s.call("POST", "/v1/apps/plain/clarifications", body, headers...)
	}
	for _, c := range []struct{ who, to, subject string }{
		{"ci", ``, "ci"}, {"ci", `"ci"`, "ci"}, {"ci", `"alice"`, "alice"}, {"ci", `{"role": "finance"}`, "finance"},
		{"ci", `"bob"`, ""}, {"ci", `"finance"`, ""}, {"ci", `{"role": "alice"}`, ""}, {"ci", `{"role": "oncall"}`, ""}, {"ci", `"Alice"`, ""}, {"ci", `"role:finance"`, ""},
		{"robot", `"bob"`, "bob"}, {"robot", `"carol"`, "carol"}, {"robot", `{"role": "oncall"}`, "oncall"}, {"robot", `"alice"`, ""},
		{"boss", `"not.known@example.org"`, "not.known@example.org"}, {"boss", `{"role": "anything"}`, "anything"},
		{"alice", ``, "alice"}, {"alice", `{"role": "oncall"}`, ""}, {"alice", `"bob"`, ""},
	} {
		r := ask(c.to, bearerOf("ag_"+c.who)...)
		if c.subject == "" {
			r.wantProblem(t, 403, "forbidden")
			continue
		}
		if r.StatusCode != 201 || r.Header.Get("Location") != "/v1/clarifications/clr_1" {
			t.Errorf("%s asks %s: %d %v %s", c.who, c.to, r.StatusCode, r.Header, r.body)
			continue
		}
		a := engine.onlyAsked(t)
		want := c.subject
		if strings.HasPrefix(c.to, "{") {
			want = chat.RoleSubject(c.subject)
		}
		if a.Ref.Tenant != "acme" || a.Ref.Subject != want || (a.Role != "") != strings.HasPrefix(c.to, "{") || a.Asker.Subject != c.who || a.Ref.App != "plain" {
			t.Errorf("%s asks %s: %+v", c.who, c.to, a)
		}
		if a.By != (tools.Asker{Kind: tools.AskerProgram, Name: c.who}) || a.Ref.ChatID != chat.AskChatID(c.who, c.who) {
			t.Errorf("%s asks as %+v in %s", c.who, a.By, a.Ref.ChatID)
		}
	}
	// A caller that acts for another user asks as that user, and only as users whom the key may act
	// for.
	if r := ask(`"alice"`, bearerOf("ag_backend", "X-Askgate-User", "dave")...); r.StatusCode != 201 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	if a := engine.onlyAsked(t); a.Asker.Subject != "dave" || a.Ref.Subject != "alice" {
		t.Errorf("%+v", a)
	}
	ask(`"bob"`, bearerOf("ag_backend", "X-Askgate-User", "dave")...).wantProblem(t, 403, "forbidden")
	ask(`"alice"`).wantProblem(t, 401, "unauthenticated")
	s.call("POST", "/v1/apps/nosuch/clarifications", `{"question": "Q"}`, bearerOf("ag_ci")...).wantProblem(t, 404, "not_found")

	// Without keys there is one user.
	alone := newServer(t, nil, withEngine(engine))
	if r := alone.call("POST", "/v1/apps/plain/clarifications", `{"question": "Q"}`); r.StatusCode != 201 {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
	for _, to := range []string{`"alice"`, `{"role": "oncall"}`} {
		alone.call("POST", "/v1/apps/plain/clarifications", `{"question": "Q", "to": `+to+`}`).wantProblem(t, 403, "forbidden")
	}
}

func TestTheBodyOfAQuestion(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, askFiles, withEngine(engine))
	post := func(body string, headers ...string) reply {
		return s.call("POST", "/v1/apps/plain/clarifications", body, append(headers, bearerOf("ag_boss")...)...)
	}
	for body, want := range map[string]string{ // field of a 400
		`[]`: "", `"x"`: "", `{"question": "Q"`: "", "{\"question\": \"\xff\"}": "", `{"question": "Q"} x`: "",
		`{"question": "Q", "tow": "alice"}`: "tow", `{"question": "Q", "chat_id": "c"}`: "chat_id", `{"question": "Q", "asked_by": {}}`: "asked_by",
		`{"question": "Q", "` + strings.Repeat("x", 100) + `": 1}`: strings.Repeat("x", 63) + "…",
		`{"question": "Q", "question": "R"}`:                       "question", `{"question": "Q", "to": "alice", "to": "bob"}`: "to",
		`{"question": "Q", "to": null}`: "to", `{"question": "Q", "to": 5}`: "to", `{"question": "Q", "to": ["a"]}`: "to", `{"question": "Q", "to": ""}`: "to",
		`{"question": "Q", "to": "a\u0000b"}`: "", `{"question": "Q", "to": "\u001frole\u001foncall"}`: "to", `{"question": "Q", "to": " a"}`: "to",
		`{"question": "Q", "to": "` + strings.Repeat("a", 256) + `"}`: "to", `{"question": "Q", "to": {}}`: "to.role", `{"question": "Q", "to": {"role": 1}}`: "to.role",
		`{"question": "Q", "to": {"role": ""}}`: "to.role", `{"question": "Q", "to": {"role": "a b"}}`: "to.role", `{"question": "Q", "to": {"role": "a", "x": 1}}`: "to.x",
		`{"question": "Q", "askedBy": "x"}`: "askedBy", `{"question": "Q", "askedBy": {}}`: "askedBy.name", `{"question": "Q", "askedBy": {"title": "T"}}`: "askedBy.name",
		`{"question": "Q", "askedBy": {"name": " "}}`: "askedBy.name", `{"question": "Q", "askedBy": {"name": "a\nb"}}`: "askedBy.name",
		`{"question": "Q", "askedBy": {"name": "a\u202eb"}}`: "askedBy.name", `{"question": "Q", "askedBy": {"name": "` + strings.Repeat("ä", 101) + `"}}`: "askedBy.name",
		`{"question": "Q", "askedBy": {"name": "a", "title": "` + strings.Repeat("ä", 201) + `"}}`: "askedBy.title", `{"question": "Q", "askedBy": {"name": "a", "kind": "model"}}`: "askedBy.kind",
		`{"question": "Q", "chatId": "a b"}`: "chatId", `{"question": "Q", "chatId": 1}`: "chatId", `{"question": "Q", "idempotencyKey": ""}`: "idempotencyKey",
		`{"question": "Q", "locale": "?"}`: "locale", `{"question": "Q", "x": ` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`: "",
	} {
		if p := post(body).wantProblem(t, 400, "invalid_request"); p.Field != want {
			t.Errorf("%.80q: field %q, want %q", body, p.Field, want)
		}
	}
	post(`{"question": "`+strings.Repeat("x", 1<<20)+`"}`).wantProblem(t, 413, "too_large")
	post(`{"question": "Q"}`, "Content-Type", "text/plain").wantProblem(t, 415, "unsupported_media_type")
	c := loadSchemas(t)
	for body, want := range map[string]string{ // errors of a 422
		`{}`: "0 question blank_question", `{"to": "alice"}`: "0 question blank_question", `{"prompt": 7}`: "0 prompt wrong_kind",
		`{"question": "Q", "type": "colour"}`:                                               "0 type unknown_type",
		`{"question": "Q", "choices": [{"text": "a"}, {"text": ""}]}`:                       "0 choices[1].text bad_label",
		`{"questions": [{"question": "A"}, {"question": "B", "kind": "x"}]}`:                "1 kind unknown_type",
		`{"questions": [{"question": "Password?"}, {"prompt": ""}]}`:                        "1 prompt blank_question, 0 question secret",
		`{"question": "Q", "expiresIn": "soon"}`:                                            "0 expiresIn bad_expiry",
		`{"question": "Q", "validation": {"regex": "(a+)+"}, "type": "text"}`:               "0 validation.regex pattern_unsafe",
		`{"question": "` + strings.Repeat("x", 501) + `"}`:                                  "0 question too_long",
		`{"questions": [{"question": "A", "question": "B"}]}`:                               "0  duplicate_name",
		`{"question": "Q", "options": ["` + strings.Repeat("x", 300<<10) + `", "b"]}`:       "0  too_large",
		`{"question": "Q", "input_type": "text", "options": ["A"]}`:                         "0 options options_type",
		`{"questions": [{"question": "Q", "type": "yesno", "choices": ["Now", "Later"]}]}`:  "0 choices options_type",
		`{"question": "Q", "options": ["A"], "enum": ["B"]}`:                                "0 enum option_lists",
		`{"questions": [{"question": "Q", "schema": {"enum": [{"title": ""}]}}]}`:           "0 schema.enum[0].title bad_label",
		`{"question": "Q", "input_type": "number", "minimum": 5, "validation": {"max": 1}}`: "0 minimum bad_range",
		`{"question": "Q", "options": ["a", "b"], "default": "c"}`:                          "0 default bad_default",
	} {
		for _, language := range []string{"en", "de", "fr", "es"} {
			r := post(body, "Accept-Language", language)
			p := r.wantProblem(t, 422, "invalid_clarification")
			c.check("Problem", r.body)
			var got []string
			for _, e := range p.Errors {
				got = append(got, fmt.Sprintf("%d %s %s", e.Question, e.Field, e.Code))
				if e.Message == "" || strings.HasPrefix(e.Message, "ask.") || strings.Contains(e.Message, "no value") {
					t.Errorf("%s: %q", language, e.Message)
				}
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("%.80s: %s, want %s", body, strings.Join(got, ", "), want)
			}
		}
	}
	if len(engine.asked) > 0 {
		t.Fatalf("%d were asked", len(engine.asked))
	}

	before := time.Now()
	r := post(`{"prompt": "Which?", "choices": "red, green", "expires_in": "2h", "to": "alice", "askedBy": {"name": "deploy", "title": "CI #4711", "version": "2"},
		"chatId": "deploys", "idempotencyKey": "k", "locale": "de"}`)
	if r.StatusCode != 201 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	a := engine.onlyAsked(t)
	if a.By != (tools.Asker{Kind: tools.AskerProgram, Name: "deploy", Title: "CI #4711", Version: "2"}) || a.Ref.ChatID != "deploys" || a.Key != "k" || a.Hash == "" || a.Language != "de" {
		t.Errorf("%+v", a)
	}
	if p := a.Question.Parts; len(p) != 1 || p[0].Question != "Which?" || len(p[0].Options) != 2 || a.ExpiresAt.Before(before.Add(2*time.Hour)) || a.ExpiresAt.After(time.Now().Add(2*time.Hour)) {
		t.Errorf("%+v", a)
	}
	// The same question again, with its fields in another order and the key in the header.
	post(` {"locale":"de", "prompt":"Which?","choices":"red, green","to":"alice","expires_in":"2h","chatId":"deploys","askedBy":{"version":"2","title":"CI #4711","name":"deploy"}}`, "Idempotency-Key", "k")
	if same := engine.onlyAsked(t); same.Hash != a.Hash || same.Key != "k" {
		t.Errorf("%s, %s", same.Hash, a.Hash)
	}
	post(`{"prompt": "Which?", "choices": "red, blue", "expires_in": "2h"}`)
	if other := engine.onlyAsked(t); other.Hash == a.Hash || !strings.HasPrefix(other.Ref.ChatID, "ask-") {
		t.Errorf("%+v", other)
	}
	engine.again = true
	if r := post(`{"question": "Q"}`); r.StatusCode != 200 || r.Header.Get("Location") == "" {
		t.Errorf("again: %d", r.StatusCode)
	}
	for code, status := range map[chat.Code]int{chat.CodeClarificationLimit: 429, chat.CodeIdempotencyConflict: 409, chat.CodeDraining: 503} {
		engine.err = &chat.Error{Code: code, RetryAfter: time.Hour}
		r := post(`{"question": "Q"}`)
		r.wantProblem(t, status, string(code))
		c.check("Problem", r.body)
		if status == 429 && r.Header.Get("Retry-After") != "3600" {
			t.Errorf("Retry-After %q", r.Header.Get("Retry-After"))
		}
	}
	engine.err = nil
	s.api.Drain()
	post(`{"question": "Q"}`).wantProblem(t, 503, "draining")
}

// The questions that a program asks count as its own requests.
func TestQuestionsOfProgramsAreLimited(t *testing.T) {
	s := newServer(t, files{"gateway.json": strings.Replace(askFiles["gateway.json"], `"requestsPerMinute": 0`, `"requestsPerMinute": 1, "burst": 1, "streams": 1`, 1)}, nil)
	if r := s.call("POST", "/v1/apps/plain/clarifications", `{"question": "Q", "to": "alice"}`, bearerOf("ag_ci")...); r.StatusCode != 201 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	if p := s.call("POST", "/v1/apps/plain/clarifications", `{"question": "Q"}`, bearerOf("ag_ci")...).wantProblem(t, 429, "rate_limited"); p.Scope != "requests" {
		t.Errorf("%+v", p)
	}
	if r := s.call("POST", "/v1/apps/plain/clarifications", `{"question": "Q"}`, bearerOf("ag_alice")...); r.StatusCode != 201 {
		t.Errorf("it counts against the person asked: %d %s", r.StatusCode, r.body)
	}
}

// one is a stored question from ci to alice, together with the changes that a case makes to it.
func one(change func(*chat.Clarification)) func(*api.Options) {
	c := &chat.Clarification{ID: "clr_1", Ref: chat.Ref{Tenant: "acme", Subject: "alice", App: "plain", ChatID: "c1"}, ToolCallID: "call_1", ToolName: "ask_user", Arguments: "{}",
		Asker: "ci", State: tools.StatePending, Draft: json.RawMessage(`"typed"`),
		Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{ID: "q1", Question: "Q", InputType: tools.Text}}, AskedBy: &tools.Asker{Kind: tools.AskerProgram, Name: "deploy"}}}
	if change != nil {
		change(c)
	}
	return func(o *api.Options) { o.Store = fakeStore{one: c} }
}

// Who may do what with a question: the asker, the person asked, holders of the role, and others.
func TestWhoseQuestionItIs(t *testing.T) {
	toRole := func(c *chat.Clarification) { c.Subject, c.For = chat.RoleSubject("oncall"), "oncall" }
	calls := []struct{ method, path, body string }{
		{"GET", "", ""}, {"GET", "?wait=0", ""}, {"POST", "/answer", `{"value": "x"}`}, {"POST", "/seen", ""}, {"PUT", "/draft", `{"draft": 1}`}, {"GET", "/options", ""},
		{"POST", "/cancel", ""}, {"POST", "/messages", `{"message": "hi"}`},
	}
	const (
		asker   = "200 200 403 403 403 403 200 201"
		asked   = "200 200 200 204 204 200 403 403"
		both    = "200 200 200 204 204 200 200 201"
		onlooks = "200 200 403 403 403 403 403 403"
		other   = "404 404 404 404 404 404 404 404"
	)
	for name, c := range map[string]struct {
		change func(*chat.Clarification)
		want   map[string]string
	}{
		"to a person":       {nil, map[string]string{"ci": asker, "alice": asked, "bob": other, "boss": other, "globex": other, "robot": other}},
		"to oneself":        {func(c *chat.Clarification) { c.Asker = "alice" }, map[string]string{"alice": both, "ci": other, "bob": other}},
		"a model's":         {func(c *chat.Clarification) { c.Asker, c.TurnID = "", "turn_1" }, map[string]string{"alice": asked, "ci": other, "bob": other}},
		"to a role":         {toRole, map[string]string{"ci": asker, "alice": asked, "bob": asked, "carol": other, "globex": other, "boss": other}},
		"to the own role":   {func(c *chat.Clarification) { toRole(c); c.Asker = "bob" }, map[string]string{"bob": asker, "alice": asked, "ci": other}},
		"a role's approval": {func(c *chat.Clarification) { c.Asker, c.For, c.Question.Kind = "", "oncall", tools.KindApproval }, map[string]string{"alice": onlooks, "bob": asked, "ci": other, "carol": other}},
	} {
		s := newServer(t, askFiles, one(c.change))
		for who, want := range c.want {
			var got []string
			for _, call := range calls {
				r := s.call(call.method, "/v1/clarifications/clr_1"+call.path, call.body, bearerOf("ag_"+who)...)
				got = append(got, fmt.Sprint(r.StatusCode))
				if drafted := strings.Contains(string(r.body), "typed"); call.method == "GET" && drafted && !strings.HasPrefix(want, "200 200 200") {
					t.Errorf("%s, %s: the draft is shown: %s", name, who, r.body)
				}
				if r.StatusCode == 403 {
					r.wantProblem(t, 403, "forbidden")
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s, %s: %s, want %s", name, who, strings.Join(got, " "), want)
			}
		}
	}
}

func TestBareAnswers(t *testing.T) {
	s := newServer(t, askFiles, one(nil))
	for body, want := range map[string]int{
		`{"value": "x"}`: 200, `{"value": 1, "note": "n", "clarificationId": "clr_1", "toolCallId": "call_1"}`: 200, `{"answers": [{"skipped": true}]}`: 200, `{}`: 200, // the engine decides whether it is valid
		`{"answer": {"value": "x"}}`: 400, `{"value": "x", "clarificationId": "clr_2"}`: 400, `{"value": "x", "toolCallId": "call_2"}`: 400, `{"value": {}}`: 400,
		`{"value": "x", "value": "y"}`: 400, `[]`: 400, ``: 400, `{"value": "\ud800"}`: 400, `{"message": "x"}`: 400, `{"value": "` + strings.Repeat("x", 1<<20) + `"}`: 413,
	} {
		if r := s.call("POST", "/v1/clarifications/clr_1/answer", body, append(bearerOf("ag_alice"), "Content-Type", "application/json")...); r.StatusCode != want {
			t.Errorf("%.60s: %d, want %d: %s", body, r.StatusCode, want, r.body)
		}
	}
	for body, want := range map[string]int{`{"message": "hi", "locale": "de"}`: 201, `{}`: 400, `{"message": " "}`: 400, `{"message": 1}`: 400, `{"message": "x", "answer": {}}`: 400, `{"message": "` + strings.Repeat("x", 32_001) + `"}`: 413} {
		if r := s.call("POST", "/v1/clarifications/clr_1/messages", body, bearerOf("ag_ci")...); r.StatusCode != want {
			t.Errorf("%.60s: %d, want %d: %s", body, r.StatusCode, want, r.body)
		}
	}
}

func TestWaitingForTheEnd(t *testing.T) {
	waits := fakeInbox{make(chan struct{}, 100)}
	open := func(o *api.Options) { one(nil)(o); o.Inbox = waits }
	s := newServer(t, askFiles, open)
	for _, wait := range []string{"", "-1", "+5", "1.5", "301", "1e1", "5s", "٣", "99999999999999999999"} {
		if p := s.call("GET", "/v1/clarifications/clr_1?wait="+wait, "", bearerOf("ag_ci")...).wantProblem(t, 400, "invalid_request"); p.Field != "wait" {
			t.Errorf("%q: %+v", wait, p)
		}
	}
	// A call on a question that has ended returns at once, and shutting the gateway down ends the
	// wait.
	ended := newServer(t, askFiles, func(o *api.Options) {
		one(func(c *chat.Clarification) { c.State = tools.StateExpired })(o)
		o.Inbox = waits
	})
	if r := ended.call("GET", "/v1/clarifications/clr_1?wait=300", "", bearerOf("ag_ci")...); r.StatusCode != 200 {
		t.Errorf("%d", r.StatusCode)
	}
	done := make(chan reply)
	go func() { done <- s.call("GET", "/v1/clarifications/clr_1?wait=300", "", bearerOf("ag_ci")...) }()
	<-waits.waited
	s.api.Drain()
	if r := <-done; r.StatusCode != 200 || !strings.Contains(string(r.body), `"state":"pending"`) {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}

	synctest.Test(t, func(t *testing.T) {
		a, _, _ := newAPI(t, askFiles, one(nil))
		began := time.Now()
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/v1/clarifications/clr_1?wait=55", nil)
		r.Header.Set("Authorization", "Bearer ag_ci")
		a.Handler().ServeHTTP(w, r)
		if waited := time.Since(began); w.Code != 200 || waited != 55*time.Second {
			t.Errorf("%d after %v", w.Code, waited)
		}
	})
}

// Only a limited number of one caller's calls may wait at the same time.
func TestWaitsAreLimited(t *testing.T) {
	waits := fakeInbox{make(chan struct{}, 100)}
	s := newServer(t, files{"gateway.json": strings.Replace(askFiles["gateway.json"], `"requestsPerMinute": 0`, `"requestsPerMinute": 0, "streams": 1`, 1)}, func(o *api.Options) { one(nil)(o); o.Inbox = waits })
	var waiting sync.WaitGroup
	for range 10 {
		waiting.Go(func() { s.open("GET", "/v1/clarifications/clr_1?wait=300", "", bearerOf("ag_ci")...).Body.Close() })
		<-waits.waited
	}
	if p := s.call("GET", "/v1/clarifications/clr_1?wait=300", "", bearerOf("ag_ci")...).wantProblem(t, 429, "rate_limited"); p.Scope != "waits" {
		t.Errorf("%+v", p)
	}
	if r := s.call("GET", "/v1/clarifications/clr_1?wait=0", "", bearerOf("ag_ci")...); r.StatusCode != 200 {
		t.Errorf("%d", r.StatusCode)
	}
	s.api.Drain()
	waiting.Wait()
}

// FuzzAsk: whatever is sent, it is either asked in full or refused.
func FuzzAsk(f *testing.F) {
	for _, seed := range []string{
		`{"question": "Q", "to": "alice"}`, `{"questions": [{"prompt": "Q"}], "to": {"role": "a"}, "askedBy": {"name": "n"}}`, `{"question":"Q","expiresIn":"1h","chatId":"c"}`,
		`{"question":"Q","question":"Q"}`, `{"":""}`, `{"question":"Q","to":{`, `[]`, "\xff", `{"question":"\ud800"}`, `{"question":"Q","max":1e999}`, `{"questions":"[{\"question\":\"Q\"}]"}`,
	} {
		f.Add([]byte(seed))
	}
	engine := &fakeEngine{}
	a, _, _ := newAPI(f, askFiles, withEngine(engine))
	handler := a.Handler()
	f.Fuzz(func(t *testing.T, body []byte) {
		engine.asked = nil
		r := httptest.NewRequest(http.MethodPost, "/v1/apps/plain/clarifications", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer ag_boss")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		switch {
		case w.Code == http.StatusCreated:
			if len(engine.asked) != 1 || len(engine.asked[0].Question.Parts) == 0 || !json.Valid(body) || !json.Valid(w.Body.Bytes()) {
				t.Errorf("%q: %+v", body, engine.asked)
			}
		case len(engine.asked) > 0 || !slices.Contains([]int{400, 413, 422}, w.Code):
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}
