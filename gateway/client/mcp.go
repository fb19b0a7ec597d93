package client

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/askgate/askgate/gateway/sse"
)

// CarryMCP carries the messages of an MCP client, lines of JSON-RPC, between in and out and the
// gateway's own MCP server of an app, until in ends and what is on its way has its response, or
// until ctx ends. A call of a tool that the gateway has begun goes on through lost connections
// and restarts: it is sent again with the same idempotency key.
func (c *Client) CarryMCP(ctx context.Context, app string, in io.Reader, out io.Writer) error {
	b := &bridge{c: c, path: "/v1/apps/" + url.PathEscape(app) + "/mcp", out: out, calls: map[string]context.CancelFunc{}}
	return b.run(ctx, in)
}

// bridge carries messages. Each from the client is a request of its own, as in the streamable
// HTTP of all versions of the protocol; what comes back are lines.
type bridge struct {
	c    *Client
	path string

	writing sync.Mutex
	out     io.Writer

	closing atomic.Bool // the client has said its last

	begun chan struct{} // closed when the newest initialize has its response; nil: there was none

	mu      sync.Mutex
	session string                        // "" where the server has none
	version string                        // that was negotiated, in versions that do that once
	calls   map[string]context.CancelFunc // those on their way, by id
}

// message has the fields of a message that the bridge reads.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	Result struct {
		Version string `json:"protocolVersion"`
	} `json:"result"`
}

// isCall says that a response is to come.
func (m *message) isCall() bool { return m.ID != nil && m.Method != "" }

const maxMessage = 1 << 20 // what a gateway takes

// The codes of JSON-RPC.
const (
	codeParse  = -32700
	codeFailed = -32000 // of those that are left to servers
)

func (b *bridge) run(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	var under sync.WaitGroup
	defer under.Wait()
	lines, ended := make(chan []byte), make(chan error, 1)
	go func() { // a read cannot be interrupted
		s := bufio.NewScanner(in)
		s.Buffer(nil, maxMessage)
		for s.Scan() {
			select {
			case lines <- bytes.Clone(s.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		ended <- s.Err()
	}()
	for {
		select {
		case line := <-lines:
			b.take(ctx, &under, bytes.TrimSpace(line))
		case err := <-ended:
			b.closing.Store(true)
			under.Wait()
			cancel()
			if errors.Is(err, bufio.ErrTooLong) {
				err = errors.New("a message has more than 1 MiB, which is more than a gateway takes")
			}
			return err
		case <-ctx.Done():
			cancel()
			return context.Cause(ctx)
		}
	}
}

// take begins to carry a message of the client's.
func (b *bridge) take(ctx context.Context, under *sync.WaitGroup, line []byte) {
	var m message
	switch err := json.Unmarshal(line, &m); {
	case len(line) == 0:
		return
	case err != nil:
		b.refuse(nil, codeParse, "no message of JSON-RPC: "+err.Error())
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	id := string(m.ID)
	b.mu.Lock()
	if stop := b.calls[string(m.Params.RequestID)]; m.Method == "notifications/cancelled" && stop != nil {
		stop()
	}
	if m.isCall() {
		b.calls[id] = cancel
	}
	b.mu.Unlock()
	begun, end := b.begun, func() {}
	if m.Method == "initialize" {
		initialized := make(chan struct{})
		b.begun, begun, end = initialized, nil, func() { close(initialized) }
	}
	under.Go(func() {
		if begun != nil { // what it says of the client goes along, also with what was piped in at once
			select {
			case <-begun:
			case <-ctx.Done():
			}
		}
		b.carry(ctx, &m, line)
		cancel()
		end()
		b.mu.Lock()
		defer b.mu.Unlock()
		if m.isCall() {
			delete(b.calls, id)
		}
	})
}

// carry sends a message until it has its response.
func (b *bridge) carry(ctx context.Context, m *message, line []byte) {
	key, patience, pause := rand.Text(), b.c.options.Patience, pauses()
	for {
		s, err := b.c.open(ctx, patience, b.request(m, line, key), "application/json, text/event-stream")
		if err == nil {
			if b.relay(s, m) || ctx.Err() != nil {
				return
			}
			if m.Method == "tools/call" && !b.closing.Load() { // it was begun
				patience = 0
			}
			err = sleep(ctx, pause.NextBackOff())
		}
		switch {
		case err == nil:
		case ctx.Err() != nil || !m.isCall():
			return
		default:
			b.refuseFor(m.ID, err)
			return
		}
	}
}

// request is a message as it is sent.
func (b *bridge) request(m *message, line []byte, key string) request {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := http.Header{"Idempotency-Key": {key}}
	if m.Method != "initialize" {
		if b.session != "" {
			h.Set("Mcp-Session-Id", b.session)
		}
		if b.version != "" {
			h.Set("Mcp-Protocol-Version", b.version)
		}
	}
	if m.Params.Meta.Version != "" { // versions that say it, and what they call, each time
		h.Set("Mcp-Protocol-Version", m.Params.Meta.Version)
		h.Set("Mcp-Method", m.Method)
		if m.Params.Name != "" {
			h.Set("Mcp-Name", m.Params.Name)
		}
	}
	return request{method: http.MethodPost, path: b.path, header: h, body: json.RawMessage(line)}
}

// relay writes what comes back, and says whether that is all: where a call's response is
// missing, the connection was lost.
func (b *bridge) relay(s *stream, m *message) (all bool) {
	defer s.end()
	if id := s.Header.Get("Mcp-Session-Id"); id != "" {
		b.mu.Lock()
		b.session = id
		b.mu.Unlock()
	}
	if !m.isCall() {
		return true
	}
	if kind(s.Response) == "application/json" {
		data, err := io.ReadAll(io.LimitReader(s, maxReply))
		return err == nil && b.pass(data, m)
	}
	for e, err := range sse.Read(s) {
		if err != nil {
			return false
		}
		if len(e.Data) > 0 && b.pass(e.Data, m) {
			return true
		}
	}
	return false
}

// pass writes a message of the server's, and says whether it is the response to m.
func (b *bridge) pass(data []byte, m *message) (response bool) {
	var line bytes.Buffer
	var got message
	if json.Unmarshal(data, &got) != nil || json.Compact(&line, data) != nil {
		return false
	}
	response = got.Method == ""
	if response && m.Method == "initialize" {
		b.mu.Lock()
		b.version = got.Result.Version
		b.mu.Unlock()
	}
	b.write(line.Bytes())
	return response
}

// refuseFor is the response to a call that failed: as the server said it, if it did.
func (b *bridge) refuseFor(id json.RawMessage, err error) {
	if p := (*Problem)(nil); errors.As(err, &p) && p.rpc != nil {
		b.fail(id, p.rpc)
		return
	}
	b.refuse(id, codeFailed, err.Error())
}

func (b *bridge) refuse(id json.RawMessage, code int, text string) {
	b.fail(id, map[string]any{"code": code, "message": text})
}

// fail writes an error; a nil id is null.
func (b *bridge) fail(id json.RawMessage, fault any) {
	line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": fault}) // ids and faults were JSON, texts can be
	b.write(line)
}

func (b *bridge) write(line []byte) {
	b.writing.Lock()
	defer b.writing.Unlock()
	_, _ = b.out.Write(append(line, '\n')) // a client that is gone has closed its end of in, too
}
