package mcptool_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// inBubble runs a test of one server, connected per caller in memory and in synctest's time. dialled
// returns how many connections were made.
func inBubble(t *testing.T, server func() *mcp.Server, test func(t *testing.T, b *bench, dialled func() int)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		n := 0
		o := bearer("http://127.0.0.1:1")
		o.Park = time.Hour
		ctx, stop := context.WithCancel(context.Background())
		b := use(t, o, func(p *mcptool.Pool) {
			p.Dialled(func() mcp.Transport {
				mu.Lock()
				defer mu.Unlock()
				n++
				here, there := mcp.NewInMemoryTransports()
				go func() { _ = server().Run(ctx, there) }()
				return here
			})
		})
		test(t, b, func() int {
			mu.Lock()
			defer mu.Unlock()
			return n
		})
		b.Close()
		b.pool.Wait(t.Context())
		stop()
	})
}

func number(i int) tools.Caller { return caller(fmt.Sprint("u", i)) }

func TestTheLeastRecentlyUsedSessionMakesRoom(t *testing.T) {
	inBubble(t, func() *mcp.Server { return newServer(map[string]mcp.ToolHandler{"a": says("a")}) }, func(t *testing.T, b *bench, dialled func() int) {
		var group sync.WaitGroup
		for i := range mcptool.MaxSessions {
			group.Go(func() { b.as(number(i)).names() })
		}
		group.Wait()
		for i := range mcptool.MaxSessions { // in this order
			if out := b.as(number(i)).call(t, call); out.Result != "a" {
				t.Fatalf("%d: %+v %v", i, out, out.Error)
			}
		}
		b.as(number(0)).names()
		b.as(number(mcptool.MaxSessions)).names()
		if n, d := b.sessions(), dialled(); n != mcptool.MaxSessions || d != mcptool.MaxSessions+1 {
			t.Fatalf("%d sessions after %d connections", n, d)
		}
		b.as(number(0)).names()
		if dialled() != mcptool.MaxSessions+1 {
			t.Error("the session that was used last is gone")
		}
		b.as(number(1)).names()
		if dialled() != mcptool.MaxSessions+2 {
			t.Error("the session that was used least recently is there")
		}
	})
}

func TestACallerFailsWhereAllSessionsAreInUse(t *testing.T) {
	var over chan struct{}
	slow := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-over
		return text("a"), nil
	}
	inBubble(t, func() *mcp.Server { return newServer(map[string]mcp.ToolHandler{"a": slow}) }, func(t *testing.T, b *bench, dialled func() int) {
		over = make(chan struct{}) // of the bubble
		var group sync.WaitGroup
		for i := range mcptool.MaxSessions {
			group.Go(func() {
				if out := b.as(number(i)).call(t, call); out.Result != "a" {
					t.Errorf("%d: %+v %v", i, out, out.Error)
				}
			})
		}
		synctest.Wait()
		last := b.as(number(mcptool.MaxSessions))
		out := last.call(t, call)
		if out.Error == nil || out.Error.Code != tools.CodeToolFailed || out.Error.Message != "The server of this tool serves too many people at the moment. Try again later, or go on without it." || last.names() != "" {
			t.Errorf("%+v", out.Error)
		}
		if dialled() != mcptool.MaxSessions {
			t.Errorf("%d connections", dialled())
		}
		close(over)
		group.Wait()
		if out := last.call(t, call); out.Result != "a" {
			t.Errorf("then: %+v %v", out, out.Error)
		}
	})
}

func TestIdleSessionsAreClosed(t *testing.T) {
	inBubble(t, func() *mcp.Server { return newServer(map[string]mcp.ToolHandler{"a": says("a")}) }, func(t *testing.T, b *bench, dialled func() int) {
		b.as(number(1)).names()
		b.as(number(2)).names()
		time.Sleep(9 * time.Minute)
		b.as(number(2)).names()
		time.Sleep(2 * time.Minute)
		if n := b.sessions(); n != 1 {
			t.Fatalf("%d sessions, want the one that was used", n)
		}
		time.Sleep(9 * time.Minute)
		if n := b.sessions(); n != 0 {
			t.Fatalf("%d sessions", n)
		}
		if got := b.as(number(1)).names(); got != "s__a" || dialled() != 3 {
			t.Errorf("then %s, %d connections", got, dialled())
		}
	})
}

// A call that waits for its user keeps its session.
func TestASessionWithAParkedCallIsNotIdle(t *testing.T) {
	old := func() *mcp.Server {
		s := inside(form("Well?", `{}`))
		beforeStateless(s)
		return s
	}
	inBubble(t, old, func(t *testing.T, b *bench, _ func() int) {
		alice := b.as(caller("alice"))
		asked := alice.call(t, call)
		if asked.Question == nil {
			t.Fatalf("%+v %v", asked, asked.Error)
		}
		time.Sleep(45 * time.Minute)
		if out := alice.answer(t, call, asked.Question, value(`true`)); out.Result != "acceptnull;" {
			t.Errorf("%+v %v", out, out.Error)
		}
		time.Sleep(11 * time.Minute)
		if n := b.sessions(); n != 0 {
			t.Errorf("%d sessions", n)
		}
	})
}

// A server that is away holds up the first turn of a caller, and only as long as a shared one.
func TestHowLongAServerThatIsAwayHoldsUpACaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dead, silent atomic.Bool
		silent.Store(true)
		b := use(t, bearer("http://127.0.0.1:1"), func(p *mcptool.Pool) {
			p.Dialled(func() mcp.Transport {
				here, _ := mcp.NewInMemoryTransports()
				return &line{here, nil, &dead, &silent}
			})
		})
		alice := b.as(caller("alice"))
		for _, want := range []time.Duration{5 * time.Second, 0} {
			began := time.Now()
			if got := alice.names(); got != "" || time.Since(began) != want {
				t.Errorf("offered %q after %v, want %v", got, time.Since(began), want)
			}
		}
		b.Close()
		b.pool.Wait(t.Context())
	})
}

// Callers come and go while the server's entry is removed.
func TestSessionsAreSafeForConcurrentUse(t *testing.T) {
	p := servePerCaller(t, false, ownTools)
	b := use(t, bearer(p.url))
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			of := b.as(number(i % 5))
			of.names()
			_ = of.CheckArguments(tools.Call{Name: "s__who"})
			of.Repeatable(tools.Call{Name: "s__who"})
			if out := of.call(t, tools.Call{Name: "s__who"}); out.Error == nil && out.Result != fmt.Sprint("u", i%5) {
				t.Errorf("%d reads %s", i, out.Result)
			}
			if i == 30 {
				b.Close()
			}
		})
	}
	group.Wait()
}
