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
	Temperature *float64 // of the app; nil: the model's own setting
	Language    string   // BCP 47 tag of the chat; for models that choose texts themselves (demo)
	// CacheKey groups the requests of one chat for servers that cache prompts by such a key:
	// a hash of owner, app and chat. "" for none.
	CacheKey string
	// Personal is what of System people said: kept words, answers that fill it in. No server is sent
	// it again; it stays out of what operators are told of a refusal.
	Personal []string
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
	PDFs       []PDF      // likewise, to models that read them
	ID         string     // of a user's message with files; no model is sent it
	Made       Made       // assistant only
}

// Made says which server and model made an assistant's message, and holds what goes back to them
// alone. The zero value: nobody knows.
type Made struct {
	// By identifies the maker, see Maker. A maker gets its own call ids back unchanged; every other
	// server gets WireID of them.
	By string
	// State is what the maker handed out with the message: reasoning, signatures, arguments as it
	// wrote them. Its client alone reads it, and puts it where the server had it. nil: nothing that
	// the message itself does not say.
	State json.RawMessage
}

// Maker identifies who makes state: a provider, one of its APIs ("" where there is one), the base
// URL and the server's name of the model. The key is not part of it: keys are renewed.
func Maker(provider, api, baseURL, name string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{provider, api, baseURL, name}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// wireIDLength is the length of a WireID. Mistral takes exactly nine letters and digits, and every
// other server takes them, too.
const wireIDLength = 9

// WireID is a call's id for servers that did not make the call: nine letters and digits, the same
// for one id in every request.
func WireID(id string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(id))
	var b [wireIDLength]byte
	for i := range b {
		b[i] = digits[(int(sum[2*i])<<8|int(sum[2*i+1]))%len(digits)]
	}
	return string(b[:])
}

// Image is a picture: Media is image/png, image/jpeg, image/gif or image/webp.
type Image struct {
	Media string
	Data  []byte
}

// PDF is a document in that format.
type PDF struct {
	Name string
	Data []byte
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

// Usage counts tokens, alike for all providers whatever their own columns mean.
type Usage struct {
	InputTokens       int64 // of the whole prompt, with those read from a cache or written to one
	CachedInputTokens int64 // of InputTokens, those read from a cache
	CacheWriteTokens  int64 // of InputTokens, those written to a cache
	OutputTokens      int64 // all that came back, with the reasoning
	ReasoningTokens   int64 // of OutputTokens, those of the reasoning
}

// Within is usage without the figures of a server that counts badly: nothing is negative, and no
// part is more than the whole.
func (u Usage) Within() Usage {
	u.InputTokens, u.OutputTokens = max(0, u.InputTokens), max(0, u.OutputTokens)
	u.CachedInputTokens = min(max(0, u.CachedInputTokens), u.InputTokens)
	u.CacheWriteTokens = min(max(0, u.CacheWriteTokens), u.InputTokens-u.CachedInputTokens)
	u.ReasoningTokens = min(max(0, u.ReasoningTokens), u.OutputTokens)
	return u
}

// Delta is one piece of a model's answer; any of its fields may be set.
type Delta struct {
	Text     []byte // UTF-8; never cut inside a code point
	Thinking []byte
	// ToolCalls are whole calls, assembled from their fragments; they come once, at the end.
	ToolCalls []ToolCall
	Finish    FinishReason // set once, on the last piece
	Usage     *Usage       // set at most once
	Made      *Made        // set on the last piece by models that have makers
	// Forgot says, on the last piece, that the server refused the state of the messages before, and
	// answered a request without any of it: that state is never to be sent again.
	Forgot bool
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

// Fault is what an operator has to change before a server takes any request.
type Fault string

// The faults.
const (
	FaultKey       Fault = "key"       // it is refused
	FaultModel     Fault = "model"     // the server does not have it, or is another one
	FaultFunds     Fault = "funds"     // the account has none left
	FaultTools     Fault = "tools"     // the model takes no tools
	FaultFlag      Fault = "flag"      // the server was started without a flag that tools need
	FaultParameter Fault = "parameter" // a setting of the model is refused
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
	// Failed says that the model itself failed, behind a status of success: the same request may
	// succeed later.
	Failed bool
	// Reason is what the server said, on one line, without secrets and without what people, tools
	// and the model said in the request; "" where it said nothing. It is for operators alone.
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

// Elsewhere says whether another model may succeed where this one failed: its server could
// not be reached, or had no capacity. A request that a server
// refused needs correcting instead.
func (e *Error) Elsewhere() bool {
	return e.Kind == KindUnavailable || e.Kind == KindRateLimited || e.Kind == KindTimeout
}

// Retryable says whether the same request may succeed later.
func (e *Error) Retryable() bool {
	return e.Kind != KindTooLong && e.Fault == "" && (e.Kind != KindError || e.Status >= 500 || e.Failed)
}
