package modeltest

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// TB is the part of *testing.T and *testing.B that the server uses.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Cleanup(func())
}

// maxBody limits a request's body, in bytes.
const maxBody = 64 << 20

// Request is a request as the server received it.
type Request struct {
	Path       string
	Header     http.Header
	Raw        []byte
	Body       Body          // of Chat Completions
	Messages   MessagesBody  // of the Messages API
	Responses  ResponsesBody // of the Responses API
	Gemini     GeminiBody    // of the Gemini API
	Violations []string
}

// Server plays a script. All methods are safe for concurrent use.
type Server struct {
	// URL is the base URL to configure, ending in /v1.
	URL string
	// Strict makes the server respond 400 to a request with violations, as a strict provider does.
	// Set it before the first request.
	Strict bool
	// OnRequest, if not nil, is called with each request. Set it before the first request.
	OnRequest func(n int, r Request)

	play   func(n int, r Request) Response
	http   *httptest.Server
	client *http.Client
	closed chan struct{}
	once   sync.Once
	dials  atomic.Int64

	mu       sync.Mutex
	requests []Request
}

// New starts a server on a local port that responds to request n with response n of the script. A
// request beyond the script gets status 400 and is a violation. With t (which may be nil) the
// server is closed at the test's end, and violations fail it.
func New(t TB, script ...Response) *Server {
	return NewFunc(t, Script(script...))
}

// NewFunc is New for a script that is produced on demand: play is called with the number of the
// request, from 0, and the request.
func NewFunc(t TB, play func(n int, r Request) Response) *Server {
	s := newServer(play)
	s.http.Start()
	s.client = s.http.Client()
	return s.begin(t)
}

// NewMemory is New over in-memory connections: only Client can reach it. It works within a
// testing/synctest bubble.
func NewMemory(t TB, script ...Response) *Server {
	s := newServer(Script(script...))
	_ = s.http.Listener.Close()
	memory := &memoryListener{conns: make(chan net.Conn), closed: s.closed}
	s.http.Listener = memory
	s.http.Start()
	s.client = &http.Client{Transport: &http.Transport{DialContext: memory.dial, DisableCompression: true}}
	return s.begin(t)
}

// Script turns a list into a function for NewFunc.
func Script(script ...Response) func(int, Request) Response {
	return func(n int, _ Request) Response {
		if n >= len(script) {
			return nil
		}
		return script[n]
	}
}

func newServer(play func(int, Request) Response) *Server {
	s := &Server{play: play, closed: make(chan struct{})}
	s.http = httptest.NewUnstartedServer(s)
	s.http.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.dials.Add(1)
		}
	}
	return s
}

func (s *Server) begin(t TB) *Server {
	s.URL = s.http.URL + "/v1"
	if t == nil {
		return s
	}
	t.Cleanup(func() {
		t.Helper()
		s.Close()
		for _, v := range s.Violations() {
			t.Errorf("upstream: %s", v)
		}
	})
	return s
}

// Handler returns a server without a listener, for use as an http.Handler.
func Handler(play func(n int, r Request) Response) *Server {
	return &Server{play: play, closed: make(chan struct{})}
}

// Client returns an HTTP client that reaches the server.
func (s *Server) Client() *http.Client { return s.client }

// Close ends stalled responses and waits for the others.
func (s *Server) Close() {
	s.once.Do(func() {
		close(s.closed)
		if s.client != nil {
			s.client.CloseIdleConnections()
		}
		if s.http != nil {
			s.http.CloseClientConnections()
			s.http.Close()
		}
	})
}

// Connections returns the number of connections opened so far.
func (s *Server) Connections() int { return int(s.dials.Load()) }

// Requests returns the requests received so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Violations returns the violations in the requests so far, each with the request's number, from 0.
func (s *Server) Violations() []string {
	var all []string
	for n, r := range s.Requests() {
		for _, v := range r.Violations {
			all = append(all, "request "+strconv.Itoa(n)+": "+v)
		}
	}
	return all
}

// api is one of the APIs that the server supports.
type api struct {
	path  string // the end of the paths of its requests
	check func(*Request, *url.URL)
	write func(Response) func(Step) string // writes the steps of a response
}

// apis lists all of them; a request to an unknown path is checked by the first.
var apis = []api{
	{"/chat/completions", func(r *Request, _ *url.URL) { r.Body, r.Violations = Check(r.Raw) },
		func(Response) func(Step) string { return Step.chunk }},
	{"/v1/messages", func(r *Request, _ *url.URL) { r.Messages, r.Violations = CheckMessages(r.Header, r.Raw) },
		func(r Response) func(Step) string { return newMessages(r).piece }},
	{"/responses", func(r *Request, _ *url.URL) { r.Responses, r.Violations = CheckResponses(r.Raw) },
		func(r Response) func(Step) string { return newResponses(r).piece }},
	{":streamGenerateContent", func(r *Request, u *url.URL) { r.Gemini, r.Violations = CheckGemini(u, r.Header, r.Raw) },
		func(r Response) func(Step) string { return newGemini(r).piece }},
}

func apiOf(path string) api {
	for _, a := range apis {
		if strings.HasSuffix(path, a.path) {
			return a
		}
	}
	return apis[0]
}

// ServeHTTP records and checks a request, and plays its response.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "unreadable body", http.StatusBadRequest)
		return
	}
	req := Request{Path: r.URL.Path, Header: r.Header.Clone(), Raw: raw}
	api := apiOf(r.URL.Path)
	api.check(&req, r.URL)
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, api.path) {
		req.Violations = append(req.Violations, "not a POST to an API of this server: "+r.Method+" "+r.URL.Path)
	}
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, req)
	s.mu.Unlock()

	response := s.play(n, req)
	if response == nil {
		req.Violations = append(req.Violations, "the script has ended")
		s.mu.Lock()
		s.requests[n] = req
		s.mu.Unlock()
		response = Status(http.StatusBadRequest, `{"type":"error","error":{"message":"the script has ended","type":"invalid_request_error","code":"script_ended"}}`)
	}
	if s.OnRequest != nil {
		s.OnRequest(n, req)
	}
	if s.Strict && len(req.Violations) > 0 {
		response = Status(http.StatusBadRequest, `{"type":"error","error":{"message":`+quote(strings.Join(req.Violations, "; "))+
			`,"type":"invalid_request_error","code":"invalid_history"}}`)
	}
	s.run(w, r, response, api.write(response))
}

// run plays one response.
func (s *Server) run(w http.ResponseWriter, r *http.Request, response Response, write func(Step) string) {
	flush := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	for _, step := range response {
		switch {
		case step.Cut:
			panic(http.ErrAbortHandler) // net/http's way to break the connection
		case step.Stall, step.Delay > 0:
			if !s.wait(r.Context(), time.Duration(step.Delay), step.Stall) {
				return
			}
		case step.Status != 0:
			w.Header().Set("Content-Type", "application/json")
			for k, v := range step.Headers {
				w.Header().Set(k, v)
			}
			w.WriteHeader(step.Status)
			_, _ = io.WriteString(w, step.Body)
		default:
			if _, err := io.WriteString(w, write(step)); err != nil {
				return
			}
		}
		if flush.Flush() != nil {
			return
		}
	}
}

// wait reports whether the response continues: not after a stall, nor when the client or the test
// has gone.
func (s *Server) wait(ctx context.Context, d time.Duration, stall bool) bool {
	var elapsed <-chan time.Time
	if !stall {
		timer := time.NewTimer(d)
		defer timer.Stop()
		elapsed = timer.C
	}
	select {
	case <-elapsed:
		return true
	case <-ctx.Done():
	case <-s.closed:
	}
	return false
}

// memoryListener hands the server's end of a pipe to the caller of Accept.
type memoryListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *memoryListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error   { return nil }
func (l *memoryListener) Addr() net.Addr { return memoryAddr{} }

type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return "memory.invalid:80" }
