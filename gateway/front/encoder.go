package front

import (
	"encoding/json"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// Encoder encodes one run in a wire format. Each method appends the client's frames for one
// thing that happened to dst and returns it. The methods are called in this order:
//
//	Start { Resolved } { Step { Text | Thinking } { Call } { Progress | Result } } { Question } [ Failed ] Done
//
// Restart may come before any of a step; progress and results of calls of an earlier run come
// before the first Step. Left stands in place of Done where the stream ends before its run does.
type Encoder interface {
	// Start begins the run.
	Start(dst []byte, s chat.TurnStart) []byte
	// Message is what the person sent, where the run began with that.
	Message(dst []byte, m chat.UserMessage) []byte
	// Resolved says that a question was closed.
	Resolved(dst []byte, r chat.Resolved) []byte
	// Step begins a request to the model and what comes of it.
	Step(dst []byte) []byte
	// Text is a piece of the answer, Thinking one of the model's reasoning: a JSON string,
	// valid until the method returns.
	Text(dst, text []byte) []byte
	Thinking(dst, text []byte) []byte
	// Call is a call of a tool that the gateway runs, and Result what it came to; that may
	// be of a call of an earlier run.
	Call(dst []byte, c chat.ToolCallStart) []byte
	Result(dst []byte, r chat.ToolCallEnd) []byte
	// Progress is how far such a call has come. It is told once, live, and nothing depends on
	// it: a format without a place for it tells nothing.
	Progress(dst []byte, p Progress) []byte
	// Question is a call that waits for the client.
	Question(dst []byte, q Question) []byte
	// Restart says that the text of the present step, or of the one in which an earlier run
	// ended, does not count: it is generated again.
	Restart(dst []byte) []byte
	// Failed says why the run fails; Done follows.
	Failed(dst []byte, f chat.Failure) []byte
	Done(dst []byte, d chat.Done) []byte
	// Left says, in a text for a person, that the run goes on but this stream does not.
	Left(dst []byte, message string) []byte
}

// Numbered is an Encoder that is told the number of its run before it starts: numbers grow
// within a chat, and what an earlier run asked has a lower one (chat.Clarification.AskedFence).
type Numbered interface {
	Run(fence int64)
}

// Progress is how far a call of a tool that the gateway runs has come, as clients read it.
type Progress struct {
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	tools.Progress
}

// Question is a call that waits for the client: for a person's answer or, where Class is
// Client, for what the client's own tool comes to.
type Question struct {
	ID    string // what the client sends back
	Class Class
	Tool  string          // ask_user, or the client's tool
	Input json.RawMessage // {"questions": [...]}, or the client's tool's arguments
	Asked chat.Asked
}

// AskUser is the tool that questions go out as a call of.
const AskUser = "ask_user"

// Sink writes the events of a run in the wire format of an Encoder. Its methods are safe for concurrent use.
type Sink struct {
	mu      sync.Mutex
	to      stream.Writer // nil: it is not read
	encoder Encoder
	class   func(tool string) Class
	buf     []byte // what is told: lent for the time of a write
	begun   bool   // the present step
	over    bool   // its calls were run: what comes next is another
	done    bool
	fence   int64 // of the run that is done
	err     error // the first of a write
}

// buffers are lent for one write each. So a stream that has nothing to say holds none, and
// a short one does not grow its own: two thirds of what telling 20 chunks allocates.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer is the size of a buffer, in bytes, beyond which it is not kept.
const maxBuffer = 256 << 10

// NewSink encodes with t, and writes to that.
// Without a writer, what Done encoded stays as it is.
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

// Left ends a stream whose run has not ended; it does nothing where it has.
func (s *Sink) Left(message string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return nil
	}
	s.done = true
	return s.write(false, func() { s.buf = sse.Escape(s.encoder.Left(s.buf, message), len(s.buf)) })
}

// Whole is the number of the run, if all of it was told and written; else 0.
func (s *Sink) Whole() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0
	}
	return s.fence
}

// write writes what tell tells; empty: also if that is nothing, to show that the client is
// connected.
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

// text tells a piece of text as it was encoded: what would have to be escaped is.
func (s *Sink) text(typ chat.EventType, text []byte) {
	s.step()
	if typ == chat.EventChunk {
		s.buf = s.encoder.Text(s.buf, text)
	} else {
		s.buf = s.encoder.Thinking(s.buf, text)
	}
}

// tell tells any other event, and escapes what the Encoder encodes. Those that it has no method
// for are passed over.
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
	case chat.ToolCallProgress: // of any step: it begins none and ends none
		if s.class(v.ToolName) == Server {
			s.buf = t.Progress(s.buf, Progress{v.ToolCallID, v.ToolName, v.Progress})
		}
	case chat.Asked:
		s.buf = t.Question(s.buf, NewQuestion(v))
	case chat.Resolved: // where no person was asked, clients see the call alone
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
		s.done, s.fence = true, e.ID.Fence // 0 where the chat is told later
		s.buf = t.Done(s.buf, v)
	}
}

// step begins the next step if the one before is over: all calls of a step begin before
// the first of them ends.
func (s *Sink) step() {
	if s.begun && !s.over {
		return
	}
	s.begun, s.over = true, false
	s.buf = s.encoder.Step(s.buf)
}
