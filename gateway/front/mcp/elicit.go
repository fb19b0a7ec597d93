package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// mayElicit reports whether the client can ask its own user, and the app allows it to.
func (x *exchange) mayElicit() bool { return x.c.App().MCP.Elicit && x.client.Elicits }

// elicits reports whether the client asks its own user: it may, and its user is the person who is
// asked.
func (x *exchange) elicits(req *sdk.CallToolRequest, q front.Asking, c *chat.Clarification) bool {
	return x.mayElicit() && q.To == host.Whom{} && formable(c) &&
		(req.ProtocolVersion() >= stateless || x.streams()) // otherwise there is no way to ask
}

// inputKey is the one input that a call may require.
const inputKey = "answer"

// stateFor is how long a client may take if the question itself never expires.
const stateFor = 30 * 24 * time.Hour

// state is stored by the client for a call that ended with input_required. It is sealed together
// with its owner.
type state struct {
	Clarification string    `json:"c"`
	Chat          string    `json:"h"`
	Until         time.Time `json:"u"`
	Shown         time.Time `json:"s"` // when the client was first required to ask
}

// hasty is the time after the form within which no person can have read and declined it. A client
// that declines sooner does so automatically, as clients without a terminal do.
const hasty = 2 * time.Second

// inputRequired ends a call: the client asks its user and calls again. shown is when it was first
// required to, complaint is the error in the previous answer, or "".
func (x *exchange) inputRequired(req *sdk.CallToolRequest, c *chat.Clarification, shown time.Time, complaint string) (*sdk.CallToolResult, error) {
	s := state{c.ID, c.ChatID, c.ExpiresAt, shown}
	if s.Until.IsZero() {
		s.Until = x.c.Now().Add(stateFor)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	sealed, err := x.c.Sealed(data)
	if err != nil {
		return nil, err
	}
	f := newForm(c, req.ProtocolVersion())
	return &sdk.CallToolResult{
		InputRequests: sdk.InputRequestMap{inputKey: &sdk.ElicitParams{Mode: "form", Message: words(c, complaint), RequestedSchema: f.schema()}},
		RequestState:  sealed,
	}, nil
}

// resumed continues a call that required input.
func (x *exchange) resumed(ctx context.Context, req *sdk.CallToolRequest, wait time.Duration) (*sdk.CallToolResult, error) {
	var s state
	data, ok := x.c.Unsealed(req.Params.RequestState)
	if !ok || json.Unmarshal(data, &s) != nil || !x.c.Now().Before(s.Until) {
		return nil, wrong("`requestState` is not what the gateway gave for this call, or too old: call the tool again without it.")
	}
	c, err := x.c.Asked(s.Clarification, 0)
	if err != nil {
		return nil, err
	}
	if c.State != tools.StatePending {
		return x.result(&c) // the question was answered sooner elsewhere
	}
	given, ok := req.Params.InputResponses[inputKey].(*sdk.ElicitResult)
	if !ok {
		return x.inputRequired(req, &c, s.Shown, "")
	}
	closed, complaint, err := take(x.c, &c, given, s.Shown)
	switch {
	case complaint != "":
		return x.inputRequired(req, &c, s.Shown, complaint)
	case err != nil:
		return nil, err
	case closed.State == tools.StatePending: // the form was not read
		return x.await(ctx, req, c.ID, wait)
	}
	return x.result(&closed)
}

// take submits what a client's user said as the answer. complaint says what is wrong with it, if
// it can be corrected. A form that is cancelled, or declined sooner than a person can read it,
// closes nothing: the question is returned unchanged.
func take(c caller, of *chat.Clarification, given *sdk.ElicitResult, shown time.Time) (closed chat.Clarification, complaint string, err error) {
	answer := turn.Answer{ClarificationID: of.ID}
	switch {
	case given.Action == "accept":
		answer, err = front.ReadAnswer(reply(of, given.Content), of, func(string) (turn.Answer, bool) { return turn.Answer{}, false })
	case given.Action == "decline" && c.Now().Sub(shown) >= hasty:
		answer.Declined = true
	default:
		return *of, "", nil
	}
	if err == nil {
		closed, err = c.Reply(answer)
	}
	if err == nil {
		return closed, "", nil
	}
	switch p := c.Problem(err); p.Code {
	case chat.CodeInvalidAnswer, chat.CodeInvalidRequest:
		return closed, p.Message, err
	case chat.CodeAlreadyAnswered, chat.CodeClarificationClosed:
		closed, err = c.Asked(of.ID, 0)
	}
	return closed, "", err
}

// requestPrefix begins the ids of requests to clients. The rest is the question's id, how often
// it was asked about, and when first (ms), so that the response may come to any node.
const requestPrefix = "elicit."

// waiting is a call whose client asks its user meanwhile, up to 2025-11-25. The SDK keeps no
// session, so it cannot send the requests.
type waiting struct {
	f     *Front
	of    *chat.Clarification
	as    form
	shown time.Time // when the first request was sent

	mu    sync.Mutex
	w     io.Writer // the call's stream; nil: the call is over
	asked int       // number of requests sent
	open  bool      // no response to the newest is known here
}

// elicit sends the client a request to ask its user, while the call is open, unless another call
// here, which this one has joined, does so.
func (x *exchange) elicit(c *chat.Clarification) (w *waiting, first bool) {
	w = &waiting{f: x.f, of: c, as: newForm(c, x.c.HTTP().Header.Get(headerVersion)), w: x.w, shown: x.c.Now()}
	if _, joined := x.f.waiting.LoadOrStore(c.ID, w); joined {
		return nil, false
	}
	w.ask("")
	return w, true
}

// outgoing is a message to a client. One with an id is a request.
type outgoing struct {
	Version string `json:"jsonrpc"`
	ID      string `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// ask asks, again if there is a complaint, unless the call is over.
func (w *waiting) ask(complaint string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	w.open = true
	w.send(outgoing{ID: w.id(), Method: "elicitation/create", Params: struct {
		Message         string          `json:"message"`
		RequestedSchema json.RawMessage `json:"requestedSchema"`
	}{words(w.of, complaint), w.as.schema()}})
}

func (w *waiting) id() string {
	return fmt.Sprintf("%s%s.%d.%d", requestPrefix, w.of.ID, w.asked, w.shown.UnixMilli())
}

// taken notes that the client's user has answered.
func (w *waiting) taken() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = false
}

// end ends the asking together with the call. closed says that the question has ended, so that a
// client that is still asking can stop.
func (w *waiting) end(closed bool) {
	w.f.waiting.CompareAndDelete(w.of.ID, w)
	w.mu.Lock()
	defer w.mu.Unlock()
	if closed && w.open {
		w.send(outgoing{Method: "notifications/cancelled", Params: map[string]string{"requestId": w.id(), "reason": "It was answered elsewhere."}})
	}
	w.w = nil
}

func (w *waiting) send(m outgoing) {
	if w.w == nil {
		return
	}
	m.Version = "2.0"
	data, _ := json.Marshal(m)                                               // texts can be written
	_, _ = w.w.Write(fmt.Appendf(nil, "event: message\ndata: %s\n\n", data)) // only the client loses by it
}

// elicited takes a client's response to a request. A response without a usable answer changes
// nothing: the question stays pending.
func (f *Front) elicited(c caller, m *message) error {
	if err := f.answered(c, m); err != nil {
		return err
	}
	return c.Send(http.StatusAccepted, "application/json", nil)
}

func (f *Front) answered(c caller, m *message) error {
	var id string
	_ = json.Unmarshal(m.ID, &id) // a number is not one of our ids
	rest, ours := strings.CutPrefix(id, requestPrefix)
	rest, number, numbered := strings.Cut(rest, ".")
	_, since, _ := strings.Cut(number, ".")
	ms, _ := strconv.ParseInt(since, 10, 64) // if it is missing, it counts as long ago
	var given sdk.ElicitResult
	if !ours || !numbered || len(bytes.TrimSpace(m.Result)) == 0 || json.Unmarshal(m.Result, &given) != nil || !c.App().MCP.Elicit {
		return nil //nolint:nilerr // an id that is not ours gets no answer
	}
	if err := c.Admit(); err != nil {
		return err
	}
	of, err := c.Asked(rest, 0)
	if err != nil || of.App != c.App().ID || of.State != tools.StatePending {
		return err
	}
	w, here := f.waiting.Load(of.ID)
	if here {
		w.(*waiting).taken()
	}
	_, complaint, err := take(c, &of, &given, time.UnixMilli(ms))
	if complaint == "" {
		return err
	}
	if here {
		w.(*waiting).ask(complaint)
	}
	return nil // err is the complaint, which the client gets
}
