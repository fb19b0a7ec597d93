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

// mayElicit says that the client asks its own user where it can: the app lets it.
func (x *exchange) mayElicit() bool { return x.c.App().MCP.Elicit && x.client.Elicits }

// elicits says that the client asks its own user: it may, and its user is who is asked.
func (x *exchange) elicits(req *sdk.CallToolRequest, q front.Asking, c *chat.Clarification) bool {
	return x.mayElicit() && q.To == host.Whom{} && formable(c) &&
		(req.ProtocolVersion() >= stateless || x.streams()) // else there is no way to ask
}

// inputKey is the one input that a call may require.
const inputKey = "answer"

// stateFor is how long a client may take where the question itself never ends.
const stateFor = 30 * 24 * time.Hour

// state is what a client keeps of a call that ended with input_required, sealed with whose it is.
type state struct {
	Clarification string    `json:"c"`
	Chat          string    `json:"h"`
	Until         time.Time `json:"u"`
	Shown         time.Time `json:"s"` // when the client was first told to ask
}

// hasty is how soon after the form no person has read and declined it: a client that declines
// sooner does so by itself, as those without a terminal do.
const hasty = 2 * time.Second

// inputRequired ends a call: the client asks its user and calls again. shown is when it was
// first told so, complaint what was wrong with the answer before, "" for none.
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

// resumed goes on with a call that required input.
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
		return x.result(&c) // somebody was faster, elsewhere
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
	case closed.State == tools.StatePending: // nobody read the form
		return x.await(ctx, req, c.ID, wait)
	}
	return x.result(&closed)
}

// take has what a client's user said taken as the answer. complaint says what is wrong with
// it, where it may be corrected. A form that is cancelled, or declined sooner than a person
// reads, closes nothing: the question is returned as it is.
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

// requestPrefix begins the ids of requests to clients. What follows is the question's, how often
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
	w     io.Writer // the call's stream; nil: it is over
	asked int       // how many requests were sent
	open  bool      // the newest has no response that is known here
}

// elicit sends the client a request to ask its user, while the call is open; not where another
// call here does so, which this one has joined.
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

// ask asks, once more where there is a complaint, unless the call is over.
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

// end ends the asking with the call. closed: the question has ended, so that a client which
// still asks need not.
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
	_, _ = w.w.Write(fmt.Appendf(nil, "event: message\ndata: %s\n\n", data)) // the client's loss only
}

// elicited takes a client's response to a request. One that says nothing of use changes
// nothing: the question waits on.
func (f *Front) elicited(c caller, m *message) error {
	if err := f.answered(c, m); err != nil {
		return err
	}
	return c.Send(http.StatusAccepted, "application/json", nil)
}

func (f *Front) answered(c caller, m *message) error {
	var id string
	_ = json.Unmarshal(m.ID, &id) // a number is no id of ours
	rest, ours := strings.CutPrefix(id, requestPrefix)
	rest, number, numbered := strings.Cut(rest, ".")
	_, since, _ := strings.Cut(number, ".")
	ms, _ := strconv.ParseInt(since, 10, 64) // without one it was long ago
	var given sdk.ElicitResult
	if !ours || !numbered || len(bytes.TrimSpace(m.Result)) == 0 || json.Unmarshal(m.Result, &given) != nil || !c.App().MCP.Elicit {
		return nil //nolint:nilerr // what is none of ours is not answered
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
	return nil // err is the complaint, and the client is told
}
