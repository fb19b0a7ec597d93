package chat

import (
	"errors"
	"fmt"
	"strconv"
)

// EventID orders the events of a chat: the run's fence, then the number within
// the run. Both only grow; a chat's first fence is the time of its beginning, so that
// ids stay unique if a chat is deleted and its name used again. A piece of text takes as many
// numbers as it has bytes, and has the last of them: where it ends. So a text has the same id
// whole as the last of its pieces, and a piece's id says how much of the text its reader has.
type EventID struct {
	Fence int64
	Seq   int64
}

// The digits of an id's two parts. A run has at most a hundred steps of some megabytes.
const fenceDigits, seqDigits = 13, 10

// String is the wire form: 23 digits, so that ids compare alike as text and as
// numbers.
func (id EventID) String() string { return string(id.Append(nil)) }

// Append appends the wire form to dst.
func (id EventID) Append(dst []byte) []byte {
	var b [fenceDigits + seqDigits]byte
	digits(b[:fenceDigits], id.Fence)
	digits(b[fenceDigits:], id.Seq)
	return append(dst, b[:]...)
}

func digits(b []byte, n int64) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
}

// Less says whether id comes before other.
func (id EventID) Less(other EventID) bool {
	return id.Fence < other.Fence || id.Fence == other.Fence && id.Seq < other.Seq
}

// ParseEventID reads the wire form.
func ParseEventID(s string) (EventID, error) {
	if len(s) != fenceDigits+seqDigits {
		return EventID{}, errors.New("no event id of a chat")
	}
	fence, err := strconv.ParseUint(s[:fenceDigits], 10, 63)
	seq, seqErr := strconv.ParseUint(s[fenceDigits:], 10, 63)
	if err = errors.Join(err, seqErr); err != nil {
		return EventID{}, fmt.Errorf("no event id of a chat: %w", err)
	}
	return EventID{int64(fence), int64(seq)}, nil
}

// EventType names an event.
type EventType string

// The events.
const (
	EventTurnStart             EventType = "turn.start"
	EventUserMessage           EventType = "user.message"
	EventChunk                 EventType = "chunk"
	EventThinking              EventType = "thinking"
	EventToolCallStart         EventType = "tool.call.start"
	EventToolCallProgress      EventType = "tool.call.progress" // has no id, and is not stored
	EventToolCallEnd           EventType = "tool.call.end"
	EventClarification         EventType = "clarification"
	EventClarificationResolved EventType = "clarification.resolved"
	EventAskerMessage          EventType = "asker.message"
	EventTitle                 EventType = "chat.title" // of the feed alone
	EventStepRestart           EventType = "step.restart"
	EventSnapshot              EventType = "snapshot"
	EventTurnError             EventType = "turn.error"
	EventError                 EventType = "error" // as before turn.error: until 0.2
	EventDone                  EventType = "done"
)

// FailureEvents are the events that say why a run failed: the same under both names, as in
// browsers an event named error also calls what is for lost connections.
func FailureEvents(f *Failure) []Event { return []Event{{EventTurnError, f}, {EventError, f}} }
