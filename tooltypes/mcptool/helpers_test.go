package mcptool_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// TestMain runs the tests, or the MCP server that one of them starts.
func TestMain(m *testing.M) {
	if os.Getenv("MCP_CHILD") != "" {
		child()
		return
	}
	os.Exit(m.Run())
}

// buffer is a log.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// family is what the tools of a server are for the executor.
type family interface {
	tools.Family
	tools.Checker
	tools.Repeater
	tools.Timed
	Close() error
}

// bench is a tool of its own pool.
type bench struct {
	family
	pool *mcptool.Pool
	log  *buffer
}

func asking() mcptool.Asking {
	return mcptool.Asking{
		Asker:   askuser.New(askuser.Limits{MaxQuestions: mcptool.MaxFields, MaxOptions: mcptool.MaxOptions, MaxAnswer: 100}, nil),
		Name:    func(string) string { return "The server" },
		Warning: func(_, server string) string { return "Not me, " + server },
		Visit:   func(_, server, host string) string { return server + " wants you on " + host },
	}
}

func use(t testing.TB, o mcptool.Options, changes ...func(*mcptool.Pool)) *bench {
	t.Helper()
	b := &bench{log: &buffer{}}
	b.pool = mcptool.NewPool("test", nil, slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	for _, change := range changes {
		change(b.pool)
	}
	o.ID = "s"
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	b.family = b.offer(t, o)
	t.Cleanup(func() {
		b.Close()
		b.pool.Wait(context.Background())
	})
	return b
}

// offer returns the tools of a server for one more app.
func (b *bench) offer(t testing.TB, o mcptool.Options) family {
	t.Helper()
	if len(o.Personal) > 0 {
		f, err := b.pool.Personal(o, asking())
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f, err := b.pool.Tool(o, asking())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// as returns the tools for a caller.
func (b *bench) as(who tools.Caller) *bench {
	of := *b
	of.family = b.family.(tools.Personal).As(who).(family)
	return &of
}

// members returns the tools on offer once the server is connected.
func (b *bench) members(t testing.TB) []tools.Definition {
	t.Helper()
	eventually(t, "the server is connected", func() bool {
		s := b.pool.Statuses()
		return len(s) > 0 && s[0].Up
	})
	return b.Members("")
}

// listed returns their names.
func (b *bench) listed(t testing.TB) string {
	t.Helper()
	b.members(t)
	return b.names()
}

// names returns those on offer.
func (b *bench) names() string {
	var names []string
	for _, d := range b.Members("") {
		names = append(names, d.Name)
	}
	return strings.Join(names, " ")
}

// call does what the executor does.
func (b *bench) call(t testing.TB, call tools.Call) tools.Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), b.Timeout())
	defer cancel()
	if err := b.Ready(ctx, call.Name); err != nil {
		return asOutcome(t, err)
	}
	if call.Asked == nil {
		if err := b.CheckArguments(call); err != nil {
			return tools.Outcome{Error: &tools.Error{Code: tools.CodeInvalidArguments, Message: err.Error()}}
		}
	}
	out, err := b.Run(ctx, call)
	if err != nil {
		return asOutcome(t, err)
	}
	return out
}

func asOutcome(t testing.TB, err error) tools.Outcome {
	t.Helper()
	var told *tools.Error
	switch {
	case errors.As(err, &told):
	case errors.Is(err, context.DeadlineExceeded):
		told = &tools.Error{Code: tools.CodeToolTimeout}
	default:
		t.Fatalf("an error without a recipient: %v", err)
	}
	return tools.Outcome{Error: told}
}

// answer checks an answer to a question, and continues the call.
func (b *bench) answer(t testing.TB, call tools.Call, q *tools.Question, a tools.Answer) tools.Outcome {
	t.Helper()
	checked, err := b.Check(*q, a)
	if err != nil {
		t.Fatalf("the answer is refused: %v", err)
	}
	call.Asked = &tools.Asked{Question: *q, Closing: tools.Closing{State: checked.Outcome(), Answer: &checked}}
	return b.call(t, call)
}

// eventually waits for something that happens elsewhere, however long it takes.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so: %s", what)
		}
	}
}

var nothing = map[string]any{"type": "object"}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// says is a handler.
func says(s string) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text(s), nil }
}

func newServer(handlers map[string]mcp.ToolHandler) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for name, handler := range handlers {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: nothing}, handler)
	}
	return server
}

// serve serves protocol 2026-07-28, or 2025-11-25 with sessions if old is set.
func serve(t testing.TB, server *mcp.Server, old bool) string {
	t.Helper()
	if old {
		beforeStateless(server)
	}
	return listen(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: !old}))
}

// beforeStateless turns a server into one of an older protocol.
func beforeStateless(server *mcp.Server) {
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if method == "server/discover" {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "what?"}
			}
			return next(ctx, method, r)
		}
	})
}

func listen(t testing.TB, handler http.Handler) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}
