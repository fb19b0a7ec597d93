package tools

import (
	"encoding/json"
	"strings"
)

// unanswered is the result of a question without an answer. The fields are in the order of the
// JSON.
type unanswered struct {
	UserAnswer *string `json:"userAnswer"` // always null
	Skipped    bool    `json:"skipped,omitempty"`
	Declined   bool    `json:"declined,omitempty"`
	Superseded bool    `json:"superseded,omitempty"`
	TimedOut   bool    `json:"timedOut,omitempty"`
	Cancelled  bool    `json:"cancelled,omitempty"`
	Message    string  `json:"message"`
	Note       string  `json:"note,omitempty"`
}

// Unanswered returns the result that the model reads for a question without an answer: its
// final state, a message about it, and the user's note.
func Unanswered(state State, message, note string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(unanswered{ // texts and booleans, into memory: always encoded
		Skipped: state == StateSkipped, Declined: state == StateDeclined, Superseded: state == StateSuperseded,
		TimedOut: state == StateExpired, Cancelled: state == StateCancelled, Message: message, Note: note,
	})
	return strings.TrimSuffix(b.String(), "\n")
}

// TimedOut is the message for a question that expired, regardless of who asked.
const TimedOut = "The user did not respond within the time limit"
