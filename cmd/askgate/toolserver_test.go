package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/gatewaytest"
)

// toolServer is what the tools of a transcript call. It answers by method and path, and
// writes down what it was sent.
type toolServer struct {
	url string
	log gatewaytest.Log
}

// serveTools answers as script says: a list of what is answered to which request, the
// first of those that fit and were not used yet.
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
	s := &toolServer{}
	var one sync.Mutex // a request at a time, also over several connections
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := r.Method + " " + r.RequestURI
		body, _ := io.ReadAll(r.Body)
		one.Lock()
		defer one.Unlock()
		fmt.Fprintf(&s.log, "%s\n  Authorization: %s\n", request, r.Header.Get("Authorization"))
		if len(body) > 0 {
			fmt.Fprintf(&s.log, "  %s\n", body)
		}
		for i := range answers {
			a := &answers[i]
			if a.used || a.Request != request {
				continue
			}
			a.used = true
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
