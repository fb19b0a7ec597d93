package aisdk

import (
	"cmp"
	"encoding/json"
	"strconv"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// encoder encodes one run as a UI message stream. See the package's comment for the rules.
type encoder struct {
	view  *store.View // before the run; nil: not read
	reply *reply      // the message that the client goes on with; nil: none, or unknown
	// approvals says that an approval goes out in the protocol's own way, and not as a question.
	approvals bool
	class     func(tool string) front.Class

	turn    string          // of the run
	id      string          // of the message; "" if it is still to be found
	fresh   bool            // the message is new, so results of calls of older messages are left out
	started bool            // start was sent
	steps   int             // begun
	inStep  bool            // the last of them is open
	asked   bool            // something was asked of the client
	words   string          // a question in words, sent when the run waits for it
	failed  bool            // the error was sent
	calls   map[string]bool // sent in this stream
	refused map[string]bool // calls that a person did not allow

	kind  string // of the open part: "text", "reasoning" or ""
	parts int    // begun
	delta []byte // what precedes a piece of the open part
}

func newEncoder(c *host.Request, view *store.View, r *reply) *encoder {
	t := &encoder{view: view, reply: r, approvals: c.App.AISDK.Approvals, class: front.ClassOf(c), calls: map[string]bool{}, refused: map[string]bool{}}
	if r != nil {
		t.id = r.id
	}
	if view == nil {
		return t
	}
	if view.Turn != nil {
		t.turn = view.Turn.ID
	}
	for i := range view.Clarifications { // while others were pending, there was no result
		if d := view.Clarifications[i].Decision(); d != nil && d.Outcome == "refused" {
			t.refused[view.Clarifications[i].ToolCallID] = true
		}
	}
	return t
}

// chunk is any chunk except a piece of text. Its fields are those that ai 5.0.92 knows, and those
// of approvals.
type chunk struct {
	Type             string          `json:"type"`
	MessageID        string          `json:"messageId,omitempty"`
	ID               string          `json:"id,omitempty"`
	ToolCallID       string          `json:"toolCallId,omitempty"`
	ToolName         string          `json:"toolName,omitempty"`
	Input            json.RawMessage `json:"input,omitempty"`
	Output           *string         `json:"output,omitempty"`
	ProviderExecuted *bool           `json:"providerExecuted,omitempty"`
	ApprovalID       string          `json:"approvalId,omitempty"`
	ErrorText        *string         `json:"errorText,omitempty"`
	FinishReason     string          `json:"finishReason,omitempty"`
	Data             any             `json:"data,omitempty"`
	Transient        bool            `json:"transient,omitempty"`
}

func (c chunk) append(dst []byte) []byte {
	data, _ := json.Marshal(c) // its values can always be written
	dst = append(dst, "data: "...)
	dst = append(dst, data...)
	return append(dst, "\n\n"...)
}

var (
	yes = new(true)
	no  = new(false)
)

// Start implements front.Encoder. It writes nothing: the message's id depends on how the run
// began, which is not known yet.
func (t *encoder) Start(dst []byte, s chat.TurnStart) []byte {
	t.turn = s.TurnID
	return dst
}

// Message implements front.Encoder.
func (t *encoder) Message(dst []byte, m chat.UserMessage) []byte {
	t.id, t.fresh = m.TurnID, true
	return dst
}

// Resolved implements front.Encoder. The client has its own answers, and does not show those of
// others; if a person typed the answer, a new message begins.
func (t *encoder) Resolved(dst []byte, r chat.Resolved) []byte {
	if r.Approval != nil && r.Approval.Outcome == "refused" {
		t.refused[r.ToolCallID] = true
	}
	if r.By != nil && r.By.Channel == chat.ChannelMessage {
		t.id, t.fresh = typedID(t.turn, r.ClarificationID), true
	}
	return dst
}

func typedID(turn, clarification string) string { return turn + "." + clarification }

// begin sends the start, once.
func (t *encoder) begin(dst []byte) []byte {
	if t.started {
		return dst
	}
	t.started = true
	return chunk{Type: "start", MessageID: cmp.Or(t.id, t.stored())}.append(dst)
}

// stored returns the id of the message that the run goes on with, from what is stored.
func (t *encoder) stored() string {
	if t.view == nil {
		return t.turn
	}
	id, newest := t.turn, int64(0)
	for i := range t.view.Clarifications {
		c := &t.view.Clarifications[i]
		if c.TurnID == t.turn && c.AnsweredBy != nil && c.AnsweredBy.Channel == chat.ChannelMessage && c.DoneFence > newest {
			id, newest = typedID(t.turn, c.ID), c.DoneFence
		}
	}
	return id
}

// Step implements front.Encoder.
func (t *encoder) Step(dst []byte) []byte {
	dst = t.endStep(t.begin(dst))
	t.inStep = true
	t.steps++
	return append(dst, "data: {\"type\":\"start-step\"}\n\n"...)
}

func (t *encoder) endStep(dst []byte) []byte {
	dst = t.endPart(dst)
	if !t.inStep {
		return dst
	}
	t.inStep = false
	return append(dst, "data: {\"type\":\"finish-step\"}\n\n"...)
}

// Text implements front.Encoder.
func (t *encoder) Text(dst, text []byte) []byte { return t.piece(dst, "text", text) }

// Thinking implements front.Encoder.
func (t *encoder) Thinking(dst, text []byte) []byte { return t.piece(dst, "reasoning", text) }

func (t *encoder) piece(dst []byte, kind string, text []byte) []byte {
	if t.kind != kind {
		dst = t.beginPart(dst, kind)
	}
	dst = append(dst, t.delta...)
	dst = append(dst, text...)
	return append(dst, "}\n\n"...)
}

func (t *encoder) beginPart(dst []byte, kind string) []byte {
	dst = t.endPart(dst)
	t.kind = kind
	t.parts++
	id := strconv.Itoa(t.parts)
	t.delta = append(t.delta[:0], `data: {"type":"`+kind+`-delta","id":"`+id+`","delta":`...)
	return chunk{Type: kind + "-start", ID: id}.append(dst)
}

func (t *encoder) endPart(dst []byte) []byte {
	if t.kind == "" {
		return dst
	}
	end := chunk{Type: t.kind + "-end", ID: strconv.Itoa(t.parts)}
	t.kind = ""
	return end.append(dst)
}

// Call implements front.Encoder.
func (t *encoder) Call(dst []byte, c chat.ToolCallStart) []byte {
	return t.call(t.endPart(t.begin(dst)), c.ToolCallID, c.ToolName, c.Arguments, yes)
}

// call sends a call; by says whether the gateway runs it, nil if the client does.
func (t *encoder) call(dst []byte, id, tool string, input json.RawMessage, by *bool) []byte {
	if !t.calls[id] {
		t.calls[id] = true
		dst = chunk{Type: "tool-input-start", ToolCallID: id, ToolName: tool, ProviderExecuted: by}.append(dst)
	}
	return chunk{Type: "tool-input-available", ToolCallID: id, ToolName: tool, Input: safe(input), ProviderExecuted: by}.append(dst)
}

// Result implements front.Encoder.
func (t *encoder) Result(dst []byte, r chat.ToolCallEnd) []byte {
	dst = t.endPart(t.begin(dst))
	if !t.calls[r.ToolCallID] {
		if t.fresh {
			return dst
		}
		if t.reply == nil || !t.reply.calls[r.ToolCallID] { // the client may not have the call
			c := front.OfCall(t.view, r.ToolCallID)
			if c == nil {
				return dst
			}
			dst = t.call(dst, r.ToolCallID, r.ToolName, json.RawMessage(c.Arguments), yes)
		}
	}
	end := chunk{Type: "tool-output-available", ToolCallID: r.ToolCallID, Output: r.Result}
	switch {
	case t.approvals && t.refused[r.ToolCallID]:
		end.Type, end.Output = "tool-output-denied", nil
	case r.Error != nil:
		end.Type, end.ErrorText = "tool-output-error", &r.Error.Message
	}
	return end.append(dst)
}

// Progress implements front.Encoder. A preliminary output would stay in the message as the call's
// result; transient chunks go only to onData.
func (t *encoder) Progress(dst []byte, p front.Progress) []byte {
	return chunk{Type: "data-progress", Data: p, Transient: true}.append(t.begin(dst))
}

// Question implements front.Encoder.
func (t *encoder) Question(dst []byte, q front.Question) []byte {
	dst = t.endPart(t.begin(dst))
	t.asked = true
	// A tool of the client's own is asked about as a question, because its call would run at once.
	if a := &q.Asked; t.approvals && a.Kind == tools.KindApproval && t.class(a.ToolName) == front.Server {
		dst = t.call(dst, a.ToolCallID, a.ToolName, exact(a.Arguments), no) // helpers skip calls that a provider runs
		return chunk{Type: "tool-approval-request", ApprovalID: q.ID, ToolCallID: a.ToolCallID}.append(dst)
	}
	return t.call(dst, q.ID, q.Tool, q.Input, nil)
}

// Restart implements front.Encoder. There is no chunk for taking back text that every version
// knows.
func (t *encoder) Restart(dst []byte) []byte {
	return append(t.endStep(t.begin(dst)), "data: {\"type\":\"data-restart\",\"data\":{}}\n\n"...)
}

// Failed implements front.Encoder.
func (t *encoder) Failed(dst []byte, f chat.Failure) []byte { return t.fail(dst, f.Message) }

// Left implements front.Encoder.
func (t *encoder) Left(dst []byte, message string) []byte {
	return append(t.fail(dst, message), over...)
}

func (t *encoder) fail(dst []byte, message string) []byte {
	t.failed = true
	return chunk{Type: "error", ErrorText: &message}.append(t.endStep(t.begin(dst)))
}

const over = "data: [DONE]\n\n"

// reasons are the finish reasons that the protocol names differently.
var reasons = map[chat.FinishReason]string{
	chat.FinishClarification: "tool-calls", chat.FinishContentFilter: "content-filter", chat.FinishMaxSteps: "other",
}

// Done implements front.Encoder.
func (t *encoder) Done(dst []byte, d chat.Done) []byte {
	if t.failed {
		return append(dst, over...)
	}
	dst = t.begin(dst)
	if t.words != "" && d.FinishReason == chat.FinishClarification {
		text, _ := json.Marshal(t.words) // a string always encodes
		dst = t.Text(t.Step(dst), text)
	}
	if t.steps == 0 && !t.asked && d.FinishReason != chat.FinishClarification { // otherwise the client sends the message again
		dst = t.Step(dst)
	}
	dst = t.endStep(dst)
	dst = chunk{Type: "data-usage", Data: d.Usage, Transient: true}.append(dst)
	if d.FinishReason == chat.FinishCancelled {
		return append(dst, "data: {\"type\":\"abort\"}\n\n"+over...)
	}
	dst = chunk{Type: "finish", FinishReason: cmp.Or(reasons[d.FinishReason], string(d.FinishReason))}.append(dst)
	return append(dst, over...)
}
