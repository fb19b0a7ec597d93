package mcptool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools/outgoing"
)

// The SDK decodes a requested schema into a map, which loses the order of its properties: the
// order in which a person is asked. So each such schema is replaced, before the SDK gets it, with
// a JSON string of the schema exactly as the server sent it. The form decodes that string (form.go).

var schemaKey = []byte(`"requestedSchema"`)

// kept returns a message's params or result with its schemas as strings. Other messages, and those
// that it cannot read, stay unchanged.
func kept(raw json.RawMessage) json.RawMessage {
	var of map[string]json.RawMessage
	if !bytes.Contains(raw, schemaKey) || json.Unmarshal(raw, &of) != nil {
		return raw
	}
	keepSchema(of)
	var requests map[string]map[string]json.RawMessage
	if json.Unmarshal(of["inputRequests"], &requests) == nil {
		for _, r := range requests {
			if r["params"] != nil {
				r["params"] = kept(r["params"])
			}
		}
		of["inputRequests"] = marshaled(requests, of["inputRequests"])
	}
	return marshaled(of, raw)
}

func keepSchema(params map[string]json.RawMessage) {
	const key = "requestedSchema"
	if schema := bytes.TrimSpace(params[key]); len(schema) > 0 && schema[0] == '{' {
		params[key] = marshaled(string(schema), schema)
	}
}

// marshaled returns v as JSON, or from if that fails.
func marshaled(v any, from json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return from
	}
	return raw
}

// keptMessage applies kept to a whole message of JSON-RPC.
func keptMessage(raw []byte) []byte {
	var m map[string]json.RawMessage
	if !bytes.Contains(raw, schemaKey) || json.Unmarshal(raw, &m) != nil {
		return raw
	}
	for _, part := range []string{"params", "result"} {
		if m[part] != nil {
			m[part] = kept(m[part])
		}
	}
	return marshaled(m, raw)
}

// ordered is a transport that applies kept to each message. Notifications of progress go to
// progressed, and not to the SDK.
type ordered struct {
	mcp.Transport
	progressed func(params json.RawMessage)
}

// Connect implements mcp.Transport.
func (o ordered) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := o.Transport.Connect(ctx)
	return orderedConn{c, o.progressed}, err
}

type orderedConn struct {
	mcp.Connection
	progressed func(params json.RawMessage)
}

// Read implements mcp.Connection.
func (o orderedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := o.Connection.Read(ctx)
		switch m := m.(type) {
		case *jsonrpc.Request:
			if m.Method == progressMethod && !m.IsCall() {
				o.progressed(m.Params)
				continue
			}
			m.Params = kept(m.Params)
		case *jsonrpc.Response:
			m.Result = kept(m.Result)
		}
		return m, err
	}
}

// orderedBody does the same as ordered for the body of a response over HTTP, since the SDK has no
// way to wrap that connection. The body has at most maxMessage bytes. In an event stream, progress
// and lines other than messages do not count, because a server may report progress for as long as
// the call runs.
func orderedBody(r *http.Response, progressed func(params json.RawMessage)) io.ReadCloser {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	body := outgoing.Bound(r.Body, maxMessage)
	b := &keptBody{Closer: body, from: bufio.NewReader(body)}
	switch media {
	case "application/json":
		b.piece = func(from *bufio.Reader) ([]byte, error) {
			all, err := io.ReadAll(from)
			if err == nil {
				all, err = keptMessage(all), io.EOF
			}
			return all, err
		}
	case "text/event-stream": // all known servers send a message in one line
		answered := false
		b.piece = func(from *bufio.Reader) ([]byte, error) {
			line, err := from.ReadBytes('\n')
			data, ok := bytes.CutPrefix(line, []byte("data:"))
			if !ok {
				body.Spare(len(line))
				return line, err
			}
			if params, ok := progressIn(data); ok {
				body.Spare(len(line))
				if !answered { // otherwise the call is over
					progressed(params)
				}
				return nil, err // keeps the event's id, if it has one
			}
			answered = answered || isResponse(data)
			if bytes.Contains(data, schemaKey) {
				line = append(append([]byte("data: "), keptMessage(bytes.TrimSpace(data))...), '\n')
			}
			return line, err
		}
	default:
		return body
	}
	return b
}

// keptBody reads a body piece by piece.
type keptBody struct {
	io.Closer
	from  *bufio.Reader
	piece func(from *bufio.Reader) ([]byte, error)
	rest  []byte
	err   error // after rest
}

// Read implements io.Reader.
func (b *keptBody) Read(p []byte) (int, error) {
	for len(b.rest) == 0 && b.err == nil {
		b.rest, b.err = b.piece(b.from)
	}
	if len(b.rest) == 0 {
		return 0, b.err
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}
