package client_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/client"
)

// wire is a gateway as the client's transport sees it: serve handles each request, in the bubble's
// time.
type wire struct {
	mu    sync.Mutex
	seen  []*http.Request
	body  []string
	at    []time.Duration // since the wire was created
	begun time.Time
	serve func(n int, r *http.Request, body string) (*http.Response, error) // n counts from 1
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		data, _ := io.ReadAll(r.Body)
		body = string(data)
	}
	w.mu.Lock()
	w.seen, w.body, w.at = append(w.seen, r), append(w.body, body), append(w.at, time.Since(w.begun))
	n := len(w.seen)
	w.mu.Unlock()
	resp, err := w.serve(n, r, body)
	if resp != nil {
		resp.Request = r
	}
	return resp, err
}

func (w *wire) requests() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.seen)
}

// with runs a test in a bubble, with a client on a wire.
func with(t *testing.T, serve func(n int, r *http.Request, body string) (*http.Response, error), test func(t *testing.T, c *client.Client, w *wire)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{begun: time.Now(), serve: serve}
		c, err := client.New(client.Options{URL: "https://ask.test/base/", Key: "secret", Language: "de", HTTP: &http.Client{Transport: w}})
		if err != nil {
			t.Fatal(err)
		}
		test(t, c, w)
	})
}

func reply(status int, body string, header ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

func refusal(status int, code string, header ...string) *http.Response {
	return reply(status, fmt.Sprintf(`{"title":"T","status":%d,"detail":"what is wrong","code":%q}`, status, code), header...)
}

// The ways in which a gateway can be unreachable.
var (
	errDial  = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connect: connection refused")}
	errReset = &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by peer")}
)

// silence is a request that never gets a response.
func silence(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

const (
	pendingJSON  = `{"clarificationId":"clr_1","app":"a","state":"pending","questions":[{"id":"q1","question":"Q?","input_type":"select","options":[{"label":"Yes","value":"y"}]}]}`
	answeredJSON = `{"clarificationId":"clr_1","app":"a","state":"answered","questions":[{"id":"q1","question":"Q?","input_type":"select"}],"answer":{"value":"y"},"answeredBy":{"subject":"alice","channel":"api"}}`
)

var asking = client.Asking{To: "alice", Questions: []client.Question{{Question: "Q?", Options: []client.Option{{Label: "Yes", Value: "y"}}}}}

func problemOf(t *testing.T, err error) *client.Problem {
	t.Helper()
	var p *client.Problem
	if !errors.As(err, &p) {
		t.Fatalf("not a refusal: %v", err)
	}
	return p
}
