package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are in-memory pipes, for tests with a fake clock.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// servePipes serves a handler within a synctest bubble, as the program does.
func servePipes(t *testing.T, certificate *tls.Config) (dial func() net.Conn) {
	t.Helper()
	listener := &pipes{make(chan net.Conn), make(chan struct{})}
	s := newServers(slog.New(slog.DiscardHandler))
	s.serve(listener, http.NotFoundHandler(), certificate)
	t.Cleanup(func() { s.close(t.Context()) })
	return func() net.Conn {
		client, ours := net.Pipe()
		listener.conns <- ours
		t.Cleanup(func() { client.Close() })
		return client
	}
}

// A connection that sends nothing, or sends too slowly, is closed.
func TestConnectionsThatSayNothingAreEnded(t *testing.T) {
	cert, key, _ := pairFor(t, "slow.example")
	loaded, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	trickle := func(c net.Conn) {
		for {
			if _, err := io.WriteString(c, "X-A: b\r\n"); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}
	for name, c := range map[string]struct {
		certificate *tls.Config
		say         func(net.Conn)
		within      time.Duration
	}{
		"nothing":             {nil, func(net.Conn) {}, readHeaderTimeout},
		"a header in drops":   {nil, func(c net.Conn) { fmt.Fprint(c, "GET / HTTP/1.1\r\n"); trickle(c) }, readHeaderTimeout},
		"no more after one":   {nil, func(c net.Conn) { fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }, idleTimeout},
		"no handshake":        {&tls.Config{Certificates: []tls.Certificate{loaded}}, func(net.Conn) {}, readHeaderTimeout},
		"half of a handshake": {&tls.Config{Certificates: []tls.Certificate{loaded}}, func(c net.Conn) { fmt.Fprint(c, "\x16\x03\x01\x02\x00\x01") }, readHeaderTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := servePipes(t, c.certificate)()
				begin := time.Now()
				var said sync.WaitGroup
				said.Go(func() { c.say(conn) })
				_, err := io.Copy(io.Discard, conn)
				if took := time.Since(begin); took < c.within || took > c.within+6*time.Second { // TLS says goodbye for 5 s
					t.Errorf("ended after %v (%v), want %v", took, err, c.within)
				}
				conn.Close()
				said.Wait()
			})
		})
	}
}

func TestHeadersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := servePipes(t, nil)
		for size, want := range map[int]string{maxHeaderBytes / 2: "404", 2 * maxHeaderBytes: "431"} {
			conn := dial()
			go fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-A: %s\r\n\r\n", strings.Repeat("a", size))
			answer, _ := io.ReadAll(conn) // what was not read of the request breaks it off
			if !strings.HasPrefix(string(answer), "HTTP/1.1 "+want) {
				t.Errorf("%d bytes: %.60q", size, answer)
			}
		}
	})
}
