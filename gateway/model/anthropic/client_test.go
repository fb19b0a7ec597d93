package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

// roundTrip is a transport that answers each request with an event stream.
type roundTrip func(*http.Request) string

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(f(r)))}, nil
}

func decode(t *testing.T, r *http.Request, to any) {
	t.Helper()
	if err := json.NewDecoder(r.Body).Decode(to); err != nil {
		t.Error(err)
	}
}

// inBubble runs a request against a script with fake time, and tells how long it took.
func inBubble(t *testing.T, o anthropic.Options, script []modeltest.Response, check func(t *testing.T, s *modeltest.Server, g got, took time.Duration)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.NewMemory(t, script...)
		o.BaseURL, o.Model, o.Transport = s.URL, "m", s.Client().Transport
		start := time.Now()
		g := read(t, anthropic.New(o), ask)
		check(t, s, g, time.Since(start))
	})
}

func failing(status int, header ...string) modeltest.Response {
	return modeltest.Status(status, `{"type":"error","error":{"type":"some_error","message":"secret"}}`, header...)
}

func TestAttemptsBeforeTheFirstPieceAreRetried(t *testing.T) {
	ok := modeltest.Answer("Hi")
	overloaded := modeltest.Raw(stream(fault("overloaded_error")))
	for name, first := range map[string]modeltest.Response{
		"429": failing(429), "500": failing(500), "529": failing(529), "cut": {modeltest.Cut()}, "empty": modeltest.Status(200, ""),
		"overloaded after 200":  {overloaded},
		"overloaded once begun": {modeltest.Raw(stream(begin, ping, use(0, "a", "f", "{}"))), overloaded},
	} {
		inBubble(t, anthropic.Options{MaxRetries: 2}, []modeltest.Response{first, first, ok}, func(t *testing.T, s *modeltest.Server, g got, took time.Duration) {
			if g.text != "Hi" || len(g.calls) > 0 || len(s.Requests()) != 3 {
				t.Errorf("%s: %s after %d requests", name, g, len(s.Requests()))
			}
			// Half to all of 0.5 s and of 1 s.
			if took < 750*time.Millisecond || took > 1500*time.Millisecond {
				t.Errorf("%s: waited %v", name, took)
			}
		})
	}
	for name, first := range map[string]modeltest.Response{
		"cut":        {modeltest.Text("a"), modeltest.Cut()},
		"overloaded": {modeltest.Text("a"), overloaded},
		"thinking":   {modeltest.Reasoning("a"), overloaded},
		"invalid":    {modeltest.Raw(stream(fault("invalid_request_error")))},
	} {
		inBubble(t, anthropic.Options{MaxRetries: 2}, []modeltest.Response{first, ok}, func(t *testing.T, s *modeltest.Server, g got, _ time.Duration) {
			if g.err == nil || len(s.Requests()) != 1 {
				t.Errorf("%s: %s after %d requests", name, g, len(s.Requests()))
			}
		})
	}
}

func TestFinalErrors(t *testing.T) {
	for status, want := range map[int]struct {
		kind     model.ErrorKind
		requests int
		detail   string
	}{
		400: {model.KindError, 1, "type=some_error"},
		401: {model.KindError, 1, "check the key"},
		403: {model.KindError, 1, "check the key"},
		404: {model.KindError, 1, "check baseUrl and model"},
		413: {model.KindTooLong, 1, "too long"},
		429: {model.KindRateLimited, 2, "429"},
		500: {model.KindUnavailable, 2, "500"},
		529: {model.KindUnavailable, 2, "529"},
	} {
		inBubble(t, anthropic.Options{MaxRetries: 1, APIKey: "secret"}, []modeltest.Response{failing(status), failing(status)}, func(t *testing.T, s *modeltest.Server, g got, _ time.Duration) {
			var e *model.Error
			if !errors.As(g.err, &e) || e.Kind != want.kind || e.Status != status || !strings.Contains(e.Detail, want.detail) || len(s.Requests()) != want.requests {
				t.Errorf("%d: %v after %d requests", status, g.err, len(s.Requests()))
			}
		})
	}
	limited := failing(429, "Retry-After", "7")
	inBubble(t, anthropic.Options{MaxRetries: 1}, []modeltest.Response{limited, limited}, func(t *testing.T, _ *modeltest.Server, g got, took time.Duration) {
		var e *model.Error
		if !errors.As(g.err, &e) || e.RetryAfter != 7*time.Second || took != 7*time.Second {
			t.Errorf("Retry-After: %+v after %v", e, took)
		}
	})
}

func TestTimeouts(t *testing.T) {
	o := anthropic.Options{Timeout: 3 * time.Second, MaxRetries: 2}
	for name, c := range map[string]struct {
		response modeltest.Response
		want     string
		took     time.Duration
	}{
		"no first byte":      {modeltest.Response{modeltest.Stall()}, `text="" error=model_timeout/0`, 3 * time.Second},
		"a stall":            {modeltest.Response{modeltest.Text("a"), modeltest.Delay(2 * time.Second), modeltest.Text("b"), modeltest.Stall()}, `text="ab" error=model_timeout/0`, 5 * time.Second},
		"pings":              {modeltest.Response{modeltest.Raw(stream(begin)), modeltest.Delay(2 * time.Second), modeltest.Raw(stream(ping)), modeltest.Delay(2 * time.Second), modeltest.Raw(stream(text0, hi, end0, ended(`"end_turn"`), stop))}, `text="Hi" usage=25+15 finish=stop`, 4 * time.Second},
		"stall after reason": {modeltest.Response{modeltest.Text("a"), modeltest.Finish("stop"), modeltest.Stall()}, `text="a" usage=0+0 finish=stop`, 3 * time.Second},
		"stall after stop":   {modeltest.Response{modeltest.Text("a"), modeltest.Finish("stop"), modeltest.Done(), modeltest.Stall()}, `text="a" usage=0+0 finish=stop`, 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, o, []modeltest.Response{c.response}, func(t *testing.T, s *modeltest.Server, g got, took time.Duration) {
				if g.String() != c.want || took != c.took || len(s.Requests()) != 1 {
					t.Errorf("%s after %v and %d requests (%v)", g, took, len(s.Requests()), g.err)
				}
			})
		})
	}
}

// A server that never stops, but never stalls either, is cut off; so is one that is tried
// again and again.
func TestAStepHasAnEnd(t *testing.T) {
	var steady modeltest.Response
	for range 100 {
		steady = append(steady, modeltest.Text("a"), modeltest.Delay(800*time.Millisecond))
	}
	const three, thirty = 3 * time.Second, 30 * time.Second
	for name, c := range map[string]struct {
		o         anthropic.Options
		responses []modeltest.Response
		want      string
		took      time.Duration
	}{
		"ten times the timeout": {anthropic.Options{Timeout: three}, []modeltest.Response{steady}, fmt.Sprintf("text=%q error=model_timeout/0", strings.Repeat("a", 38)), thirty},
		"as configured":         {anthropic.Options{Timeout: three, StepTimeout: three}, []modeltest.Response{steady}, `text="aaaa" error=model_timeout/0`, three},
		"before the first byte": {anthropic.Options{Timeout: thirty, StepTimeout: three}, []modeltest.Response{{modeltest.Stall()}}, `text="" error=model_timeout/0`, three},
		"attempts":              {anthropic.Options{Timeout: three, StepTimeout: 10 * time.Second, MaxRetries: 9}, []modeltest.Response{failing(503, "Retry-After", "6"), failing(503, "Retry-After", "6")}, `text="" error=model_unavailable/503`, 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, c.o, c.responses, func(t *testing.T, _ *modeltest.Server, g got, took time.Duration) {
				if g.String() != c.want || took != c.took {
					t.Errorf("%s after %v (%v)", g, took, g.err)
				}
			})
		})
	}
}

func TestAServersErrorDoesNotTellTheKey(t *testing.T) {
	const key = "sk-proj-AbCdEf0123456789"
	for _, said := range []string{key, "sk-proj-AbCdEf", strings.ToLower(key), "key." + key + ".invalid", "AbCdEf0123456789"} {
		refused := modeltest.Response{{Status: 401, Body: `{"error":{"type":"` + said + `","code":"` + said + `"}}`}}
		inBubble(t, anthropic.Options{APIKey: key}, []modeltest.Response{refused}, func(t *testing.T, _ *modeltest.Server, g got, _ time.Duration) {
			if text := strings.ToLower(g.err.Error()); strings.Contains(text, "abcdef") || !strings.Contains(text, "check the key") {
				t.Errorf("%s: %v", said, g.err)
			}
		})
	}
	broken := unreachable(func() error { return errors.New(`malformed HTTP response "Bearer ` + key + `"`) })
	if g := read(t, anthropic.New(anthropic.Options{BaseURL: "http://x", APIKey: key, Transport: broken, MaxRetries: -1}), ask); strings.Contains(g.err.Error(), "AbCdEf") {
		t.Error(g.err)
	}
}

type unreachable func() error

func (f unreachable) RoundTrip(*http.Request) (*http.Response, error) { return nil, f() }

func TestCancellingEndsAtOnce(t *testing.T) {
	for name, response := range map[string]modeltest.Response{
		"before the header": {modeltest.Stall()},
		"in the stream":     {modeltest.Text("a"), modeltest.Stall()},
		"in the backoff":    failing(503, "Retry-After", "20"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := modeltest.NewMemory(t, response)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				var last error
				for _, err := range anthropic.New(anthropic.Options{BaseURL: s.URL, Model: "m", Transport: s.Client().Transport, MaxRetries: 3}).Stream(ctx, ask) {
					last = err
				}
				if !errors.Is(last, context.DeadlineExceeded) || time.Since(start) != time.Second {
					t.Errorf("%v after %v", last, time.Since(start))
				}
			})
		})
	}
}

func TestAnUnreachableServer(t *testing.T) {
	attempts := 0
	refusing := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		attempts++
		return nil, errors.New("refused")
	}}
	synctest.Test(t, func(t *testing.T) {
		g := read(t, anthropic.New(anthropic.Options{BaseURL: "http://secret:secret@x", Transport: refusing, MaxRetries: 3}), ask)
		if g.String() != `text="" error=model_unavailable/0` || attempts != 4 {
			t.Errorf("%s after %d attempts", g, attempts)
		}
	})
}

func TestTheRequest(t *testing.T) {
	s := modeltest.New(t, modeltest.Answer("Hi"), modeltest.Answer("Hi"), modeltest.Answer("Hi"))
	temperature := 1.7
	req := model.Request{
		System: "Be <kind> & \"short\".",
		Messages: []model.Message{
			{Role: model.RoleUser, Content: "Translate\x00: \u2028 ü"},
			{Role: model.RoleAssistant, Content: " ", ToolCalls: []model.ToolCall{{ID: "a", Name: "ask_user", Arguments: `{"question":"?"}`}, {ID: "functions.f:0", Name: "f", Arguments: `"x"`}}},
			{Role: model.RoleTool, ToolCallID: "a", Content: " \n"},
			{Role: model.RoleTool, ToolCallID: "functions.f:0", Content: " fr\n"},
			{Role: model.RoleUser, Content: "and"},
			{Role: model.RoleUser, Content: "so on"},
			{Role: model.RoleAssistant, Content: "Done."},
			{Role: model.RoleUser, Content: "More"},
		},
		Tools:       []model.Definition{{Name: "ask_user", Description: "Asks.", Parameters: json.RawMessage(`{"type":"object","properties":{"description":{"type":"string","description":"d"}}}`)}, {Name: "clock"}},
		Temperature: &temperature,
	}
	read(t, anthropic.New(anthropic.Options{BaseURL: s.URL + "/", APIKey: "key", Model: "claude", MaxTokens: 100}), req)
	read(t, anthropic.New(anthropic.Options{BaseURL: strings.TrimSuffix(s.URL, "/v1"), Model: "claude"}), ask)
	req.Tools, req.System = nil, " "
	read(t, anthropic.New(anthropic.Options{BaseURL: s.URL + "/messages", Model: "claude"}), req)

	first, second, third := s.Requests()[0], s.Requests()[1], s.Requests()[2]
	messages := `"messages":[{"role":"user","content":[{"type":"text","text":"Translate\u0000: \u2028 ü"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"VwVeODRdi","name":"ask_user","input":{"question":"?"}},{"type":"tool_use","id":"fwgDsUDxU","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"VwVeODRdi"},{"type":"tool_result","tool_use_id":"fwgDsUDxU","content":" fr\n"},{"type":"text","text":"and"},{"type":"text","text":"so on"}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"Done."}]},{"role":"user","content":[{"type":"text","text":"More"}]}]}`
	for name, c := range map[string]struct {
		r    modeltest.Request
		want string
	}{
		"with all":      {first, `{"model":"claude","max_tokens":100,"stream":true,"temperature":1,"tools":[{"name":"ask_user","description":"Asks.","input_schema":{"type":"object","properties":{"description":{"type":"string","description":"d"}}}},{"name":"clock","input_schema":{"type":"object","properties":{}}}],"system":"Be <kind> & \"short\".",` + messages},
		"the least":     {second, `{"model":"claude","max_tokens":8192,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"secret words"}]}]}`},
		"without tools": {third, `{"model":"claude","max_tokens":8192,"stream":true,"temperature":1,"tool_choice":{"type":"none"},"tools":[{"name":"ask_user","input_schema":{"type":"object"}},{"name":"f","input_schema":{"type":"object"}}],` + messages},
	} {
		if string(c.r.Raw) != c.want {
			t.Errorf("%s: body\n%s\nwant\n%s", name, c.r.Raw, c.want)
		}
		if c.r.Path != "/v1/messages" || c.r.Header.Get("Anthropic-Version") != "2023-06-01" || c.r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %v", name, c.r.Path, c.r.Header)
		}
	}
	if first.Header.Get("X-Api-Key") != "key" || second.Header["X-Api-Key"] != nil || first.Header["Authorization"] != nil {
		t.Errorf("headers %v, %v", first.Header, second.Header)
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	script := make([]modeltest.Response, 20)
	for i := range script {
		script[i] = modeltest.Answer("one two three")
	}
	s := modeltest.New(t, script...)
	c := anthropic.New(anthropic.Options{BaseURL: s.URL, Model: "m"})
	for range script {
		read(t, c, ask)
	}
	if n := s.Connections(); n != 1 {
		t.Errorf("%d connections for %d requests", n, len(script))
	}
}
