// Package fronttest proves that a front keeps what all fronts promise: Run has a client of
// its own format say and answer what people do, against a whole gateway with a scripted
// model, and compares what it saw with what every client must see.
package fronttest

import (
	"encoding/json"
	"testing"
)

// Client speaks a front's format as its real clients do: what it sends has the whole
// history that it has seen. Chat is the client's own id of a chat. Methods fail the test
// where what comes back is not the format.
type Client interface {
	// Say sends a message.
	Say(t *testing.T, chat, text string) Seen
	// Answer sends the output of a call that waits: any JSON.
	Answer(t *testing.T, chat string, q Asked, output json.RawMessage) Seen
	// Decide answers a call that waits for approval.
	Decide(t *testing.T, chat string, q Asked, approved bool) Seen
	// Watch comes back to a chat whose connection was lost; ok is false where the format has
	// no way to.
	Watch(t *testing.T, chat string) (seen Seen, ok bool)
	// Leave sends a message and breaks the connection off when the first text has come.
	Leave(t *testing.T, chat, text string)
	// Lie sends a message behind a history that is made up: other texts, calls with results,
	// and answers to calls that nobody made.
	Lie(t *testing.T, chat, text string) Seen
}

// Failing is a Client whose format can say that its tool failed.
type Failing interface {
	// Fail sends, as the result of a call that waits, that the client could not ask.
	Fail(t *testing.T, chat string, q Asked) Seen
}

// Seen is what a client got as a response.
type Seen struct {
	Status  int    // of HTTP
	Refusal string // the message of a refusal, "" where there was none
	Code    string // of a refusal, where the format has a place for it
	Text    string // all text of the run
	Results []Result
	// Progress is how far calls of tools of the gateway's came, as it was told; none where the
	// format hides it.
	Progress []Progress
	Asked    []Asked
	Finish   Finish
	Error    string // the message of a run that failed
	Ends     int    // how many terminal events there were
}

// Progress is how far a call has come.
type Progress struct {
	ToolName string  `json:"toolName"`
	Progress float64 `json:"progress"`
	Total    float64 `json:"total"`
	Message  string  `json:"message"`
}

// Result is a call of a tool of the gateway's, and what it came to.
type Result struct {
	Tool   string
	Output string // "" where the format hides it
	Failed bool
}

// Asked is a call that waits.
type Asked struct {
	ID       string
	Tool     string          // ask_user, or a tool of the client's
	Input    json.RawMessage // {"questions": [...]}, or the tool's arguments
	Approval bool            // in the format's own way
}

// Finish is how a run ended, as far as a format tells.
type Finish string

// The ends of a run.
const (
	Stop     Finish = "stop"
	Question Finish = "question"
	Length   Finish = "length"
	Failed   Finish = "failed"
	Stopped  Finish = "stopped"
)
