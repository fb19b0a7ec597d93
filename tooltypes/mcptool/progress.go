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
	// maxNotification is in bytes of the params of one; a larger one is dropped unread.
	maxNotification = 64 << 10
	// maxMessageSaid is in code points of the text of one, for people.
	maxMessageSaid = 500
)

// reports are the requests of which the server may tell the progress, by the token that each was
// sent with. The zero value serves. Safe for concurrent use.
//
// What the server tells is taken in where its messages are read, before the SDK gets them: the
// SDK would put it into a queue without bounds, apart from the response, so that the last of it
// could come after the call's end. So a server that tells much waits until it is read, and
// nothing of it is held but the newest (Call.Report).
type reports struct {
	mu      sync.Mutex
	byToken map[string]*report
}

// report is a call whose progress is told: that of all its requests, which must rise.
type report struct {
	mu     sync.Mutex
	to     func(tools.Progress) // nil: nobody is told
	newest *tools.Progress
}

// expect gives a request a token of its own. end, which must be called, drops what comes later.
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

// of is the call of a request that is under way; nil without one.
func (r *reports) of(token string) *report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byToken[token]
}

// tellTo changes who is told; nil: nobody.
func (r *report) tellTo(to func(tools.Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = to
}

// tell tells of p, with the message that worded makes of what the server says.
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

// valueOf is a value of JSON, if there is one of the type. Numbers beyond a double are not.
func valueOf[T any](raw json.RawMessage) (value T, ok bool) {
	var v *T
	if raw == nil || json.Unmarshal(raw, &v) != nil || v == nil {
		return value, false
	}
	return *v, true
}

// isResponse says whether the message of JSON-RPC answers a request.
func isResponse(message []byte) bool {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method *string         `json:"method"`
	}
	return json.Unmarshal(message, &m) == nil && m.ID != nil && m.Method == nil
}

var tokenKey = []byte(`"progressToken"`)

// progressIn is the params of the message of JSON-RPC, if it tells of progress.
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
