package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// toolServer is the server that the tools of a transcript call. It answers by method and path, and
// records the requests.
type toolServer struct {
	url string

	mu     sync.Mutex // a request at a time, also over several connections
	served []string   // the request of each answer, "" where it was not given
}

// log returns the requests in the order of their answers in the script. The calls of a step run
// concurrently, and arrive in any order.
func (s *toolServer) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.served, "")
}

// serveTools starts a server that answers by script, a list of requests and their answers. It uses the
// first entry that matches and was not used yet.
func serveTools(t *testing.T, script []byte) *toolServer {
	t.Helper()
	var answers []struct {
		Request string            `json:"request"` // METHOD path?query
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
		used    bool
	}
	if err := json.Unmarshal(script, &answers); err != nil {
		t.Fatal(err)
	}
	s := &toolServer{served: make([]string, len(answers))}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := r.Method + " " + r.RequestURI
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		for i := range answers {
			a := &answers[i]
			if a.used || a.Request != request {
				continue
			}
			a.used = true
			s.served[i] = fmt.Sprintf("%s\n  Authorization: %s\n", request, r.Header.Get("Authorization"))
			if len(body) > 0 {
				s.served[i] += fmt.Sprintf("  %s\n", body)
			}
			for name, value := range a.Headers {
				w.Header().Set(name, value)
			}
			w.WriteHeader(a.Status)
			io.WriteString(w, a.Body)
			return
		}
		t.Errorf("no answer to %s is written", request)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}
