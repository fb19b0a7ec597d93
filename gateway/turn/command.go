package turn

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Command is what a client sent: a message or an answer, exactly one of them.
type Command struct {
	Ref     chat.Ref
	Message *string
	Answer  *Answer
	// IdempotencyKey makes a repeated command the same run; "" for none. Hash
	// identifies the body: the same key with another hash is a conflict.
	IdempotencyKey string
	Hash           string
	// Language of the caller where one was asked for and there are texts, else "":
	// the chat's own is kept.
	Language string
	// Interactive is false where nobody can answer questions.
	Interactive bool
	// TraceParent is the caller's header of that name, as it came; "" for none.
	TraceParent string
	// By is who sent it, for the audit; zero: whose chat it is.
	By chat.Actor

	messageID string // of a message that was queued; "" to mint one
}

// Answer closes a clarification, named by its call, by its own id, or by being
// the only pending one.
type Answer struct {
	ToolCallID      string
	ClarificationID string
	tools.Answer
}

// Result is what a run came to.
type Result struct {
	TurnID        string
	Status        chat.Status
	FinishReason  chat.FinishReason
	Text          string // the text streamed in this run
	Clarification *chat.Asked
	Usage         chat.Usage
	Failure       *chat.Failure // set where the run ended in an error
}
