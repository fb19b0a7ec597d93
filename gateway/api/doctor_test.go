package api_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/sse"
)

// open posts to /v1/doctor and leaves the stream open until the test ends.
func (s *server) examination(query string) *http.Response {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	s.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/doctor"+query, strings.NewReader(`{"any": "thing"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Last-Event-ID", strings.Repeat("7", 100)+"\xff")
	req.Header.Set("Authorization", "Bearer secret")
	res, err := s.Client().Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// TestDoctorTellsAStrangerNothing: a caller without a key gets the stream, which lists what arrived
// of the request, but not the key itself.
func TestDoctorTellsAStrangerNothing(t *testing.T) {
	t.Parallel()
	s, c := newServer(t, withKeys, nil), loadSchemas(t)
	res := s.examination("?quiet=0")
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, err)
	}
	list := events(t, string(text))
	c.check("Seen", list[0].Data)
	want := `{"protocol":"HTTP/1.1","bytes":16,"lastEventId":"` + strings.Repeat("7", 64) + `","authorization":true}`
	if got := string(list[0].Data); got != want {
		t.Errorf("seen %s\nwant %s", got, want)
	}
	var order strings.Builder
	for _, ev := range list {
		order.WriteString(ev.Name + " ")
	}
	if got := order.String(); got != "seen "+strings.Repeat("tick ", 10)+"end " {
		t.Errorf("events: %s", got)
	}
}

func TestDoctorRefuses(t *testing.T) {
	s := newServer(t, nil, nil)
	for _, quiet := range []string{"-1", "121", "x", "", "9999999999999999999"} {
		s.call("POST", "/v1/doctor?quiet="+quiet, `{}`).wantProblem(t, 400, "invalid_request")
	}
	s.call("POST", "/v1/doctor", `{}`, "Content-Type", "text/plain").wantProblem(t, 415, "unsupported_media_type")
	s.call("POST", "/v1/doctor", strings.Repeat("x", 1<<20+1)).wantProblem(t, 413, "too_large")
	s.call("GET", "/v1/doctor", "").wantProblem(t, 405, "method_not_allowed")
}

// TestDoctorHasFewRooms: eight callers listen, the ninth has to come back later, and all streams
// end when the gateway shuts down.
func TestDoctorHasFewRooms(t *testing.T) {
	s := newServer(t, nil, nil)
	var open []*http.Response
	for range 8 {
		res := s.examination("?quiet=120")
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.Status)
		}
		open = append(open, res)
	}
	full := s.call("POST", "/v1/doctor", `{}`)
	if p := full.wantProblem(t, 429, "rate_limited"); p.Scope != "doctor" || full.Header.Get("Retry-After") == "" {
		t.Errorf("%s %v", full.body, full.Header)
	}
	s.api.Drain()
	for _, res := range open {
		for ev, err := range sse.Read(res.Body) {
			if err != nil || ev.Name == "end" {
				t.Errorf("%s %v: the stream outlived the gateway", ev.Name, err)
			}
		}
	}
	s.call("POST", "/v1/doctor", `{}`).wantProblem(t, 503, "draining")
}
