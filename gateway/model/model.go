package model

import (
	"context"
	"iter"
	"time"

	"github.com/askgate/askgate/tools"
)

// Model is a language model. Implementations are safe for concurrent use.
type Model interface {
	// Stream asks the model and yields what it answers, piece by piece, on the
	// caller's goroutine. The sequence ends after the first error, which is an
	// *Error (or the context's error when ctx ended). Bytes in a Delta are valid only
	// until the next piece. Breaking out of the loop cancels the request.
	//
	// Attempts that fail before the first byte are retried inside (with backoff and
	// Retry-After); a stream that is cut afterwards is an *Error of KindCut, and the caller
	// may ask again.
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
}

// Request is one model request.
type Request struct {
	System      string // "" for none
	Messages    []Message
	Tools       []Definition
	Temperature *float64
	Language    string // BCP 47 tag of the chat; for models that choose texts themselves (demo)
}

// Role of a message.
type Role string

// The roles of a prompt's messages.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one message of the prompt.
type Message struct {
	Role       Role
	Content    string
	ToolCalls  []ToolCall // assistant only
	ToolCallID string     // tool only
	Images     []Image    // what a result, or a user's message, shows beside its text, to models that see
	ID         string     // of a user's message with files; no model is sent it
}

// Image is a picture: Media is image/png, image/jpeg, image/gif or image/webp.
type Image struct {
	Media string
	Data  []byte
}

// ToolCall is a call that the model made. In a Delta, ID may be empty or
// repeated and Arguments may be anything; in a prompt ID is
// unique and Arguments is valid JSON.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// Definition describes a tool to the model.
type Definition = tools.Definition

// FinishReason is why the model stopped.
type FinishReason string

// The reasons a model stops, from any provider's words.
const (
	FinishStop          FinishReason = "stop"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
)

// Usage counts tokens.
type Usage struct {
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
}

// Delta is one piece of a model's answer; any of its fields may be set.
type Delta struct {
	Text     []byte // UTF-8; never cut inside a code point
	Thinking []byte
	// ToolCalls are whole calls, assembled from their fragments; they come once, at the end.
	ToolCalls []ToolCall
	Finish    FinishReason // set once, on the last piece
	Usage     *Usage       // set at most once
	// More says that further upstream data has already been read, so that a writer
	// may wait for the next piece before it flushes.
	More bool
}

// ErrorKind says what went wrong with a model request.
type ErrorKind string

// The kinds. KindCut: the stream ended or broke in the middle of an answer.
const (
	KindError       ErrorKind = "model_error"
	KindRateLimited ErrorKind = "model_rate_limited"
	KindTimeout     ErrorKind = "model_timeout"
	KindUnavailable ErrorKind = "model_unavailable"
	KindCut         ErrorKind = "cut"
	KindTooLong     ErrorKind = "context_too_long" // the request, for the model
)

// Fault is what an operator has to mend before a server takes any request.
type Fault string

// The faults.
const (
	FaultKey   Fault = "key"   // it is refused
	FaultModel Fault = "model" // the server does not have it, or is another one
	FaultFunds Fault = "funds" // the account has none left
)

// Error is a failed model request. Its text is for operators and never holds
// keys or user text.
type Error struct {
	Kind       ErrorKind
	Status     int           // HTTP status, 0 for none
	RetryAfter time.Duration // 0 for none
	Fault      Fault         // "" for none
	// Tokens and MaxTokens are how many the server counted in a request that is too long,
	// and how many it takes; 0 where it did not say.
	Tokens, MaxTokens int64
	Detail            string
	Err               error
}

func (e *Error) Error() string {
	s := string(e.Kind)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Elsewhere says whether another model may succeed where this one failed: its server could
// not be reached, or had no capacity. A request that a server
// refused needs correcting instead.
func (e *Error) Elsewhere() bool {
	return e.Kind == KindUnavailable || e.Kind == KindRateLimited || e.Kind == KindTimeout
}

// Retryable says whether the same request may succeed later.
func (e *Error) Retryable() bool {
	return e.Kind != KindTooLong && e.Fault == "" && (e.Kind != KindError || e.Status >= 500)
}
