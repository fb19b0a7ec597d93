package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	overseers "github.com/askgate/askgate/gateway/admin"
	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

func TestPathsAreRightOrNotFound(t *testing.T) {
	s := newServer(t, nil, nil)
	for _, path := range []string{"/v1", "/v1/", "/v1/apps/", "/v1/apps/plain/", "/v1//apps", "/V1/apps", "/v1/apps/plain/chats/", "/v1/apps/plain/chats/c1/nothing", "/v1/apps/nosuch", "/v1/apps/Plain", "/favicon.ico", "/v1/apps/plain/chats/a/b", "/v1/apps/nosuch/chats/c1"} {
		s.call("GET", path, "").wantProblem(t, 404, "not_found")
	}
	s.call("GET", "/v1/apps/plain/chats/a%2Fb", "").wantProblem(t, 400, "invalid_request") // a single id, though not one of ours
	for _, test := range []struct{ method, path, allow string }{
		{"POST", "/v1/apps", "GET"}, {"PUT", "/v1/apps/plain/chats/c1", "DELETE"}, {"GET", "/v1/apps/plain/chats/c1/messages", "POST"},
		{"DELETE", "/v1/apps/plain/chats/c1/stop", "POST"}, {"HEAD", "/v1/apps/plain/chats/c1/events", "GET"},
	} {
		r := s.call(test.method, test.path, "")
		if r.StatusCode != 405 || !strings.Contains(r.Header.Get("Allow"), test.allow) {
			t.Errorf("%s %s: %d, Allow %q", test.method, test.path, r.StatusCode, r.Header.Get("Allow"))
		}
		if test.method != "HEAD" {
			r.wantProblem(t, 405, "method_not_allowed")
		}
	}
	if r := s.call("OPTIONS", "/v1/apps", ""); r.StatusCode != 204 || !strings.Contains(r.Header.Get("Allow"), "GET") || r.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("OPTIONS: %d %v", r.StatusCode, r.Header)
	}
	if r := s.call("HEAD", "/v1/apps", ""); r.StatusCode != 200 || len(r.body) != 0 {
		t.Errorf("HEAD: %d %q", r.StatusCode, r.body)
	}
}

func TestProblemsAreTheWholeBody(t *testing.T) {
	a, _, _ := newAPI(t, nil, nil)
	for method, path := range map[string]string{"GET": "/nothing", "PUT": "/v1/apps", "POST": "/v1/apps/nosuch/chats/c1/stop"} {
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %s: %s", method, path, w.Body)
		}
	}
}

func TestChatIDsAreChecked(t *testing.T) {
	s := newServer(t, nil, nil)
	for _, id := range []string{"a.b", "a%20b", "%C3%A4", strings.Repeat("x", 65), "a~"} {
		if p := s.call("GET", "/v1/apps/plain/chats/"+id, "").wantProblem(t, 400, "invalid_request"); p.Field != "chatId" {
			t.Errorf("%q: %+v", id, p)
		}
		s.post(id, `{"message":"hi"}`).wantProblem(t, 400, "invalid_request")
	}
	if r := s.call("GET", "/v1/apps/plain/chats/"+strings.Repeat("-", 64), ""); r.StatusCode != 200 {
		t.Errorf("64 characters: %d", r.StatusCode)
	}
}

func TestEveryResponseCarriesItsID(t *testing.T) {
	s := newServer(t, nil, nil)
	for sent, kept := range map[string]bool{"abc-1.2_Z": true, "": false, "a b": false, "é": false, strings.Repeat("x", 64): true, strings.Repeat("x", 65): false, "<script>": false} {
		for _, path := range []string{"/v1/apps", "/nothing", "/healthz", "/metrics"} {
			got := s.call("GET", path, "", "X-Request-Id", sent).Header.Get("X-Request-Id")
			if got == "" || kept != (got == sent) {
				t.Errorf("%s: sent %q, got %q", path, sent, got)
			}
		}
	}
	h := s.call("GET", "/v1/apps", "").Header
	for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"} {
		if h.Get(name) != value {
			t.Errorf("%s: %q", name, h.Get(name))
		}
	}
	if h.Get("Cross-Origin-Opener-Policy") != "same-origin" || !strings.Contains(h.Get("Permissions-Policy"), "camera=(), ") || h.Get("Strict-Transport-Security") != "" {
		t.Errorf("%v", h)
	}
	// With the gateway's own TLS, browsers are told to stay on HTTPS (HSTS); a proxy's header does
	// not count as TLS.
	if got := s.call("GET", "/v1/apps", "", "X-Forwarded-Proto", "https").Header.Get("Strict-Transport-Security"); got != "" {
		t.Errorf("behind a proxy: %q", got)
	}
	w := httptest.NewRecorder()
	s.api.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "https://localhost/v1/apps", nil))
	if got := w.Header().Get("Strict-Transport-Security"); got != "max-age=31536000" {
		t.Errorf("over TLS: %q", got)
	}
}

func TestEngineErrorsBecomeProblems(t *testing.T) {
	closed := &chat.Clarification{ID: "clr_1", ToolCallID: "call_1", State: tools.StateExpired}
	won := &chat.Clarification{ID: "clr_1", ToolCallID: "call_1", State: tools.StateAnswered, Answer: &tools.Answer{Value: []byte(`"fr"`), Note: "formal"}}
	for _, test := range []struct {
		err    error
		status int
		code   string
		check  func(problem, http.Header) bool
	}{
		{&chat.Error{Code: chat.CodeNotFound}, 404, "not_found", nil},
		{&chat.Error{Code: chat.CodeTurnInProgress}, 409, "turn_in_progress", nil},
		{&chat.Error{Code: chat.CodeClarificationPending, Clarification: closed}, 409, "clarification_pending", nil},
		{&chat.Error{Code: chat.CodeIdempotencyConflict}, 409, "idempotency_conflict", nil},
		{&chat.Error{Code: chat.CodeInvalidRequest, Detail: "ambiguous_answer"}, 400, "invalid_request", func(p problem, _ http.Header) bool { return strings.Contains(p.Detail, "toolCallId") }},
		{&chat.Error{Code: chat.CodeAlreadyAnswered, Clarification: won}, 409, "already_answered", func(p problem, _ http.Header) bool {
			return p.Outcome == "answered" && string(p.Answer) == `{"value":"fr","note":"formal"}`
		}},
		{&chat.Error{Code: chat.CodeClarificationClosed, Clarification: closed}, 410, "clarification_closed", func(p problem, _ http.Header) bool {
			return p.State == "expired" && strings.Contains(p.Detail, "time")
		}},
		{&chat.Error{Code: chat.CodeDraining}, 503, "draining", func(_ problem, h http.Header) bool { return h.Get("Retry-After") != "" }},
		{fmt.Errorf("disk: %w", store.ErrUnavailable), 503, "store_unavailable", func(p problem, h http.Header) bool {
			return h.Get("Retry-After") != "" && strings.Contains(p.Detail, "nothing was done")
		}},
		{fmt.Errorf("reply: %w", store.ErrUnknown), 503, "store_unavailable", func(p problem, h http.Header) bool {
			return h.Get("Retry-After") != "" && strings.Contains(p.Detail, "may or may not have been saved")
		}},
		{errors.New("secret detail"), 500, "internal", func(p problem, _ http.Header) bool { return !strings.Contains(p.Detail, "secret") }},
		{&chat.Error{Code: "unheard_of"}, 500, "internal", nil},
		{&tools.AnswerError{Fields: []tools.FieldError{{Question: 1, Field: "value", Code: "min", Params: map[string]any{"Min": 3}}, {Field: "value", Code: "pattern", Message: "Two digits."}}}, 422, "invalid_answer", func(p problem, _ http.Header) bool {
			return len(p.Errors) == 2 && p.Errors[0].Question == 1 && p.Errors[0].Code == "min" && strings.Contains(p.Errors[0].Message, "3") && p.Errors[1].Message == "Two digits."
		}},
	} {
		s := newServer(t, nil, withEngine(&fakeEngine{err: test.err}))
		r := s.post("c1", `{"message":"hi"}`)
		p := r.wantProblem(t, test.status, test.code)
		if test.check != nil && !test.check(p, r.Header) {
			t.Errorf("%v: %s %v", test.err, r.body, r.Header)
		}
		for method, path := range map[string]string{"GET": "", "DELETE": "", "POST": "/stop"} {
			s.call(method, "/v1/apps/plain/chats/c1"+path, "").wantProblem(t, test.status, test.code)
		}
		s.call("GET", "/v1/apps/plain/chats/c1/events", "").wantProblem(t, test.status, test.code)
	}
}

func TestLanguageOfProblems(t *testing.T) {
	const german, english = "Nicht gefunden", "Not found"
	for _, test := range []struct {
		name, locale, accept, chat, title, language string
	}{
		{"nothing asked for", "", "", "", english, "en"},
		{"header", "", "de-AT, en;q=0.5", "", german, "de"},
		{"first tag with texts", "", "sv, de;q=0.5", "fr", german, "de"},
		{"body over header", "de", "fr", "", german, "de"},
		{"body without texts", "sv", "de", "", german, "de"},
		{"body in no language", "zz", "de", "", german, "de"},
		{"body in no language, the chat's", "abcd", "", "de", german, "de"},
		{"body in no language, nor the chat", "und", "", "", english, "en"},
		{"chat's", "", "", "de", german, "de"},
		{"chat's for *", "", "*", "de", german, "de"},
		{"header over chat's", "", "en", "de", english, "en"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, nil, func(o *api.Options) {
				o.Engine = &fakeEngine{err: &chat.Error{Code: chat.CodeNotFound}}
				o.Store = fakeStore{language: test.chat}
			})
			body := `{"message":"hi"}`
			if test.locale != "" {
				body = `{"message":"hi","locale":"` + test.locale + `"}`
			}
			r := s.post("c1", body, "Accept-Language", test.accept)
			if p := r.wantProblem(t, 404, "not_found"); p.Title != test.title || r.Header.Get("Content-Language") != test.language {
				t.Errorf("%q in %q", p.Title, r.Header.Get("Content-Language"))
			}
		})
	}
}

func TestLanguageOfTurns(t *testing.T) {
	for _, test := range []struct{ locale, accept, want string }{
		{"", "", ""}, {"de", "fr", "de"}, {"", "fr;q=0.1, es", "es"}, {"", "*", ""}, {"sv", "fr", "fr"}, {"sv", "", ""},
		{"de-AT", "", "de-AT"}, // the admin may define texts for the region
		{"it", "de", "it"},     // the app has a name in Italian
		// Well-formed, but not a registered language: the next one in line is taken.
		{"zz", "fr", "fr"}, {"xx", "", ""}, {"und", "de", "de"}, {"abcd", "de", "de"}, {"abcdefgh-DE", "", ""}, {"x-foo", "fr", "fr"},
		{"zz-DE", "fr", "fr"}, {"und-DE", "", ""}, {"zz-Latn-419-x-1", "", ""}, // a region is not a language
		{"de-Qxxx", "fr", "de"}, {"DE-de", "fr", "de-DE"},
	} {
		engine := &fakeEngine{}
		s := newServer(t, nil, withEngine(engine))
		body := `{"message":"hi"}`
		if test.locale != "" {
			body = `{"message":"hi","locale":"` + test.locale + `"}`
		}
		s.post("c1", body, "Accept-Language", test.accept)
		if got := engine.only(t).Language; got != test.want {
			t.Errorf("locale %q, Accept-Language %q: %q, want %q", test.locale, test.accept, got, test.want)
		}
	}
}

func TestAcceptChoosesTheMode(t *testing.T) {
	s := newServer(t, nil, nil)
	const streams, json, refused = "text/event-stream; charset=utf-8", "application/json", "application/problem+json"
	for accept, want := range map[string]string{
		"": streams, "*/*": streams, "text/event-stream": streams, "text/*": streams, "text/html, */*": streams,
		"application/json": json, "Application/JSON": json, "application/json;charset=utf-8": json, "application/*": json,
		"application/json, text/event-stream": streams, "application/json, text/event-stream;q=0.9": json,
		"application/json;q=0.5, text/event-stream;q=0.9": streams, "application/json, text/plain, */*": json,
		"application/json;q=0.1, */*": streams, "application/json;q=0": refused, "application/json;q=0, */*": streams,
		"text/html": refused, "text/event-stream;q=0, */*": json, "garbage, application/json": json, "text/event-stream;q=NaN": refused,
	} {
		if got := s.post("c1", `{"message":"hi"}`, "Accept", accept).Header.Get("Content-Type"); got != want {
			t.Errorf("%q: %q, want %q", accept, got, want)
		}
	}
}

func TestJSONMode(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, nil, withEngine(engine))
	var got map[string]any
	s.post("c1", `{"message":"hi"}`, "Accept", "application/json").decode(t, 200, &got)
	for _, name := range []string{"chatId", "turnId", "status", "finishReason", "text", "clarification", "usage"} {
		if _, ok := got[name]; !ok {
			t.Errorf("no %s in %v", name, got)
		}
	}
	if len(got) != 7 || got["chatId"] != "c1" || got["text"] != "hi" || got["clarification"] != nil {
		t.Errorf("%v", got)
	}

	wait := 7
	engine.result = chat.Result{TurnID: "t", FinishReason: chat.FinishError, Failure: &chat.Failure{Code: "model_rate_limited", Message: "Busy.", Retryable: true, RetryAfter: &wait}}
	r := s.post("c1", `{"message":"hi"}`, "Accept", "application/json")
	p := r.wantProblem(t, 502, "model_rate_limited")
	if p.Error == nil || p.Error.Code != "model_rate_limited" || p.Detail != "Busy." || r.Header.Get("Retry-After") != "7" {
		t.Errorf("%s", r.body)
	}
}

// A message that was stored is not reported as lost: its sender would send it again, and the chat
// would have it twice.
func TestJSONModeSaysWhereATurnGoesOnElsewhere(t *testing.T) {
	engine := &fakeEngine{watched: true}
	s := newServer(t, nil, withEngine(engine))
	engine.drive = func(context.Context, stream.Sink) { // the chat is deleted while the message waits
		engine.err = &chat.Error{Code: chat.CodeNotFound}
	}
	s.post("c1", `{"message":"hi"}`, "Accept", "application/json").wantProblem(t, 404, "not_found")
	engine.err = nil
	engine.drive = func(ctx context.Context, _ stream.Sink) {
		s.api.Drain()
		<-ctx.Done()
	}
	p := s.post("c1", `{"message":"hi"}`, "Accept", "application/json").wantProblem(t, 503, "draining")
	if !strings.Contains(p.Detail, "do not send the request again") {
		t.Errorf("%s", p.Detail)
	}
}

func TestStreamIsNotBuffered(t *testing.T) {
	go1, go2 := make(chan struct{}), make(chan struct{})
	engine := &fakeEngine{drive: func(_ context.Context, sink stream.Sink) {
		_ = sink.Write(frame)
		<-go1
		_ = sink.Write(frame)
		<-go2
	}}
	s := newServer(t, nil, withEngine(engine))
	res := s.open("POST", "/v1/apps/plain/chats/c1/messages", `{"message":"hi"}`)
	defer res.Body.Close()
	if h := res.Header; h.Get("X-Accel-Buffering") != "no" || !strings.Contains(h.Get("Cache-Control"), "no-transform") || h.Get("X-Request-Id") == "" {
		t.Errorf("headers %v", h)
	}
	buf := make([]byte, 4096)
	read := func() (text string) {
		for !strings.Contains(text, "done") {
			n, err := res.Body.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			text += string(buf[:n])
		}
		return text
	}
	if got := read(); !strings.HasPrefix(got, ":") {
		t.Errorf("the stream begins with %q", got)
	}
	close(go1)
	read()
	close(go2)
}

func TestPanics(t *testing.T) {
	before := &fakeEngine{drive: func(context.Context, stream.Sink) { panic("secret") }}
	s := newServer(t, nil, withEngine(before))
	r := s.post("c1", `{"message":"hi"}`, "Accept", "application/json", "Accept-Language", "de")
	if p := r.wantProblem(t, 500, "internal"); strings.Contains(string(r.body), "secret") || !strings.Contains(p.Title, "nterner") {
		t.Errorf("%s", r.body)
	}
	if !strings.Contains(s.log.String(), r.Header.Get("X-Request-Id")) {
		t.Error("the log does not name the request")
	}

	// In the middle of a stream the connection is cut, so that no client takes the stream for
	// complete.
	before.drive = func(_ context.Context, sink stream.Sink) {
		_ = sink.Write(frame)
		panic("secret")
	}
	res := s.open("POST", "/v1/apps/plain/chats/c1/messages", `{"message":"hi"}`)
	defer res.Body.Close()
	buf := make([]byte, 4096)
	for {
		if _, err := res.Body.Read(buf); err != nil {
			if err.Error() == "EOF" {
				t.Error("a broken stream ended as if it were whole")
			}
			break
		}
	}
}

func TestLogNamesNoTextsAndNoChatsWithoutARun(t *testing.T) {
	s := newServer(t, nil, nil)
	s.post("c1", `{"message":"privatetext"}`)
	s.post("privatechat", `{"message":""}`)
	s.call("GET", "/v1/apps/plain/chats/privatechat?x=privatequery", "")
	s.call("GET", "/privatepath", "")
	s.post("c1", `{"privatefield":1}`)
	log := s.log.String()
	if strings.Contains(log, "private") {
		t.Errorf("%s", log)
	}
	for _, want := range []string{`"route":"/v1/apps/:app/chats/:chatId/messages"`, `"route":"unmatched"`, `"status":200`, `"bytes":`, `"requestId":`, `"duration":`} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in %s", want, log)
		}
	}
}

func TestHealth(t *testing.T) {
	var broken error
	s := newServer(t, nil, func(o *api.Options) { o.Ready = func(context.Context) error { return broken } })
	for _, path := range []string{"/healthz", "/readyz"} {
		if r := s.call("GET", path, ""); r.StatusCode != 200 {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	broken = errors.New("away")
	s.call("GET", "/readyz", "").wantProblem(t, 503, "store_unavailable")
	if r := s.call("GET", "/healthz", ""); r.StatusCode != 200 {
		t.Errorf("/healthz: %d", r.StatusCode)
	}
}

// Parts that the gateway can run without are reported with ?verbose, and the gateway stays ready.
func TestReadinessInDetail(t *testing.T) {
	var store, redis error
	since := time.Date(2026, 2, 6, 10, 30, 0, 0, time.UTC)
	s := newServer(t, nil, func(o *api.Options) {
		o.Ready = func(context.Context) error { return store }
		o.Parts = []overseers.Part{{Name: "redis", Status: func() (time.Time, error) { return since, redis }, Hint: "start it"}}
	})
	want := func(code int, body string) {
		t.Helper()
		if r := s.call("GET", "/readyz?verbose", ""); r.StatusCode != code || strings.TrimSpace(string(r.body)) != body {
			t.Errorf("%d %s, want %d %s", r.StatusCode, r.body, code, body)
		}
	}
	well := `"redis":{"status":"ok","since":"2026-02-06T10:30:00.000Z"}`
	want(200, `{"status":"ready","parts":{`+well+`,"store":{"status":"ok"}}}`)

	redis = errors.New("dial tcp 10.1.2.3:6379: refused")
	want(200, `{"status":"ready","parts":{"redis":{"status":"degraded","since":"2026-02-06T10:30:00.000Z","hint":"start it"},"store":{"status":"ok"}}}`)
	if r := s.call("GET", "/readyz", ""); r.StatusCode != 200 || strings.TrimSpace(string(r.body)) != `{"status":"ready"}` {
		t.Errorf("without verbose: %d %s", r.StatusCode, r.body)
	}

	redis = overseers.Warning{Err: errors.New("slow")}
	want(200, `{"status":"ready","parts":{"redis":{"status":"warning","since":"2026-02-06T10:30:00.000Z","hint":"start it"},"store":{"status":"ok"}}}`)

	redis, store = nil, errors.New("disk full")
	want(503, `{"status":"store_unavailable","parts":{`+well+`,"store":{"status":"down","hint":"chats are refused until the store accepts writes again; see the log for its error"}}}`)
	s.call("GET", "/readyz", "").wantProblem(t, 503, "store_unavailable")
	store = nil
	s.api.Drain()
	want(503, `{"status":"draining","parts":{`+well+`,"store":{"status":"ok"}}}`)
}

func TestAdminListener(t *testing.T) {
	a, _, _ := newAPI(t, withKeys, func(o *api.Options) { o.SeparateAdmin = true })
	status := func(h http.Handler, path string) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code
	}
	for _, path := range []string{"/metrics", "/healthz", "/readyz"} {
		if main, admin := status(a.Handler(), path), status(a.AdminHandler(), path); main != 404 || admin != 200 {
			t.Errorf("%s: main %d, admin %d", path, main, admin)
		}
	}
	if got := status(a.AdminHandler(), "/v1/apps"); got != 404 {
		t.Errorf("the admin listener serves the API: %d", got)
	}
}
