package agui

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// resultID begins the ids of tool messages that the gateway makes. In the history that a client
// sends, they do not count as said by the client.
const resultID = "result_"

// encoder encodes one run for one client. It implements front.Encoder.
type encoder struct {
	thread, run string
	versioned   bool
	interrupt   bool

	id       string // of the run's messages: short, because it is in every piece, and unique in the chat
	messages int    // number of messages: steps, and texts that were begun again
	results  int
	message  string // id of the step's message

	open    kind
	content []byte // the beginning of each piece of the open message

	history history
	load    func() (*store.View, error) // nil: already loaded
	class   func(tool string) front.Class
	takes   func(q front.Question) bool // whether it can be asked by a call; nil: always
	words   func(q *chat.Asked) string  // a question in words
	waits   []waiting
	earlier []chat.Resolved // questions closed by earlier answers of the request
	calls   []string        // the server's calls of this run
	failed  *chat.Failure
	asking  string // a question in words, sent when the run waits for it
	began   bool
	over    bool
}

// kind is the kind of the open message or step.
type kind int

const (
	nothing kind = iota
	textual
	reasoning
)

// waiting is a question that waits for the client.
type waiting struct {
	front.Question
	approval bool // of a call that the client sees, so it has no call of its own
	has      bool // the client has the result of its call
}

var _ front.Encoder = (*encoder)(nil)

func newEncoder(in *input, interrupt bool) *encoder {
	return &encoder{thread: in.thread, run: in.run, versioned: in.versioned, interrupt: interrupt, history: in.history, id: "m" + strings.ToLower(rand.Text()[:12])}
}

// waiting notes what is open before the run; by are the questions that the request answers.
func (t *encoder) waiting(view *store.View, by map[string]bool) {
	if view != nil {
		for _, open := range view.Asked() {
			t.wait(&open, by[open.ID])
		}
	}
}

func (t *encoder) wait(c *chat.Clarification, has bool) {
	approval := t.interrupt && c.Question.Kind == tools.KindApproval && t.class(c.ToolName) == front.Server
	t.waits = append(t.waits, waiting{front.NewQuestion(chat.NewAsked(c)), approval, has})
}

// look loads the chat as it is now, unless it was loaded before (nil).
func (t *encoder) look() *store.View {
	if t.load == nil {
		return nil
	}
	view, err := t.load()
	t.load = nil
	if err != nil { // the encoder then leaves out what it needs the chat for
		return nil
	}
	return view
}

// closed notes which pending questions the message of this run has closed.
func (t *encoder) closed(id string) {
	view := t.look()
	if view == nil {
		return
	}
	for i := range view.Clarifications {
		if c := &view.Clarifications[i]; c.ID == id || c.State == tools.StatePending || c.DoneFence == view.Conversation.Fence {
			t.wait(c, false)
		}
	}
}

// first reports whether the chat begins with the person's message.
func (t *encoder) first() bool {
	view := t.look()
	return view != nil && !view.More
}

// nothing writes the stream of a run in which nothing happens.
func (t *encoder) nothing() []byte {
	return t.Done(nil, chat.Done{FinishReason: chat.FinishStop})
}

// begin begins the stream unless it has begun.
func (t *encoder) begin(dst []byte) []byte {
	if t.began {
		return dst
	}
	t.began = true
	e := runStarted{Type: "RUN_STARTED", ThreadID: t.thread, RunID: t.run}
	if t.versioned {
		e.ProtocolVersion = "1.0"
	}
	dst = appendFrame(dst, e)
	for _, r := range t.earlier {
		dst = t.resolved(dst, r)
	}
	return dst
}

// Start implements front.Encoder.
func (t *encoder) Start(dst []byte, s chat.TurnStart) []byte {
	if !t.began {
		t.id = "m" + turnMark(s.TurnID) + t.id[len(t.id)-4:]
	}
	return t.begin(dst)
}

// Message implements front.Encoder. It writes nothing, since the client has the message.
func (t *encoder) Message(dst []byte, m chat.UserMessage) []byte {
	return t.history.before(dst, m.Content)
}

// Resolved implements front.Encoder. The question's call gets a result.
func (t *encoder) Resolved(dst []byte, r chat.Resolved) []byte { return t.resolved(t.begin(dst), r) }

func (t *encoder) resolved(dst []byte, r chat.Resolved) []byte {
	i := t.waitsFor(r.ClarificationID)
	if i < 0 {
		t.closed(r.ClarificationID)
		i = t.waitsFor(r.ClarificationID)
	}
	if i < 0 {
		return dst
	}
	w := t.waits[i]
	t.waits = slices.Delete(t.waits, i, i+1)
	if w.approval || w.has {
		return dst
	}
	return t.result(dst, w.ID, outcomeOf(&w, &r))
}

func (t *encoder) waitsFor(id string) int {
	return slices.IndexFunc(t.waits, func(w waiting) bool { return w.Asked.ClarificationID == id })
}

// result appends the result of a call.
func (t *encoder) result(dst []byte, call, content string) []byte {
	t.results++
	r := toolCallResult{
		Type: "TOOL_CALL_RESULT", MessageID: resultID + t.id + "-" + strconv.Itoa(t.results), ToolCallID: call, Content: content, Role: "tool",
	}
	t.history.result(r)
	return appendFrame(dst, r)
}

// Step implements front.Encoder. Each request to the model is one message.
func (t *encoder) Step(dst []byte) []byte {
	dst = t.close(dst)
	t.history.step(t.message)
	t.next()
	return dst
}

func (t *encoder) next() {
	t.messages++
	t.message = t.id + "-" + strconv.Itoa(t.messages)
}

// parent returns the message that calls belong to.
func (t *encoder) parent() string {
	if t.message == "" {
		t.next()
	}
	return t.message
}

var endOfPiece = []byte("}\n\n")

// Text implements front.Encoder.
func (t *encoder) Text(dst, text []byte) []byte {
	if len(text) <= len(`""`) { // clients crash on an empty one
		return dst
	}
	if t.open != textual {
		dst = t.openText(t.begin(dst))
	}
	t.history.say(text)
	dst = append(dst, t.content...)
	dst = append(dst, text...)
	return append(dst, endOfPiece...)
}

func (t *encoder) openText(dst []byte) []byte {
	dst = t.close(dst)
	t.open = textual
	dst = t.frame(dst, "TEXT_MESSAGE_START", t.parent(), `,"role":"assistant"`)
	t.content = t.pieces("TEXT_MESSAGE_CONTENT", t.message)
	return dst
}

// Thinking implements front.Encoder.
func (t *encoder) Thinking(dst, text []byte) []byte {
	if len(text) <= len(`""`) {
		return dst
	}
	if t.open != reasoning {
		dst = t.openReasoning(t.begin(dst))
	}
	dst = append(dst, t.content...)
	dst = append(dst, text...)
	return append(dst, endOfPiece...)
}

func (t *encoder) openReasoning(dst []byte) []byte {
	dst = t.close(dst)
	t.open = reasoning
	id := t.thought()
	dst = t.frame(dst, "REASONING_START", id, "")
	dst = t.frame(dst, "REASONING_MESSAGE_START", id, `,"role":"reasoning"`)
	t.content = t.pieces("REASONING_MESSAGE_CONTENT", id)
	return dst
}

// thought returns the id of the step's reasoning.
func (t *encoder) thought() string { return t.parent() + "r" }

// close ends what is open.
func (t *encoder) close(dst []byte) []byte {
	switch t.open {
	case textual:
		dst = t.frame(dst, "TEXT_MESSAGE_END", t.message, "")
	case reasoning:
		dst = t.frame(dst, "REASONING_MESSAGE_END", t.thought(), "")
		dst = t.frame(dst, "REASONING_END", t.thought(), "")
	case nothing:
	}
	t.open = nothing
	return dst
}

// frame appends an event about a message. Ids are the gateway's own, and need no escapes.
func (t *encoder) frame(dst []byte, event, message, more string) []byte {
	dst = append(dst, `data: {"type":"`...)
	dst = append(dst, event...)
	dst = append(dst, `","messageId":"`...)
	dst = append(dst, message...)
	dst = append(dst, '"')
	dst = append(dst, more...)
	return append(dst, endOfPiece...)
}

// pieces returns the beginning of the pieces of a message.
func (t *encoder) pieces(event, message string) []byte {
	b := append(t.content[:0], `data: {"type":"`...)
	b = append(b, event...)
	b = append(b, `","messageId":"`...)
	b = append(b, message...)
	return append(b, `","delta":`...)
}

// Call implements front.Encoder.
func (t *encoder) Call(dst []byte, c chat.ToolCallStart) []byte {
	t.calls = append(t.calls, c.ToolCallID)
	return t.call(dst, c.ToolCallID, c.ToolName, c.Arguments)
}

func (t *encoder) call(dst []byte, id, tool string, arguments json.RawMessage) []byte {
	dst = t.close(t.begin(dst))
	t.history.call(id, tool, arguments)
	dst = appendFrame(dst, toolCallStart{"TOOL_CALL_START", id, tool, t.parent()})
	if len(arguments) > 0 {
		dst = appendFrame(dst, toolCallArgs{"TOOL_CALL_ARGS", id, string(arguments)})
	}
	return appendFrame(dst, toolCallEnd{"TOOL_CALL_END", id})
}

// Result implements front.Encoder.
func (t *encoder) Result(dst []byte, r chat.ToolCallEnd) []byte {
	var content string
	switch {
	case r.Result != nil:
		content = *r.Result
	case r.Error != nil:
		data, _ := json.Marshal(map[string]any{"error": r.Error})
		content = string(data)
	}
	return t.result(t.close(t.begin(dst)), r.ToolCallID, content)
}

// Progress implements front.Encoder. It writes nothing: no event of the format has a place for
// progress, and an activity would stay in the client's messages.
func (t *encoder) Progress(dst []byte, p front.Progress) []byte {
	return appendFrame(t.begin(dst), custom{"CUSTOM", string(chat.EventToolCallProgress), p})
}

// Question implements front.Encoder.
func (t *encoder) Question(dst []byte, q front.Question) []byte {
	w := waiting{Question: q}
	w.approval = t.interrupt && q.Asked.Kind == tools.KindApproval && slices.Contains(t.calls, q.Asked.ToolCallID)
	if !t.interrupt && t.takes != nil && !t.takes(q) {
		if t.asking == "" {
			t.asking = t.words(&q.Asked)
		}
		return dst
	}
	t.waits = append(t.waits, w)
	if w.approval {
		return dst
	}
	return t.call(dst, q.ID, q.Tool, q.Input)
}

// Restart implements front.Encoder.
func (t *encoder) Restart(dst []byte) []byte {
	dst = t.history.takeBack(t.close(dst), t.first)
	t.next()
	return dst
}

// Failed implements front.Encoder. Done reports the failure.
func (t *encoder) Failed(dst []byte, f chat.Failure) []byte {
	t.failed = &f
	return dst
}

// Done implements front.Encoder.
func (t *encoder) Done(dst []byte, d chat.Done) []byte {
	if t.over {
		return dst
	}
	t.over = true
	if t.asking != "" && d.FinishReason == chat.FinishClarification {
		dst = t.Text(t.Step(t.begin(dst)), quoted(t.asking))
	}
	dst = t.close(t.begin(dst))
	var used []usage
	if t.versioned && d.Usage != (chat.Usage{}) {
		used = []usage{{d.Usage.InputTokens, d.Usage.OutputTokens, d.Usage.InputTokens + d.Usage.OutputTokens}}
	}
	if d.FinishReason == chat.FinishError {
		e := runError{Type: "RUN_ERROR", Usage: used}
		if t.failed != nil {
			e.Message, e.Code = t.failed.Message, t.failed.Code
		}
		return appendFrame(dst, e)
	}
	e := runFinished{Type: "RUN_FINISHED", ThreadID: t.thread, RunID: t.run, Usage: used}
	switch d.FinishReason {
	case chat.FinishStop:
	case chat.FinishClarification:
		e.Outcome = t.pause()
	case chat.FinishCancelled:
		if t.versioned {
			e.Outcome = &outcome{Type: "cancelled"}
		}
		fallthrough
	default:
		e.Result = &result{d.FinishReason}
	}
	return appendFrame(dst, e)
}

// pause writes the outcome of a run that waits: its interrupts. Without interrupts there is no
// outcome: some clients take a success as complete, and never send the results of its calls.
func (t *encoder) pause() *outcome {
	o := outcome{Type: "interrupt"}
	for i := range t.waits {
		if w := &t.waits[i]; t.interrupt && w.Asked.Kind != tools.KindInput {
			o.Interrupts = append(o.Interrupts, newInterrupt(w.Asked, w.Question, w.approval))
		}
	}
	if o.Interrupts == nil {
		return nil
	}
	return &o
}

// Left implements front.Encoder. Clients take a stream without an end for a success.
func (t *encoder) Left(dst []byte, message string) []byte {
	if t.over {
		return dst
	}
	t.over = true
	return appendFrame(t.close(t.begin(dst)), runError{Type: "RUN_ERROR", Message: message, Code: "goes_on"})
}

// collector collects what the stream of a later answer of the same request must report.
type collector struct{ *encoder }

func (collector) Start(dst []byte, _ chat.TurnStart) []byte     { return dst }
func (collector) Message(dst []byte, _ chat.UserMessage) []byte { return dst }
func (collector) Step(dst []byte) []byte                        { return dst }
func (collector) Text(dst, _ []byte) []byte                     { return dst }
func (collector) Thinking(dst, _ []byte) []byte                 { return dst }
func (collector) Call(dst []byte, _ chat.ToolCallStart) []byte  { return dst }
func (collector) Result(dst []byte, _ chat.ToolCallEnd) []byte  { return dst }
func (collector) Progress(dst []byte, _ front.Progress) []byte  { return dst }
func (collector) Restart(dst []byte) []byte                     { return dst }
func (collector) Failed(dst []byte, _ chat.Failure) []byte      { return dst }
func (collector) Done(dst []byte, _ chat.Done) []byte           { return dst }
func (collector) Left(dst []byte, _ string) []byte              { return dst }
func (c collector) Question(dst []byte, q front.Question) []byte {
	c.waits = append(c.waits, waiting{Question: q})
	return dst
}
func (c collector) Resolved(dst []byte, r chat.Resolved) []byte {
	c.earlier = append(c.earlier, r)
	return dst
}

// outcomeOf returns the result of a question's call, for a client that did not answer it itself:
// the answers by the ids of the questions.
func outcomeOf(w *waiting, r *chat.Resolved) string {
	if w.Asked.Kind == tools.KindInput && r.Answer != nil {
		if r.Answer.Error != "" {
			return r.Answer.Error
		}
		return content(r.Answer.Result)
	}
	told := struct {
		Outcome tools.State    `json:"outcome"`
		Answers map[string]any `json:"answers,omitempty"`
		Note    string         `json:"note,omitempty"`
	}{Outcome: r.Outcome}
	if a := r.Answer; a != nil {
		told.Note = a.Note
		told.Answers = map[string]any{}
		parts := w.Asked.Questions
		for i := range parts {
			of := a
			if len(parts) > 1 {
				if i >= len(a.Answers) {
					break
				}
				of = &a.Answers[i]
			}
			told.Answers[parts[i].ID] = valueOf(of)
		}
	}
	data, _ := json.Marshal(told)
	return string(data)
}

// valueOf returns the answer to one question, or null if it was skipped.
func valueOf(a *tools.Answer) any {
	switch {
	case len(a.Values) > 0:
		if a.Other != "" {
			return append(slices.Clone(a.Values), a.Other)
		}
		return a.Values
	case a.Other != "":
		return a.Other
	case a.Value != nil:
		return a.Value
	}
	return nil
}
