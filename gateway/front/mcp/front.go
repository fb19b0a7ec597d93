package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// stateless is the first version of the protocol without sessions, and with input_required.
const stateless = "2026-07-28"

// These are the headers of the protocol.
const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
)

// Front implements front.Front.
type Front struct {
	Version string // of this program
	// waiting has, by question, the calls on this node whose clients ask their users.
	waiting sync.Map // of *waiting
}

var _ front.Front = (*Front)(nil)

func (*Front) Name() string { return "mcp" }

// Routes implements front.Front. There is nothing to GET or DELETE: no session is kept, and the
// server sends only responses.
func (f *Front) Routes() []host.Route {
	return []host.Route{{Method: http.MethodPost, Path: "/v1/apps/:app/mcp", Serve: f.serve, In: (*host.Request).InApp, Changes: true}}
}

// These are the codes of JSON-RPC.
const (
	codeInvalidRequest = -32600
	codeRefused        = -32000 // one of those left to servers
)

// Refuse implements front.Front. It writes a JSON-RPC error without an id, as the request may
// have had none.
func (*Front) Refuse(_ http.Header, p host.Problem) (contentType string, body []byte) {
	type fault struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			Code  chat.Code `json:"code"`
			Field string    `json:"field,omitempty"`
		} `json:"data"`
	}
	e := fault{Code: codeRefused, Message: p.Message}
	if p.Status == http.StatusBadRequest {
		e.Code = codeInvalidRequest
	}
	e.Data.Code, e.Data.Field = p.Code, p.Field
	body, _ = json.Marshal(struct { // texts can be written
		Version string `json:"jsonrpc"`
		ID      any    `json:"id"`
		Error   fault  `json:"error"`
	}{"2.0", nil, e})
	return "application/json", body
}

// message has the fields that are examined before the SDK reads a message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// caller is a request of a program that asks; front.Program implements it.
type caller interface {
	HTTP() *http.Request
	Header() http.Header
	App() *config.App
	Now() time.Time
	Admit() error
	Send(status int, contentType string, body []byte) error
	Library(h http.Handler)

	Offer() front.Offer
	Whom(to []byte) (host.Whom, error)
	WithdrawWhenGone(after []byte) (time.Duration, error)
	Escalate(steps []byte) ([]tools.Escalation, error)
	Ask(q front.Asking) (chat.Clarification, error)
	Asked(id string, wait time.Duration) (chat.Clarification, error)
	Reply(a turn.Answer) (chat.Clarification, error)
	Say(to host.Whom, by tools.Asker, text string) error
	Result(c *chat.Clarification) (string, error)
	Problem(err error) host.Problem
	Sealed(data []byte) (string, error)
	Unsealed(text string) (data []byte, ok bool)
}

func (f *Front) serve(r *host.Request) error {
	body, err := front.ReadBody(r, false)
	if err != nil {
		return err
	}
	return f.take(front.Program{R: r}, body.Data)
}

// take takes one message. It refuses batches, which only the oldest version has: each would count
// as one request.
func (f *Front) take(c caller, data []byte) error {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return front.Invalid("malformed_json", "", nil)
	}
	if m.Method == "" && m.ID != nil {
		return f.elicited(c, &m)
	}
	if m.Method == "tools/call" {
		if err := c.Admit(); err != nil {
			return err
		}
	}
	x := &exchange{f: f, c: c, offered: map[string]bool{}}
	if m.Method == "initialize" {
		x.initialized(m.Params)
	} else {
		x.client = clientOf(c.HTTP().Header.Get(headerSession), m.Params)
	}
	c.Library(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = &refusing{ResponseWriter: w, f: f}
		x.w = w
		x.handler().ServeHTTP(w, again(r, data))
	}))
	return nil
}

// refusing turns the SDK's plain-text refusals into those of Refuse.
type refusing struct {
	http.ResponseWriter
	f      *Front
	status int // of a plain-text refusal
}

// WriteHeader implements http.ResponseWriter.
func (w *refusing) WriteHeader(status int) {
	if h := w.Header(); status >= http.StatusBadRequest && strings.HasPrefix(h.Get("Content-Type"), "text/plain") {
		w.status = status
		h.Set("Content-Type", "application/json")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. A refusal is one write.
func (w *refusing) Write(p []byte) (int, error) {
	if w.status == 0 {
		return w.ResponseWriter.Write(p)
	}
	_, body := w.f.Refuse(nil, host.Problem{Status: w.status, Code: chat.CodeInvalidRequest, Message: tools.Shorten(strings.TrimSpace(string(p)), maxLine)})
	_, err := w.ResponseWriter.Write(body)
	return len(p), err
}

// Flush implements http.Flusher.
func (w *refusing) Flush() {
	if f, ok := w.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// again returns the request for the SDK, with its body, which was read before. What the client
// accepts is ignored here: every client of the protocol takes both types.
func again(r *http.Request, data []byte) *http.Request {
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	r.Header.Set("Accept", "application/json, text/event-stream")
	return r
}

// exchange is a request that is being handled.
type exchange struct {
	f      *Front
	c      caller
	w      http.ResponseWriter
	client client
	// offered has the names of the tools available to this caller.
	offered map[string]bool
}

// handler returns the SDK's handler, for this request alone.
func (x *exchange) handler() http.Handler {
	server := x.server()
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true,
		// A client that says it accepts only JSON gets only JSON.
		JSONResponse:               !x.streams(),
		DisableLocalhostProtection: true, // the API checks its hosts itself
		// A waiting call ends with its request, in older versions too.
		PropagateRequestCancellation: true,
	})
}

// streams reports whether the client accepts an event stream.
func (x *exchange) streams() bool {
	all := strings.ToLower(strings.Join(x.c.HTTP().Header.Values("Accept"), ","))
	return all == "" || strings.Contains(all, typeStream) || strings.Contains(all, "text/*") || strings.Contains(all, "*/*")
}

const typeStream = "text/event-stream"

// served are the supported methods. Others would be held open (subscriptions/listen), or are of
// no use.
var served = map[string]bool{
	"initialize": true, "notifications/initialized": true, "notifications/cancelled": true, "ping": true,
	"server/discover": true, "tools/list": true, "tools/call": true,
}

const instructions = "Ask the person with ask_user, or with a prepared question that is a tool of its own. " +
	"They may take minutes or days: if a result has the status \"pending\", do something else and call get_answer with its clarificationId. " +
	"notify sends them a message and does not wait for an answer."

func (x *exchange) server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "askgate", Title: "AskGate", Version: x.f.Version}, &sdk.ServerOptions{
		Instructions: x.named(instructions),
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, // clients request the list again
	})
	x.addTools(s)
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if !served[method] {
				return nil, notServed(method)
			}
			if call, ok := req.(*sdk.CallToolRequest); ok {
				call.Params.Name = x.called(call.Params.Name)
			}
			return next(ctx, method, req)
		}
	})
	return s
}
