package chat

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
)

// Principal is the caller: tenant, subject and roles.
type Principal struct {
	Tenant  string
	Subject string
	Roles   []string
}

// Ref names a conversation from outside: the client's chat id within an app of
// a principal. The same id of another principal or app is another conversation.
type Ref struct {
	Tenant  string
	Subject string
	App     string
	ChatID  string
}

// Conversation is the head of a chat.
type Conversation struct {
	ID string // internal, unguessable; names the chat's topic in the hub
	Ref
	Language    string // BCP 47 tag of the last turn
	Ephemeral   bool   // it is deleted when its turn is over
	Asking      int    // how many questions of programs are pending
	Unpublished bool   // a program asked or said something that no run has told of yet
	Fork        Fork   // zero: it began by itself
	// Root is the chat that a client's name stands for, where this is a branch: a fork that the
	// client made of it; "": the chat is none. It is set as the chat begins.
	Root      string
	WrittenAt time.Time // when the person last began, answered or resumed a turn; zero: never
	Title     string    // what it is called; "": as its first message begins
	TitleBy   Titler    // who called it so, or tried
	Fence     int64     // number of the newest run, 0 before the first; see FirstFence
	LastEvent EventID
	// UsedWith is a client's own id that came with the chat's first request of that client, as
	// ClientMark has it; "": none did. Coded are the codes that questions went out with, see Code.
	// Lasting, of an ephemeral chat: it is kept for LastingFor behind its last turn.
	UsedWith  string
	Coded     string
	Lasting   bool
	CreatedAt time.Time
	UpdatedAt time.Time
	// Unreadable: this version cannot read what it was forked from, the state of its turn, or a row of
	// the chat.
	Unreadable bool
}

// CodeLength is how many letters the code of a question has, MaxCoded how many of them a chat keeps,
// the last ones; codedLength is what one takes.
const (
	CodeLength  = 4
	MaxCoded    = 64
	codedLength = CodeLength + 8
)

// LastingFor is how long an ephemeral chat that its client has a name for is kept behind its last turn.
const LastingFor = time.Hour

// ClientMark is a client's own id as a chat keeps it: of one length, and without its text.
func ClientMark(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

// Code is the code that a question of the chat went out with, also before the chat was forked; "":
// with none.
func (c *Conversation) Code(of *Clarification) string {
	mark := codedMark(of)
	for all := c.Coded; len(all) >= codedLength; all = all[codedLength:] {
		if all[CodeLength:codedLength] == mark {
			return all[:CodeLength]
		}
	}
	return ""
}

// AddCode keeps a code that a question went out with.
func (c *Conversation) AddCode(of *Clarification, code string) {
	c.Coded += code + codedMark(of)
	c.Coded = c.Coded[max(0, len(c.Coded)-MaxCoded*codedLength):]
}

// codedMark is the same for a question and its copies.
func codedMark(of *Clarification) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", of.Number, of.ToolCallID))
	return hex.EncodeToString(sum[:4])
}

// Titler is who gives a chat its title.
type Titler string

// Those who do. A model tries once, and may have found none; what a person wrote stays.
const (
	TitleByModel  Titler = "model"
	TitleByPerson Titler = "person"
)

// MaxTitle is the length of a person's title, MaxModelTitle that of a model's, in code points.
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

// transitions is the one table of what may follow what.
var transitions = map[TurnState][]TurnState{
	"":          {TurnRunning},
	TurnRunning: {TurnRunning, TurnPaused, TurnEnded}, // running again: another run took over
	TurnPaused:  {TurnPaused, TurnRunning, TurnEnded}, // paused again: one of several questions closed
	TurnEnded:   {TurnRunning},                        // resumed, see Resumable
}

// Turn is one user message up to the final assistant message.
type Turn struct {
	ID             string
	ConversationID string
	State          TurnState
	Language       string
	Interactive    bool // somebody can answer
	Steps          int  // model requests whose step was stored, since the turn was last given new ones
	FinishReason   FinishReason
	Usage          Usage
	LeaseOwner     string // node that runs it, "" while nobody does
	StartedAt      time.Time
	EndedAt        time.Time
}

// Resumable says that the turn ended without an answer that is whole: it can go on where
// it stands, unless it failed of what is final (Failure.Final).
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

// Move changes the state along the transition table; anything else is a
// programming error and is refused.
func (t *Turn) Move(to TurnState) error {
	for _, s := range transitions[t.State] {
		if s == to {
			t.State = to
			return nil
		}
	}
	return Errorf(CodeInternal, "turn cannot go from %q to %q", t.State, to)
}

// FinishReason ends a run.
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
	CachedInputTokens int64 `json:"cachedInputTokens"` // of InputTokens, read from a cache
	ReasoningTokens   int64 `json:"reasoningTokens"`   // of OutputTokens
}

// Add adds what another request used.
func (u *Usage) Add(more Usage) {
	u.InputTokens += more.InputTokens
	u.OutputTokens += more.OutputTokens
	u.CachedInputTokens += more.CachedInputTokens
	u.ReasoningTokens += more.ReasoningTokens
}

// FirstFence is the fence of the first run of a chat that begins now: milliseconds
// since 1970. Those of later runs count up from it.
func FirstFence(now time.Time) int64 { return now.UnixMilli() }

// Run is one stretch of a turn, from its turn.start to its done. Its record is
// stored at its end; that of a run that resumes a turn which had ended also as it begins,
// without a FinishReason.
type Run struct {
	ConversationID string
	Fence          int64
	TurnID         string
	Resumed        bool // it goes on with a turn that was paused, or had ended
	Discards       bool // it began with discarding the text of a step that the run before had not finished
	FinishReason   FinishReason
	Usage          Usage    // of this run alone
	Failure        *Failure // if it ended in an error
	LastSeq        int64    // of its last event
	// Delivered says that a front's response with it reached its client whole. SaveDelivered alone
	// stores it; false: nobody knows.
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

// Message is what a person or the model said; an assistant's has the tool
// calls of its step with their results.
type Message struct {
	ID        string
	TurnID    string
	Fence     int64 // the run that stored it
	Role      Role
	Content   string
	ToolCalls []ToolCall
	CreatedAt time.Time
	// ClientID is what the client that sent it knows it by, as ClientID has it; "": by nothing. It is
	// written, and found, but not read.
	ClientID string
	// AskedBy is the program that said it, or asked the clarification with that id, without a
	// turn; nil for people and models. No model is sent it.
	AskedBy         *tools.Asker
	ClarificationID string // what it stands for, its Content is then ""
	Files           []SentFile
	// Instructions are what the client's program says to the model with a person's message. Runs alone
	// read them, and only those of the newest turn: they are kept no longer.
	Instructions string
	// Thinking is the reasoning of an assistant's step as people are shown it, at most MaxThinking
	// bytes. No model is sent it.
	Thinking string
	// Seq is the number of the event with which an assistant's text ended (see Rows). Spans are how
	// many bytes of thinking and of text people were shown by turns, thinking first; nil where all
	// thinking came before all text. Runs do not read them.
	Seq   int64
	Spans []int
	// MadeBy and State are who made an assistant's message and what goes back to them alone, as
	// model.Made has them. Runs alone read State: it is in nothing that anybody is shown.
	MadeBy string
	State  json.RawMessage
	// Unreadable: this version cannot read it, or one of its calls. Its texts and calls are left out.
	Unreadable bool
	// Attached is what a model reads of the files, behind the Content. A run fills it in.
	Attached string
}

// Bounds of what is kept beside the text of messages, in bytes.
const (
	MaxThinking  = 256 << 10 // of one step, as people are shown it
	MaxStepState = 1 << 20   // State of one step
	MaxState     = 8 << 20   // State of a chat
)

// ToolCall is one call of a step and, once there is one, its only result.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // canonical JSON, as package tools/arguments has it
	// Spoiled says that the model's arguments could not be read, and Arguments are {} in their
	// place: no run may carry out the call.
	Spoiled bool
	// Started is the fence of the run that began to execute the call, 0 before, and
	// for calls that may be repeated.
	Started int64
	Result  *ToolResult
	// Unreadable: this version cannot read what the result shows.
	Unreadable bool
}

// ToolResult is what the model reads as the result of a call.
type ToolResult struct {
	Content string
	Error   *tools.Error // set if the result is an error
	Fence   int64        // the run that stored it
	Seq     int64        // number of its event in that run
	// Shown is what people are shown beside Content, which no model reads.
	Shown []tools.Content
}

// ErrorResult is an error as the model reads it.
func ErrorResult(e *tools.Error, fence int64) ToolResult {
	content, _ := json.Marshal(map[string]*tools.Error{"error": e}) // two strings
	return ToolResult{Content: string(content), Error: e, Fence: fence}
}

// RoleSubject is the subject in whose chats programs ask the holders of a role. No caller has
// it: subjects have no control characters.
func RoleSubject(role string) string { return "\x1frole\x1f" + role }

// RoleOf is the role whose RoleSubject this is; false where it is none.
func RoleOf(subject string) (role string, is bool) {
	return strings.CutPrefix(subject, RoleSubject(""))
}

// AskChatID is the chat in which an asker, a subject, asks by that name, where it names none.
func AskChatID(asker, name string) string {
	sum := sha256.Sum256([]byte(asker + "\x00" + name))
	return "ask-" + hex.EncodeToString(sum[:10])
}

// Clarification is a stored question with its state and, later, its answer.
type Clarification struct {
	ID             string // globally unique, unguessable
	ConversationID string
	Ref
	TurnID     string // "" of a program's
	ToolCallID string // minted for a program's
	ToolName   string
	Arguments  string // of the call, valid JSON
	// Asker is the subject that has a program ask, of the same tenant; "": a turn asks.
	Asker string
	// Model is the configured model whose call asks, by its name in the configuration; "" for a
	// program's.
	Model string
	// For is the role whose holders answer; "": the owner of the chat does.
	For      string
	Question tools.Question
	Number   int // 1.. within the conversation; of other kinds, that of the question before
	Max      int // perConversation in force when asked
	State    tools.State
	Answer   *tools.Answer
	// Remembered says that the approval also counts for the tool's later calls in the
	// chat, until it is revoked.
	Remembered bool
	AskedFence int64 // the run that asked
	DoneFence  int64 // the run that announced the end, 0 while pending
	AskedAt    time.Time
	AnsweredAt time.Time
	AnsweredBy *By       // nil while pending, and where nobody closed it
	ExpiresAt  time.Time // zero: never
	// Draft is what the person has typed so far, any JSON; nil for none. It is stored by
	// SaveDraft alone, and gone once the question is closed.
	Draft json.RawMessage
	// SeenAt is when a screen first showed it; zero: none has said so. SaveSeen alone stores it.
	SeenAt time.Time
	// Copied says that it was asked in the chat that this one was forked from: it counts there.
	Copied bool
	// InWords says that a client's result for its call was no answer: clients that run tools by
	// themselves are asked in words from then on. SaveInWords alone stores it; forks keep it.
	InWords bool
}

// MayAnswer says whether a principal may answer it: the owner of the chat, or a holder of the
// role that it is for, unless they asked it or own the call that waits.
func (c *Clarification) MayAnswer(p Principal) bool {
	if p.Tenant != c.Tenant {
		return false
	}
	if c.For == "" {
		return p.Subject == c.Subject
	}
	return slices.Contains(p.Roles, c.For) && p.Subject != c.Subject && p.Subject != c.Asker
}

// Closing is how it ended, as a tool is told.
func (c *Clarification) Closing() tools.Closing {
	return tools.Closing{State: c.State, Answer: c.Answer, Role: c.For}
}

// Size is about how many bytes its texts have.
func (c *Clarification) Size() int64 {
	n := len(c.Arguments) + len(c.Draft) + len(c.Question.Details)
	for i := range c.Question.Parts {
		p := &c.Question.Parts[i]
		n += len(p.Question) + len(p.Context)
		for _, o := range p.Options {
			n += len(o.Label) + len(o.Value) + len(o.Description)
		}
	}
	if c.Answer != nil {
		n += len(c.Answer.Value) + len(c.Answer.Result) + len(c.Answer.Arguments) + len(c.Answer.Note)
	}
	return int64(n)
}

// Approved says that a person has allowed the call.
func (c *Clarification) Approved() bool {
	return c.Question.Kind == tools.KindApproval && c.State == tools.StateAnswered &&
		c.Answer != nil && c.Answer.Allows()
}

// Refused says that a person has refused the call: by a no, or by declining to answer.
func (c *Clarification) Refused() bool {
	return c.Question.Kind == tools.KindApproval &&
		(c.State == tools.StateDeclined || c.State == tools.StateAnswered && !c.Approved())
}

// IsForm says that it asks for the variables of an app's prompts: the app asks, and no model.
func (c *Clarification) IsForm() bool {
	return c.Question.AskedBy != nil && c.Question.AskedBy.Kind == tools.AskerApp
}

// Digest identifies what an approval is about: the arguments as they were edited, if a
// person did.
func (c *Clarification) Digest() string {
	arguments := c.Arguments
	if c.Answer != nil && c.Answer.Arguments != nil {
		arguments = string(c.Answer.Arguments)
	}
	return tools.Digest(c.Question.Definition, arguments)
}

// RememberedTools are the tools whose approval is remembered, sorted.
func RememberedTools(all []Clarification) []string {
	var names []string
	for i := range all {
		if all[i].Remembered {
			names = append(names, all[i].ToolName)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Before says that other is a later clarification of the same call: its approval comes before its input.
func (c *Clarification) Before(other *Clarification) bool {
	return other.ToolCallID == c.ToolCallID && other.AskedFence > c.AskedFence
}

// Fit is what of a chat one model is sent, as the chat remembers it.
type Fit struct {
	Model    string // its name in the configuration
	Settings string // what it was found out for; with others, it is found out anew
	From     int64  // position of the first message that is sent; 0: of all there are
	MaxBytes int64  // of a request, as refusals taught; 0: none did
	PerMille int64  // tokens to a thousand bytes, as the server counts; 0: nobody knows
	// StateFrom is the position of the first message whose state is sent; 0: of all. What is before
	// it stays out for good: its makers bound it to a prompt that began otherwise, or refused it.
	StateFrom int64
	// Prefix identifies how the prompts began that the state was made for; "": there is none.
	Prefix string
}

// Queued is a message that waits until the running turn, with its questions, is over.
type Queued struct {
	ID             string // of the message that it will be
	Content        string
	Language       string // that the caller asked for, "" for the chat's
	Interactive    bool
	IdempotencyKey string // "" for none
	CreatedAt      time.Time
	Files          []SentFile
	ClientID       string // see Message.ClientID
}

// Key is an idempotency key, and what was begun with it.
type Key struct {
	Asker     string // the subject of a program, in all chats of the app; "": a person's, in one chat
	Key       string
	Hash      string // of the request's body
	Fence     int64  // of the run that a person's began; 0 while its message is queued
	Of        string // the id of the message that was queued, or of what was asked; "" of a run
	CreatedAt time.Time
}

// NewID makes an unguessable id (over 128 bits) with a readable prefix.
func NewID(prefix string) string {
	return prefix + "_" + strings.ToLower(rand.Text())
}
