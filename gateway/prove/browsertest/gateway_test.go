//go:build browser || browsers

package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/gatewaytest"
)

// site is a gateway as a browser sees it: the real binary behind a proxy, at an address that stays
// the same while the gateway is killed, or connections are cut.
type site struct {
	t    *testing.T
	url  string
	dir  string
	args []string // of askgate serve, and additions to its environment
	env  []string

	mu      sync.Mutex
	process *gatewaytest.Process
	target  *url.URL
	cut     bool
	lose    int                      // responses of the gateway that get lost
	held    map[string]chan struct{} // paths whose requests wait
	gone    func(path string) bool   // paths that the gateway does not have
	source  string                   // replaces the page that the gateway serves at /
	early   string                   // a script at /early.js, for that page
	live    map[*http.Request]func() // ends what is in progress
}

// newSite starts a gateway, with the demo model unless set changes that. page is served at /, if
// there is one.
func newSite(t *testing.T, page string, set ...func(*site)) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), live: map[*http.Request]func(){}}
	for _, f := range set {
		f(s)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			s.mu.Lock()
			defer s.mu.Unlock()
			r.SetURL(s.target)
			r.Out.Host = s.target.Host
			r.Out.Header.Del("Origin") // the gateway knows its own name only
		},
		ModifyResponse: func(r *http.Response) error {
			if s.source != "" && r.Request.URL.Path == "/" {
				r.Header.Del("Content-Encoding")
				r.ContentLength, r.Body = int64(len(s.source)), io.NopCloser(strings.NewReader(s.source))
				r.Header.Set("Content-Length", strconv.Itoa(len(s.source)))
			}
			return nil
		},
		FlushInterval: -1,
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && page != "" {
			http.ServeFile(w, r, page)
			return
		}
		rc := http.NewResponseController(w)
		s.mu.Lock()
		held, gone, early := s.held[r.URL.Path], s.gone != nil && s.gone(r.URL.Path), s.early
		s.mu.Unlock()
		if early != "" && r.URL.Path == "/early.js" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, early)
			return
		}
		if gone {
			w.Header().Set("Cache-Control", "no-store")
			http.NotFound(w, r)
			return
		}
		if held != nil {
			select {
			case <-held:
			case <-r.Context().Done():
			}
		}
		s.mu.Lock()
		if s.cut || s.target == nil {
			s.mu.Unlock()
			panic(http.ErrAbortHandler)
		}
		if r.Method == http.MethodPost && s.lose > 0 {
			s.lose--
			s.mu.Unlock()
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		s.live[r] = func() { _ = rc.SetWriteDeadline(time.Unix(1, 0)); _ = rc.SetReadDeadline(time.Unix(1, 0)) }
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			delete(s.live, r)
			s.mu.Unlock()
		}()
		proxy.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = nil
	s.url = server.URL
	t.Cleanup(func() {
		s.kill()
		server.CloseClientConnections()
		server.Close()
	})
	s.run()
	return s
}

// fromSources makes the chat page load its sources, so that a test can import one of them and has the
// module that the page uses.
func fromSources(s *site) {
	source, err := os.ReadFile("../../web/static/index.html")
	if err != nil {
		s.t.Fatal(err)
	}
	s.source = string(source)
}

// bundled returns the path of a file that the pages load, by its name without the hash.
func bundled(t *testing.T, name string) string {
	t.Helper()
	found, err := filepath.Glob("../../web/dist/" + name + "-????????.min.js")
	if err != nil || len(found) != 1 {
		t.Fatalf("%s is bundled as %v, %v", name, found, err)
	}
	return "/assets/dist/" + filepath.Base(found[0])
}

// lacks answers 404 to requests for some paths from now on; nil ends that.
func (s *site) lacks(gone func(path string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = gone
}

// run starts the gateway and waits until it reports its address.
func (s *site) run() {
	s.t.Helper()
	process, err := gatewaytest.Program{
		Args: append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "sqlite:" + filepath.Join(s.dir, "askgate.db")}, s.args...),
		Dir:  s.dir, Env: append(os.Environ(), s.env...),
	}.Start(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	target, err := url.Parse(process.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	s.process, s.target = process, target
	s.mu.Unlock()
}

// kill ends the gateway like a power cut.
func (s *site) kill() {
	s.mu.Lock()
	process := s.process
	s.process, s.target = nil, nil
	s.mu.Unlock()
	if process != nil {
		process.Kill()
	}
}

// disconnect cuts all connections, and refuses new ones until reconnect.
func (s *site) disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = true
	for _, end := range s.live {
		end()
	}
}

func (s *site) reconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = false
}

// hold makes requests to a path wait until release is called.
func (s *site) hold(path string) (release func()) {
	held := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = map[string]chan struct{}{path: held}
	return func() { close(held) }
}

// loseResponses lets the gateway accept the next n posts, and cuts the connection before it
// responds.
func (s *site) loseResponses(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose = n
}

// post sends to the gateway directly, as another user's client would.
func (s *site) post(chat string, body object) (status int, stream string) {
	s.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := http.Post(fmt.Sprintf("%s/v1/apps/assistant/chats/%s/messages", s.target, chat), "application/json", bytes.NewReader(raw))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}
