package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// toy is a front whose clients send {"chat", "say", "key"} and read words.
type toy struct{}

func (toy) Name() string { return "toy" }

func (f toy) Routes() []host.Route {
	return []host.Route{{Method: "POST", Path: "/v1/apps/:app/toy", Serve: f.serve}, {Method: "GET", Path: "/v1/toys", Serve: f.list, OwnPages: true, NoHead: true}}
}

func (toy) Refuse(h http.Header, p host.Problem) (string, []byte) {
	h.Set("X-Error-Code", string(p.Code))
	return "text/plain; charset=utf-8", []byte(p.Message)
}

func (toy) list(c *host.Request) error {
	if err := c.SignIn(); err != nil {
		return err
	}
	ids := []string{}
	for _, app := range c.Apps() {
		ids = append(ids, app.ID)
	}
	return c.JSON(ids)
}

func (toy) serve(c *host.Request) error {
	if err := c.InApp(); err != nil {
		return err
	}
	body, err := front.ReadBody(c, false)
	if err != nil {
		return err
	}
	var b struct{ Chat, Say, Key string }
	if json.Unmarshal(body.Data, &b) != nil {
		return front.Invalid("wrong_type", "say", nil)
	}
	if err := front.In(c).Enter(b.Chat, "id"); err != nil {
		return err
	}
	c.Header().Set("X-Toy", "yes")
	return front.Stream(c, front.Command{Message: &b.Say, Key: b.Key}, words{})
}

// words is an Encoder.
type words struct{ front.Encoder }

func (words) Done(dst []byte, d chat.Done) []byte {
	return append(dst, "data: done "+d.FinishReason+"\n\n"...)
}
func (words) Left(dst []byte, message string) []byte {
	return append(dst, "data: left "+message+"\n\n"...)
}

func toyServer(t *testing.T, f files, change func(*api.Options)) (*server, *fakeEngine) {
	t.Helper()
	e := &fakeEngine{drive: func(_ context.Context, sink stream.Sink) { _ = sink.Write(frame) }, result: chat.Result{TurnID: "t", FinishReason: chat.FinishStop}}
	return newServer(t, f, func(o *api.Options) {
		o.Engine, o.Fronts = e, []front.Front{toy{}}
		if change != nil {
			change(o)
		}
	}), e
}

// What a front's client sends is an ordinary command, counted under the front's name.
func TestAFrontsCommandIsTheEnginesOwn(t *testing.T) {
	s, e := toyServer(t, nil, nil)
	r := s.call("POST", "/v1/apps/plain/toy", `{"chat":"my chat","say":"hello","key":"m1"}`, "Accept-Language", "de")
	if r.StatusCode != 200 || !strings.Contains(string(r.body), "data: done stop\n\n") || r.Header.Get("X-Toy") != "yes" {
		t.Fatalf("%d %v %s", r.StatusCode, r.Header, r.body)
	}
	id := r.Header.Get("X-Chat-Id")
	if id == "my chat" || id != front.ChatID("my chat") {
		t.Errorf("the chat is reported as %q", id)
	}
	first := e.only(t)
	if first.Ref.ChatID != id || first.Ref.App != "plain" || *first.Message != "hello" || first.Language != "de" || !first.Interactive {
		t.Errorf("command %+v", first)
	}
	if !strings.HasPrefix(first.IdempotencyKey, "toy:") || first.Hash == "" {
		t.Errorf("key %q, hash %q", first.IdempotencyKey, first.Hash)
	}
	s.call("POST", "/v1/apps/plain/toy", `{"chat":"my chat","say":"hello","key":"m1"}`)
	s.call("POST", "/v1/apps/plain/toy", `{"chat":"my chat","say":"hello there","key":"m1"}`)
	if e.commands[1].IdempotencyKey != first.IdempotencyKey || e.commands[1].Hash != first.Hash || e.commands[2].Hash == first.Hash {
		t.Errorf("the same again: %+v", e.commands)
	}
	s.wantMetric(`askgate_commands_total{app="plain",command="message",front="toy"} 3`)
	s.post("c", `{"message":"hi"}`)
	s.wantMetric(`askgate_commands_total{app="plain",command="message",front="native"} 1`)
}

// A refusal has the native status, a sentence for a person, and the front's format.
func TestAFrontRefusesAsTheAPIDoes(t *testing.T) {
	s, e := toyServer(t, keyed(`"limits": {"requestsPerMinute": 1, "burst": 20}`), nil)
	alice := []string{"Authorization", "Bearer alice"}
	long := strings.Repeat("x", 32_001)
	for _, test := range []struct {
		what, path, body string
		headers          []string
		status           int
		code             string
	}{
		{"no key", "/v1/apps/plain/toy", `{}`, nil, 401, "unauthenticated"},
		{"no app", "/v1/apps/none/toy", `{}`, alice, 404, "not_found"},
		{"no JSON", "/v1/apps/plain/toy", `{`, alice, 400, "invalid_request"},
		{"a form", "/v1/apps/plain/toy", `{}`, append([]string{"Content-Type", "text/plain"}, alice...), 415, "unsupported_media_type"},
		{"too large", "/v1/apps/plain/toy", `"` + strings.Repeat("x", 1<<20) + `"`, alice, 413, "too_large"},
		{"too deep", "/v1/apps/plain/toy", strings.Repeat("[", 99) + strings.Repeat("]", 99), alice, 400, "invalid_request"},
		{"no chat", "/v1/apps/plain/toy", `{"say":"x"}`, alice, 400, "invalid_request"},
		{"blank", "/v1/apps/plain/toy", `{"chat":"c","say":" "}`, alice, 400, "invalid_request"},
		{"long", "/v1/apps/plain/toy", `{"chat":"c","say":"` + long + `"}`, alice, 413, "too_large"},
	} {
		r := s.call("POST", test.path, test.body, test.headers...)
		if r.StatusCode != test.status || r.Header.Get("X-Error-Code") != test.code || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") || len(r.body) < 10 || strings.Contains(string(r.body), "<no value>") {
			t.Errorf("%s: %d %s %s", test.what, r.StatusCode, r.Header.Get("X-Error-Code"), r.body)
		}
	}
	if len(e.commands) > 0 {
		t.Errorf("commands %+v", e.commands)
	}
	for range 20 {
		s.call("POST", "/v1/apps/plain/toy", `{"chat":"c","say":"x"}`, alice...)
	}
	r := s.call("POST", "/v1/apps/plain/toy", `{"chat":"c","say":"x"}`, alice...)
	if r.StatusCode != 429 || r.Header.Get("Retry-After") == "" || r.Header.Get("X-Error-Code") != "rate_limited" {
		t.Errorf("beyond the limit: %d %v", r.StatusCode, r.Header)
	}
	s.api.Drain()
	if r := s.call("POST", "/v1/apps/plain/toy", `{"chat":"c","say":"x"}`, "Authorization", "Bearer bob"); r.StatusCode != 503 || r.Header.Get("Retry-After") == "" {
		t.Errorf("while it shuts down: %d %s", r.StatusCode, r.body)
	}
}

// The error in an answer is in the sentence, since clients show nothing else.
func TestAFrontSaysWhatIsWrongWithAnAnswer(t *testing.T) {
	s, e := toyServer(t, nil, nil)
	e.err = invalidAnswer
	r := s.call("POST", "/v1/apps/plain/toy", `{"chat":"c","say":"x"}`)
	if r.StatusCode != 422 || !strings.Contains(string(r.body), "at most 150") {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
}

// When a run goes on elsewhere, the stream ends with a sentence rather than in silence.
func TestAFrontsStreamThatIsLeftSaysSo(t *testing.T) {
	s, e := toyServer(t, nil, nil)
	e.result, e.watched = chat.Result{}, true
	e.drive = func(context.Context, stream.Sink) {}
	r := s.call("POST", "/v1/apps/plain/toy", `{"chat":"c","say":"x"}`)
	if r.StatusCode != 200 || !strings.Contains(string(r.body), "data: left Your request was received") {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
}

// A front lists the apps that the caller may use.
func TestAFrontListsTheCallersApps(t *testing.T) {
	f := keyed(`"limits": {}`)
	f["apps/secret.json"] = `{"id": "secret", "name": "Secret", "access": {"roles": ["staff"]}}`
	s, _ := toyServer(t, f, nil)
	var ids []string
	s.call("GET", "/v1/toys", "", "Authorization", "Bearer alice").decode(t, 200, &ids)
	if strings.Join(ids, " ") != "other plain" {
		t.Errorf("apps %v", ids)
	}
	if r := s.call("GET", "/v1/toys", ""); r.StatusCode != 401 {
		t.Errorf("without a key: %d", r.StatusCode)
	}
}

// A front that panics costs one refused request.
func TestAFrontThatBreaks(t *testing.T) {
	s, e := toyServer(t, nil, nil)
	e.err = errors.New("out of luck")
	if r := s.call("POST", "/v1/apps/plain/toy", `{"chat":"c","say":"x"}`); r.StatusCode != 500 || r.Header.Get("X-Error-Code") != "internal" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
}

// The headers that clients of the fronts send from other sites' pages are allowed.
func TestHeadersOfFrontsComeFromOtherOrigins(t *testing.T) {
	s, _ := toyServer(t, files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "cors": {"origins": ["https://shop.example"]}}`}, nil)
	r := s.call("OPTIONS", "/v1/apps/plain/toy", "", "Origin", "https://shop.example", "Access-Control-Request-Method", "POST")
	allowed := strings.ToLower(r.Header.Get("Access-Control-Allow-Headers"))
	for _, name := range []string{"authorization", "content-type", "x-chat-id", "x-stainless-os", "x-stainless-retry-count", "x-stainless-timeout", "x-stainless-helper-method"} {
		if !strings.Contains(allowed, name) {
			t.Errorf("%s is not allowed: %s", name, allowed)
		}
	}
	r = s.call("POST", "/v1/apps/plain/toy", `{"chat":"c","say":"x"}`, "Origin", "https://shop.example")
	if exposed := r.Header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "X-Chat-Id") || !strings.Contains(exposed, "X-Error-Code") {
		t.Errorf("exposed: %s", exposed)
	}
}

var invalidAnswer = &tools.AnswerError{Fields: []tools.FieldError{{Field: "value", Code: "max", Params: map[string]any{"Max": 150}}}}
