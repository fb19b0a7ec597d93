package chat

import (
	"errors"
	"fmt"
	"strconv"
)

// EventID orders the events of a chat: the run's fence, then the number within
// the run. Both only grow.
type EventID struct {
	Fence int64
	Seq   int64
}

const idDigits, seqLimit = 16, 100_000_000

// String is the wire form: sixteen digits, so that ids compare alike as text
// and as numbers. A run has at most 99,999,999 events and a chat as many runs.
func (id EventID) String() string { return string(id.Append(nil)) }

// Append appends the wire form to dst.
func (id EventID) Append(dst []byte) []byte {
	var b [idDigits]byte
	n := id.Fence*seqLimit + id.Seq
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return append(dst, b[:]...)
}

// Less says whether id comes before other.
func (id EventID) Less(other EventID) bool {
	return id.Fence < other.Fence || id.Fence == other.Fence && id.Seq < other.Seq
}

// ParseEventID reads the wire form.
func ParseEventID(s string) (EventID, error) {
	if len(s) != idDigits {
		return EventID{}, errors.New("no event id of a chat")
	}
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return EventID{}, fmt.Errorf("no event id of a chat: %w", err)
	}
	return EventID{int64(n / seqLimit), int64(n % seqLimit)}, nil
}

// EventType names an event (contract 5).
type EventType string

// The events.
const (
	EventTurnStart             EventType = "turn.start"
	EventUserMessage           EventType = "user.message"
	EventChunk                 EventType = "chunk"
	EventThinking              EventType = "thinking"
	EventToolCallStart         EventType = "tool.call.start"
	EventToolCallEnd           EventType = "tool.call.end"
	EventClarification         EventType = "clarification"
	EventClarificationResolved EventType = "clarification.resolved"
	EventStepRestart           EventType = "step.restart"
	EventSnapshot              EventType = "snapshot"
	EventError                 EventType = "error"
	EventDone                  EventType = "done"
)
