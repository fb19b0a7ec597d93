package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/stream"
)

// pipes is a listener whose connections are pipes, for tests in virtual time.
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

// servePipes serves an API within a bubble, without a server's timeouts: only the API's own limits
// bound a slow client. dial returns a client's end of a new connection.
func servePipes(t *testing.T, f files, change func(*api.Options)) (dial func() net.Conn) {
	t.Helper()
	a, _, _ := newAPI(t, f, change)
	listener := &pipes{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: a.Handler(), Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true) // the program gets it from TLS, which is slow over a pipe
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return func() net.Conn {
		client, ours := net.Pipe()
		listener.conns <- ours
		t.Cleanup(func() { client.Close() })
		return client
	}
}

// A body that does not arrive is waited for 30 s, on every route and from every sender, including
// where no handler reads it, because net/http reads all of it before it responds.
func TestABodyThatDoesNotComeIsNotWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		head string
		want int
	}{
		"a message":            {"POST /v1/apps/plain/chats/c1/messages", 400},
		"one to stop":          {"POST /v1/apps/plain/chats/c1/stop", 204},
		"a deletion":           {"DELETE /v1/apps/plain/chats/c1", 204},
		"a list":               {"GET /v1/apps", 200},
		"no such app":          {"POST /v1/apps/nosuch/chats/c1/messages", 404},
		"no such path":         {"POST /nosuch", 404},
		"no such method":       {"PATCH /v1/apps", 405},
		"signing in":           {"POST /v1/session", 404},
		"the doctor":           {"POST /v1/doctor", 400},
		"an event stream":      {"GET /v1/apps/plain/chats/c1/events", 413},
		"an admin.s":           {"POST /v1/admin/clarifications/clr_x/cancel", 403},
		"a stranger's options": {"OPTIONS /v1/apps", 204},
	} {
		for coding, header := range map[string]string{"length": "Content-Length: 100", "chunks": "Transfer-Encoding: chunked"} {
			t.Run(name+" of "+coding, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					conn := servePipes(t, nil, nil)()
					begin := time.Now()
					fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n%s\r\n\r\n", c.head, header)
					res, err := http.ReadResponse(bufio.NewReader(conn), nil)
					if took := time.Since(begin); took > 31*time.Second {
						t.Errorf("after %v", took)
					}
					// The time for the response may be over at the same moment.
					if err == nil && res.StatusCode != c.want {
						t.Errorf("status %d", res.StatusCode)
					}
				})
			})
		}
	}
}

// Over HTTP/2 a slow sender delays only itself: other requests on its connection are answered at
// once.
func TestASlowBodyHoldsUpNoOtherStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := servePipes(t, nil, nil)
		transport := &http.Transport{Protocols: new(http.Protocols), DialContext: func(context.Context, string, string) (net.Conn, error) { return dial(), nil }}
		transport.Protocols.SetUnencryptedHTTP2(true)
		defer transport.CloseIdleConnections()
		do := func(method, path string, body io.Reader) (status int, took time.Duration) {
			begin := time.Now()
			req, err := http.NewRequestWithContext(t.Context(), method, "http://gateway"+path, body)
			if err != nil {
				t.Error(err)
				return 0, 0
			}
			req.Header.Set("Content-Type", "application/json")
			res, err := transport.RoundTrip(req)
			if err != nil {
				t.Error(err)
				return 0, 0
			}
			defer res.Body.Close()
			if res.ProtoMajor != 2 {
				t.Errorf("%s", res.Proto)
			}
			return res.StatusCode, time.Since(begin)
		}
		body, rest := io.Pipe() // whose end does not arrive
		defer rest.Close()
		go func() { _, _ = io.WriteString(rest, `{"message":"`) }()
		slow := make(chan struct{})
		go func() {
			defer close(slow)
			if status, took := do("POST", "/v1/apps/plain/chats/c1/messages", body); status != 400 || took != 30*time.Second {
				t.Errorf("the slow one: %d after %v", status, took)
			}
		}()
		synctest.Wait()
		if status, took := do("GET", "/v1/apps", nil); status != 200 || took != 0 {
			t.Errorf("the other one: %d after %v", status, took)
		}
		<-slow
	})
}

// A stream outlives the time limit of a body, including a stream that was requested with a body.
func TestStreamsOutliveTheTimeForBodies(t *testing.T) {
	for name, request := range map[string]string{
		"a run":              "POST /v1/apps/plain/chats/c1/messages HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"message\":\"hi\"}",
		"a viewer":           "GET /v1/apps/plain/chats/c1/events HTTP/1.1\r\nHost: gateway\r\n\r\n",
		"a viewer with body": "GET /v1/apps/plain/chats/c1/events HTTP/1.1\r\nHost: gateway\r\nContent-Length: 2\r\n\r\n{}",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const long = 5 * time.Minute
				left := make(chan struct{})
				last := func(ctx context.Context, sink stream.Sink) {
					select {
					case <-ctx.Done():
						close(left)
					case <-time.After(long):
						_ = sink.Write(frame)
					}
				}
				conn := servePipes(t, nil, withEngine(&fakeEngine{
					drive:  last,
					follow: func(ctx context.Context, _ string, sink stream.Sink) error { last(ctx, sink); return nil },
				}))()
				begin := time.Now()
				if _, err := io.WriteString(conn, request); err != nil {
					t.Fatal(err)
				}
				res, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				lines := bufio.NewScanner(res.Body)
				for lines.Scan() && !strings.HasPrefix(lines.Text(), "event: done") {
				}
				if lines.Text() == "" || time.Since(begin) != long {
					t.Errorf("ended after %v with %q", time.Since(begin), lines.Text())
				}
				select {
				case <-left:
					t.Error("the client was taken for gone")
				default:
				}
			})
		})
	}
}

// A client that takes nothing of a response is waited for as long as one that is slow.
func TestAResponseThatIsNotTakenIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := servePipes(t, nil, nil)()
		fmt.Fprint(conn, "GET /v1/apps HTTP/1.1\r\nHost: gateway\r\n\r\n")
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Error("the connection is still there")
		}
	})
}
