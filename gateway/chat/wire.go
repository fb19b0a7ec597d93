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
	// Files came with it; left out if none did.
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
	// ArgumentsText is the arguments for people to read, where a program that reads them
	// into doubles and shows the rest as it is may show others.
	ArgumentsText string `json:"argumentsText,omitempty"`
}

// NewToolCallStart is the event of a call that the model made.
func NewToolCallStart(chatID string, c *ToolCall) Event {
	return Event{EventToolCallStart, ToolCallStart{
		ChatID: chatID, ToolCallID: c.ID, ToolName: c.Name,
		Arguments: json.RawMessage(c.Arguments), ArgumentsText: arguments.Deceptive(c.Arguments),
	}}
}

// ToolCallProgress is the data of tool.call.progress: how far a call has come, as its server says.
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
	// Content is what the result shows people, see Parts.
	Content []json.RawMessage `json:"content,omitempty"`
}

// NewToolCallEnd is the event of a call's result.
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
	// Resumable is false where the turn cannot go on, and nil where it can.
	Resumable *bool `json:"resumable,omitempty"`
}

// Final says that a turn which failed of it cannot go on: only a new message helps.
func (f *Failure) Final() bool { return f != nil && f.Resumable != nil && !*f.Resumable }

// AskerMessage is the data of asker.message.
type AskerMessage struct {
	ChatID    string       `json:"chatId"`
	MessageID string       `json:"messageId"`
	Content   string       `json:"content"`
	AskedBy   *tools.Asker `json:"askedBy"`
	Timestamp Time         `json:"timestamp"`
}

// NewAskerMessage is the event of what a program said.
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

// Done is the data of done; TurnID is left out where there was no turn.
type Done struct {
	ChatID       string       `json:"chatId"`
	TurnID       string       `json:"turnId,omitempty"`
	FinishReason FinishReason `json:"finishReason"`
	Usage        Usage        `json:"usage"`
}

// Asked is the data of clarification. If there is one question, its fields are at the
// top level, too.
type Asked struct {
	ChatID          string     `json:"chatId"`
	TurnID          string     `json:"turnId,omitempty"` // left out of what a program asks
	ClarificationID string     `json:"clarificationId"`
	ToolCallID      string     `json:"toolCallId"`
	Kind            tools.Kind `json:"kind"`
	// The call that waits, if it is not the question itself.
	ToolName  string          `json:"toolName,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Of an approval: the arguments for people to read, one by one where the tool's
	// parameters have titles, and what identifies the call that would run.
	ArgumentsText  string            `json:"argumentsText,omitempty"`
	ArgumentFields []arguments.Field `json:"argumentFields,omitempty"`
	Digest         string            `json:"digest,omitempty"`
	Editable       bool              `json:"editable,omitempty"`
	Remember       string            `json:"remember,omitempty"`
	Unfounded      []string          `json:"unfounded,omitempty"` // pointers to arguments that nobody gave
	AskedBy        *tools.Asker      `json:"askedBy,omitempty"`
	WaitsFor       *WaitsFor         `json:"waitsFor,omitempty"` // left out where the chat's owner answers
	// MayAnswer is false where who is told may not answer, and left out otherwise: the owner of
	// a call that waits for others, and an asker.
	MayAnswer *bool  `json:"mayAnswer,omitempty"`
	Requester string `json:"requester,omitempty"` // whose call waits for others: a subject
	Warning   string `json:"warning,omitempty"`   // what to know before answering
	Details   string `json:"details,omitempty"`   // to be read to its end before anything but no is answered
	*tools.Part
	Questions           []tools.Part `json:"questions"`
	ClarificationNumber int          `json:"clarificationNumber"`
	MaxClarifications   int          `json:"maxClarifications"`
	Timestamp           Time         `json:"timestamp"`
	ExpiresAt           *Time        `json:"expiresAt"`
}

// WaitsFor says whose holders answer.
type WaitsFor struct {
	Role string `json:"role"`
}

// NewAskedTo is the event of a clarification for those who may be others than the owner of
// its chat.
func NewAskedTo(p Principal, c *Clarification) Asked {
	a := NewAsked(c)
	if a.MayAnswer = nil; c.State == tools.StatePending && !c.MayAnswer(p) {
		a.MayAnswer = new(bool) // false
	}
	return a
}

// NewAsked is the event of a clarification, for the owner of its chat.
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
			a.ArgumentFields = arguments.Fields(c.Arguments, c.Question.Titles)
			a.Unfounded = c.Question.Unfounded
		}
	} else if by := c.Question.AskedBy; by != nil && by.Kind == tools.AskerServer {
		a.ToolName = c.ToolName
	}
	if c.For != "" {
		a.WaitsFor = &WaitsFor{c.For}
		if c.Subject != RoleSubject(c.For) {
			a.MayAnswer, a.Requester = new(bool), c.Subject
		}
	}
	if len(c.Question.Parts) == 1 {
		a.Part = &c.Question.Parts[0]
	}
	return a
}

// Resolved is the data of clarification.resolved. Answer is null if no person gave one.
type Resolved struct {
	ChatID          string        `json:"chatId"`
	ClarificationID string        `json:"clarificationId"`
	ToolCallID      string        `json:"toolCallId"`
	Outcome         tools.State   `json:"outcome"`
	Answer          *tools.Answer `json:"answer"`
	AnsweredAt      *Time         `json:"answeredAt"`
	By              *By           `json:"by"` // null where nobody closed it
	// Remembered: the approval counts for the tool's later calls; left out if false.
	Remembered bool `json:"remembered,omitempty"`
	// Approval is what became of the call; left out of what is no decided approval. Of one
	// whose arguments were edited, ArgumentsText is as in tool.call.start, of those in Answer.
	Approval      *Approval `json:"approval,omitempty"`
	ArgumentsText string    `json:"argumentsText,omitempty"`
	// Clarification is the question, where nobody was asked and no event told it.
	Clarification *Asked `json:"clarification,omitempty"`
}

// NewResolved is the event of a closed clarification.
func NewResolved(c *Clarification) Resolved {
	r := Resolved{
		ChatID: c.ChatID, ClarificationID: c.ID, ToolCallID: c.ToolCallID,
		Outcome: c.State, Answer: c.Answer, AnsweredAt: optionalTime(c.AnsweredAt), By: c.AnsweredBy,
		Remembered: c.Remembered, Approval: c.Decision(),
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

// Approval is what a person decided about a call.
type Approval struct {
	Outcome string `json:"outcome"` // allowed or refused
	By      string `json:"by"`      // the person: a subject
	At      Time   `json:"at"`
	Digest  string `json:"digest,omitempty"` // of what was decided about: with the arguments as edited
}

// Decision is the decision about a call that needed approval; nil where there is none.
func (c *Clarification) Decision() *Approval {
	if c.Question.Kind != tools.KindApproval || c.State != tools.StateAnswered && c.State != tools.StateDeclined {
		return nil
	}
	a := &Approval{Outcome: "refused", By: c.Subject, At: Time(c.AnsweredAt), Digest: c.Digest()}
	if c.AnsweredBy != nil {
		a.By = c.AnsweredBy.Subject
	}
	if c.Approved() {
		a.Outcome = "allowed"
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

// StatusOf is the status of a chat whose newest turn is t, nil before the first.
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

// Result is what a run came to. The zero Result: its end was not seen.
type Result struct {
	TurnID        string
	Status        Status
	FinishReason  FinishReason
	Text          string // the text streamed in this run
	Clarification *Asked // the first question that waits, where it ended with one
	Usage         Usage
	Failure       *Failure // set where the run ended in an error
}

// Snapshot is a chat as clients see it, with its newest messages, or older ones.
type Snapshot struct {
	ChatID         string             `json:"chatId"`
	Title          string             `json:"title,omitempty"` // left out where none was given
	Status         Status             `json:"status"`
	Messages       []SnapshotMessage  `json:"messages"`
	HasMore        bool               `json:"hasMore"` // there are older messages than these
	Clarification  *Kept              `json:"clarification"`
	Pending        []Kept             `json:"pending"`
	Clarifications ClarificationCount `json:"clarifications"`
	LastEventID    string             `json:"lastEventId"`
	// FinishReason is how the newest turn ended, left out while it goes on; Resumable says
	// that it can be resumed.
	FinishReason FinishReason `json:"finishReason,omitempty"`
	Resumable    bool         `json:"resumable"`
	// Error is what it failed of, as its event said; left out if it did not.
	Error *Failure `json:"error,omitempty"`
	// Queued are messages that wait until the turn is over; left out if there are none.
	Queued []SnapshotQueued `json:"queued,omitempty"`
	// Approvals are the tools whose approval is remembered, sorted; left out if there are none.
	Approvals []string `json:"approvals,omitempty"`
	// ForkedFrom is where it left another chat; left out of one that began by itself.
	ForkedFrom *Fork `json:"forkedFrom,omitempty"`
	// Root is the id by which clients know the chat that this is a branch of; left out of one that is none.
	Root string `json:"root,omitempty"`
	// Branches are the chats of the family, the oldest first; left out where this is its only one.
	Branches []Branch `json:"branches,omitempty"`
	// Unreadable: a part of the chat cannot be shown by this version of the gateway, and the chat takes
	// no messages and answers.
	Unreadable bool `json:"unreadable,omitempty"`
}

// SnapshotQueued is a message that waits; ID is that of the message it will be.
type SnapshotQueued struct {
	ID        string     `json:"id"`
	Content   string     `json:"content"`
	CreatedAt Time       `json:"createdAt"`
	Files     []SentFile `json:"files,omitempty"`
}

// ClarificationCount is how many questions a chat had, and how many it may have.
type ClarificationCount struct {
	Used int `json:"used"`
	Max  int `json:"max"`
}

// SnapshotMessage is a message of a snapshot.
type SnapshotMessage struct {
	ID        string             `json:"id"`
	Role      Role               `json:"role"`
	Content   string             `json:"content"`
	Thinking  string             `json:"thinking,omitempty"` // the model's reasoning before, as the thinking events had it
	CreatedAt Time               `json:"createdAt"`
	ToolCalls []SnapshotToolCall `json:"toolCalls,omitempty"`
	AskedBy   *tools.Asker       `json:"askedBy,omitempty"` // the program that said it
	Files     []SentFile         `json:"files,omitempty"`   // that came with it
	// Unreadable: this version of the gateway cannot show it; its texts and calls are left out.
	Unreadable bool `json:"unreadable,omitempty"`
}

// SnapshotToolCall is a call of a snapshot; Result is null while it is open. An
// error is its JSON text, and stands in Error.
type SnapshotToolCall struct {
	ToolCallID    string          `json:"toolCallId"`
	ToolName      string          `json:"toolName"`
	Arguments     json.RawMessage `json:"arguments"` // those that ran, where a person edited them
	ArgumentsText string          `json:"argumentsText,omitempty"`
	Result        *string         `json:"result"`
	Error         *tools.Error    `json:"error,omitempty"` // as in tool.call.end, where the result is one
	Approval      *Approval       `json:"approval,omitempty"`
	// Content is what the result shows people, see Parts.
	Content []json.RawMessage `json:"content,omitempty"`
	// Clarification is what the call asked; of several the newest, and all of them, oldest
	// first, are in Clarifications.
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
