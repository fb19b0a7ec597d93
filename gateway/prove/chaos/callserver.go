package main

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// callServer is the server that tools of type http call: it counts the calls of each path, as they
// arrive.
type callServer struct {
	*httptest.Server
	mu     sync.Mutex
	counts map[string]int
}

// callPause is how long a call takes, so that a crash can fall into it.
const callPause = 2 * time.Millisecond

func newCallServer() *callServer {
	s := &callServer{counts: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.counts[r.URL.Path]++
		s.mu.Unlock()
		time.Sleep(callPause)
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte("done"))
	}))
	return s
}

func (s *callServer) times(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[path]
}
