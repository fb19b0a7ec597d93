package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/client"
)

// stream is a response that sends something and then continues as after defines.
func stream(r *http.Request, text string, after error) *http.Response {
	resp := reply(200, "", "Content-Type", "text/event-stream; charset=utf-8")
	resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(text), rest(func() error {
		if after == nil {
			<-r.Context().Done()
			return r.Context().Err()
		}
		return after
	})))
	return resp
}

// rest is the result of reading a stream that has sent everything: an error, or nothing until its
// request ends.
type rest func() error

func (r rest) Read([]byte) (int, error) { return 0, r() }

func frame(id, name, data string) string {
	return fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", id, name, data)
}

// TestEventsGoOn through cut, silent and refused connections, without gaps or repetitions.
func TestEventsGoOn(t *testing.T) {
	with(t, func(n int, r *http.Request, _ string) (*http.Response, error) {
		switch n {
		case 1:
			return nil, errDial
		case 2:
			return stream(r, ": stream\n\n"+frame("1", "snapshot", `{"pending":[]}`)+frame("2", "clarification", `{"app":"a"}`)+"id: 3\ndata: unfin", errReset), nil
		case 3:
			return stream(r, "retry: 7000\n\n", io.EOF), nil // a node that stops
		case 4:
			return nil, errDial
		case 5:
			return stream(r, frame("3", "done", `{}`), nil), nil // goes quiet
		case 6:
			return refusal(503, "draining"), nil
		case 7:
			return stream(r, frame("4", "done", `{}`), errReset), nil
		}
		return refusal(401, "unauthenticated"), nil
	}, func(t *testing.T, c *client.Client, w *wire) {
		var got []string
		var end error
		for e, err := range c.Events(t.Context(), "") {
			if err != nil {
				end = err
				continue
			}
			got = append(got, e.ID+" "+e.Name+" "+string(e.Data))
		}
		if want := `1 snapshot {"pending":[]},2 clarification {"app":"a"},3 done {},4 done {}`; strings.Join(got, ",") != want {
			t.Errorf("%q", got)
		}
		if p := problemOf(t, end); p.Status != 401 {
			t.Errorf("%v", end)
		}
		for i, want := range []string{"", "", "2", "2", "2", "3", "3", "4"} {
			if r := w.seen[i]; r.Header.Get("Last-Event-ID") != want || r.URL.Path != "/base/v1/events" || r.Header.Get("Accept") != "text/event-stream" {
				t.Errorf("request %d: %s %v", i+1, r.URL, r.Header)
			}
		}
		if w.at[3]-w.at[2] < 7*time.Second {
			t.Errorf("it came back too early: %v", w.at)
		}
	})
}

// TestEventsOfNobody: the first connection is tried only as long as the client's patience allows,
// later ones for longer.
func TestEventsOfNobody(t *testing.T) {
	with(t, func(_ int, r *http.Request, _ string) (*http.Response, error) { return silence(r) },
		func(t *testing.T, c *client.Client, w *wire) {
			for _, err := range c.Events(t.Context(), "") {
				if took := time.Since(w.begun); err == nil || took < 29*time.Second || took > 31*time.Second {
					t.Errorf("%v after %v", err, took)
				}
			}
		})
	with(t, func(int, *http.Request, string) (*http.Response, error) { return reply(200, "{}"), nil },
		func(t *testing.T, c *client.Client, w *wire) {
			for _, err := range c.Events(t.Context(), "") {
				if err == nil || w.requests() > 1 {
					t.Errorf("another site is taken for a gateway: %v", err)
				}
			}
		})
	with(t, func(n int, r *http.Request, _ string) (*http.Response, error) {
		if n == 1 {
			return stream(r, frame("1", "snapshot", "{}"), io.EOF), nil
		}
		return nil, errDial
	}, func(t *testing.T, c *client.Client, _ *wire) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var end error
		for _, err := range c.Events(ctx, "") {
			end = err
		}
		if !errors.Is(end, context.DeadlineExceeded) {
			t.Errorf("%v", end)
		}
	})
	with(t, func(_ int, r *http.Request, _ string) (*http.Response, error) {
		return stream(r, frame("1", "snapshot", "{}")+frame("2", "done", "{}"), nil), nil
	}, func(t *testing.T, c *client.Client, w *wire) {
		for range c.Events(t.Context(), "") {
			break // and nothing is left running, or the bubble would not end
		}
		if w.requests() != 1 {
			t.Errorf("%d requests", w.requests())
		}
	})
}

// pipes connects a client of MCP.
type pipes struct {
	in  *io.PipeWriter
	got chan string
	end chan error
}

func (p *pipes) Write(b []byte) (int, error) {
	p.got <- strings.TrimSpace(string(b))
	return len(b), nil
}

// carry starts to carry messages.
func carry(ctx context.Context, c *client.Client) *pipes {
	r, w := io.Pipe()
	p := &pipes{in: w, got: make(chan string, 100), end: make(chan error, 1)}
	go func() { p.end <- c.CarryMCP(ctx, "a", r, p) }()
	return p
}

func (p *pipes) say(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	call        = `{"jsonrpc":"2.0","id":"one","method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Q?"}}}`
	called      = `{"jsonrpc":"2.0","id":"one","result":{"content":[]}}`
)

// TestACallOfMCPOutlivesTheGateway: it is sent again with its key, and answered once.
func TestACallOfMCPOutlivesTheGateway(t *testing.T) {
	with(t, func(n int, r *http.Request, body string) (*http.Response, error) {
		switch {
		case strings.Contains(body, `"initialize"`):
			return reply(200, "{\n \"jsonrpc\":\"2.0\", \"id\":0, \"result\":{\"protocolVersion\":\"2025-06-18\"}}", "Mcp-Session-Id", "s1"), nil
		case strings.Contains(body, "notifications/"):
			return reply(202, "", "Content-Type", ""), nil
		case n == 3:
			return stream(r, ": stream\n\n"+frame("1", "message", `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`), errReset), nil
		case n < 30: // minutes without a gateway
			return nil, errDial
		}
		return stream(r, frame("1", "message", called), io.EOF), nil
	}, func(t *testing.T, c *client.Client, w *wire) {
		p := carry(t.Context(), c)
		p.say(t, initialize)
		if got := <-p.got; got != `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}` {
			t.Errorf("%s", got)
		}
		p.say(t, initialized)
		for w.requests() < 2 {
			<-time.After(time.Millisecond)
		}
		p.say(t, call)
		if progress, result := <-p.got, <-p.got; !strings.Contains(progress, "progress") || result != called {
			t.Errorf("%s\n%s", progress, result)
		}
		_ = p.in.Close()
		if err := <-p.end; err != nil || len(p.got) > 0 {
			t.Errorf("%v, and %d more", err, len(p.got))
		}
		keys := map[string]bool{}
		for i, r := range w.seen[2:] {
			keys[r.Header.Get("Idempotency-Key")] = true
			if r.Header.Get("Mcp-Session-Id") != "s1" || r.Header.Get("Mcp-Protocol-Version") != "2025-06-18" || r.Header.Get("Authorization") != "Bearer secret" ||
				r.Header.Get("Accept") != "application/json, text/event-stream" || w.body[i+2] != call || r.URL.Path != "/base/v1/apps/a/mcp" {
				t.Fatalf("%v %s", r.Header, w.body[i+2])
			}
		}
		if len(keys) != 1 || w.seen[0].Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%d keys", len(keys))
		}
	})
}

// TestMessagesOfMCPComeAfterInitialize: a client that sends all its messages at once appears to the
// gateway as the same client in each of them.
func TestMessagesOfMCPComeAfterInitialize(t *testing.T) {
	with(t, func(_ int, r *http.Request, body string) (*http.Response, error) {
		switch {
		case strings.Contains(body, `"initialize"`):
			<-time.After(time.Second)
			return reply(200, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`, "Mcp-Session-Id", "s1"), nil
		case r.Header.Get("Mcp-Session-Id") != "s1" || r.Header.Get("Mcp-Protocol-Version") != "2025-11-25":
			t.Errorf("%s: %v", body, r.Header)
		}
		if strings.Contains(body, "notifications/") {
			return reply(202, "", "Content-Type", ""), nil
		}
		return reply(200, called), nil
	}, func(t *testing.T, c *client.Client, w *wire) {
		p := carry(t.Context(), c)
		p.say(t, initialize+"\n"+initialized+"\n"+call)
		_ = p.in.Close()
		if err := <-p.end; err != nil || w.requests() != 3 || len(p.got) != 2 {
			t.Errorf("%v, %d requests, %d lines", err, w.requests(), len(p.got))
		}
	})
}

// TestEachCallOfMCPEnds: with the server's error unchanged, with one of the bridge's own, or
// without a response when the client cancels it.
func TestEachCallOfMCPEnds(t *testing.T) {
	with(t, func(_ int, r *http.Request, body string) (*http.Response, error) {
		switch {
		case strings.Contains(body, `"id":1`):
			return reply(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"version","data":{"supported":[]}}}`), nil
		case strings.Contains(body, `"id":2`):
			return refusal(403, "forbidden"), nil
		case strings.Contains(body, `"id":3`):
			return nil, errDial
		case strings.Contains(body, `"id":4`):
			return silence(r)
		case strings.Contains(body, `"id":5`):
			if r.Header.Get("Mcp-Protocol-Version") != "2026-07-28" || r.Header.Get("Mcp-Method") != "tools/call" || r.Header.Get("Mcp-Name") != "notify" {
				t.Errorf("%v", r.Header)
			}
			return reply(200, `{"jsonrpc":"2.0","id":5,"result":{}}`), nil
		}
		return reply(202, "", "Content-Type", ""), nil
	}, func(t *testing.T, c *client.Client, w *wire) {
		p := carry(t.Context(), c)
		for _, want := range []struct{ say, get string }{
			{"no JSON", `"code":-32700`},
			{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"error":{"code":-32022,"message":"version","data":{"supported":[]}},"id":1,"jsonrpc":"2.0"}`},
			{`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `"message":"what is wrong (403 forbidden)"},"id":2`},
			{`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`, `cannot be reached`},
			{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"notify","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, `{"jsonrpc":"2.0","id":5,"result":{}}`},
		} {
			p.say(t, want.say)
			if got := <-p.got; !strings.Contains(got, want.get) {
				t.Errorf("%s\n got %s", want.say, got)
			}
		}
		before := w.requests()
		p.say(t, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"ask_user"}}`)
		for w.requests() == before {
			<-time.After(time.Millisecond)
		}
		p.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
		_ = p.in.Close()
		if err := <-p.end; err != nil || len(p.got) > 0 {
			t.Errorf("%v, and %d responses to cancelled calls", err, len(p.got))
		}
	})
}

// TestTheBridgeOfMCPEnds with its context, and at a message that no gateway accepts.
func TestTheBridgeOfMCPEnds(t *testing.T) {
	silent := func(_ int, r *http.Request, _ string) (*http.Response, error) { return silence(r) }
	with(t, silent, func(t *testing.T, c *client.Client, _ *wire) {
		ctx, cancel := context.WithCancelCause(t.Context())
		p := carry(ctx, c)
		p.say(t, call)
		why := errors.New("a signal")
		cancel(why)
		if err := <-p.end; !errors.Is(err, why) {
			t.Errorf("%v", err)
		}
		_ = p.in.Close()
	})
	with(t, silent, func(t *testing.T, c *client.Client, _ *wire) {
		p := carry(t.Context(), c)
		go func() { _, _ = io.WriteString(p.in, strings.Repeat("x", 2<<20)) }()
		if err := <-p.end; err == nil || !strings.Contains(err.Error(), "1 MiB") {
			t.Errorf("%v", err)
		}
		_ = p.in.Close()
	})
}
