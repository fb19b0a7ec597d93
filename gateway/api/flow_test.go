package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

func limited(limits string) files {
	return files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "limits": ` + limits + `}`}
}

func TestRequestsAreLimitedBeforeAnythingElse(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, limited(`{"requestsPerMinute": 2, "burst": 2}`), withEngine(engine))
	for range 2 {
		r := s.post("c1", `{"message":"hi"}`)
		if r.StatusCode != 200 || !strings.HasPrefix(r.Header.Get("RateLimit"), `"requests";r=`) || r.Header.Get("RateLimit-Policy") == "" {
			t.Errorf("%d %v", r.StatusCode, r.Header)
		}
	}
	for _, body := range []string{`{"message":"hi"}`, `no json`, strings.Repeat("x", 2<<20)} {
		r := s.post("c2", body, "Accept-Language", "fr")
		p := r.wantProblem(t, 429, "rate_limited")
		if p.Scope != "requests" || r.Header.Get("Retry-After") == "" || r.Header.Get("RateLimit") == "" || r.Header.Get("RateLimit-Policy") == "" || r.Header.Get("Content-Language") != "fr" {
			t.Errorf("%s %v", r.body, r.Header)
		}
	}
	if len(engine.commands) != 2 {
		t.Errorf("%d commands", len(engine.commands))
	}
	if r := s.call("GET", "/v1/apps/plain/chats/c1", ""); r.StatusCode != 200 {
		t.Errorf("reading is limited: %d", r.StatusCode)
	}
	s.wantMetric(`askgate_rate_limit_decisions_total{app="plain",decision="limited",scope="requests"} 3`)
	s.wantMetric(`askgate_rate_limit_decisions_total{app="plain",decision="allowed",scope="requests"} 2`)
}

// wantMetric waits for a metric: a request is counted when it is over, which may be slightly after
// its client has seen the response.
func (s *server) wantMetric(line string) {
	s.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; {
		w := httptest.NewRecorder()
		s.api.AdminHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil))
		switch {
		case strings.Contains(w.Body.String(), line):
			return
		case time.Now().After(deadline):
			s.t.Errorf("no %s in\n%s", line, w.Body)
			return
		}
		<-time.After(time.Millisecond)
	}
}

func TestTurnsOfAnAppAreLimited(t *testing.T) {
	s := newServer(t, limited(`{"turnsPerMinutePerApp": 1}`), nil)
	if r := s.post("c1", `{"message":""}`); r.StatusCode != 400 {
		t.Fatal(r.StatusCode)
	}
	if r := s.post("c1", `{"message":"hi"}`); r.StatusCode != 200 {
		t.Fatalf("%d: a refused body used up a turn", r.StatusCode)
	}
	if p := s.post("c1", `{"message":"hi"}`).wantProblem(t, 429, "rate_limited"); p.Scope != "turns" {
		t.Errorf("scope %q", p.Scope)
	}
	if r := s.post("c1", `{"answer":{"value":"x"}}`); r.StatusCode != 200 {
		t.Errorf("an answer, which begins no turn, was refused: %d", r.StatusCode)
	}
}

func TestTurnsAtTheSameTimeAreLimited(t *testing.T) {
	begun, end := make(chan struct{}, 8), make(chan struct{})
	engine := &fakeEngine{drive: func(_ context.Context, sink stream.Sink) { _ = sink.Write(frame); begun <- struct{}{}; <-end }}
	s := newServer(t, limited(`{"concurrentTurns": 1}`), withEngine(engine))
	res := s.open("POST", "/v1/apps/plain/chats/c1/messages", `{"message":"hi"}`)
	defer res.Body.Close()
	<-begun
	r := s.post("c2", `{"message":"hi"}`)
	if p := r.wantProblem(t, 429, "rate_limited"); p.Scope != "concurrent_turns" || r.Header.Get("Retry-After") == "" {
		t.Errorf("%s %v", r.body, r.Header)
	}
	close(end)
	if _, err := io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	// The response may end a moment before the handler releases its place.
	for s.post("c3", `{"message":"hi"}`).StatusCode == 429 {
	}
}

func TestZeroIsNoLimit(t *testing.T) {
	begun, end := make(chan struct{}, 64), make(chan struct{})
	engine := &fakeEngine{drive: func(_ context.Context, sink stream.Sink) { _ = sink.Write(frame); begun <- struct{}{}; <-end }}
	s := newServer(t, limited(`{"requestsPerMinute": 0, "burst": 0, "concurrentTurns": 0, "turnsPerMinutePerApp": 0}`), withEngine(engine))
	defer close(end)
	for range 64 { // more than the defaults allow at the same time
		res := s.open("POST", "/v1/apps/plain/chats/c1/messages", `{"message":"hi"}`)
		defer res.Body.Close()
		if res.StatusCode != 200 || res.Header.Get("RateLimit") != "" || res.Header.Get("RateLimit-Policy") != "" {
			t.Fatalf("%d %v", res.StatusCode, res.Header)
		}
		<-begun
	}
	if r := s.post("c1", `{"answer":{"value":1},"locale":"!"}`); r.StatusCode != 400 || r.Header.Get("RateLimit") != "" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}

	burst := newServer(t, limited(`{"requestsPerMinute": 3, "burst": 0}`), nil)
	for i, want := range []int{200, 200, 200, 429} {
		if r := burst.post("c1", `{"message":"hi"}`); r.StatusCode != want {
			t.Errorf("request %d: %d, want %d", i+1, r.StatusCode, want)
		}
	}
}

type undecided struct{ *limit.Local }

func (undecided) Allow(context.Context, limit.Rule) (limit.Decision, error) {
	return limit.Decision{}, errors.New("away")
}

func TestALimiterThatCannotDecideLetsPass(t *testing.T) {
	s := newServer(t, nil, func(o *api.Options) { o.Limiter = undecided{limit.NewLocal()} })
	if r := s.post("c1", `{"message":"hi"}`); r.StatusCode != 200 {
		t.Errorf("%d", r.StatusCode)
	}
	s.wantMetric(`decision="error",scope="requests"} 1`)
}

func TestEventsTakeTheIDFromHeaderOrQuery(t *testing.T) {
	seen := make(chan string, 1)
	engine := &fakeEngine{follow: func(_ context.Context, after string, _ stream.Sink) error { seen <- after; return stream.ErrLagged }}
	s := newServer(t, nil, withEngine(engine))
	for _, test := range []struct{ header, query, want string }{
		{"", "", ""}, {"1", "", "1"}, {"", "?lastEventId=2", "2"}, {"1", "?lastEventId=2", "1"}, {strings.Repeat("9", 200), "", strings.Repeat("9", 64)},
	} {
		r := s.call("GET", "/v1/apps/plain/chats/c1/events"+test.query, "", "Last-Event-ID", test.header)
		if got := <-seen; got != test.want || r.StatusCode != 200 {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

func TestDrain(t *testing.T) {
	begun, end, following := make(chan struct{}), make(chan struct{}), make(chan struct{})
	engine := &fakeEngine{
		drive: func(_ context.Context, sink stream.Sink) {
			_ = sink.Write(frame)
			close(begun)
			<-end
			_ = sink.Write(frame)
		},
		follow: func(ctx context.Context, _ string, _ stream.Sink) error {
			close(following)
			<-ctx.Done()
			return ctx.Err()
		},
	}
	s := newServer(t, nil, withEngine(engine))
	running := s.open("POST", "/v1/apps/plain/chats/c1/messages", `{"message":"hi"}`)
	defer running.Body.Close()
	viewer := s.open("GET", "/v1/apps/plain/chats/c1/events", "")
	defer viewer.Body.Close()
	<-begun
	<-following
	s.wantMetric(`askgate_sse_connections{app="plain"} 2`)

	s.api.Drain()
	s.call("GET", "/readyz", "").wantProblem(t, 503, "draining")
	r := s.post("c2", `{"message":"hi"}`)
	if r.wantProblem(t, 503, "draining"); r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.call("GET", "/v1/apps/plain/chats/c1/events", "").wantProblem(t, 503, "draining")
	s.wantMetric(`askgate_http_draining_total{method="POST",route="/v1/apps/:app/chats/:chatId/messages"} 1`)
	s.wantMetric(`askgate_http_draining_total{method="GET",route="/v1/apps/:app/chats/:chatId"} 0`)
	text, err := io.ReadAll(viewer.Body)
	if err != nil || !strings.Contains(string(text), "retry: ") {
		t.Errorf("the viewer got %q, %v", text, err)
	}
	close(end)
	if text, err := io.ReadAll(running.Body); err != nil || !strings.Contains(string(text), "event: done") {
		t.Errorf("the running turn got %q, %v", text, err)
	}
	for _, path := range []string{"/healthz", "/v1/apps/plain/chats/c1"} {
		if r := s.call("GET", path, ""); r.StatusCode != 200 {
			t.Errorf("%s: %d while draining", path, r.StatusCode)
		}
	}
}

func TestLists(t *testing.T) {
	at := time.Date(2026, 2, 6, 10, 30, 0, 0, time.UTC)
	var asked store.Page
	s := newServer(t, nil, func(o *api.Options) {
		o.Store = fakeStore{
			asked: &asked, next: "more",
			conversations: []store.Listed{{Conversation: chat.Conversation{Ref: chat.Ref{ChatID: "c1"}, CreatedAt: at, UpdatedAt: at}, Beginning: "Good morning"}},
			pending: []chat.Clarification{
				{ID: "clr_1", Ref: chat.Ref{App: "plain", ChatID: "c1"}, Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{Question: "Which?", InputType: tools.Text}}}},
				{ID: "clr_2", Ref: chat.Ref{App: "gone", ChatID: "c1"}},
			},
		}
	})
	r := s.call("GET", "/v1/apps/plain/chats", "")
	if want := `{"items":[{"chatId":"c1","title":"Good morning","createdAt":"2026-02-06T10:30:00.000Z","updatedAt":"2026-02-06T10:30:00.000Z"}],"nextCursor":"more"}`; string(r.body) != want || asked.Limit != 20 {
		t.Errorf("%s, %+v", r.body, asked)
	}
	s.call("GET", "/v1/apps/plain/chats?limit=100&cursor=x", "")
	if asked != (store.Page{Limit: 100, Cursor: "x"}) {
		t.Errorf("%+v", asked)
	}
	var list struct{ Items []map[string]any }
	for _, query := range []string{"", "?status=pending"} {
		s.call("GET", "/v1/clarifications"+query, "").decode(t, 200, &list)
		if len(list.Items) != 1 || list.Items[0]["app"] != "plain" || list.Items[0]["clarificationId"] != "clr_1" || list.Items[0]["question"] != "Which?" {
			t.Errorf("%v", list.Items)
		}
	}
	for query, field := range map[string]string{"limit=0": "limit", "limit=101": "limit", "limit=x": "limit", "limit=": "limit", "cursor=" + strings.Repeat("x", 513): "cursor"} {
		for _, path := range []string{"/v1/apps", "/v1/apps/plain/chats", "/v1/clarifications"} {
			if p := s.call("GET", path+"?"+query, "").wantProblem(t, 400, "invalid_request"); p.Field != field {
				t.Errorf("%s?%s: %+v", path, query, p)
			}
		}
	}
	s.call("GET", "/v1/clarifications?status=answered", "").wantProblem(t, 400, "invalid_request")

	foreign := newServer(t, nil, func(o *api.Options) { o.Store = fakeStore{err: fmt.Errorf("x: %w", store.ErrCursor)} })
	foreign.call("GET", "/v1/apps/plain/chats?cursor=foreign", "").wantProblem(t, 400, "invalid_request")
	empty := newServer(t, nil, nil)
	if r := empty.call("GET", "/v1/apps/plain/chats", ""); string(r.body) != `{"items":[],"nextCursor":null}` {
		t.Errorf("%s", r.body)
	}
}

func TestMetricsLabelsAreClosed(t *testing.T) {
	s := newServer(t, nil, withEngine(&fakeEngine{err: &tools.AnswerError{Fields: []tools.FieldError{{Field: "value", Code: "pattern"}}}}))
	s.post("secretchat", `{"answer":{"value":"x"}}`)
	s.call("GET", "/secretpath", "")
	s.call("BREW", "/v1/apps", "")
	s.wantMetric(`askgate_clarification_answers_rejected_total{app="plain",reason="pattern"} 1`)
	s.wantMetric(`askgate_http_request_duration_seconds_count{code="422",method="POST",route="/v1/apps/:app/chats/:chatId/messages"} 1`)
	s.wantMetric(`askgate_http_request_duration_seconds_count{code="404",method="GET",route="unmatched"} 1`)
	s.wantMetric(`method="other"`)
	s.wantMetric(`askgate_build_info{`)
	s.wantMetric(`go_goroutines`)
	s.wantMetric(`process_open_fds`)
	families, err := s.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if strings.Contains(f.String(), "secret") {
			t.Errorf("%s", f)
		}
	}
}

// FuzzQuery: whatever is in the path, query and headers, the response is complete.
func FuzzQuery(f *testing.F) {
	f.Add("/v1/apps", "limit=5&cursor=x", "de", "1")
	f.Add("/v1/clarifications", "status=pending&limit=%zz", "*;q=0", "")
	f.Add("/v1/apps/plain/chats/c1/events", "lastEventId=9", ";;;", "\x00")
	f.Add("/page/texts", "lang=xx-YY", "en-", "ä")
	a, _, log := newAPI(f, nil, func(o *api.Options) {
		o.Page = http.NotFoundHandler()
		o.Engine = &fakeEngine{follow: func(context.Context, string, stream.Sink) error { return nil }}
	})
	handler := a.Handler()
	f.Fuzz(func(t *testing.T, path, query, language, id string) {
		log.Reset()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path, r.URL.RawQuery = "/"+strings.TrimLeft(path, "/"), query
		r.Header.Set("Accept-Language", language)
		r.Header.Set("Last-Event-ID", id)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
	})
}
