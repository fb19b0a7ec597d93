package chat

import (
	"errors"
	"fmt"
	"strconv"
)

// EventID orders the events of a chat: by the run's fence, then by the number within the run. Both
// only grow. A chat's first fence is the time of its beginning, so that ids stay unique if a chat is
// deleted and its name used again. A piece of text takes as many numbers as it has bytes, and its id
// has the last of them, where it ends. So a complete text has the same id as the last of its pieces,
// and a piece's id says how much of the text its reader has.
type EventID struct {
	Fence int64
	Seq   int64
}

// The digits of the two parts of an id. A run has at most a hundred steps of some megabytes.
const fenceDigits, seqDigits = 13, 10

// String returns the wire form: 23 digits, so that ids have the same order as texts and as numbers.
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

// Less reports whether id comes before other.
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

// EventType is the name of an event.
type EventType string

// The events.
const (
	EventTurnStart              EventType = "turn.start"
	EventUserMessage            EventType = "user.message"
	EventChunk                  EventType = "chunk"
	EventThinking               EventType = "thinking"
	EventToolCallStart          EventType = "tool.call.start"
	EventToolCallProgress       EventType = "tool.call.progress" // has no id, and is not stored
	EventToolCallEnd            EventType = "tool.call.end"
	EventClarification          EventType = "clarification"
	EventClarificationResolved  EventType = "clarification.resolved"
	EventClarificationDecided   EventType = "clarification.decided"
	EventClarificationEscalated EventType = "clarification.escalated"
	EventAskerMessage           EventType = "asker.message"
	EventTitle                  EventType = "chat.title" // of the feed only
	EventQueue                  EventType = "chat.queue" // of the feed only
	EventStepRestart            EventType = "step.restart"
	EventSnapshot               EventType = "snapshot"
	EventTurnError              EventType = "turn.error"
	EventError                  EventType = "error" // turn.error once more, for older clients: until 0.2
	EventDone                   EventType = "done"
)

// FailureEvents returns the events that say why a run failed. It is the same event under two names,
// because in browsers an event named error also calls the handler for lost connections.
func FailureEvents(f *Failure) []Event { return []Event{{EventTurnError, f}, {EventError, f}} }
