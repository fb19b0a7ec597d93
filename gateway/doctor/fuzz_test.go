package doctor_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/doctor"
)

// always sends the same response to every request.
type always struct {
	status  int
	headers string // lines of name: value
	body    []byte
}

func (a always) RoundTrip(r *http.Request) (*http.Response, error) {
	h := http.Header{}
	for line := range strings.Lines(a.headers) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		h.Add(name, value)
	}
	return &http.Response{
		StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Request: r,
		Body: io.NopCloser(bytes.NewReader(a.body)),
	}, nil
}

// FuzzExamine: whatever responds, the check ends, with advice for what is broken; and a server
// whose responses end at once is not reported as a healthy gateway.
func FuzzExamine(f *testing.F) {
	stream := "Content-Type: text/event-stream"
	f.Add(200, stream, []byte(": stream\n\nevent: seen\ndata: {\"bytes\": 2}\n\nevent: tick\ndata: {}\n\n: heartbeat\n\nevent: end\ndata: {}\n\n"))
	f.Add(200, stream, []byte("event: seen\ndata: {\"bytes\": -1, \"lastEventId\": 7}\n\nevent: end\ndata"))
	f.Add(200, stream, bytes.Repeat([]byte("x"), 8<<10))
	f.Add(404, "Content-Type: application/problem+json", []byte(`{"code": "not_found"}`))
	f.Add(502, "Content-Type: text/html\nContent-Encoding: br", []byte("<html>"))
	f.Fuzz(func(t *testing.T, status int, headers string, body []byte) {
		checks := 0
		well := doctor.Examine(t.Context(), doctor.Options{
			URL: "http://gateway/", Client: &http.Client{Transport: always{status, headers, body}},
		}, func(c doctor.Check) {
			checks++
			if c.Name == "" || c.Found == "" || c.OK != (c.Hint == "") {
				t.Errorf("%+v", c)
			}
		})
		if well || checks == 0 {
			t.Errorf("well: %v after %d checks", well, checks)
		}
	})
}
