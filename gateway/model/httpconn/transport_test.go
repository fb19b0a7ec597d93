package httpconn_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/askgate/askgate/gateway/model/httpconn"
)

// post sends a body and returns the response.
func post(ctx context.Context, t *testing.T, rt http.RoundTripper, address, body string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return rt.RoundTrip(req)
}

// whole sends a body and reads the response to its end.
func whole(t *testing.T, rt http.RoundTripper, address, body string) string {
	t.Helper()
	resp, err := post(t.Context(), t, rt, address, body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// counting is a server that counts its connections.
func counting(t *testing.T, handler http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var dials atomic.Int64
	s := httptest.NewUnstartedServer(handler)
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body) // otherwise net/http does not see the client leave
		r.Body = io.NopCloser(bytes.NewReader(data))
		inner.ServeHTTP(w, r)
	})
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			dials.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s, &dials
}

func echo(w http.ResponseWriter, r *http.Request) {
	data, _ := io.ReadAll(r.Body)
	_, _ = w.Write(bytes.ToUpper(data))
}

func TestAnswerReadToItsEndGivesTheConnectionBack(t *testing.T) {
	s, dials := counting(t, echo)
	rt := httpconn.NewTransport()
	for i := range 5 {
		if got := whole(t, rt, s.URL, fmt.Sprint("body", i)); got != fmt.Sprint("BODY", i) {
			t.Errorf("got %q", got)
		}
	}
	if dials.Load() != 1 {
		t.Errorf("%d connections for requests one after the other", dials.Load())
	}
	rt.CloseIdleConnections()
	whole(t, rt, s.URL, "x")
	if dials.Load() != 2 {
		t.Errorf("%d connections after the idle one was closed", dials.Load())
	}
}

func TestAnswerLeftInTheMiddleClosesTheConnection(t *testing.T) {
	gone := make(chan struct{}, 1)
	s, dials := counting(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first ")
		_ = http.NewResponseController(w).Flush()
		if r.URL.Path == "/long" {
			<-r.Context().Done()
			gone <- struct{}{}
		}
	})
	rt := httpconn.NewTransport()
	resp, err := post(t.Context(), t, rt, s.URL+"/long", "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	<-gone
	whole(t, rt, s.URL, "x")
	if dials.Load() != 2 {
		t.Errorf("%d connections", dials.Load())
	}
	if n, err := resp.Body.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("a closed body was read: %d, %v", n, err)
	}
}

func TestContextEndsAWaitWhereverItIs(t *testing.T) {
	reached := make(chan struct{}, 1)
	s, _ := counting(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			_, _ = io.WriteString(w, "first")
			_ = http.NewResponseController(w).Flush()
		}
		reached <- struct{}{}
		<-r.Context().Done()
	})
	rt := httpconn.NewTransport()
	for _, path := range []string{"/head", "/body"} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-reached
			cancel()
		}()
		resp, err := post(ctx, t, rt, s.URL+path, "x")
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", path, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := post(ctx, t, rt, s.URL, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("before it began: %v", err)
	}
}

func TestIdleConnectionThatTheServerClosedIsNotUsed(t *testing.T) {
	s, dials := counting(t, echo)
	rt := httpconn.NewTransport()
	for range 3 {
		if got := whole(t, rt, s.URL, "x"); got != "X" {
			t.Fatalf("got %q", got)
		}
		s.CloseClientConnections()
	}
	if dials.Load() != 3 {
		t.Errorf("%d connections", dials.Load())
	}
}

// raw is a server that handles each connection with a script.
func raw(t *testing.T, play func(n int, c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				play(n, c)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// request reads one request with a body of one byte.
func request(c net.Conn) bool {
	buf, got := make([]byte, 4096), ""
	for !strings.HasSuffix(got, "\r\n\r\nx") {
		n, err := c.Read(buf)
		if err != nil {
			return false
		}
		got += string(buf[:n])
	}
	return true
}

func TestRequestIsSentAgainWhereTheServerLetsAnIdleConnectionGo(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	var first atomic.Int64
	address := raw(t, func(n int, c net.Conn) {
		for i := 0; request(c); i++ {
			if n == 0 && i == 1 { // read, and closed without a response
				first.Add(1)
				return
			}
			_, _ = io.WriteString(c, ok)
		}
	})
	rt := httpconn.NewTransport()
	for range 2 {
		if got := whole(t, rt, address, "x"); got != "ok" {
			t.Errorf("got %q", got)
		}
	}
	if first.Load() != 1 {
		t.Error("the first connection was not used again")
	}
	silent := raw(t, func(_ int, c net.Conn) { request(c) })
	if resp, err := post(t.Context(), t, rt, silent, "x"); err == nil {
		resp.Body.Close()
		t.Error("a server that never responds counted as a response")
	}
}

func TestHeadsThatServersSend(t *testing.T) {
	for name, c := range map[string]struct{ answer, want, fault string }{
		"chunked":          {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde", ""},
		"until it closes":  {"HTTP/1.1 200 OK\r\n\r\nabc", "abc", ""},
		"HTTP/1.0":         {"HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc", "abc", ""},
		"hints before":     {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "abc", ""},
		"hints for ever":   {strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1000), "", "no final answer"},
		"no HTTP":          {"SSH-2.0-OpenSSH_9.2\r\n", "", "malformed"},
		"a head of 1 MiB":  {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", "", "262144 bytes"},
		"a head that ends": {"HTTP/1.1 200 OK\r\nX: ", "", "unexpected EOF"},
		"cut in the body":  {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "", "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			address := raw(t, func(_ int, conn net.Conn) {
				if request(conn) {
					_, _ = io.WriteString(conn, c.answer)
				}
			})
			resp, err := post(t.Context(), t, httpconn.NewTransport(), address, "x")
			var data []byte
			if err == nil {
				data, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("got %q, %v, want an error about %s", data, err, c.fault)
				}
			} else if err != nil || string(data) != c.want {
				t.Errorf("got %q, %v, want %q", data, err, c.want)
			}
		})
	}
}

func TestServerThatRefusesALongRequestEarlyIsHeard(t *testing.T) {
	address := raw(t, func(_ int, c net.Conn) {
		_, _ = c.Read(make([]byte, 100))
		_, _ = io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c)
	})
	resp, err := post(t.Context(), t, httpconn.NewTransport(), address, strings.Repeat("x", 4<<20))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestCertificatesAreChecked(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(echo))
	defer s.Close()
	s.Config.ErrorLog = nil
	rt := httpconn.NewTransport()
	rt.Trust(x509.NewCertPool())
	if resp, err := post(t.Context(), t, rt, s.URL, "x"); err == nil {
		resp.Body.Close()
		t.Error("an unknown certificate was accepted")
	}
	rt.Trust(s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs)
	for range 2 {
		if got := whole(t, rt, s.URL, "x"); got != "X" {
			t.Errorf("got %q", got)
		}
	}
}

func TestProxyCarriesTheRequest(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "proxied "+r.URL.String())
	}))
	defer proxy.Close()
	address, _ := url.Parse(proxy.URL)
	rt := httpconn.NewTransport()
	rt.Through(address)
	if got := whole(t, rt, "http://models.example/v1", "x"); got != "proxied http://models.example/v1" {
		t.Errorf("got %q", got)
	}
}

func TestStrangeAddressesAreRefused(t *testing.T) {
	for _, address := range []string{"ftp://x/", "http:///path", "unix:///var/run/x"} {
		if resp, err := post(t.Context(), t, httpconn.NewTransport(), address, "x"); err == nil {
			resp.Body.Close()
			t.Errorf("%s was taken", address)
		}
	}
}

func TestManyAtOnceGetTheirOwnAnswers(t *testing.T) {
	s, dials := counting(t, echo)
	rt := httpconn.NewTransport()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 30 {
				body := fmt.Sprintf("body %d %d %s", i, j, strings.Repeat("y", j*100))
				if got := whole(t, rt, s.URL, body); got != strings.ToUpper(body) {
					t.Errorf("got %.40q", got)
				}
			}
		})
	}
	wg.Wait()
	if dials.Load() > 16 {
		t.Errorf("%d connections for 16 at a time", dials.Load())
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

// body has a type that net/http does not know.
type body struct{ io.Reader }

func TestHeadAndBodyAreOneWrite(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model.example/v1", body{strings.NewReader("x")})
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 1
	var w writes
	if err := httpconn.Write(&w, req); err != nil || w.n != 1 {
		t.Errorf("%d writes, %v", w.n, err)
	}
}
