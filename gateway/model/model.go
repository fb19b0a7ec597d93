package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
)

// Model is a language model. Implementations are safe for concurrent use.
type Model interface {
	// Stream sends a request to the model and yields the answer, piece by piece, on the caller's
	// goroutine. The sequence ends after the first error, which is an *Error, or the context's
	// error if ctx has ended. Bytes in a Delta are only valid until the next piece. Breaking out
	// of the loop cancels the request.
	//
	// Attempts that fail before the first byte are retried, with backoff and Retry-After. A stream
	// that is cut after that is an *Error of KindCut, and the caller may send the request again.
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
}

// Request is one model request.
type Request struct {
	System      string // "" for none
	Messages    []Message
	Tools       []Definition
	Temperature *float64 // of the app; nil: the model's own setting
	Language    string   // BCP 47 tag of the chat; for models that choose their own texts (demo)
	// CacheKey groups the requests of one chat, for servers that cache prompts by such a key. It is
	// a hash of owner, app and chat, or "".
	CacheKey string
	// Personal has the parts of System that people said: remembered words, and answers that fill in
	// variables. It is not sent; it is used to remove these parts from refusals for operators.
	Personal []string
}

// Role is the role of a message.
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
	Images     []Image    // of a result or a user's message, for models that see images
	PDFs       []PDF      // likewise, for models that read PDFs
	ID         string     // of a user's message with files; not sent
	Made       Made       // assistant only
}

// Made records which server and model made an assistant's message, with the state that only they
// get back. The zero value means that the maker is not known.
type Made struct {
	// By identifies the maker, see Maker. A maker gets its own call ids back unchanged; any other
	// server gets their WireID.
	By string
	// State is what the maker sent with the message: reasoning, signatures, arguments in their
	// original form. Only the maker's client reads it, and puts it back where the server had it.
	// nil: the message itself contains all.
	State json.RawMessage
}

// Maker identifies the maker of state: a provider, one of its APIs ("" if it has only one), the base
// URL and the server's name of the model. The key is not included, because keys are renewed.
func Maker(provider, api, baseURL, name string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{provider, api, baseURL, name}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// wireIDLength is the length of a WireID. Mistral requires exactly nine letters and digits, and all
// other servers accept them.
const wireIDLength = 9

// WireID returns a call's id for servers that did not make the call. It has nine letters and digits,
// and is the same for an id in every request.
func WireID(id string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(id))
	var b [wireIDLength]byte
	for i := range b {
		b[i] = digits[(int(sum[2*i])<<8|int(sum[2*i+1]))%len(digits)]
	}
	return string(b[:])
}

// Image is an image. Media is image/png, image/jpeg, image/gif or image/webp.
type Image struct {
	Media string
	Data  []byte
}

// PDF is a PDF document.
type PDF struct {
	Name string
	Data []byte
}

// ToolCall is a tool call of the model. In a Delta, ID may be empty or repeated, and Arguments may
// contain anything. In a prompt, ID is unique and Arguments is valid JSON.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// Definition describes a tool to the model.
type Definition = tools.Definition

// FinishReason is the reason why the model stopped.
type FinishReason string

// The reasons why a model stops, the same for all providers.
const (
	FinishStop          FinishReason = "stop"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
)

// Usage counts tokens, with the same meaning for all providers.
type Usage struct {
	InputTokens       int64 // of the whole prompt, including those read from a cache or written to one
	CachedInputTokens int64 // part of InputTokens: read from a cache
	CacheWriteTokens  int64 // part of InputTokens: written to a cache
	OutputTokens      int64 // of the whole answer, including the reasoning
	ReasoningTokens   int64 // part of OutputTokens: the reasoning
}

// Within corrects the figures of a server that counts badly: none is negative, and no part is larger
// than the whole.
func (u Usage) Within() Usage {
	u.InputTokens, u.OutputTokens = max(0, u.InputTokens), max(0, u.OutputTokens)
	u.CachedInputTokens = min(max(0, u.CachedInputTokens), u.InputTokens)
	u.CacheWriteTokens = min(max(0, u.CacheWriteTokens), u.InputTokens-u.CachedInputTokens)
	u.ReasoningTokens = min(max(0, u.ReasoningTokens), u.OutputTokens)
	return u
}

// Delta is one piece of a model's answer. Any of its fields may be set.
type Delta struct {
	Text     []byte // UTF-8; never cut inside a code point
	Thinking []byte
	// ToolCalls are whole calls, assembled from their fragments. They are set once, at the end.
	ToolCalls []ToolCall
	Finish    FinishReason // set once, on the last piece
	Usage     *Usage       // set at most once
	Made      *Made        // set on the last piece, by models with a Maker
	// Forgot is set on the last piece if the server refused the state of earlier messages, and
	// answered a request without it. That state must never be sent again.
	Forgot bool
	// More is set if more data of the answer has already been read, so that a writer may wait for
	// the next piece before it flushes.
	More bool
}

// ErrorKind is the kind of an error of a model request.
type ErrorKind string

// The kinds. KindCut means that the stream ended or broke in the middle of an answer.
const (
	KindError       ErrorKind = "model_error"
	KindRateLimited ErrorKind = "model_rate_limited"
	KindTimeout     ErrorKind = "model_timeout"
	KindUnavailable ErrorKind = "model_unavailable"
	KindCut         ErrorKind = "cut"
	KindTooLong     ErrorKind = "context_too_long" // the request is too long for the model
)

// Fault is what an operator has to fix before a server accepts any request.
type Fault string

// The faults.
const (
	FaultKey       Fault = "key"       // the key is refused
	FaultModel     Fault = "model"     // the server does not have the model, or the address is wrong
	FaultFunds     Fault = "funds"     // the account has no funds left
	FaultTools     Fault = "tools"     // the model does not support tools
	FaultFlag      Fault = "flag"      // the server was started without a flag that tools need
	FaultParameter Fault = "parameter" // a setting of the model is refused
)

// Error is the error of a model request. Its text is for operators, and never contains keys or user
// text.
type Error struct {
	Kind       ErrorKind
	Status     int           // HTTP status, 0 for none
	RetryAfter time.Duration // 0 for none
	Fault      Fault         // "" for none
	// Tokens and MaxTokens are the tokens that the server counted in a request that is too long, and
	// the most that it accepts, or 0 if the server did not state them.
	Tokens, MaxTokens int64
	// Failed is set if the model itself failed after a status of success. The same request may
	// succeed later.
	Failed bool
	// Reason is the server's text in one line, without secrets and without what people, tools and
	// the model said in the request, or "". It is only for operators.
	Reason string
	Detail string
	Err    error
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

// Elsewhere reports whether another model may succeed, because the server could not be reached or
// had no capacity. A request that a server has refused must be corrected instead.
func (e *Error) Elsewhere() bool {
	return e.Kind == KindUnavailable || e.Kind == KindRateLimited || e.Kind == KindTimeout
}

// Retryable reports whether the same request may succeed later.
func (e *Error) Retryable() bool {
	return e.Kind != KindTooLong && e.Fault == "" && (e.Kind != KindError || e.Status >= 500 || e.Failed)
}
