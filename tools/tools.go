package tools

import (
	"context"
	"encoding/json"
	"time"
)

// Call is one tool call of the model.
type Call struct {
	ID        string // unique in its chat
	Name      string // the tool's id
	Arguments string // as the model sent them; may be any bytes
	Language  string // BCP 47 tag of the chat
	Program   bool   // a program wrote the arguments, not a model: see toolexec.Executor.Ask
	// MaxResult is the maximum number of bytes of a result; 0: the limit for a model. Only
	// lists of options for questions may be larger.
	MaxResult int
	// Unfounded are RFC 6901 pointers to arguments, of a call to be approved, that were not said.
	Unfounded []string
	// For is the role whose holders decide about a call to be approved; "": the user does.
	For string
	// Asked is the question of an earlier run of this call, and how it ended; nil in the first
	// run.
	Asked *Asked
	// Memory keeps texts of the owner of the chat; nil if nothing is kept.
	Memory Memory
	// Processor counts the processor time of the calls of the step; nil: nothing is counted.
	Processor *Processor
	// Report reports the progress of the call while it runs; nil if no one receives it. It is
	// safe for concurrent use and never blocks. It drops reports after Run has returned, reports
	// that do not follow the one before (Progress.Follows), and invalid Totals
	// (Progress.Within).
	Report func(Progress)
}

// Progress is the progress of a call, out of Total if the tool knows it.
type Progress struct {
	Progress float64  `json:"progress"` // finite, and greater than in the report before
	Total    *float64 `json:"total,omitempty"`
	// Message is plain text for people, on one line.
	Message string `json:"message,omitempty"`
}

// Memory keeps texts of one person in one app, across chats. If an error is an *Error, it is
// for the model.
type Memory interface {
	// Remember keeps a text under a key, replacing the one before.
	Remember(ctx context.Context, key, text string) error
	// Forget removes the text under a key, and reports whether there was one.
	Forget(ctx context.Context, key string) (bool, error)
}

// Asked is a question that has ended.
type Asked struct {
	Question Question
	Closing  Closing
}

// Error is a tool's error result, which the model reads as
// {"error":{"code":...,"message":...}}. Message says how to fix the error.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Reason gives more detail than Code, for metrics, from a closed set; "" for none.
	Reason string `json:"-"`
	// Cause is the cause for the operator's log; "" if the error is the model's. It contains
	// no secrets and no users' texts.
	Cause string `json:"-"`
	// Status is the HTTP status with which the tool's service answered; 0 for none.
	Status int `json:"-"`
	// Rejected reports that the service works and rejected this call, for example because what
	// it names does not exist. The model may fix it.
	Rejected bool `json:"-"`
	// Fields are the faults of a question that is refused, by its fields as the caller spelled
	// them. Code is a reason, Params are the values in its text.
	Fields []FieldError `json:"-"`
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Codes of error results, the same for every tool.
const (
	CodeInvalidClarification = "INVALID_CLARIFICATION_PARAMS"
	CodeLimitReached         = "CLARIFICATION_LIMIT_REACHED"
	CodeApprovalLimitReached = "APPROVAL_LIMIT_REACHED"
	CodeNotAvailable         = "TOOL_NOT_AVAILABLE"
	CodeNoUser               = "NO_USER_AVAILABLE"
	CodeInvalidArguments     = "INVALID_ARGUMENTS"
	CodeToolFailed           = "TOOL_FAILED"
	CodeToolTimeout          = "TOOL_TIMEOUT"
	CodeHTTPError            = "HTTP_ERROR" // the status is in the message
	CodeCancelled            = "CANCELLED"
	CodeInterrupted          = "INTERRUPTED"
	CodeNotPermitted         = "NOT_PERMITTED" // the rules of needsApproval deny the call
)

// Outcome is the outcome of a call: exactly one of a result, an error result and a question.
type Outcome struct {
	Result   string
	Error    *Error
	Question *Question
	// Answer is the answer to Question if it is already known. Then no one is asked.
	Answer *Answer
	// Content is shown to people in addition to the text of the result; nil if there is none.
	Content []Content
	// Note is the note of the person who answered during the call. The model reads it after
	// Result, as the person's words.
	Note string
	// Ruled is set if rules decided about the call, and no person; nil otherwise.
	Ruled *Ruled
	// Repairs are the kinds of silent repairs of the arguments, from a closed set, for metrics.
	Repairs []string
}

// Ruled is what the rules of a tool decided about a call without asking anyone.
type Ruled struct {
	Allowed bool   // false: denied
	Rule    *int   // the index of the rule, -1 if none fits; nil without rules
	Reason  string // of the rule, in the chat's language; "" for none
}

// Tool is something the model can call. Implementations are safe for
// concurrent use.
type Tool interface {
	// Run executes the call. The model reads an error that is an *Error unchanged. Any other
	// error is logged, and the model reads TOOL_FAILED without its text.
	Run(ctx context.Context, call Call) (Outcome, error)
}

// MaxDefinitions is the maximum number of tools offered to a model. It is OpenAI's limit for a request.
const MaxDefinitions = 128

// Definition is the definition of a tool for the model. Parameters is a JSON Schema whose
// texts are plain strings.
type Definition struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Describer is a tool with its own description and parameters, which are used if the admin
// configured none.
type Describer interface {
	Definition() (description string, parameters json.RawMessage)
}

// LocalDescriber is a Describer whose definition contains an admin's words, which are in the
// language of the chat, a BCP 47 tag.
type LocalDescriber interface {
	DefinitionIn(language string) (description string, parameters json.RawMessage)
}

// Repeater is a tool that reports which of its calls may run again if a crash left their end
// unknown. The calls of other tools are recorded in the journal when they begin, and never run
// twice.
type Repeater interface {
	Repeatable(call Call) bool
}

// Checker is a tool that checks the arguments of a call itself, before a person is asked to
// approve the call. The error is for the model and says how to fix the arguments.
type Checker interface {
	CheckArguments(call Call) error
}

// Family is a tool that provides several tools, such as those of a server. Only it knows them,
// and they may change at any time. Each member is offered and called by its own name. Run and
// the methods of the optional interfaces take calls of any member.
type Family interface {
	Resumer
	// Members returns the currently known definitions in a language, in an order that only
	// changes when they do. It does not block, except once, briefly, for the first list.
	Members(language string) []Definition
	// Ready waits until the named member is known or ctx ends. The error is an *Error that says
	// why the member is missing.
	Ready(ctx context.Context, name string) error
}

// Timed is a tool with its own time limit for calls, in place of the executor's. The context
// of a call ends after it.
type Timed interface {
	Timeout() time.Duration
}

// Resumer is a tool whose calls can pause.
type Resumer interface {
	Tool
	// Check checks whether a is a valid answer to q and returns it normalized (options in the
	// question's order, values instead of labels). It is pure. If it refuses, the error is an
	// *AnswerError with one entry per faulty field.
	Check(q Question, a Answer) (Answer, error)
	// Read reads a plain message in a language as an answer to q. It returns false if the
	// message is not one. The answer passes Check.
	Read(q Question, text, language string) (Answer, bool)
	// Resume returns the tool result for a checked answer, or for the reason why there is no
	// answer.
	Resume(ctx context.Context, call Call, q Question, c Closing) (Outcome, error)
}
