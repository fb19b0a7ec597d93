package front

import (
	"encoding/json"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// Encoder encodes one run in a wire format. Each method appends the client's frames for one thing
// that happened to dst and returns it. The methods are called in this order:
//
//	Start { Resolved } { Step { Text | Thinking } { Call } { Progress | Result } } { Question } [ Failed ] Done
//
// Restart may come before any part of a step; progress and results of calls of an earlier run
// come before the first Step. Left replaces Done if the stream ends before its run does.
type Encoder interface {
	// Start begins the run.
	Start(dst []byte, s chat.TurnStart) []byte
	// Message is the user's message, if the run began with one.
	Message(dst []byte, m chat.UserMessage) []byte
	// Resolved reports that a question was closed.
	Resolved(dst []byte, r chat.Resolved) []byte
	// Step begins a request to the model and what comes of it.
	Step(dst []byte) []byte
	// Text is a piece of the answer, Thinking a piece of the model's reasoning. Both are JSON
	// strings, valid until the method returns.
	Text(dst, text []byte) []byte
	Thinking(dst, text []byte) []byte
	// Call is a call of a tool that the gateway runs, and Result is its result; that may be of a
	// call of an earlier run.
	Call(dst []byte, c chat.ToolCallStart) []byte
	Result(dst []byte, r chat.ToolCallEnd) []byte
	// Progress is the progress of such a call. It is reported once, live, and nothing depends on it:
	// a format without a place for it leaves it out.
	Progress(dst []byte, p Progress) []byte
	// Question is a call that waits for the client.
	Question(dst []byte, q Question) []byte
	// Restart reports that the text of the present step, or of the one in which an earlier run
	// ended, is void: it is generated again.
	Restart(dst []byte) []byte
	// Failed gives the reason why the run fails; Done follows.
	Failed(dst []byte, f chat.Failure) []byte
	Done(dst []byte, d chat.Done) []byte
	// Left says, in a text for a person, that the run goes on but this stream does not.
	Left(dst []byte, message string) []byte
}

// Numbered is an Encoder that gets the number of its run before the run starts. Numbers grow
// within a chat, and what an earlier run asked has a lower one (chat.Clarification.AskedFence).
type Numbered interface {
	Run(fence int64)
}

// Progress is the progress of a call of a tool that the gateway runs, in the form that clients
// read.
type Progress struct {
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	tools.Progress
}

// Question is a call that waits for the client: for a person's answer or, if Class is Client, for
// the result of the client's own tool.
type Question struct {
	ID    string // what the client sends back
	Class Class
	Tool  string          // ask_user, or the client's tool
	Input json.RawMessage // {"questions": [...]}, or the client's tool's arguments
	Asked chat.Asked
}

// AskUser is the tool that questions are sent as calls of.
const AskUser = "ask_user"

// Sink writes the events of a run in the wire format of an Encoder. Its methods are safe for
// concurrent use.
type Sink struct {
	mu      sync.Mutex
	to      stream.Writer // nil: it is not read
	encoder Encoder
	class   func(tool string) Class
	buf     []byte // encoded events; lent for the time of a write
	begun   bool   // the present step
	over    bool   // its calls were run: the next thing begins another step
	done    bool
	fence   int64 // of the run that is done
	err     error // the first error of a write
}

// buffers are lent for one write each. So an idle stream holds none, and a short one does not
// grow its own, which was two thirds of what encoding 20 chunks allocated.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer is the size of a buffer, in bytes, beyond which it is not kept.
const maxBuffer = 256 << 10

// NewSink returns a Sink that encodes with t and writes to to. Without a writer, the output of
// Done stays as it is.
func NewSink(to stream.Writer, t Encoder, class func(tool string) Class) *Sink {
	return &Sink{to: to, encoder: t, class: class}
}

// Write implements stream.Sink.
func (s *Sink) Write(events stream.Events) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return sse.ErrClosed
	}
	return s.write(events.Len() == 0, func() {
		for i := range events.Len() {
			if text, typ := events.Text(i); text != nil {
				s.text(typ, text)
			} else {
				s.tell(events.At(i))
			}
		}
	})
}

// Left ends a stream whose run has not ended; otherwise it does nothing.
func (s *Sink) Left(message string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return nil
	}
	s.done = true
	return s.write(false, func() { s.buf = sse.Escape(s.encoder.Left(s.buf, message), len(s.buf)) })
}

// Whole returns the number of the run if all of it was encoded and written, or else 0.
func (s *Sink) Whole() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0
	}
	return s.fence
}

// write writes what tell encodes. If empty is set, it also writes when that is nothing, to show
// that the client is connected.
func (s *Sink) write(empty bool, tell func()) error {
	if s.to == nil {
		s.buf = s.buf[:0]
		tell()
		return nil
	}
	lent := buffers.Get().(*[]byte)
	s.buf = (*lent)[:0]
	tell()
	var err error
	if len(s.buf) > 0 || empty {
		err = s.to.Write(s.buf)
	}
	if s.err == nil {
		s.err = err
	}
	if cap(s.buf) <= maxBuffer {
		*lent = s.buf
	}
	s.buf = nil
	buffers.Put(lent)
	return err
}

// text encodes a piece of text as stored, with the necessary escapes.
func (s *Sink) text(typ chat.EventType, text []byte) {
	s.step()
	if typ == chat.EventChunk {
		s.buf = s.encoder.Text(s.buf, text)
	} else {
		s.buf = s.encoder.Thinking(s.buf, text)
	}
}

// tell encodes any other event, and escapes the Encoder's output. It skips events for which the
// Encoder has no method.
func (s *Sink) tell(e stream.Event) {
	from := len(s.buf)
	s.told(e)
	s.buf = sse.Escape(s.buf, from)
}

func (s *Sink) told(e stream.Event) {
	t := s.encoder
	switch v := e.Data.(type) {
	case chat.TurnStart:
		s.begun, s.over = false, false
		if n, ok := t.(Numbered); ok {
			n.Run(e.ID.Fence)
		}
		s.buf = t.Start(s.buf, v)
	case chat.UserMessage:
		s.buf = t.Message(s.buf, v)
	case chat.ToolCallStart:
		if s.step(); s.class(v.ToolName) == Server {
			s.buf = t.Call(s.buf, v)
		}
	case chat.ToolCallEnd:
		if s.over = true; s.class(v.ToolName) == Server {
			s.buf = t.Result(s.buf, v)
		}
	case chat.ToolCallProgress: // of any step: it neither begins nor ends one
		if s.class(v.ToolName) == Server {
			s.buf = t.Progress(s.buf, Progress{v.ToolCallID, v.ToolName, v.Progress})
		}
	case chat.Asked:
		s.buf = t.Question(s.buf, NewQuestion(v))
	case chat.Resolved: // if no person was asked, clients see only the call
		if v.Outcome != tools.StateRemembered {
			s.buf = t.Resolved(s.buf, v)
		}
	case chat.StepRestart:
		s.begun, s.over = false, false
		s.buf = t.Restart(s.buf)
	case *chat.Failure:
		if e.Type == chat.EventError && v != nil { // of its two names
			s.buf = t.Failed(s.buf, *v)
		}
	case chat.Done:
		s.done, s.fence = true, e.ID.Fence // 0 if the chat is shown only later
		s.buf = t.Done(s.buf, v)
	}
}

// step begins the next step if the previous one is over: all calls of a step begin before the
// first of them ends.
func (s *Sink) step() {
	if s.begun && !s.over {
		return
	}
	s.begun, s.over = true, false
	s.buf = s.encoder.Step(s.buf)
}
