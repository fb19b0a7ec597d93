package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/openai"
)

// inBubble runs a request against a script with fake time, and tells how long it took.
func inBubble(t *testing.T, o openai.Options, script []modeltest.Response, check func(t *testing.T, s *modeltest.Server, g got, took time.Duration)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.NewMemory(t, script...)
		o.BaseURL, o.Model, o.Transport = s.URL, "m", s.Client().Transport
		start := time.Now()
		g := read(t, openai.New(o), ask)
		check(t, s, g, time.Since(start))
	})
}

func failing(status int, header ...string) modeltest.Response {
	return modeltest.Status(status, `{"error":{"message":"secret","type":"some_error","code":"some_code"}}`, header...)
}

func TestAttemptsBeforeTheFirstByteAreRetried(t *testing.T) {
	ok := modeltest.Answer("Hi")
	for _, status := range []int{408, 409, 425, 429, 500, 502, 503, 504, 529} {
		inBubble(t, openai.Options{MaxRetries: 2}, []modeltest.Response{failing(status), failing(status), ok}, func(t *testing.T, s *modeltest.Server, g got, took time.Duration) {
			if g.text != "Hi" || len(s.Requests()) != 3 {
				t.Errorf("%d: %s after %d requests", status, g, len(s.Requests()))
			}
			// Half to all of 0.5 s and of 1 s.
			if took < 750*time.Millisecond || took > 1500*time.Millisecond {
				t.Errorf("%d: waited %v", status, took)
			}
		})
	}
	inBubble(t, openai.Options{MaxRetries: 1}, []modeltest.Response{{modeltest.Cut()}, ok}, func(t *testing.T, _ *modeltest.Server, g got, _ time.Duration) {
		if g.text != "Hi" {
			t.Errorf("cut before the first byte: %s", g)
		}
	})
	inBubble(t, openai.Options{MaxRetries: 1}, []modeltest.Response{modeltest.Status(200, ""), ok}, func(t *testing.T, _ *modeltest.Server, g got, _ time.Duration) {
		if g.text != "Hi" {
			t.Errorf("an empty answer: %s", g)
		}
	})
	overloaded := modeltest.Raw(data(`{"error":{"code":502,"message":"secret"}}`))
	inBubble(t, openai.Options{MaxRetries: 1}, []modeltest.Response{{overloaded}, ok}, func(t *testing.T, _ *modeltest.Server, g got, _ time.Duration) {
		if g.text != "Hi" {
			t.Errorf("an error in place of the first piece: %s", g)
		}
	})
	inBubble(t, openai.Options{MaxRetries: 1}, []modeltest.Response{{modeltest.Text("a"), overloaded}, ok}, func(t *testing.T, s *modeltest.Server, g got, _ time.Duration) {
		if g.String() != `text="a" error=model_unavailable/502` || len(s.Requests()) != 1 {
			t.Errorf("an error after the first piece: %s after %d requests", g, len(s.Requests()))
		}
	})
	inBubble(t, openai.Options{MaxRetries: 1}, []modeltest.Response{{modeltest.Text("a"), modeltest.Cut()}, ok}, func(t *testing.T, s *modeltest.Server, g got, _ time.Duration) {
		if g.String() != `text="a" error=cut/0` || len(s.Requests()) != 1 {
			t.Errorf("cut after the first byte: %s after %d requests", g, len(s.Requests()))
		}
	})
}

func TestFinalErrors(t *testing.T) {
	for status, want := range map[int]struct {
		kind     model.ErrorKind
		requests int
		detail   string
	}{
		400: {model.KindError, 1, "type=some_error code=some_code"},
		401: {model.KindError, 1, "check the key"},
		403: {model.KindError, 1, "check the key"},
		404: {model.KindError, 1, "check baseUrl and model"},
		422: {model.KindError, 1, "422"},
		307: {model.KindError, 1, "redirect"},
		409: {model.KindError, 2, "409"},
		408: {model.KindTimeout, 2, "408"},
		429: {model.KindRateLimited, 2, "429"},
		500: {model.KindUnavailable, 2, "500"},
		501: {model.KindUnavailable, 1, "501"},
		529: {model.KindUnavailable, 2, "529"},
	} {
		inBubble(t, openai.Options{MaxRetries: 1, APIKey: "secret"}, []modeltest.Response{failing(status), failing(status)}, func(t *testing.T, s *modeltest.Server, g got, _ time.Duration) {
			var e *model.Error
			if !errors.As(g.err, &e) || e.Kind != want.kind || e.Status != status || !strings.Contains(e.Detail, want.detail) || len(s.Requests()) != want.requests {
				t.Errorf("%d: %v after %d requests", status, g.err, len(s.Requests()))
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	date := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for name, c := range map[string]struct {
		header     func() []string // called in the bubble, whose clock is its own
		wait, most time.Duration
		requests   int
		told       time.Duration
	}{
		"seconds":        {func() []string { return []string{"Retry-After", "7"} }, 7 * time.Second, 7 * time.Second, 2, 7 * time.Second},
		"milliseconds":   {func() []string { return []string{"Retry-After-Ms", "2500"} }, 2500 * time.Millisecond, 2500 * time.Millisecond, 2, 2500 * time.Millisecond},
		"date":           {func() []string { return []string{"Retry-After", date(20 * time.Second)} }, 19 * time.Second, 20 * time.Second, 2, 0},
		"too long":       {func() []string { return []string{"Retry-After", "3600"} }, 0, 0, 1, time.Hour},
		"absurd":         {func() []string { return []string{"Retry-After", "1e300"} }, 0, 0, 1, 24 * time.Hour},
		"negative":       {func() []string { return []string{"Retry-After", "-5"} }, 0, time.Second, 2, 0},
		"unreadable":     {func() []string { return []string{"Retry-After", "soon"} }, 0, time.Second, 2, 0},
		"date gone":      {func() []string { return []string{"Retry-After", date(-time.Hour)} }, 0, time.Second, 2, 0},
		"without header": {func() []string { return nil }, 0, time.Second, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limited := failing(429, c.header()...)
				s := modeltest.NewMemory(t, limited, limited)
				start := time.Now()
				g := read(t, openai.New(openai.Options{BaseURL: s.URL, Model: "m", Transport: s.Client().Transport, MaxRetries: 1}), ask)
				if took := time.Since(start); took < c.wait || took > c.most {
					t.Errorf("waited %v, want %v to %v", took, c.wait, c.most)
				}
				var e *model.Error
				if !errors.As(g.err, &e) || e.Kind != model.KindRateLimited || c.told != 0 && e.RetryAfter != c.told || len(s.Requests()) != c.requests {
					t.Errorf("%+v after %d requests", e, len(s.Requests()))
				}
			})
		})
	}
}

func TestTimeouts(t *testing.T) {
	o := openai.Options{Timeout: 3 * time.Second, MaxRetries: 2}
	for name, c := range map[string]struct {
		response modeltest.Response
		want     string
		took     time.Duration
	}{
		"no header":           {modeltest.Response{modeltest.Stall()}, `text="" error=model_timeout/0`, 3 * time.Second},
		"no first byte":       {modeltest.Response{modeltest.Delay(2 * time.Second), {Status: 200}, modeltest.Stall()}, `text="" error=model_timeout/0`, 3 * time.Second},
		"a stall":             {modeltest.Response{modeltest.Text("a"), modeltest.Delay(2 * time.Second), modeltest.Text("b"), modeltest.Stall()}, `text="ab" error=model_timeout/0`, 5 * time.Second},
		"slow but steady":     {modeltest.Response{modeltest.Delay(2 * time.Second), modeltest.Raw(": wait\n"), modeltest.Delay(2 * time.Second), modeltest.Text("a"), modeltest.Delay(2 * time.Second), modeltest.Finish("stop"), modeltest.Done()}, `text="a" finish=stop`, 6 * time.Second},
		"a stall in a line":   {modeltest.Response{modeltest.Raw("data: {"), modeltest.Stall()}, `text="" error=model_timeout/0`, 3 * time.Second},
		"stall after finish":  {modeltest.Response{modeltest.Text("a"), modeltest.Finish("stop"), modeltest.Stall()}, `text="a" finish=stop`, 3 * time.Second},
		"stall after DONE":    {modeltest.Response{modeltest.Text("a"), modeltest.Finish("stop"), modeltest.Done(), modeltest.Stall()}, `text="a" finish=stop`, 50 * time.Millisecond},
		"drip after DONE":     {append(modeltest.Response{modeltest.Text("a"), modeltest.Done()}, drip(40*time.Millisecond, 100)...), `text="a" finish=stop`, 50 * time.Millisecond},
		"flood after DONE":    {append(modeltest.Response{modeltest.Text("a"), modeltest.Done()}, drip(0, 1000)...), `text="a" finish=stop`, 0},
		"the error's body":    {modeltest.Response{{Status: 400, Body: "{"}, modeltest.Stall()}, `text="" error=model_error/400`, 3 * time.Second},
		"a whole answer late": {modeltest.Response{modeltest.Raw(`{"choices":[`), modeltest.Stall()}, `text="" error=model_timeout/0`, 3 * time.Second},
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

func drip(every time.Duration, n int) (r modeltest.Response) {
	for range n {
		if every > 0 {
			r = append(r, modeltest.Delay(every))
		}
		r = append(r, modeltest.Raw(strings.Repeat(":", 100)))
	}
	return r
}

func TestTheCallersTimeDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.NewMemory(t, modeltest.Response{modeltest.Text("a"), modeltest.Delay(time.Second), modeltest.Text("b"), modeltest.Done()})
		c := openai.New(openai.Options{BaseURL: s.URL, Model: "m", Transport: s.Client().Transport, Timeout: 2 * time.Second})
		for _, err := range c.Stream(t.Context(), ask) {
			if err != nil {
				t.Error(err)
			}
			<-time.After(time.Minute) // fake time
		}
	})
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
		o         openai.Options
		responses []modeltest.Response
		want      string
		took      time.Duration
	}{
		"ten times the timeout": {openai.Options{Timeout: three}, []modeltest.Response{steady}, fmt.Sprintf("text=%q error=model_timeout/0", strings.Repeat("a", 38)), thirty},
		"as configured":         {openai.Options{Timeout: three, StepTimeout: three}, []modeltest.Response{steady}, `text="aaaa" error=model_timeout/0`, three},
		"before the first byte": {openai.Options{Timeout: thirty, StepTimeout: three}, []modeltest.Response{{modeltest.Stall()}}, `text="" error=model_timeout/0`, three},
		"attempts":              {openai.Options{Timeout: three, StepTimeout: 10 * time.Second, MaxRetries: 9}, []modeltest.Response{failing(503, "Retry-After", "6"), failing(503, "Retry-After", "6")}, `text="" error=model_unavailable/503`, 6 * time.Second},
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
		inBubble(t, openai.Options{APIKey: key}, []modeltest.Response{refused}, func(t *testing.T, _ *modeltest.Server, g got, _ time.Duration) {
			if text := strings.ToLower(g.err.Error()); strings.Contains(text, "abcdef") || !strings.Contains(text, "check the key") {
				t.Errorf("%s: %v", said, g.err)
			}
		})
	}
	broken := unreachable(func() error { return errors.New(`malformed HTTP response "Bearer ` + key + `"`) })
	if g := read(t, openai.New(openai.Options{BaseURL: "http://x", APIKey: key, Transport: broken, MaxRetries: -1}), ask); strings.Contains(g.err.Error(), "AbCdEf") {
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
				for _, err := range openai.New(openai.Options{BaseURL: s.URL, Model: "m", Transport: s.Client().Transport, MaxRetries: 3}).Stream(ctx, ask) {
					last = err
				}
				if !errors.Is(last, context.DeadlineExceeded) || time.Since(start) != time.Second {
					t.Errorf("%v after %v", last, time.Since(start))
				}
				var e *model.Error
				if errors.As(last, &e) {
					t.Errorf("not the context's error: %v", last)
				}
			})
		})
	}
}

func TestAnUnreachableServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close() // the port refuses from now on
	for _, base := range []string{"http://" + listener.Addr().String() + "/v1", "ftp://x", "", "http://\x00", "http://secret:secret@" + listener.Addr().String()} {
		g := read(t, openai.New(openai.Options{BaseURL: base, APIKey: "secret"}), ask)
		var e *model.Error
		if !errors.As(g.err, &e) || e.Kind != model.KindUnavailable || !e.Retryable() {
			t.Errorf("%q: %v", base, g.err)
		}
	}
	attempts := 0
	refusing := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		attempts++
		return nil, errors.New("refused")
	}}
	synctest.Test(t, func(t *testing.T) {
		read(t, openai.New(openai.Options{BaseURL: "http://x", Transport: refusing, MaxRetries: 3}), ask)
	})
	if attempts != 4 {
		t.Errorf("%d attempts", attempts)
	}
}

func TestTheRequest(t *testing.T) {
	s := modeltest.New(t, modeltest.Answer("Hi"), modeltest.Answer("Hi"))
	temperature := 0.0
	own := model.Made{By: model.Maker("openai", "chat", s.URL+"/", "qwen3")}
	req := model.Request{
		System: "Be <kind> & \"short\".",
		Messages: []model.Message{
			{Role: model.RoleUser, Content: "Translate\x00: \u2028 ü"},
			{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "ask_user", Arguments: `{"question":"?"}`}, {ID: "b", Name: "f", Arguments: `"x"`}}, Made: own},
			{Role: model.RoleTool, ToolCallID: "a", Content: ""},
			{Role: model.RoleTool, ToolCallID: "b", Content: "fr"},
			{Role: model.RoleAssistant, Content: "Done."},
			{Role: model.RoleUser, Content: "More"},
		},
		Tools:       []model.Definition{{Name: "ask_user", Description: "Asks.", Parameters: json.RawMessage(`{"type":"object","properties":{"description":{"type":"string","description":"d"}}}`)}, {Name: "clock", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}},
		Temperature: &temperature,
	}
	c := openai.New(openai.Options{BaseURL: s.URL + "/", APIKey: "key", Model: "qwen3"})
	if g := read(t, c, req); g.text != "Hi" {
		t.Fatal(g)
	}
	read(t, openai.New(openai.Options{BaseURL: s.URL + "/chat/completions", Model: "qwen3"}), ask)
	first, second := s.Requests()[0], s.Requests()[1]
	want := `{"model":"qwen3","messages":[{"role":"system","content":"Be <kind> & \"short\"."},` +
		`{"role":"user","content":"Translate\u0000: \u2028 ü"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ask_user","arguments":"{\"question\":\"?\"}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"\"x\""}}]},` +
		`{"role":"tool","content":"","tool_call_id":"a"},{"role":"tool","content":"fr","tool_call_id":"b"},` +
		`{"role":"assistant","content":"Done."},{"role":"user","content":"More"}],` +
		`"tools":[{"type":"function","function":{"name":"ask_user","description":"Asks.","parameters":{"type":"object","properties":{"description":{"type":"string","description":"d"}}}}},{"type":"function","function":{"name":"clock","parameters":{"type":"object","properties":{}}}}],` +
		`"temperature":0,"stream":true,"stream_options":{"include_usage":true}}` + "\n"
	if string(first.Raw) != want {
		t.Errorf("body\n%s\nwant\n%s", first.Raw, want)
	}
	if string(second.Raw) != `{"model":"qwen3","messages":[{"role":"user","content":"secret words"}],"stream":true,"stream_options":{"include_usage":true}}`+"\n" {
		t.Errorf("body %s", second.Raw)
	}
	if first.Path != "/v1/chat/completions" || second.Path != first.Path {
		t.Errorf("paths %s, %s", first.Path, second.Path)
	}
	if first.Header.Get("Authorization") != "Bearer key" || second.Header["Authorization"] != nil || first.Header["Accept-Encoding"] != nil {
		t.Errorf("headers %v", first.Header)
	}
}

func TestStreamOptionsAreDroppedWhereTheServerRefusesThem(t *testing.T) {
	refusal := modeltest.Status(400, `{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`)
	s := modeltest.New(t, refusal, modeltest.Answer("a"), modeltest.Answer("b"))
	c := openai.New(openai.Options{BaseURL: s.URL, Model: "m"})
	if a, b := read(t, c, ask), read(t, c, ask); a.text != "a" || b.text != "b" {
		t.Errorf("%s, %s", a, b)
	}
	for n, r := range s.Requests() {
		if (r.Body.StreamOptions != nil) != (n == 0) {
			t.Errorf("request %d: %s", n, r.Raw)
		}
	}
	s = modeltest.New(t, refusal, refusal)
	if g := read(t, openai.New(openai.Options{BaseURL: s.URL, Model: "m", MaxRetries: 5}), ask); g.String() != `text="" error=model_error/400` || len(s.Requests()) != 2 {
		t.Errorf("a server that goes on refusing: %s after %d requests", g, len(s.Requests()))
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	script := make([]modeltest.Response, 20)
	for i := range script {
		script[i] = modeltest.Answer("one two three")
	}
	s := modeltest.New(t, script...)
	c := openai.New(openai.Options{BaseURL: s.URL, Model: "m"})
	for i := range script {
		for d, err := range c.Stream(t.Context(), ask) {
			if err != nil {
				t.Fatal(err)
			}
			if d.Finish != "" && i%2 == 0 {
				break // leaving at the last piece is as good as reading on
			}
		}
	}
	if n := s.Connections(); n != 1 {
		t.Errorf("%d connections for %d requests", n, len(script))
	}
}

func BenchmarkStream(b *testing.B) {
	// Reading only: the transport is a slice of bytes.
	chunk := data(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{"content":"twenty bytes of text"},"logprobs":null,"finish_reason":null}]}`)
	const chunks = 10000
	c := overBody(&body{text: strings.Repeat(chunk, chunks) + data(end(`"stop"`), "[DONE]")})
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range c.Stream(b.Context(), ask) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
}
