package mcptool_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// killable is a server at an address that can be killed, and started again there.
type killable struct {
	t       *testing.T
	old     bool
	address string
	now     *httptest.Server
}

func newKillable(t *testing.T, old bool) *killable {
	t.Helper()
	k := &killable{t: t, old: old, address: "127.0.0.1:0"}
	k.begin("first")
	t.Cleanup(func() { k.kill() })
	return k
}

func (k *killable) begin(word string) {
	k.t.Helper()
	l, err := net.Listen("tcp", k.address)
	if err != nil {
		k.t.Fatal(err)
	}
	k.address = l.Addr().String()
	server := newServer(map[string]mcp.ToolHandler{"a": says(word)})
	if k.old {
		beforeStateless(server)
	}
	k.now = httptest.NewUnstartedServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: !k.old}))
	k.now.Listener.Close()
	k.now.Listener = l
	k.now.Start()
}

func (k *killable) kill() {
	k.now.Listener.Close()
	k.now.CloseClientConnections()
	go k.now.Close() // which waits for requests that hang
}

func (b *bench) up() bool { return b.pool.Statuses()[0].Up }

func TestAKilledServerIsNoticedWithTheFirstCallThatFails(t *testing.T) {
	for name, old := range map[string]bool{"stateless": false, "with sessions": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKillable(t, old)
			b := use(t, mcptool.Options{URL: "http://" + k.address}, func(p *mcptool.Pool) { p.Hasty(time.Hour, 10*time.Second) })
			if out := b.call(t, call); out.Result != "first" {
				t.Fatalf("%+v %v", out, out.Error)
			}
			k.kill()
			out := b.call(t, call)
			if out.Error == nil || out.Error.Code != tools.CodeToolFailed || !strings.Contains(out.Error.Message, "cannot be reached") || strings.Contains(out.Error.Message, "rejected") || out.Error.Cause == "" {
				t.Fatalf("the model reads %+v", out.Error)
			}
			eventually(t, "it counts as down", func() bool { return !b.up() })
			eventually(t, "the log reports it", func() bool { return strings.Contains(b.log.String(), "mcp server cannot be reached, retrying") })
			k.begin("second")
			eventually(t, "it is connected to again", func() bool { return b.call(t, call).Result == "second" && b.up() })
		})
	}
}

func TestAKilledServerIsNoticedWhileNobodyCallsIt(t *testing.T) {
	for name, old := range map[string]bool{"stateless": false, "with sessions": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKillable(t, old)
			b := use(t, mcptool.Options{URL: "http://" + k.address}, func(p *mcptool.Pool) { p.Hasty(10*time.Millisecond, 10*time.Second) })
			b.members(t)
			k.kill()
			eventually(t, "it counts as down", func() bool { return !b.up() })
			k.begin("second")
			eventually(t, "it is connected to again", func() bool { return b.up() })
		})
	}
}

// A server that responds to pings by refusing them is alive.
func TestServersThatKnowNoPingStayUp(t *testing.T) {
	for _, old := range []bool{false, true} {
		var pings atomic.Int32
		server := newServer(map[string]mcp.ToolHandler{"a": says("a")})
		server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
				if method == "ping" || method == "server/discover" {
					if pings.Add(1); method == "ping" {
						return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "what?"}
					}
				}
				return next(ctx, method, r)
			}
		})
		b := use(t, mcptool.Options{URL: serve(t, server, old)}, func(p *mcptool.Pool) { p.Hasty(time.Millisecond, 10*time.Second) })
		b.members(t)
		eventually(t, "it was pinged", func() bool { return pings.Load() > 5 })
		if !b.up() || strings.Contains(b.log.String(), "lost") {
			t.Errorf("old %v: up %v, log %s", old, b.up(), b.log)
		}
	}
}

// line is a connection to a server in this process, which may go dead or silent.
type line struct {
	mcp.Transport
	mcp.Connection
	dead, silent *atomic.Bool
}

func (l *line) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := l.Transport.Connect(ctx)
	return &line{nil, c, l.dead, l.silent}, err
}

// Write fails as the SDK's does if no server can be reached.
func (l *line) Write(ctx context.Context, m jsonrpc.Message) error {
	switch {
	case l.dead.Load():
		return &jsonrpc.Error{Code: -32005, Message: "rejected by transport"}
	case l.silent.Load():
		return nil
	}
	return l.Connection.Write(ctx, m)
}

func TestHowSoonADeadServerIsNoticed(t *testing.T) {
	for name, c := range map[string]struct {
		silent, called, program bool
		within                  time.Duration
	}{
		"dead, and called":            {called: true, within: 5 * time.Second},
		"silent, and called":          {silent: true, called: true, within: 5 * time.Second},
		"dead, and idle":              {within: 30 * time.Second},
		"silent, and idle":            {silent: true, within: 30 * time.Second},
		"a program, silent, and idle": {silent: true, program: true, within: 30 * time.Second},
		"a program, dead, and called": {called: true, program: true, within: 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var dead, silent atomic.Bool
				server := newServer(map[string]mcp.ToolHandler{"a": says("a")})
				o := mcptool.Options{URL: "http://127.0.0.1:1", Timeout: time.Second}
				if c.program {
					o.URL, o.Command = "", "none"
				}
				b := use(t, o, func(p *mcptool.Pool) {
					p.Dialled(func() mcp.Transport {
						here, there := mcp.NewInMemoryTransports()
						go func() { _ = server.Run(t.Context(), there) }()
						return &line{here, nil, &dead, &silent}
					})
					if c.program {
						p.Program()
					}
				})
				b.members(t)
				dead.Store(!c.silent)
				silent.Store(c.silent)
				if c.called {
					if out := b.call(t, call); out.Error == nil {
						t.Fatalf("%+v", out)
					}
				}
				began := time.Now()
				for b.up() {
					time.Sleep(10 * time.Millisecond) // of the bubble's time
				}
				if took := time.Since(began); took > c.within {
					t.Errorf("noticed after %v", took)
				}
				b.Close()
				b.pool.Wait(t.Context())
			})
		})
	}
}

// A call that exceeds its time limit does not count against the server.
func TestASlowCallDoesNotMakeAServerDown(t *testing.T) {
	t.Parallel()
	begun, over := make(chan struct{}, 10), make(chan struct{})
	server := newServer(map[string]mcp.ToolHandler{"a": func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		begun <- struct{}{}
		select { // the cancellation of a call may arrive before the call
		case <-ctx.Done():
		case <-over:
		}
		return nil, ctx.Err()
	}})
	b := use(t, mcptool.Options{URL: serve(t, server, true), Timeout: 100 * time.Millisecond}, func(p *mcptool.Pool) { p.Hasty(time.Millisecond, 10*time.Second) })
	t.Cleanup(func() { close(over) })
	b.members(t)
	for range 3 {
		if out := b.call(t, call); out.Error == nil || out.Error.Code != tools.CodeToolTimeout {
			t.Fatalf("%+v", out)
		}
		<-begun
	}
	if strings.Contains(b.log.String(), "lost") {
		t.Errorf("log %s", b.log)
	}
}
