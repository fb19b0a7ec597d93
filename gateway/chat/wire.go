package chat

import (
	"encoding/json"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// The JSON of events and of the snapshot. Every event's data
// begins with its chatId.

// TurnStart is the data of turn.start.
type TurnStart struct {
	ChatID  string `json:"chatId"`
	TurnID  string `json:"turnId"`
	Resumed bool   `json:"resumed"`
}

// UserMessage is the data of user.message.
type UserMessage struct {
	ChatID    string `json:"chatId"`
	TurnID    string `json:"turnId"`
	MessageID string `json:"messageId"`
	Content   string `json:"content"`
	// Files came with the message; omitted if there are none.
	Files []SentFile `json:"files,omitempty"`
}

// Chunk is the data of chunk and thinking.
type Chunk struct {
	ChatID  string `json:"chatId"`
	Content string `json:"content"`
}

// ToolCallStart is the data of tool.call.start.
type ToolCallStart struct {
	ChatID     string          `json:"chatId"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Arguments  json.RawMessage `json:"arguments"`
	// ArgumentsText is the arguments for people to read. It is set if a program might show others,
	// because it reads numbers as doubles and shows everything else as it is.
	ArgumentsText string `json:"argumentsText,omitempty"`
}

// NewToolCallStart returns the event of a call that the model made.
func NewToolCallStart(chatID string, c *ToolCall) Event {
	return Event{EventToolCallStart, ToolCallStart{
		ChatID: chatID, ToolCallID: c.ID, ToolName: c.Name,
		Arguments: json.RawMessage(c.Arguments), ArgumentsText: arguments.Deceptive(c.Arguments),
	}}
}

// ToolCallProgress is the data of tool.call.progress: how far a call has come, as its server
// reports.
type ToolCallProgress struct {
	ChatID     string `json:"chatId"`
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	tools.Progress
}

// ToolCallEnd is the data of tool.call.end: a result or an error.
type ToolCallEnd struct {
	ChatID     string       `json:"chatId"`
	ToolCallID string       `json:"toolCallId"`
	ToolName   string       `json:"toolName"`
	Result     *string      `json:"result,omitempty"`
	Error      *tools.Error `json:"error,omitempty"`
	// Content has the parts of the result that people see, see Parts.
	Content []json.RawMessage `json:"content,omitempty"`
}

// NewToolCallEnd returns the event of a call's result.
func NewToolCallEnd(chatID string, c *ToolCall, result *ToolResult) Event {
	end := ToolCallEnd{ChatID: chatID, ToolCallID: c.ID, ToolName: c.Name}
	if result.Error != nil {
		end.Error = result.Error
	} else {
		end.Result, end.Content = &result.Content, Parts(result.Shown)
	}
	return Event{EventToolCallEnd, end}
}

// StepRestart is the data of step.restart.
type StepRestart struct {
	ChatID string `json:"chatId"`
	TurnID string `json:"turnId"`
}

// Failure is the data of error. RetryAfter is in seconds.
type Failure struct {
	ChatID     string `json:"chatId"`
	Code       string `json:"code"`
	Message    string `json:"message"`
	Retryable  bool   `json:"retryable"`
	RetryAfter *int   `json:"retryAfter,omitempty"`
	// Resumable is false if the turn cannot go on, and nil if it can.
	Resumable *bool `json:"resumable,omitempty"`
}

// Final reports whether a turn that failed with this cannot go on: only a new message helps.
func (f *Failure) Final() bool { return f != nil && f.Resumable != nil && !*f.Resumable }

// AskerMessage is the data of asker.message.
type AskerMessage struct {
	ChatID    string       `json:"chatId"`
	MessageID string       `json:"messageId"`
	Content   string       `json:"content"`
	AskedBy   *tools.Asker `json:"askedBy"`
	Timestamp Time         `json:"timestamp"`
}

// NewAskerMessage returns the event of what a program said.
func NewAskerMessage(chatID string, m *Message) Event {
	return Event{EventAskerMessage, AskerMessage{
		ChatID: chatID, MessageID: m.ID, Content: m.Content, AskedBy: m.AskedBy, Timestamp: Time(m.CreatedAt),
	}}
}

// Title is the data of chat.title.
type Title struct {
	ChatID string `json:"chatId"`
	Title  string `json:"title"`
}

// QueueChanged is the data of chat.queue.
type QueueChanged struct {
	ChatID string `json:"chatId"`
}

// Done is the data of done; TurnID is omitted if there was no turn.
type Done struct {
	ChatID       string       `json:"chatId"`
	TurnID       string       `json:"turnId,omitempty"`
	FinishReason FinishReason `json:"finishReason"`
	Usage        Usage        `json:"usage"`
}

// Asked is the data of clarification. If there is only one question, its fields are at the top
// level, too.
type Asked struct {
	ChatID          string     `json:"chatId"`
	TurnID          string     `json:"turnId,omitempty"` // omitted for a program's question
	ClarificationID string     `json:"clarificationId"`
	ToolCallID      string     `json:"toolCallId"`
	Kind            tools.Kind `json:"kind"`
	// The call that waits, unless it is the question itself.
	ToolName  string          `json:"toolName,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Of an approval: the arguments for people to read, as a text and one by one, and a digest that
	// identifies the call that would run.
	ArgumentsText  string            `json:"argumentsText,omitempty"`
	ArgumentFields []arguments.Field `json:"argumentFields,omitempty"`
	Digest         string            `json:"digest,omitempty"`
	Editable       bool              `json:"editable,omitempty"`
	Remember       string            `json:"remember,omitempty"`
	Unfounded      []string          `json:"unfounded,omitempty"` // pointers to arguments that no one gave
	Rule           *int              `json:"rule,omitempty"`      // the index of the rule that asks, -1 if none fits; omitted without rules
	Reason         string            `json:"reason,omitempty"`    // why the rule asks
	Respond        bool              `json:"respond,omitempty"`   // the answer may be a result in place of the call
	// Quorum is how many people must allow the call, omitted if one is enough; Decisions are the ones
	// so far.
	Quorum    int          `json:"quorum,omitempty"`
	Decisions []DecidedBy  `json:"decisions,omitempty"`
	AskedBy   *tools.Asker `json:"askedBy,omitempty"`
	WaitsFor  *WaitsFor    `json:"waitsFor,omitempty"` // omitted if the chat's owner answers
	// AlsoAsks are the roles whose holders may answer, too, since the question was escalated; omitted
	// until then.
	AlsoAsks []AlsoAsked `json:"alsoAsks,omitempty"`
	// MayAnswer is false if the recipient may not answer, and omitted otherwise. The owner of a call
	// that waits for others may not, nor may an asker.
	MayAnswer *bool  `json:"mayAnswer,omitempty"`
	Requester string `json:"requester,omitempty"` // the subject whose call waits for others
	Warning   string `json:"warning,omitempty"`   // what to know before answering
	Details   string `json:"details,omitempty"`   // to be read to the end before any answer but no
	*tools.Part
	Questions           []tools.Part `json:"questions"`
	ClarificationNumber int          `json:"clarificationNumber"`
	MaxClarifications   int          `json:"maxClarifications"`
	Timestamp           Time         `json:"timestamp"`
	ExpiresAt           *Time        `json:"expiresAt"`
}

// WaitsFor names the role whose holders answer.
type WaitsFor struct {
	Role string `json:"role"`
}

// NewAskedTo returns the event of a clarification for a principal who may not be the owner of its
// chat.
func NewAskedTo(p Principal, c *Clarification) Asked {
	a := NewAsked(c)
	if a.MayAnswer = nil; c.State == tools.StatePending && !c.MayAnswer(p) {
		a.MayAnswer = new(bool) // false
	}
	return a
}

// NewAsked returns the event of a clarification, for the owner of its chat.
func NewAsked(c *Clarification) Asked {
	a := Asked{
		ChatID: c.ChatID, TurnID: c.TurnID, ClarificationID: c.ID, ToolCallID: c.ToolCallID,
		Kind: c.Question.Kind, Questions: c.Question.Parts,
		ClarificationNumber: c.Number, MaxClarifications: c.Max,
		Timestamp: Time(c.AskedAt), ExpiresAt: optionalTime(c.ExpiresAt),
		AskedBy: c.Question.AskedBy, Warning: c.Question.Warning, Details: c.Question.Details,
	}
	if a.Kind != tools.KindQuestion {
		a.ToolName, a.Arguments = c.ToolName, json.RawMessage(c.Arguments)
		a.Editable, a.Remember = c.Question.Editable, c.Question.Remember
		if a.Kind == tools.KindApproval {
			a.ArgumentsText, a.Digest = arguments.Text(c.Arguments), tools.Digest(c.Question.Definition, c.Arguments)
			a.ArgumentFields = arguments.Fields(c.Arguments, c.Question.Titles, c.Question.Unknown)
			a.Unfounded, a.Respond = c.Question.Unfounded, c.Question.Respond
			a.Rule, a.Reason = c.Question.Rule, c.Question.Reason
			a.Quorum, a.Decisions = c.Question.Quorum, DecidedBys(c.Decisions)
		}
	} else if by := c.Question.AskedBy; by != nil && by.Kind == tools.AskerServer {
		a.ToolName = c.ToolName
	}
	if c.For != "" {
		a.WaitsFor, a.AlsoAsks = &WaitsFor{c.For}, c.AlsoAsks()
		if c.Subject != RoleSubject(c.For) {
			a.MayAnswer, a.Requester = new(bool), c.Subject
		}
	}
	if len(c.Question.Parts) == 1 {
		a.Part = &c.Question.Parts[0]
	}
	return a
}

// Resolved is the data of clarification.resolved. Answer is null if no person answered.
type Resolved struct {
	ChatID          string        `json:"chatId"`
	ClarificationID string        `json:"clarificationId"`
	ToolCallID      string        `json:"toolCallId"`
	Outcome         tools.State   `json:"outcome"`
	Answer          *tools.Answer `json:"answer"`
	AnsweredAt      *Time         `json:"answeredAt"`
	By              *By           `json:"by"` // null if no one closed it
	// Remembered: the approval counts for later calls of the tool; omitted if false.
	Remembered bool `json:"remembered,omitempty"`
	// Approval is the decision about the call; omitted if there is none. If the arguments were edited,
	// ArgumentsText is as in tool.call.start, for those in Answer.
	Approval      *Approval `json:"approval,omitempty"`
	ArgumentsText string    `json:"argumentsText,omitempty"`
	// Decisions are those of all who decided, if several had to.
	Decisions []DecidedBy `json:"decisions,omitempty"`
	// Clarification is the question, if it was answered without asking, so that no event has announced
	// it.
	Clarification *Asked `json:"clarification,omitempty"`
}

// NewResolved returns the event of a closed clarification.
func NewResolved(c *Clarification) Resolved {
	r := Resolved{
		ChatID: c.ChatID, ClarificationID: c.ID, ToolCallID: c.ToolCallID,
		Outcome: c.State, Answer: c.Answer, AnsweredAt: optionalTime(c.AnsweredAt), By: c.AnsweredBy,
		Remembered: c.Remembered, Approval: c.Decision(), Decisions: DecidedBys(c.Decisions),
	}
	if c.State == tools.StateRemembered {
		asked := NewAsked(c)
		r.Clarification = &asked
	}
	if c.Answer != nil && c.Answer.Arguments != nil {
		r.ArgumentsText = arguments.Deceptive(string(c.Answer.Arguments))
	}
	return r
}

// Approval is a person's decision about a call.
type Approval struct {
	Outcome string `json:"outcome"` // allowed, refused or responded
	By      string `json:"by"`      // the person: a subject
	At      Time   `json:"at"`
	Digest  string `json:"digest,omitempty"` // of what was decided about, with the arguments as edited
}

// Decision returns the decision about a call that needed approval, or nil if there is none.
func (c *Clarification) Decision() *Approval {
	if c.Question.Kind != tools.KindApproval || c.State != tools.StateAnswered && c.State != tools.StateDeclined {
		return nil
	}
	a := &Approval{Outcome: "refused", By: c.Subject, At: Time(c.AnsweredAt), Digest: c.Digest()}
	if c.AnsweredBy != nil {
		a.By = c.AnsweredBy.Subject
	}
	switch {
	case c.Approved():
		a.Outcome = "allowed"
	case c.Responded():
		a.Outcome = "responded"
	}
	return a
}

// Status is the status of a chat.
type Status string

// The statuses of a snapshot.
const (
	StatusIdle          Status = "idle"
	StatusRunning       Status = "running"
	StatusAwaitingInput Status = "awaiting_input"
)

// StatusOf returns the status of a chat whose newest turn is t, or nil before the first turn.
func StatusOf(t *Turn) Status {
	switch {
	case t == nil || t.State == TurnEnded:
		return StatusIdle
	case t.State == TurnPaused:
		return StatusAwaitingInput
	default:
		return StatusRunning
	}
}

// Result is the outcome of a run. The zero Result means that its end was not seen.
type Result struct {
	TurnID        string
	Status        Status
	FinishReason  FinishReason
	Text          string // the text streamed in this run
	Clarification *Asked // the first question that waits, if the run ended with one
	Usage         Usage
	Failure       *Failure // set if the run ended in an error
}

// Snapshot is a chat as clients see it, with its newest messages, or with older ones.
type Snapshot struct {
	ChatID         string             `json:"chatId"`
	Title          string             `json:"title,omitempty"` // omitted if there is none
	Status         Status             `json:"status"`
	Messages       []SnapshotMessage  `json:"messages"`
	HasMore        bool               `json:"hasMore"`         // there are older messages than these
	Older          int                `json:"older,omitempty"` // how many
	Clarification  *Kept              `json:"clarification"`
	Pending        []Kept             `json:"pending"`
	Clarifications ClarificationCount `json:"clarifications"`
	LastEventID    string             `json:"lastEventId"`
	// FinishReason says how the newest turn ended, and is omitted while it goes on. Resumable says that
	// the turn can be resumed.
	FinishReason FinishReason `json:"finishReason,omitempty"`
	Resumable    bool         `json:"resumable"`
	// Error is the error in which the turn ended, as in its event; omitted if there was none.
	Error *Failure `json:"error,omitempty"`
	// Queued are messages that wait until the turn is over; omitted if there are none.
	Queued []SnapshotQueued `json:"queued,omitempty"`
	// Approvals are the tools whose approval is remembered, sorted; omitted if there are none.
	Approvals []string `json:"approvals,omitempty"`
	// ForkedFrom says where the chat was forked from another; omitted if it is not a fork.
	ForkedFrom *Fork `json:"forkedFrom,omitempty"`
	// Root is the id of the first chat of the family that this is a branch of; omitted if it is not a
	// branch.
	Root string `json:"root,omitempty"`
	// Branches are the chats of the family, the oldest first; omitted if this is the only one.
	Branches []Branch `json:"branches,omitempty"`
	// Unreadable: this version of the gateway cannot show a part of the chat, and the chat accepts no
	// messages or answers.
	Unreadable bool `json:"unreadable,omitempty"`
}

// SnapshotQueued is a message that waits. ID will be the id of the message.
type SnapshotQueued struct {
	ID        string     `json:"id"`
	Content   string     `json:"content"`
	CreatedAt Time       `json:"createdAt"`
	Files     []SentFile `json:"files,omitempty"`
}

// ClarificationCount says how many questions a chat has had, and how many it may have.
type ClarificationCount struct {
	Used int `json:"used"`
	Max  int `json:"max"`
}

// SnapshotMessage is a message of a snapshot.
type SnapshotMessage struct {
	ID        string             `json:"id"`
	Role      Role               `json:"role"`
	Content   string             `json:"content"`
	Thinking  string             `json:"thinking,omitempty"` // the model's reasoning before the message, as in the thinking events
	CreatedAt Time               `json:"createdAt"`
	ToolCalls []SnapshotToolCall `json:"toolCalls,omitempty"`
	AskedBy   *tools.Asker       `json:"askedBy,omitempty"` // the program that said it
	Files     []SentFile         `json:"files,omitempty"`   // files that came with it
	// Unreadable: this version of the gateway cannot show the message; its texts and calls are omitted.
	Unreadable bool `json:"unreadable,omitempty"`
}

// SnapshotToolCall is a call of a snapshot. Result is null while the call is open. If it failed,
// Result is the error as JSON text, and Error has it, too.
type SnapshotToolCall struct {
	ToolCallID    string          `json:"toolCallId"`
	ToolName      string          `json:"toolName"`
	Arguments     json.RawMessage `json:"arguments"` // as they ran, if a person edited them
	ArgumentsText string          `json:"argumentsText,omitempty"`
	Result        *string         `json:"result"`
	Error         *tools.Error    `json:"error,omitempty"` // as in tool.call.end, if the result is an error
	Approval      *Approval       `json:"approval,omitempty"`
	// Content has the parts of the result that people see, see Parts.
	Content []json.RawMessage `json:"content,omitempty"`
	// Clarification is the call's question. If the call asked several times, this is the newest, and
	// Clarifications has all of them, oldest first.
	Clarification  *Kept  `json:"clarification,omitempty"`
	Clarifications []Kept `json:"clarifications,omitempty"`
}

// Time is written as RFC 3339 in UTC with milliseconds.
type Time = tools.Time

func optionalTime(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	w := Time(t)
	return &w
}
