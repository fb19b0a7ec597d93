package sse_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/sse"
)

// knowing is a ResponseWriter that knows its connection.
type knowing struct {
	http.ResponseWriter
	conn  net.Conn
	wrote int   // calls of Write
	sent  int64 // bytes that went around it
}

func (k *knowing) Unwrap() http.ResponseWriter { return k.ResponseWriter }
func (k *knowing) Conn() net.Conn              { return k.conn }
func (k *knowing) Sent(bytes int64)            { k.sent += bytes }

func (k *knowing) Write(p []byte) (int, error) {
	k.wrote++
	return k.ResponseWriter.Write(p)
}

// serving starts a server whose connections are those of Listen. context: its requests know theirs.
func serving(t *testing.T, l net.Listener, context bool, h http.HandlerFunc) {
	t.Helper()
	server := &http.Server{Handler: h}
	if context {
		server.ConnContext = sse.ConnContext
	}
	go func() { _ = server.Serve(sse.Listen(l)) }()
	t.Cleanup(func() { _ = server.Close() })
}

// TestDirectChunksAreThoseOfNetHTTP: what a client reads is the same, byte for byte, with and without the
// way around net/http, in HTTP/1.1 and HTTP/1.0, for streams and for what comes after them on the
// connection.
func TestDirectChunksAreThoseOfNetHTTP(t *testing.T) {
	long := strings.Repeat("data: long\n", 4<<10) + "\n"
	for _, request := range []string{
		"GET /stream HTTP/1.1\r\nHost: x\r\n\r\nGET /plain HTTP/1.1\r\nHost: x\r\n\r\nGET /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		"GET /stream HTTP/1.0\r\n\r\n",
		"HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\nGET /plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",

		"GET /wide HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	} {
		var got [2]string
		var around [2]atomic.Int64
		for i, direct := range []bool{false, true} {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			serving(t, l, direct, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Date"] = nil
				if r.URL.Path == "/plain" {
					_, _ = io.WriteString(w, "plain")
					return
				}
				if r.URL.Path == "/wide" {
					w.Header().Set("X-Wide", strings.Repeat("x", 8<<10))
				}
				k := &knowing{ResponseWriter: w}
				if r.Method != http.MethodHead {
					k.conn = sse.ConnOf(r)
				}
				s := sse.NewWriter(k, sse.Options{})
				for _, frames := range []string{"data: one\n\n", "", "data: two\n\n", long, "data: three\n\n"} {
					if err := s.Write([]byte(frames)); err != nil {
						t.Error(err)
					}
				}
				_ = s.Comment("bye")
				s.Close()
				around[i].Add(k.sent)
			})
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, _ = io.WriteString(c, request)
			b, err := io.ReadAll(c)
			if err != nil {
				t.Fatal(err)
			}
			got[i] = string(b)
		}
		if got[0] != got[1] || !strings.Contains(got[0], "200 OK") {
			t.Errorf("%.30q: %d bytes through net/http, %d around it", request, len(got[0]), len(got[1]))
		}
		chunked := strings.HasPrefix(request, "GET /stream HTTP/1.1")
		if around[0].Load() != 0 || (around[1].Load() > 0) != chunked {
			t.Errorf("%.30q: %d bytes went around net/http", request, around[1].Load())
		}
	}
}

// TestDirectWritesDoNotPassThroughTheResponse: they are written at once, one write each.
func TestDirectWritesDoNotPassThroughTheResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
		client, end := net.Pipe()
		l.conns <- end
		done := make(chan *knowing, 1)
		serving(t, l, true, func(w http.ResponseWriter, r *http.Request) {
			k := &knowing{ResponseWriter: w, conn: sse.ConnOf(r)}
			s := sse.NewWriter(k, sse.Options{})
			for range 5 {
				_ = s.Write([]byte("data: x\n\n"))
			}
			s.Close()
			done <- k
		})
		go func() { _, _ = io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }()
		buf := make([]byte, 4096)
		for i := range 5 {
			n, err := client.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && string(buf[:n]) != "9\r\ndata: x\n\n\r\n" {
				t.Errorf("write %d: %q", i, buf[:n])
			}
		}
		if k := <-done; k.wrote != 2 || k.sent != 4*9 { // the comment, and the first frame
			t.Errorf("%d writes of the response, %d bytes around it", k.wrote, k.sent)
		}
		_ = client.Close()
	})
}

// TestAnUnfinishedChunkIsTheLast: a client that is given up in the middle of a chunk gets nothing after it,
// and the request ends.
func TestAnUnfinishedChunkIsTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
		client, end := net.Pipe()
		l.conns <- end
		frame := append(bytes.Repeat([]byte("x"), 10<<10), "\n\n"...)
		ended := make(chan error, 1)
		serving(t, l, true, func(w http.ResponseWriter, r *http.Request) {
			s := sse.NewWriter(&knowing{ResponseWriter: w, conn: sse.ConnOf(r)}, sse.Options{})
			defer s.Close()
			for {
				if err := s.Write(frame); err != nil {
					break
				}
			}
			<-r.Context().Done()
			ended <- r.Context().Err()
		})
		go func() { _, _ = io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }()
		time.Sleep(5 * time.Second) // the client takes nothing
		if err := <-ended; err == nil {
			t.Error("the request goes on")
		}
		resp, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		if err == nil {
			t.Error("a stream that was cut looks whole")
		}
		_ = client.Close()
	})
}

// TestASlowClientGetsAllChunks: what its system does not take at once follows, in order.
func TestASlowClientGetsAllChunks(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	wrote := make(chan int64, 1)
	serving(t, l, true, func(w http.ResponseWriter, r *http.Request) {
		k := &knowing{ResponseWriter: w, conn: sse.ConnOf(r)}
		s := sse.NewWriter(k, sse.Options{})
		for i := range 700 {
			frame := "data: " + strings.Repeat(string(rune('a'+i%26)), 1000+i) + "\n\n"
			want.WriteString(frame)
			if err := s.Write([]byte(frame)); err != nil {
				t.Error(err)
			}
		}
		s.Close()
		wrote <- k.sent
	})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if sent := <-wrote; sent < 900<<10 { // all but the first frame
		t.Errorf("%d bytes went around net/http", sent)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || string(got) != ": stream\n\n"+want.String() {
		t.Errorf("%d of %d bytes, %v", len(got), want.Len(), err)
	}
}
