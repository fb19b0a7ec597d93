package doctor_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/doctor"
)

// gateway is the part of a gateway that the doctor calls.
func gateway(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
	switch r.URL.Path {
	case "/healthz", "/readyz":
		w.WriteHeader(http.StatusOK)
	case doctor.Path:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		quiet, err := time.ParseDuration(r.FormValue("quiet") + "s")
		if err != nil {
			quiet = doctor.Promise
		}
		doctor.Serve(r.Context(), w, r, len(body), quiet)
	default:
		http.NotFound(w, r)
	}
}

// examine checks a gateway behind a proxy, in virtual time.
func examine(t *testing.T, proxy http.HandlerFunc, quiet time.Duration) (checks []doctor.Check, well bool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{Handler: proxy}
		go func() { _ = server.Serve(listener) }()
		transport := &http.Transport{DialContext: listener.dial}
		well = doctor.Examine(t.Context(), doctor.Options{
			URL: "http://gateway", Client: &http.Client{Transport: transport}, Quiet: quiet,
		}, func(c doctor.Check) { checks = append(checks, c) })
		transport.CloseIdleConnections()
		_ = server.Close()
	})
	return checks, well
}

// pipes is a network in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func names(checks []doctor.Check, ok bool) []string {
	var list []string
	for _, c := range checks {
		if c.OK == ok {
			list = append(list, c.Name)
		}
	}
	return list
}

func TestNothingBetweenIsWell(t *testing.T) {
	checks, well := examine(t, gateway, 0)
	if broken := names(checks, false); !well || len(broken) > 0 {
		t.Errorf("well: %v, broken: %q", well, broken)
	}
	want := []string{
		"reachable", "tls", "http", "request id", "compression", "body",
		"headers", "buffering", "idle", "last event id", "authorization", "upstream",
	}
	if got := names(checks, true); !slices.Equal(got, want) {
		t.Errorf("looked at %q", got)
	}
}

// A gateway that does not know the host name in the address reports it, and explains how to fix it.
func TestANameThatTheGatewayDoesNotKnow(t *testing.T) {
	checks, well := examine(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == doctor.Path {
			w.WriteHeader(http.StatusMisdirectedRequest)
			return
		}
		gateway(w, r)
	}, 0)
	last := checks[len(checks)-1]
	if well || !slices.Equal(names(checks, false), []string{"host"}) || !strings.Contains(last.Hint, `"hosts" of gateway.json`) || !strings.Contains(last.Found, "421") {
		t.Errorf("%+v", checks)
	}
}

// buffered holds back what is written, and sends it when the handler has ended.
type buffered struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (b *buffered) WriteHeader(int)             {}
func (b *buffered) Write(p []byte) (int, error) { return b.body.Write(p) }
func (b *buffered) Flush()                      {}

// rewriting applies edit to each write.
type rewriting struct {
	http.ResponseWriter
	edit func([]byte) []byte
}

func (w rewriting) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w rewriting) Write(p []byte) (int, error) {
	_, err := w.ResponseWriter.Write(w.edit(p))
	return len(p), err
}

// lumpy sends once per second what was written in that second.
type lumpy struct {
	http.ResponseWriter
	sent time.Time
}

func (l *lumpy) Flush() {
	if time.Since(l.sent) > time.Second {
		l.sent = time.Now()
		_ = http.NewResponseController(l.ResponseWriter).Flush()
	}
}

// cut ends responses after a given time.
func cut(after time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), after)
		defer cancel()
		gateway(w, r.WithContext(ctx))
		if ctx.Err() != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

func without(header string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del(header)
		gateway(w, r)
	}
}

// TestBadProxies: each proxy fails exactly the checks that it should.
func TestBadProxies(t *testing.T) {
	for name, c := range map[string]struct {
		proxy  http.HandlerFunc
		broken []string
	}{
		"buffers all": {func(w http.ResponseWriter, r *http.Request) {
			b := &buffered{ResponseWriter: w}
			gateway(b, r)
			_, _ = w.Write(b.body.Bytes())
		}, []string{"headers", "buffering"}},
		"buffers a second": {func(w http.ResponseWriter, r *http.Request) {
			gateway(&lumpy{ResponseWriter: w, sent: time.Now().Add(-2 * time.Second)}, r)
		}, []string{"buffering"}},
		"compresses": {func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				gateway(w, r)
				return
			}
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			gateway(rewriting{w, func(p []byte) []byte {
				var b bytes.Buffer
				z.Reset(&b)
				_, _ = z.Write(p)
				_ = z.Flush()
				return b.Bytes()
			}}, r)
		}, []string{"compression"}},
		"cuts after 10 s":        {cut(10 * time.Second), []string{"idle"}},
		"cuts before the events": {cut(550 * time.Millisecond), []string{"buffering", "idle"}},
		"holds the end back": {func(w http.ResponseWriter, r *http.Request) {
			gateway(rewriting{w, func(p []byte) []byte {
				if bytes.Contains(p, []byte("end")) {
					return nil
				}
				return p
			}}, r)
			if r.URL.Path == doctor.Path {
				<-r.Context().Done()
			}
		}, []string{"idle"}},
		"takes Last-Event-ID": {without("Last-Event-ID"), []string{"last event id"}},
		"takes Authorization": {without("Authorization"), []string{"authorization"}},
		"takes X-Request-Id":  {without("X-Request-Id"), []string{"request id"}},
		"small bodies only": {func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength > 512<<10 {
				w.WriteHeader(http.StatusRequestEntityTooLarge)
				return
			}
			gateway(w, r)
		}, []string{"body"}},
		"half a body": {func(w http.ResponseWriter, r *http.Request) {
			r.Body = io.NopCloser(io.LimitReader(r.Body, 1000))
			gateway(w, r)
		}, []string{"body"}},
		"HTTP/1.0 to the gateway": {func(w http.ResponseWriter, r *http.Request) {
			r.Proto = "HTTP/1.0"
			gateway(w, r)
		}, []string{"upstream"}},
		"wants its own sign-in": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
		}, []string{"request id", "stream"}},
		"knows no such path": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == doctor.Path {
				http.NotFound(w, r)
				return
			}
			gateway(w, r)
		}, []string{"stream"}},
	} {
		t.Run(name, func(t *testing.T) {
			checks, well := examine(t, c.proxy, 0)
			if got := names(checks, false); !slices.Equal(got, c.broken) || well != (len(c.broken) == 0) {
				t.Errorf("broken: %q, want %q; well: %v", got, c.broken, well)
			}
			for _, check := range checks {
				if check.Found == "" || check.OK != (check.Hint == "") {
					t.Errorf("%s: found %q, hint %q", check.Name, check.Found, check.Hint)
				}
			}
		})
	}
}

// TestIdleTimeoutIsMeasured: a proxy that cuts streams only after a silence longer than the
// gateway's passes, and its timeout is reported.
func TestIdleTimeoutIsMeasured(t *testing.T) {
	checks, well := examine(t, cut(42*time.Second), time.Hour)
	i := slices.IndexFunc(checks, func(c doctor.Check) bool { return c.Name == "idle" })
	if !well || i < 0 || !strings.Contains(checks[i].Found, "40s") {
		t.Errorf("%v %+v", well, checks)
	}
}

func TestNobodyThere(t *testing.T) {
	refused := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, net.ErrClosed
	}}}
	var checks []doctor.Check
	well := doctor.Examine(t.Context(), doctor.Options{URL: "http://gateway", Client: refused}, func(c doctor.Check) { checks = append(checks, c) })
	if well || !slices.Equal(names(checks, false), []string{"reachable"}) {
		t.Errorf("%+v", checks)
	}
}
