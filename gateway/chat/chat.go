package chat

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
)

// Principal is a caller.
type Principal struct {
	Tenant  string
	Subject string
	Roles   []string
}

// Ref names a conversation as clients do: by their chat id, within an app of a principal. The same
// id of another principal or app names another conversation.
type Ref struct {
	Tenant  string
	Subject string
	App     string
	ChatID  string
}

// Conversation is the head of a chat.
type Conversation struct {
	ID string // internal and unguessable; names the chat's topic in the hub
	Ref
	Language    string // BCP 47 tag of the last turn
	Ephemeral   bool   // the chat is deleted when its turn is over
	Asking      int    // how many questions of programs are pending
	Unpublished bool   // a program has asked or said something that no run has announced yet
	Fork        Fork   // zero: the chat is not a fork
	// Root is the id of the first chat of the family if this chat is a fork, else "". All forks of a
	// chat, and theirs, are branches of one family. It is set when the chat begins.
	Root      string
	WrittenAt time.Time // when the person last began, answered or resumed a turn; zero: never
	Title     string    // the chat's title; "": the beginning of its first message
	TitleBy   Titler    // who gave the chat its title, or tried to
	Fence     int64     // number of the newest run, 0 before the first; see FirstFence
	LastEvent EventID
	// UsedWith is the client's own id of the chat, in the form of ClientMark, from that client's first
	// request for the chat; "" if there was none. Coded holds the codes with which questions were sent,
	// see Code. Lasting keeps an ephemeral chat for LastingFor after its last turn.
	UsedWith  string
	Coded     string
	Lasting   bool
	CreatedAt time.Time
	UpdatedAt time.Time
	// Unreadable: this version cannot read what the chat was forked from, the state of its turn, or one
	// of its rows.
	Unreadable bool
}

// CodeLength is the number of letters in a question's code. MaxCoded is how many codes a chat keeps,
// the most recent ones. codedLength is the space that one takes.
const (
	CodeLength  = 4
	MaxCoded    = 64
	codedLength = CodeLength + 8
)

// LastingFor is how long an ephemeral chat whose client has a name for it is kept after its last
// turn.
const LastingFor = time.Hour

// ClientMark returns a client's own id in the form in which a chat keeps it: of fixed length, and
// without the text of the id.
func ClientMark(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

// Code returns the code with which a question of the chat was sent, even if that was before the chat
// was forked, or "" if it was sent without one.
func (c *Conversation) Code(of *Clarification) string {
	mark := codedMark(of)
	for all := c.Coded; len(all) >= codedLength; all = all[codedLength:] {
		if all[CodeLength:codedLength] == mark {
			return all[:CodeLength]
		}
	}
	return ""
}

// AddCode stores the code with which a question was sent.
func (c *Conversation) AddCode(of *Clarification, code string) {
	c.Coded += code + codedMark(of)
	c.Coded = c.Coded[max(0, len(c.Coded)-MaxCoded*codedLength):]
}

// codedMark identifies a question. It is the same for a question and its copies.
func codedMark(of *Clarification) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", of.Number, of.ToolCallID))
	return hex.EncodeToString(sum[:4])
}

// Titler says who gave a chat its title.
type Titler string

// The values of Titler. A model tries once, and may not find a title. A person's title stays.
const (
	TitleByModel  Titler = "model"
	TitleByPerson Titler = "person"
)

// MaxTitle is the maximum length of a person's title in code points, MaxModelTitle of a model's.
const (
	MaxTitle      = 100
	MaxModelTitle = 60
)

// TurnState is the state of a turn.
type TurnState string

// The states of a turn. FinishReason says how it ended; some ends can be resumed.
const (
	TurnRunning TurnState = "running"
	TurnPaused  TurnState = "paused"
	TurnEnded   TurnState = "ended"
)

// transitions lists the states that may follow each state.
var transitions = map[TurnState][]TurnState{
	"":          {TurnRunning},
	TurnRunning: {TurnRunning, TurnPaused, TurnEnded}, // running again: another run took over
	TurnPaused:  {TurnPaused, TurnRunning, TurnEnded}, // paused again: one of several questions was closed
	TurnEnded:   {TurnRunning},                        // resumed, see Resumable
}

// Turn is the stretch from a user message to the final assistant message.
type Turn struct {
	ID             string
	ConversationID string
	State          TurnState
	Language       string
	Interactive    bool // someone can answer questions
	Steps          int  // model requests whose step was stored, since the count was last reset
	FinishReason   FinishReason
	Usage          Usage
	LeaseOwner     string // node that runs it, "" while none does
	StartedAt      time.Time
	EndedAt        time.Time
}

// Resumable reports whether the turn ended without a complete answer, so that it can go on from its
// current state, unless it failed for a reason that is final (Failure.Final).
func (t *Turn) Resumable() bool {
	if t == nil || t.State != TurnEnded {
		return false
	}
	switch t.FinishReason {
	case FinishError, FinishCancelled, FinishLength, FinishMaxSteps:
		return true
	}
	return false
}

// Move changes the state along the transition table. It refuses any other change, which is a
// programming error.
func (t *Turn) Move(to TurnState) error {
	for _, s := range transitions[t.State] {
		if s == to {
			t.State = to
			return nil
		}
	}
	return Errorf(CodeInternal, "turn cannot go from %q to %q", t.State, to)
}

// FinishReason says why a run ended.
type FinishReason string

// The finish reasons.
const (
	FinishStop          FinishReason = "stop"
	FinishClarification FinishReason = "clarification"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
	FinishMaxSteps      FinishReason = "max_steps"
	FinishCancelled     FinishReason = "cancelled"
	FinishError         FinishReason = "error"
)

// Usage counts tokens.
type Usage struct {
	InputTokens       int64 `json:"inputTokens"`
	OutputTokens      int64 `json:"outputTokens"`
	CachedInputTokens int64 `json:"cachedInputTokens"` // the part of InputTokens that was read from a cache
	ReasoningTokens   int64 `json:"reasoningTokens"`   // the part of OutputTokens that was reasoning
}

// Add adds the usage of another request.
func (u *Usage) Add(more Usage) {
	u.InputTokens += more.InputTokens
	u.OutputTokens += more.OutputTokens
	u.CachedInputTokens += more.CachedInputTokens
	u.ReasoningTokens += more.ReasoningTokens
}

// FirstFence returns the fence of the first run of a chat that begins now: milliseconds since 1970.
// Later runs count up from it.
func FirstFence(now time.Time) int64 { return now.UnixMilli() }

// Run is one stretch of a turn, from its turn.start to its done event. Its record is stored when it
// ends; if it resumes a turn that had ended, also when it begins, without a FinishReason.
type Run struct {
	ConversationID string
	Fence          int64
	TurnID         string
	Resumed        bool // it continues a turn that was paused or had ended
	Discards       bool // it began by discarding the text of a step that the run before had not finished
	FinishReason   FinishReason
	Usage          Usage    // of this run alone
	Failure        *Failure // if it ended in an error
	LastSeq        int64    // of its last event
	// Delivered says that the response of a front with this run has reached its client completely. Only
	// SaveDelivered stores it; false means that this is not known.
	Delivered bool
	StartedAt time.Time
	EndedAt   time.Time
}

// Role is the role of a stored message.
type Role string

// The roles. Tool results are stored with their calls, not as messages.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is a message of a person, a model or a program. An assistant's message has the tool calls of
// its step with their results.
type Message struct {
	ID        string
	TurnID    string
	Fence     int64 // of the run that stored it
	Role      Role
	Content   string
	ToolCalls []ToolCall
	CreatedAt time.Time
	// ClientID is the sending client's own id of the message, in the form of ClientID; "" if it has
	// none. The store writes it and finds messages by it, but does not read it.
	ClientID string
	// AskedBy is the program that said this, or asked the clarification with that id, without a turn;
	// nil for people and models. No model is sent it.
	AskedBy         *tools.Asker
	ClarificationID string // the question that the message stands for; Content is then ""
	Files           []SentFile
	// Instructions are added to a person's message by the client's program, for the model. Only runs
	// read them, and only those of the newest turn are kept.
	Instructions string
	// Thinking is the reasoning of an assistant's step as people are shown it, at most MaxThinking
	// bytes. No model is sent it.
	Thinking string
	// Seq is the number of the event with which an assistant's text ended (see Rows). Spans are the
	// lengths in bytes of thinking and text, in turn, as people were shown them, thinking first; nil if
	// all thinking came before all text. Runs do not read them.
	Seq   int64
	Spans []int
	// MadeBy and State say which model made an assistant's message and what is sent back to that model
	// only, as in model.Made. Only runs read State; people are never shown it.
	MadeBy string
	State  json.RawMessage
	// Unreadable: this version cannot read it, or one of its calls; texts and calls are omitted.
	Unreadable bool
	// Attached is the text of the files for the model, after the Content. A run fills it in.
	Attached string
}

// Limits of what is kept in addition to the text of messages, in bytes.
const (
	MaxThinking  = 256 << 10 // of one step, as people are shown it
	MaxStepState = 1 << 20   // State of one step
	MaxState     = 8 << 20   // State of a chat
)

// ToolCall is one call of a step, with its only result once there is one.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // canonical JSON, as package tools/arguments has it
	// Spoiled says that the model's arguments could not be read, and were replaced by {}: no run may
	// carry out the call.
	Spoiled bool
	// Started is the fence of the run that began to execute the call. It is 0 before that, and for calls
	// that may be repeated.
	Started int64
	Result  *ToolResult
	// Unreadable: this version cannot read the content that the result shows.
	Unreadable bool
}

// ToolResult is the result of a call as the model reads it.
type ToolResult struct {
	Content string
	Error   *tools.Error // set if the result is an error
	Fence   int64        // the run that stored it
	Seq     int64        // number of its event in that run
	// Shown is what people are shown in addition to Content. No model reads it.
	Shown []tools.Content
}

// ErrorResult returns an error as the model reads it.
func ErrorResult(e *tools.Error, fence int64) ToolResult {
	content, _ := json.Marshal(map[string]*tools.Error{"error": e}) // marshals two strings, so it cannot fail
	return ToolResult{Content: string(content), Error: e, Fence: fence}
}

// RoleSubject returns the subject in whose chats programs ask the holders of a role. It cannot be a
// caller's, because subjects have no control characters.
func RoleSubject(role string) string { return "\x1frole\x1f" + role }

// RoleOf returns the role whose RoleSubject this is; is is false if it is not one.
func RoleOf(subject string) (role string, is bool) {
	return strings.CutPrefix(subject, RoleSubject(""))
}

// AskChatID returns the chat in which an asker, a subject, asks under a name if it names none.
func AskChatID(asker, name string) string {
	sum := sha256.Sum256([]byte(asker + "\x00" + name))
	return "ask-" + hex.EncodeToString(sum[:10])
}

// Fit is the part of a chat that one model is sent, as the chat remembers it.
type Fit struct {
	Model    string // its name in the configuration
	Settings string // the settings for which it was determined; with other settings, it is determined again
	From     int64  // position of the first message that is sent; 0: the first there is
	MaxBytes int64  // of a request, as learnt from refusals; 0 if there were none
	PerMille int64  // tokens in a thousand bytes, as the server counts them; 0 if unknown
	// StateFrom is the position of the first message whose state is sent; 0: the first there is. Earlier
	// state is left out for good: its makers bound it to a prompt that began differently, or refused it.
	StateFrom int64
	// Prefix identifies the beginning of the prompts for which the state was made; "" without state.
	Prefix string
}

// Queued is a message that waits until the running turn, including its questions, is over.
type Queued struct {
	ID             string // of the future message
	Content        string
	Language       string // as the caller requested; "": the chat's
	Interactive    bool
	IdempotencyKey string // "" for none
	CreatedAt      time.Time
	Files          []SentFile
	ClientID       string // see Message.ClientID
}

// Key is an idempotency key, and what was begun with it.
type Key struct {
	Asker     string // the subject of a program, for all chats of the app; "": a person's key, for one chat
	Key       string
	Hash      string // of the request's body
	Fence     int64  // of the run that a person's command began; 0 while its message is queued
	Of        string // id of the queued message or the question; "" for a run, which Fence identifies
	CreatedAt time.Time
}

// NewID returns an unguessable id (over 128 bits) with a readable prefix.
func NewID(prefix string) string {
	return prefix + "_" + strings.ToLower(rand.Text())
}
