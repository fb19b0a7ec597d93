package sse_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/askgate/askgate/gateway/sse"
)

// response is a ResponseWriter that records what is done to it, and when.
type response struct {
	header    http.Header
	body      bytes.Buffer
	writes    []time.Time
	flushes   int
	mu        sync.Mutex // of deadlines
	deadlines []time.Time
	writeErr  error
	flushErr  error
}

func newResponse() *response { return &response{header: http.Header{}} }

func (r *response) Header() http.Header { return r.header }
func (r *response) WriteHeader(int)     {}
func (r *response) Flush()              { r.flushes++ }
func (r *response) FlushError() error   { r.flushes++; return r.flushErr }

func (r *response) Write(p []byte) (int, error) {
	if r.writeErr != nil {
		return 0, r.writeErr
	}
	r.writes = append(r.writes, time.Now())
	return r.body.Write(p)
}

func (r *response) SetWriteDeadline(t time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deadlines = append(r.deadlines, t)
	return nil
}

func (r *response) deadline() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.deadlines[len(r.deadlines)-1]
}

// beats are the times at which comments came after start, in seconds.
func (r *response) beats(start time.Time) []int {
	var at []int
	for _, w := range r.writes[1:] {
		at = append(at, int(w.Sub(start)/time.Second))
	}
	return at
}

// handlers are the same handler behind the routers in which a stream can run.
func handlers(h http.HandlerFunc) map[string]http.Handler {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/", func(c *gin.Context) { h(c.Writer, c.Request) })
	return map[string]http.Handler{"net/http": h, "gin": engine}
}

func TestStreamOverHTTP(t *testing.T) {
	for _, name := range []string{"net/http", "gin"} {
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{})
			h := handlers(func(w http.ResponseWriter, _ *http.Request) {
				s := sse.NewWriter(w, sse.Options{})
				defer s.Close()
				_ = s.Write(nil)
				<-begun // nothing is written before the client has seen the beginning
				if err := s.Write(sse.AppendEvent(nil, "1", "chunk", []byte(`{}`))); err != nil {
					t.Error(err)
				}
				if err := s.Retry(1500 * time.Millisecond); err != nil {
					t.Error(err)
				}
			})[name]
			server := httptest.NewServer(h)
			defer server.Close()
			resp, err := http.Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("status %d", resp.StatusCode)
			}
			for field, want := range map[string]string{
				"Content-Type":      "text/event-stream; charset=utf-8",
				"Cache-Control":     "no-cache, no-transform",
				"X-Accel-Buffering": "no",
			} {
				if got := resp.Header.Get(field); got != want {
					t.Errorf("%s: %q, want %q", field, got, want)
				}
			}
			body := bufio.NewReader(resp.Body)
			if line, err := body.ReadString('\n'); !strings.HasPrefix(line, ":") || err != nil {
				t.Errorf("the stream begins with %q, %v, not with a comment", line, err)
			}
			close(begun)
			if got, err := read(body); got != "1|chunk|\"{}\"|0s\n1||\"\"|1.5s\n" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestHeartbeat(t *testing.T) {
	for name, tt := range map[string]struct {
		writes []time.Duration // since the start
		want   []int           // all writes and beats, in seconds
	}{
		"quiet":                 {nil, []int{14, 28, 42, 56}},
		"a write postpones it":  {[]time.Duration{10 * time.Second}, []int{10, 24, 38, 52}},
		"writes make it silent": {seconds(5, 15, 25, 35, 45, 55), []int{5, 15, 25, 35, 45, 55}},
		"then it is back":       {seconds(13, 26), []int{13, 26, 40, 54}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				r := newResponse()
				s := sse.NewWriter(r, sse.Options{})
				for _, at := range tt.writes {
					time.Sleep(at - time.Since(start))
					if err := s.Write([]byte("data: x\n\n")); err != nil {
						t.Error(err)
					}
				}
				time.Sleep(time.Minute - time.Since(start))
				s.Close()
				if got := r.beats(start); !slices.Equal(got, tt.want) {
					t.Errorf("writes at %v s, want %v s", got, tt.want)
				}
				n := len(r.writes)
				time.Sleep(time.Hour)
				if len(r.writes) != n {
					t.Error("comments are still sent after Close")
				}
			})
		})
	}
}

func seconds(s ...int) []time.Duration {
	var d []time.Duration
	for _, n := range s {
		d = append(d, time.Duration(n)*time.Second)
	}
	return d
}

func TestDefaultHeartbeatKeepsThePromise(t *testing.T) {
	// The contract, section 5: at most 15 s apart.
	if got := sse.DefaultHeartbeat; got >= 15*time.Second {
		t.Errorf("comments are sent every %s", got)
	}
}

func TestWaitingStreamsHoldNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 1000 {
		s := sse.NewWriter(newResponse(), sse.Options{})
		defer s.Close()
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("1000 streams hold %d goroutines", after-before)
	}
}

func TestOneWriteAndOneFlushEach(t *testing.T) {
	r := newResponse()
	s := sse.NewWriter(r, sse.Options{})
	defer s.Close()
	frames := sse.AppendEvent(nil, "1", "a", []byte("{}"))
	frames = sse.AppendEvent(frames, "2", "b", []byte("{}"))
	if err := s.Write(frames); err != nil {
		t.Fatal(err)
	}
	if len(r.writes) != 2 || r.flushes != 1 { // the first is the comment, which waits for more data
		t.Errorf("%d writes, %d flushes", len(r.writes)-1, r.flushes)
	}
}

func TestDeadlineMovesLazily(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		r := newResponse()
		s := sse.NewWriter(r, sse.Options{WriteTimeout: 60 * time.Second})
		for range 10_000 { // 100 s
			time.Sleep(10 * time.Millisecond)
			_ = s.Write([]byte("data: x\n\n"))
		}
		s.Close()
		var at []int
		for _, d := range r.deadlines[:len(r.deadlines)-1] {
			at = append(at, int(d.Sub(start)/time.Second))
		}
		if want := []int{60, 90, 120, 150}; !slices.Equal(at, want) {
			t.Errorf("deadlines at %v s, want %v s", at, want)
		}
		if last := r.deadline(); !last.IsZero() {
			t.Errorf("Close leaves the deadline %s", last)
		}
	})
}

// HTTP/2 resets a stream when its deadline passes, whether it was written to or not.
func TestDeadlineNeverPassesOnAQuietStream(t *testing.T) {
	for _, opts := range []sse.Options{{}, {WriteTimeout: time.Second}, {Heartbeat: time.Minute, WriteTimeout: time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			r := newResponse()
			s := sse.NewWriter(r, opts)
			defer s.Close()
			_ = s.Write(nil)
			for i := range 2000 {
				time.Sleep(170 * time.Millisecond)
				synctest.Wait() // a beat of this very moment is over
				if d := r.deadline(); !d.IsZero() && !time.Now().Before(d) {
					t.Fatalf("%+v: the deadline passed %s ago", opts, time.Since(d))
				}
				if i%200 < 20 { // busy for some seconds, then quiet
					_ = s.Write([]byte("data: x\n\n"))
				}
			}
			if d := r.deadline(); !d.IsZero() {
				t.Errorf("%+v: a quiet stream has a deadline", opts)
			}
		})
	}
}

func TestTheFirstErrorSticks(t *testing.T) {
	first := errors.New("first")
	for name, breakIt := range map[string]func(*response){
		"write": func(r *response) { r.writeErr = first },
		"flush": func(r *response) { r.flushErr = first },
	} {
		for _, through := range []string{"net/http", "gin"} {
			r := newResponse()
			handlers(func(w http.ResponseWriter, _ *http.Request) {
				s := sse.NewWriter(w, sse.Options{})
				breakIt(r)
				if err := s.Write([]byte("data: x\n\n")); !errors.Is(err, first) {
					t.Errorf("%s, %s: %v", through, name, err)
				}
				r.writeErr, r.flushErr = nil, nil
				n := len(r.writes)
				for _, err := range []error{s.Write(nil), s.Comment("x"), s.Retry(time.Second)} {
					if !errors.Is(err, first) {
						t.Errorf("%s, %s, later: %v", through, name, err)
					}
				}
				if len(r.writes) != n {
					t.Errorf("%s, %s: written to after the error", through, name)
				}
				s.Close()
				s.Close()
				if err := s.Write(nil); !errors.Is(err, sse.ErrClosed) {
					t.Errorf("%s, %s, closed: %v", through, name, err)
				}
			})[through].ServeHTTP(r, httptest.NewRequest(http.MethodGet, "/", nil))
		}
	}
}

func TestCommentsStayComments(t *testing.T) {
	r := newResponse()
	s := sse.NewWriter(r, sse.Options{})
	defer s.Close()
	_ = s.Comment("a\n\ndata: x\r\revent: y")
	if got, err := read(&r.body); got != "" || err != nil {
		t.Errorf("a comment reads as %q, %v", got, err)
	}
}

// System calls are most of the cost of a stream: one for each Write, through every wrapper.
func TestOneSystemCallEach(t *testing.T) {
	const events = 100
	for _, through := range []string{"net/http", "gin"} {
		synctest.Test(t, func(t *testing.T) {
			conn := serve(t, handlers(func(w http.ResponseWriter, _ *http.Request) {
				s := sse.NewWriter(w, sse.Options{})
				defer s.Close()
				for range events {
					_ = s.Write([]byte("data: x\n\n"))
				}
			})[through])()
			go func() { _, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }()
			n, buf := 0, make([]byte, 4096)
			for ; ; n++ {
				k, err := conn.Read(buf) // a pipe hands over one write to one read
				if err != nil {
					t.Fatal(err)
				}
				if string(buf[:k]) == "0\r\n\r\n" { // the end of the body
					break
				}
			}
			if n != events { // the first one has headers and comment as well
				t.Errorf("%s: %d writes for %d events", through, n, events)
			}
		})
	}
}

// serve runs a handler behind a real server on in-memory connections, which have no buffer: if the
// client does not read, the server blocks at once. dial opens one. For use in a bubble.
func serve(t *testing.T, h http.Handler) (dial func() net.Conn) {
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return func() net.Conn {
		client, s := net.Pipe()
		l.conns <- s
		t.Cleanup(func() { _ = client.Close() })
		return client
	}
}

type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}
func (l *pipes) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func TestAClientThatTakesNothingIsDropped(t *testing.T) {
	for _, through := range []string{"net/http", "gin"} {
		synctest.Test(t, func(t *testing.T) {
			const timeout = 40 * time.Second
			var took time.Duration
			dropped := make(chan error, 1)
			dial := serve(t, handlers(func(w http.ResponseWriter, _ *http.Request) {
				s := sse.NewWriter(w, sse.Options{WriteTimeout: timeout})
				defer s.Close()
				_ = s.Write(nil)
				start := time.Now()
				err := s.Write([]byte("data: x\n\n"))
				took = time.Since(start)
				dropped <- err
			})[through])
			conn := dial()
			_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Fatal(err)
			}
			// The comment may be accepted, the event is not.
			if err := <-dropped; !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: %v, want a deadline error", through, err)
			}
			if took < timeout/2 || took > timeout {
				t.Errorf("%s: dropped after %s, want between %s and %s", through, took, timeout/2, timeout)
			}
		})
	}
}

func TestTheConnectionIsGoodForTheNextRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := serve(t, handlers(func(w http.ResponseWriter, _ *http.Request) {
			s := sse.NewWriter(w, sse.Options{WriteTimeout: time.Second})
			defer s.Close()
			_ = s.Write([]byte("data: x\n\n"))
		})["gin"])
		conn := dial()
		r := bufio.NewReader(conn)
		for range 3 {
			go func() { _, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }()
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := read(resp.Body); got != "|message|\"x\"|0s\n" || err != nil {
				t.Fatalf("got %q, %v", got, err)
			}
			time.Sleep(time.Minute) // far beyond the deadline
		}
	})
}

func TestConcurrentFramesStayWhole(t *testing.T) {
	const writers, each = 8, 200
	r := newResponse()
	s := sse.NewWriter(r, sse.Options{Heartbeat: 50 * time.Microsecond})
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := s.Write(sse.AppendEvent(nil, strconv.Itoa(i), strconv.Itoa(w), []byte("{}"))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s.Close()
	next := map[string]int{}
	for ev, err := range sse.Read(&r.body) {
		if err != nil || string(ev.Data) != "{}" || ev.ID != strconv.Itoa(next[ev.Name]) {
			t.Fatalf("%+v, %v", ev, err)
		}
		next[ev.Name]++
	}
	for w := range writers {
		if n := next[strconv.Itoa(w)]; n != each {
			t.Errorf("writer %d: %d of %d events", w, n, each)
		}
	}
}
