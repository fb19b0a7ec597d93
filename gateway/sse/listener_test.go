package sse_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/sse"
)

// accepted is a connection on the server's side, over a pipe, which buffers nothing.
func accepted(t *testing.T) (server, client net.Conn) {
	t.Helper()
	l := &pipes{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
	client, end := net.Pipe()
	l.conns <- end
	server, err := sse.Listen(l).Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return server, client
}

func TestWritesDoNotWaitForASlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := accepted(t)
		begin := time.Now()
		var sent bytes.Buffer
		for i := range 1000 {
			frame := []byte(strings.Repeat(string(rune('a'+i%26)), 100))
			sent.Write(frame)
			if n, err := server.Write(frame); n != len(frame) || err != nil {
				t.Fatal(i, n, err)
			}
		}
		if took := time.Since(begin); took > 100*time.Millisecond {
			t.Errorf("a thousand writes waited %s", took)
		}
		_ = server.Close() // the rest is still sent
		got := make([]byte, 0, sent.Len())
		buf := make([]byte, 700)
		for {
			n, err := client.Read(buf)
			got = append(got, buf[:n]...)
			if err != nil {
				break
			}
			time.Sleep(10 * time.Millisecond) // slow, but alive
		}
		if !bytes.Equal(got, sent.Bytes()) {
			t.Errorf("%d bytes arrived, %d were sent", len(got), sent.Len())
		}
	})
}

func TestClientThatTakesNothingIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, _ := accepted(t)
		_, _ = server.Write([]byte("x"))
		time.Sleep(time.Minute)
		synctest.Wait()
		if _, err := server.Write([]byte("x")); err == nil {
			t.Error("a client that read nothing for a minute is written to")
		}
		_ = server.Close()
	})
}

func TestBacklogIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, _ := accepted(t)
		_ = server.SetWriteDeadline(time.Now().Add(time.Second))
		var err error
		frame := make([]byte, 64<<10)
		kept := 0
		for err == nil {
			_, err = server.Write(frame)
			kept += len(frame)
		}
		if !errors.Is(err, sse.ErrBacklog) || kept > 2<<20 {
			t.Errorf("after %d bytes: %v", kept, err)
		}
		time.Sleep(time.Minute)
		_ = server.Close()
	})
}

func TestLargeResponseWaitsForASlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := accepted(t)
		large := bytes.Repeat([]byte("0123456789abcdef"), 5<<16) // 5 MiB
		_ = server.SetWriteDeadline(time.Now().Add(time.Hour))
		wrote := make(chan error, 1)
		go func() {
			_, err := server.Write(large)
			_ = server.Close()
			wrote <- err
		}()
		var got bytes.Buffer
		buf := make([]byte, 64<<10)
		for {
			n, err := client.Read(buf)
			got.Write(buf[:n])
			if err != nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if err := <-wrote; err != nil || !bytes.Equal(got.Bytes(), large) {
			t.Errorf("%d of %d bytes arrived, %v", got.Len(), len(large), err)
		}
	})
}

func TestFastClientGetsItsBytesDirectly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := accepted(t)
		read := make(chan string)
		go func() {
			b, _ := io.ReadAll(client)
			read <- string(b)
		}()
		for range 3 {
			_ = server.SetWriteDeadline(time.Now()) // a deadline that has passed
			if _, err := server.Write([]byte("abc")); err != nil {
				t.Fatal(err)
			}
		}
		_ = server.Close()
		if got := <-read; got != "abcabcabc" {
			t.Errorf("%q", got)
		}
	})
}

// TestWhoCanWaitKeepsNothing: only the writer keeps the data of a response with a far deadline.
func TestWhoCanWaitKeepsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := accepted(t)
		_ = server.SetWriteDeadline(time.Now().Add(30 * time.Second))
		begin := time.Now()
		n, err := server.Write(make([]byte, 64<<10))
		if n != 0 || err == nil || time.Since(begin) != 30*time.Second {
			t.Errorf("%d bytes were taken from the writer, %v, after %s", n, err, time.Since(begin))
		}
		_ = server.Close()
		_ = client.Close()
	})
}

func TestBacklogsTogetherAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients = 50
		l := &pipes{conns: make(chan net.Conn, clients), closed: make(chan struct{})}
		listener := sse.Listen(l)
		kept, dropped := 0, 0
		for range clients {
			client, end := net.Pipe()
			defer client.Close()
			l.conns <- end
			server, err := listener.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			_ = server.SetWriteDeadline(time.Now().Add(time.Second))
			n, err := server.Write(make([]byte, 1<<20))
			kept += n
			if errors.Is(err, sse.ErrBacklog) {
				dropped++
			}
		}
		if kept < 30<<20 || kept > 32<<20 || dropped == 0 {
			t.Errorf("%d bytes are kept for %d clients, %d were dropped", kept, clients, dropped)
		}
		time.Sleep(time.Minute) // they are given up
		synctest.Wait()
		client, end := net.Pipe()
		defer client.Close()
		l.conns <- end
		server, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		_ = server.SetWriteDeadline(time.Now().Add(time.Second))
		if n, err := server.Write(make([]byte, 1<<20)); n != 1<<20 || err != nil {
			t.Errorf("after all were given up: %d, %v", n, err)
		}
		time.Sleep(time.Minute)
	})
}
