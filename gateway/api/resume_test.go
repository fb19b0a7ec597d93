package api_test

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/turn"
)

const resumePath = "/v1/apps/plain/chats/c1/resume"

func TestTheWishToResumeIsReadStrictly(t *testing.T) {
	var engine fakeEngine
	s := newServer(t, files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "limits": {"turnsPerMinutePerApp": 1}}`}, withEngine(&engine))
	for _, body := range []string{` `, `[]`, `null`, `{"message": "hi"}`, `{"answer": {"value": "x"}}`, `{"interactive": true}`, `{"idempotencyKey": ""}`, `{"idempotencyKey": 1}`, `{"locale": "not a tag"}`, `{"resume": true}`, `{} {}`} {
		s.call("POST", resumePath, body).wantProblem(t, 400, "invalid_request")
	}
	s.call("POST", resumePath, `{}`, "Content-Type", "text/plain").wantProblem(t, 415, "unsupported_media_type")
	s.call("POST", resumePath, `{}`, "Accept", "text/html").wantProblem(t, 406, "not_acceptable")
	s.call("POST", resumePath, `{"locale": "`+strings.Repeat("x", 1<<20)+`"}`).wantProblem(t, 413, "too_large")
	if len(engine.commands) != 0 {
		t.Fatalf("%d commands", len(engine.commands))
	}
	for _, body := range []string{`{}`, `{}`, `{"idempotencyKey": "k", "locale": "de"}`} { // more than the turns per minute
		if r := s.call("POST", resumePath, body); r.StatusCode != 200 {
			t.Fatalf("%d %s", r.StatusCode, r.body)
		}
	}
	first, last := engine.commands[0], engine.commands[2]
	if !first.Resume || first.Message != nil || first.Answer != nil || last.IdempotencyKey != "k" || last.Language != "de" {
		t.Errorf("%+v, %+v", first, last)
	}
	s.post("c1", `{"message": "hi"}`)
	if message := engine.commands[3]; message.Resume || message.Hash == first.Hash {
		t.Errorf("%+v", message)
	}
	s.api.Drain()
	if r := s.call("POST", resumePath, `{}`); r.wantProblem(t, 503, "draining").Status != 503 || r.Header.Get("Retry-After") == "" {
		t.Errorf("%v", r.Header)
	}
}

func TestAResumptionCountsAsARequest(t *testing.T) {
	var engine fakeEngine
	s := newServer(t, files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "limits": {"requestsPerMinute": 1, "burst": 1}}`}, withEngine(&engine))
	if r := s.call("POST", resumePath, `{}`); r.StatusCode != 200 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	if p := s.call("POST", resumePath, `{}`).wantProblem(t, 429, "rate_limited"); p.Scope != "requests" {
		t.Errorf("scope %s", p.Scope)
	}
}

// flaky is a model that fails at first, after part of a text.
type flaky struct{ fails int }

func (f *flaky) Stream(context.Context, model.Request) iter.Seq2[model.Delta, error] {
	f.fails--
	return func(yield func(model.Delta, error) bool) {
		if f.fails >= 0 {
			_ = yield(model.Delta{Text: []byte("Half")}, nil) && yield(model.Delta{}, &model.Error{Kind: model.KindUnavailable})
			return
		}
		yield(model.Delta{Text: []byte("Whole."), Finish: model.FinishStop}, nil)
	}
}

func TestAFailedTurnIsResumedOverHTTP(t *testing.T) {
	c := loadSchemas(t)
	s := realServer(t, nil, func(o *turn.Options) {
		o.Setup().Models["default"] = &flaky{fails: 3}
	})
	resume := func(body string, headers ...string) reply {
		return s.call("POST", resumePath, body, headers...)
	}
	snapshot := func(resumable bool, reason chat.FinishReason) *chat.Failure {
		t.Helper()
		r := s.call("GET", "/v1/apps/plain/chats/c1?messages=1", "")
		c.check("Snapshot", r.body)
		var got chat.Snapshot
		if r.decode(t, 200, &got); got.Resumable != resumable || got.FinishReason != reason {
			t.Errorf("%s", r.body)
		}
		return got.Error
	}
	r := resume(`{}`)
	r.wantProblem(t, 404, "not_found")
	s.call("POST", "/v1/apps/none/chats/c1/resume", `{}`).wantProblem(t, 404, "not_found")
	var failures []sse.Event
	for _, ev := range s.run(c, "c1", `{"message": "hi"}`) {
		if strings.HasSuffix(ev.Name, "error") {
			failures = append(failures, ev)
		}
	}
	if len(failures) != 2 || failures[0].Name != "turn.error" || failures[1].Name != "error" || string(failures[0].Data) != string(failures[1].Data) {
		t.Fatalf("the run reports its failure with %v", failures)
	}
	replayed := s.look(c, "c1", "Last-Event-ID", failures[0].ID)
	if ev := replayed(); ev.ID != failures[1].ID || ev.Name != "error" {
		t.Errorf("after turn.error comes %+v", ev)
	}
	snapshot(true, chat.FinishError)
	if r := s.call("POST", resumePath+"?errors=turn.error", `{}`); strings.Contains(string(r.body), "event: error") || !strings.Contains(string(r.body), "event: turn.error") {
		t.Errorf("with errors=turn.error: %s", r.body)
	}
	var failed struct{ Error chat.Failure }
	resume(`{}`, "Accept", "application/json").decode(t, http.StatusBadGateway, &failed)
	if failed.Error.Code != "model_unavailable" {
		t.Errorf("%+v", failed)
	}
	if kept := snapshot(true, chat.FinishError); kept == nil || kept.Code != failed.Error.Code || kept.Message == "" || !kept.Retryable {
		t.Errorf("a reload shows %+v, the run reported %+v", kept, failed.Error)
	}
	s.call("POST", resumePath+"?errors=both", `{}`).wantProblem(t, 400, "invalid_request")
	r = resume(`{"idempotencyKey": "k"}`)
	if again := resume(`{"idempotencyKey": "k"}`); string(again.body) != string(r.body) {
		t.Errorf("again:\n%s\nwant\n%s", again.body, r.body)
	}
	var names []string
	for _, ev := range events(t, string(r.body)) {
		c.check("Events/properties/"+ev.Name, ev.Data)
		names = append(names, ev.Name)
	}
	if got := strings.Join(names, " "); got != "turn.start step.restart chunk done" {
		t.Errorf("%s", got)
	}
	if kept := snapshot(false, chat.FinishStop); kept != nil {
		t.Errorf("an earlier error: %+v", kept)
	}
	s.post("c1", `{"message": "hi", "idempotencyKey": "k"}`).wantProblem(t, 409, "idempotency_conflict")
	p := resume(`{"locale": "de"}`).wantProblem(t, 409, "nothing_to_resume")
	if p.Title != "Nichts fortzusetzen" || p.Detail == "" {
		t.Errorf("%+v", p)
	}
}

func FuzzResume(f *testing.F) {
	for _, seed := range []string{`{}`, `{"idempotencyKey":"k","locale":"de"}`, `{"locale":"und"}`, `{"locale":"x-y"}`, `{"message":"hi"}`, `[]`, "\xff", `{"a":[[{}]]}`, `{"idempotencyKey":"\u0000"}`, `{"locale":null}`} {
		f.Add([]byte(seed))
	}
	engine := &fakeEngine{}
	a, _, _ := newAPI(f, files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "limits": {"requestsPerMinute": 0}}`}, withEngine(engine))
	f.Fuzz(func(t *testing.T, body []byte) {
		engine.commands = nil
		r := httptest.NewRequest(http.MethodPost, resumePath, strings.NewReader(string(body)))
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, r)
		switch {
		case w.Code != 200 && len(engine.commands) > 0:
			t.Fatalf("%d, and %+v was accepted", w.Code, engine.commands[0])
		case w.Code == 400:
		case w.Code != 200 || len(engine.commands) != 1:
			t.Fatalf("%d %s", w.Code, w.Body)
		default:
			var sent struct{ Message, Answer any }
			if cmd := engine.commands[0]; !cmd.Resume || cmd.Message != nil || cmd.Answer != nil || json.Unmarshal(body, &sent) == nil && (sent.Message != nil || sent.Answer != nil) {
				t.Fatalf("%s was accepted as %+v", body, cmd)
			}
		}
	})
}
