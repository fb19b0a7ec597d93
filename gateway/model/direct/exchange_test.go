package direct_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/direct"
)

// ahead makes a request that is to be sent ahead.
func ahead(ctx context.Context, t *testing.T, address string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func TestRequestIsSentAheadOnAnOpenConnectionOnly(t *testing.T) {
	heard := make(chan struct{}, 9)
	s, dials := counting(t, func(w http.ResponseWriter, r *http.Request) {
		heard <- struct{}{}
		echo(w, r)
	})
	rt := direct.NewTransport()
	if rt.Ahead(ahead(t.Context(), t, s.URL)) != nil {
		t.Fatal("sent, though nothing was open")
	}
	if got := whole(t, rt, s.URL, "x"); got != "X" {
		t.Fatalf("got %q", got)
	}
	<-heard
	for range 3 {
		a := rt.Ahead(ahead(t.Context(), t, s.URL))
		if a == nil {
			t.Fatal("not sent, though a connection was open")
		}
		<-heard // nobody has asked for the answer
		resp, err := a.RoundTrip()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		if resp.Body.Close(); err != nil || string(data) != "X" {
			t.Errorf("got %q, %v", data, err)
		}
	}
	if dials.Load() != 1 {
		t.Errorf("%d connections", dials.Load())
	}
}

func TestRequestSentAheadIsSentAgainWhereTheServerLetsTheConnectionGo(t *testing.T) {
	address := raw(t, func(n int, c net.Conn) {
		for i := 0; request(c) && (n > 0 || i == 0); i++ { // the first reads its second request, and closes without a word
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	rt := direct.NewTransport()
	whole(t, rt, address, "x")
	a := rt.Ahead(ahead(t.Context(), t, address))
	if a == nil {
		t.Fatal("not sent")
	}
	resp, err := a.RoundTrip()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if data, err := io.ReadAll(resp.Body); err != nil || string(data) != "ok" {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestRequestSentAheadEndsWithItsContext(t *testing.T) {
	heard, gone := make(chan struct{}, 2), make(chan struct{})
	s, _ := counting(t, func(w http.ResponseWriter, r *http.Request) {
		heard <- struct{}{}
		if r.URL.Path == "/unwanted" {
			<-r.Context().Done() // the connection was closed
			close(gone)
		}
		echo(w, r)
	})
	rt := direct.NewTransport()
	whole(t, rt, s.URL, "x")
	<-heard
	ctx, cancel := context.WithCancel(t.Context())
	a := rt.Ahead(ahead(ctx, t, s.URL+"/unwanted"))
	<-heard
	cancel()
	<-gone
	if resp, err := a.RoundTrip(); err == nil {
		resp.Body.Close()
		t.Error("an answer after the context's end")
	}
	if got := whole(t, rt, s.URL, "x"); got != "X" {
		t.Errorf("got %q", got)
	}
}

// writes counts the writes to a connection.
type writes struct {
	net.Conn
	n int
}

func (w *writes) Write(p []byte) (int, error) {
	w.n++
	return len(p), nil
}

// body is of no type that net/http knows.
type body struct{ io.Reader }

func TestHeadAndBodyAreOneWrite(t *testing.T) {
	req := ahead(t.Context(), t, "http://model.example/v1")
	req.Body, req.ContentLength = io.NopCloser(body{strings.NewReader("x")}), 1
	var w writes
	if err := direct.Write(&w, req); err != nil || w.n != 1 {
		t.Errorf("%d writes, %v", w.n, err)
	}
}
