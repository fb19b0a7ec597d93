package mcptool

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
)

const (
	progressMethod = "notifications/progress"
	// maxNotification is the most bytes of a notification's params. Larger ones are dropped unread.
	maxNotification = 64 << 10
	// maxMessageSaid is the most code points of a notification's message that people are shown.
	maxMessageSaid = 500
)

// reports holds the requests whose progress the server may report, by the token that each was
// sent with. The zero value is ready to use. It is safe for concurrent use.
//
// Notifications are handled where messages are read, before the SDK gets them. The SDK would put
// them into an unbounded queue, separate from the response, so that the last ones could arrive
// after the call's end. So a server that reports too fast has to wait, and only its newest report
// is kept (Call.Report).
type reports struct {
	mu      sync.Mutex
	byToken map[string]*report
}

// report is the progress of a call. It must rise over all requests of the call.
type report struct {
	mu     sync.Mutex
	to     func(tools.Progress) // nil: reports are dropped
	newest *tools.Progress
}

// expect gives a request a token of its own. end must be called after the request; later reports
// are dropped.
func (r *reports) expect(params *mcp.CallToolParams, of *report) (end func()) {
	token := rand.Text()
	params.SetProgressToken(token)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byToken == nil {
		r.byToken = map[string]*report{}
	}
	r.byToken[token] = of
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.byToken, token)
	}
}

// of returns the report of the request with a token, or nil if none is under way.
func (r *reports) of(token string) *report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byToken[token]
}

// tellTo changes the function that gets reports; nil drops them.
func (r *report) tellTo(to func(tools.Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = to
}

// tell reports p, with the message that worded returns, unless p does not rise.
func (r *report) tell(p tools.Progress, worded func() string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !p.Follows(r.newest) {
		return
	}
	r.newest = &p
	if r.to != nil {
		p.Message = worded()
		r.to(p)
	}
}

// valueOf decodes a JSON value. ok is false if it is null or has another type, or if it is a number
// outside the range of a double.
func valueOf[T any](raw json.RawMessage) (value T, ok bool) {
	var v *T
	if raw == nil || json.Unmarshal(raw, &v) != nil || v == nil {
		return value, false
	}
	return *v, true
}

// isResponse reports whether a message of JSON-RPC is a response.
func isResponse(message []byte) bool {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method *string         `json:"method"`
	}
	return json.Unmarshal(message, &m) == nil && m.ID != nil && m.Method == nil
}

var tokenKey = []byte(`"progressToken"`)

// progressIn returns the params of a message of JSON-RPC, if it is a notification of progress.
func progressIn(message []byte) (params json.RawMessage, ok bool) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if !bytes.Contains(message, tokenKey) || json.Unmarshal(message, &m) != nil {
		return nil, false
	}
	return m.Params, m.Method == progressMethod && m.ID == nil
}
