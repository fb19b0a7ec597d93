package claims

import (
	"context"
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
	"github.com/askgate/askgate/gateway/model/upstream"
)

// Provider is a client under test, with responses in its provider's form.
type Provider struct {
	New     func(upstream.Settings) model.Model
	Refused string // the body of a refusal, whose message is "secret"
	Says    string // what the error of that refusal contains besides its status
	Key     string // the body of a refusal of the key, with %s where the server may repeat the key

	Again map[string]modeltest.Response // fail before the first piece, and are retried
	Down  modeltest.Step                // reports within a stream that the server is overloaded
	Final map[string]modeltest.Response // fail permanently
	Timed map[string]Timed              // with a timeout of three seconds
}

// Timed is a response with the expected answer and duration, in fake time.
type Timed struct {
	Response modeltest.Response
	Want     string
	Took     time.Duration
}

// Takes is an answer and its expected result.
func Takes(response modeltest.Response, want string, took time.Duration) Timed {
	return Timed{response, want, took}
}

const three, thirty = 3 * time.Second, 30 * time.Second

// Hold runs all claims.
func Hold(t *testing.T, p Provider) {
	for name, claim := range map[string]func(Provider, *testing.T){
		"attempts before the first piece are retried": Provider.retries,
		"what arrived is not requested twice":         Provider.ends,
		"errors have a kind":                          Provider.kinds,
		"the server sets the retry time":              Provider.comesBack,
		"a silent server is given up":                 Provider.timeouts,
		"the caller's time does not count":            Provider.slowCaller,
		"a step has a time limit":                     Provider.steps,
		"errors do not disclose the key":              Provider.keys,
		"cancelling ends at once":                     Provider.cancels,
		"a server may be unreachable":                 Provider.unreachable,
		"connections are reused":                      Provider.connections,
	} {
		t.Run(name, func(t *testing.T) { claim(p, t) })
	}
}

// InBubble sends Ask to a script in fake time, and passes the answer and its duration to check.
func (p Provider) InBubble(t *testing.T, s upstream.Settings, script []modeltest.Response, check func(t *testing.T, server *modeltest.Server, g Got, took time.Duration)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := modeltest.NewMemory(t, script...)
		start := time.Now()
		g := Read(t, p.New(over(server, s)), Ask)
		check(t, server, g, time.Since(start))
	})
}

// over returns the settings for a server in memory.
func over(server *modeltest.Server, s upstream.Settings) upstream.Settings {
	s.BaseURL, s.Model, s.Transport = server.URL, "m", server.Client().Transport
	return s
}

func (p Provider) failing(status int, header ...string) modeltest.Response {
	return modeltest.Status(status, p.Refused, header...)
}

func (p Provider) retries(t *testing.T) {
	firsts := map[string]modeltest.Response{
		"cut": {modeltest.Cut()}, "empty": modeltest.Status(200, ""), "overloaded": {p.Down},
	}
	for _, status := range []int{408, 409, 425, 429, 500, 502, 503, 504, 529} {
		firsts[fmt.Sprint(status)] = p.failing(status)
	}
	for name, first := range p.Again {
		firsts[name] = first
	}
	for name, first := range firsts {
		p.InBubble(t, upstream.Settings{MaxRetries: 2}, []modeltest.Response{first, first, modeltest.Answer("Hi")}, func(t *testing.T, s *modeltest.Server, g Got, took time.Duration) {
			if g.Text != "Hi" || len(g.Calls) > 0 || len(s.Requests()) != 3 {
				t.Errorf("%s: %s after %d requests (%v)", name, g, len(s.Requests()), g.Err)
			}
			// From half to all of 0.5 s and of 1 s.
			if took < 750*time.Millisecond || took > 1500*time.Millisecond {
				t.Errorf("%s: waited %v", name, took)
			}
		})
	}
}

func (p Provider) ends(t *testing.T) {
	firsts := map[string]modeltest.Response{
		"cut":        {modeltest.Text("a"), modeltest.Cut()},
		"overloaded": {modeltest.Text("a"), p.Down},
		"thinking":   {modeltest.Reasoning("a"), p.Down},
	}
	for name, first := range p.Final {
		firsts[name] = first
	}
	for name, first := range firsts {
		p.InBubble(t, upstream.Settings{MaxRetries: 2}, []modeltest.Response{first, modeltest.Answer("Hi")}, func(t *testing.T, s *modeltest.Server, g Got, _ time.Duration) {
			if g.Err == nil || len(s.Requests()) != 1 {
				t.Errorf("%s: %s after %d requests", name, g, len(s.Requests()))
			}
		})
	}
}

func (p Provider) kinds(t *testing.T) {
	for status, want := range map[int]struct {
		kind     model.ErrorKind
		requests int
		detail   string
	}{
		307: {model.KindError, 1, "redirect"},
		400: {model.KindError, 1, p.Says},
		401: {model.KindError, 1, "check the key"},
		403: {model.KindError, 1, "check the key"},
		404: {model.KindError, 1, "check baseUrl and model"},
		408: {model.KindTimeout, 2, "408"},
		409: {model.KindError, 2, "409"},
		413: {model.KindTooLong, 1, "too long"},
		422: {model.KindError, 1, "422"},
		429: {model.KindRateLimited, 2, "429"},
		500: {model.KindUnavailable, 2, "500"},
		501: {model.KindUnavailable, 1, "501"},
		529: {model.KindUnavailable, 2, "529"},
	} {
		p.InBubble(t, upstream.Settings{MaxRetries: 1, APIKey: "secret"}, []modeltest.Response{p.failing(status), p.failing(status)}, func(t *testing.T, s *modeltest.Server, g Got, _ time.Duration) {
			e, is := errors.AsType[*model.Error](g.Err)
			if !is || e.Kind != want.kind || e.Status != status || !strings.Contains(e.Detail, want.detail) || len(s.Requests()) != want.requests {
				t.Errorf("%d: %v after %d requests", status, g.Err, len(s.Requests()))
			}
		})
	}
}

func (p Provider) comesBack(t *testing.T) {
	date := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for name, c := range map[string]struct {
		header     func() []string // called in the bubble, which has a clock of its own
		wait, most time.Duration
		requests   int
		told       time.Duration
	}{
		"seconds":          {func() []string { return []string{"Retry-After", "7"} }, 7 * time.Second, 7 * time.Second, 2, 7 * time.Second},
		"milliseconds":     {func() []string { return []string{"Retry-After-Ms", "2500"} }, 2500 * time.Millisecond, 2500 * time.Millisecond, 2, 2500 * time.Millisecond},
		"date":             {func() []string { return []string{"Retry-After", date(20 * time.Second)} }, 19 * time.Second, 20 * time.Second, 2, 0},
		"too long":         {func() []string { return []string{"Retry-After", "3600"} }, 0, 0, 1, time.Hour},
		"absurd":           {func() []string { return []string{"Retry-After", "1e300"} }, 0, 0, 1, 24 * time.Hour},
		"negative":         {func() []string { return []string{"Retry-After", "-5"} }, 0, time.Second, 2, 0},
		"unreadable":       {func() []string { return []string{"Retry-After", "soon"} }, 0, time.Second, 2, 0},
		"date in the past": {func() []string { return []string{"Retry-After", date(-time.Hour)} }, 0, time.Second, 2, 0},
		"without header":   {func() []string { return nil }, 0, time.Second, 2, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			limited := p.failing(429, c.header()...)
			s := modeltest.NewMemory(t, limited, limited)
			start := time.Now()
			g := Read(t, p.New(over(s, upstream.Settings{MaxRetries: 1})), Ask)
			if took := time.Since(start); took < c.wait || took > c.most {
				t.Errorf("%s: waited %v, want %v to %v", name, took, c.wait, c.most)
			}
			e, is := errors.AsType[*model.Error](g.Err)
			if !is || e.Kind != model.KindRateLimited || c.told != 0 && e.RetryAfter != c.told || len(s.Requests()) != c.requests {
				t.Errorf("%s: %+v after %d requests", name, e, len(s.Requests()))
			}
		})
	}
}

func (p Provider) timeouts(t *testing.T) {
	all := map[string]Timed{
		"no header":        {modeltest.Response{modeltest.Stall()}, `text="" error=model_timeout/0`, three},
		"no first byte":    {modeltest.Response{modeltest.Delay(2 * time.Second), {Status: 200}, modeltest.Stall()}, `text="" error=model_timeout/0`, three},
		"a stall":          {modeltest.Response{modeltest.Text("a"), modeltest.Delay(2 * time.Second), modeltest.Text("b"), modeltest.Stall()}, `text="ab" error=model_timeout/0`, 5 * time.Second},
		"the error's body": {modeltest.Response{{Status: 400, Body: "{"}, modeltest.Stall()}, `text="" error=model_error/400`, three},
	}
	for name, c := range p.Timed {
		all[name] = c
	}
	for name, c := range all {
		p.InBubble(t, upstream.Settings{Timeout: three, MaxRetries: 2}, []modeltest.Response{c.Response}, func(t *testing.T, s *modeltest.Server, g Got, took time.Duration) {
			if g.String() != c.Want || took != c.Took || len(s.Requests()) != 1 {
				t.Errorf("%s: %s after %v and %d requests (%v)", name, g, took, len(s.Requests()), g.Err)
			}
		})
	}
}

func (p Provider) slowCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.NewMemory(t, modeltest.Response{modeltest.Text("a"), modeltest.Delay(time.Second), modeltest.Text("b"), modeltest.Finish("stop"), modeltest.Done()})
		for _, err := range p.New(over(s, upstream.Settings{Timeout: 2 * time.Second})).Stream(t.Context(), Ask) {
			if err != nil {
				t.Error(err)
			}
			<-time.After(time.Minute) // fake time
		}
	})
}

// A server that never stops, but never stalls either, is cut off, and so is one that is retried
// again and again.
func (p Provider) steps(t *testing.T) {
	var steady modeltest.Response
	for range 100 {
		steady = append(steady, modeltest.Text("a"), modeltest.Delay(800*time.Millisecond))
	}
	busy := p.failing(503, "Retry-After", "6")
	for name, c := range map[string]struct {
		s         upstream.Settings
		responses []modeltest.Response
		want      string
		took      time.Duration
	}{
		"ten times the timeout": {upstream.Settings{Timeout: three}, []modeltest.Response{steady}, fmt.Sprintf("text=%q error=model_timeout/0", strings.Repeat("a", 38)), thirty},
		"as configured":         {upstream.Settings{Timeout: three, StepTimeout: three}, []modeltest.Response{steady}, `text="aaaa" error=model_timeout/0`, three},
		"before the first byte": {upstream.Settings{Timeout: thirty, StepTimeout: three}, []modeltest.Response{{modeltest.Stall()}}, `text="" error=model_timeout/0`, three},
		"attempts":              {upstream.Settings{Timeout: three, StepTimeout: 10 * time.Second, MaxRetries: 9}, []modeltest.Response{busy, busy}, `text="" error=model_unavailable/503`, 6 * time.Second},
	} {
		p.InBubble(t, c.s, c.responses, func(t *testing.T, _ *modeltest.Server, g Got, took time.Duration) {
			if g.String() != c.want || took != c.took {
				t.Errorf("%s: %s after %v (%v)", name, g, took, g.Err)
			}
		})
	}
}

func (p Provider) keys(t *testing.T) {
	const key = "sk-proj-AbCdEf0123456789"
	for _, said := range []string{key, "sk-proj-AbCdEf", strings.ToLower(key), "key." + key + ".invalid", "AbCdEf0123456789"} {
		refused := modeltest.Response{{Status: 401, Body: strings.ReplaceAll(p.Key, "%s", said)}}
		p.InBubble(t, upstream.Settings{APIKey: key}, []modeltest.Response{refused}, func(t *testing.T, _ *modeltest.Server, g Got, _ time.Duration) {
			if text := strings.ToLower(g.Err.Error()); strings.Contains(text, "abcdef") || !strings.Contains(text, "check the key") {
				t.Errorf("%s: %v", said, g.Err)
			}
		})
	}
	broken := refusing(func() error { return errors.New(`malformed HTTP response "Bearer ` + key + `"`) })
	if g := Read(t, p.New(upstream.Settings{BaseURL: "http://x", APIKey: key, Transport: broken, MaxRetries: -1}), Ask); strings.Contains(g.Err.Error(), "AbCdEf") {
		t.Error(g.Err)
	}
}

// refusing is a transport that always fails.
type refusing func() error

func (f refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f() }

func (p Provider) cancels(t *testing.T) {
	for name, response := range map[string]modeltest.Response{
		"before the header": {modeltest.Stall()},
		"in the stream":     {modeltest.Text("a"), modeltest.Stall()},
		"in the backoff":    p.failing(503, "Retry-After", "20"),
	} {
		synctest.Test(t, func(t *testing.T) {
			s := modeltest.NewMemory(t, response)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			start := time.Now()
			var last error
			for _, err := range p.New(over(s, upstream.Settings{MaxRetries: 3})).Stream(ctx, Ask) {
				last = err
			}
			// The context's own error, not the model's.
			if _, is := errors.AsType[*model.Error](last); is || !errors.Is(last, context.DeadlineExceeded) || time.Since(start) != time.Second {
				t.Errorf("%s: %v after %v", name, last, time.Since(start))
			}
		})
	}
}

func (p Provider) unreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close() // the port refuses connections from now on
	for _, base := range []string{"http://" + listener.Addr().String() + "/v1", "ftp://x", "", "http://\x00", "http://secret:secret@" + listener.Addr().String()} {
		g := Read(t, p.New(upstream.Settings{BaseURL: base, APIKey: "secret", MaxRetries: -1}), Ask)
		if e, is := errors.AsType[*model.Error](g.Err); !is || e.Kind != model.KindUnavailable || !e.Retryable() {
			t.Errorf("%q: %v", base, g.Err)
		}
	}
	attempts := 0
	down := refusing(func() error { attempts++; return errors.New("refused") })
	synctest.Test(t, func(t *testing.T) {
		Read(t, p.New(upstream.Settings{BaseURL: "http://x", Transport: down, MaxRetries: 3}), Ask)
	})
	if attempts != 4 {
		t.Errorf("%d attempts", attempts)
	}
}

func (p Provider) connections(t *testing.T) {
	script := make([]modeltest.Response, 20)
	for i := range script {
		script[i] = modeltest.Answer("one two three")
	}
	s := modeltest.New(t, script...)
	m := p.New(upstream.Settings{BaseURL: s.URL, Model: "m"})
	for i := range script {
		for d, err := range m.Stream(t.Context(), Ask) {
			if err != nil {
				t.Fatal(err)
			}
			if d.Finish != "" && i%2 == 0 {
				break // breaking at the last piece must not close the connection
			}
		}
	}
	if n := s.Connections(); n != 1 {
		t.Errorf("%d connections for %d requests", n, len(script))
	}
}
