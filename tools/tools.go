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
	Arguments string // as the model sent them: any bytes
	Language  string // BCP 47 tag of the chat
	Program   bool   // a program wrote the arguments, and no model: see toolexec.Executor.Ask
	// MaxResult is how many bytes of a result the caller takes; 0: what a model
	// reads. Only options of questions are more.
	MaxResult int
	// Unfounded are RFC 6901 pointers to arguments that nobody gave, of a call to be approved.
	Unfounded []string
	// Asked is what an earlier run of this call asked and how that ended, where the call
	// goes on; nil where it begins.
	Asked *Asked
	// Memory keeps words of the person whose chat it is; nil where nothing is kept.
	Memory Memory
	// Processor counts what the calls of its step take of the processor; nil: nothing is counted.
	Processor *Processor
	// Report tells how far the call has come, while it runs; nil where nobody is told. Safe for
	// concurrent use, and never waits for anybody. What is reported after Run has returned is
	// dropped, and so is what does not follow on the report before (Progress.Follows), and a
	// Total that says nothing (Progress.Within).
	Report func(Progress)
}

// Progress is how far a call has come: of Total, where the tool knows it.
type Progress struct {
	Progress float64  `json:"progress"` // finite, and more than in the report before
	Total    *float64 `json:"total,omitempty"`
	// Message is for people to read, as plain text on one line.
	Message string `json:"message,omitempty"`
}

// Memory keeps words of one person in one app, beyond chats. Errors that are an *Error are for
// the model.
type Memory interface {
	// Remember keeps a text in place of what is kept under the key.
	Remember(ctx context.Context, key, text string) error
	// Forget removes what is kept under the key, and says whether there was anything.
	Forget(ctx context.Context, key string) (bool, error)
}

// Asked is a question that has ended.
type Asked struct {
	Question Question
	Closing  Closing
}

// Error is a tool's error result: what the model reads as
// {"error":{"code":...,"message":...}}. Message says how to fix it.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Reason is the code's finer grain for metrics, from a closed set ("" where
	// the code says it all).
	Reason string `json:"-"`
	// Cause is what the operator's log says of it: "" for what is the model's own
	// fault. Neither secrets nor users' texts are in it.
	Cause string `json:"-"`
	// Fields say of a question that is not asked what is wrong with which of its fields, as
	// the caller spelled them: Code is a reason, Params are what the text of it names.
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
)

// Outcome is what a call came to: a result, an error result or a question,
// exactly one of them.
type Outcome struct {
	Result   string
	Error    *Error
	Question *Question
	// Answer is that to Question where it is known without asking: nobody is asked.
	Answer *Answer
	// Content is what a result shows people beside the text; nil where that is all there is.
	Content []Content
	// Note is what the person who answered in the middle of the call added. It goes to the
	// model behind Result, as the person's.
	Note string
	// Repairs are the kinds of silent repairs made to the arguments,
	// from a closed set, for metrics.
	Repairs []string
}

// Tool is something the model can call. Implementations are safe for
// concurrent use.
type Tool interface {
	// Run executes the call. The model reads an error that is an *Error as it stands; any
	// other error is logged, and the model reads TOOL_FAILED without its text.
	Run(ctx context.Context, call Call) (Outcome, error)
}

// MaxDefinitions is how many tools a model is offered: what OpenAI takes in one request.
const MaxDefinitions = 128

// Definition is what the model reads of a tool. Parameters is a JSON Schema
// whose texts are plain strings.
type Definition struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Describer is a tool that knows its own description and parameters, for where
// the admin gave none.
type Describer interface {
	Definition() (description string, parameters json.RawMessage)
}

// Repeater is a tool that says which of its calls may be run again where a crash
// left it open whether they came to an end. The calls of other tools are journalled
// as they begin and never run twice.
type Repeater interface {
	Repeatable(call Call) bool
}

// Checker is a tool that checks a call's arguments itself, before anybody is asked to
// approve the call. The error is for the model and says how to fix them.
type Checker interface {
	CheckArguments(call Call) error
}

// Family is a tool that stands for several, which only it knows and which may change at
// any time: those of a server. A member is offered and called by its own name. Run, and
// the methods of the optional interfaces, take calls of any member.
type Family interface {
	Resumer
	// Members are the definitions as they are known now, in a language, in an order that only
	// changes with them. It waits for nobody but, once and for a moment, for the first list.
	Members(language string) []Definition
	// Ready waits until the named member is known, and until ctx ends at the most. The
	// error is an *Error that says why there is none.
	Ready(ctx context.Context, name string) error
}

// Timed is a tool that says how long a call may take, in place of the executor's own
// bound. Its context ends then.
type Timed interface {
	Timeout() time.Duration
}

// Resumer is a tool whose calls can pause.
type Resumer interface {
	Tool
	// Check says whether a answers q and returns it normalised (options in the
	// question's order, values instead of labels). It is pure. A refusal is an
	// *AnswerError with one entry per faulty field.
	Check(q Question, a Answer) (Answer, error)
	// Read takes a plain message as an answer to q, if it reads as one in the
	// given language; what it returns passes Check.
	Read(q Question, text, language string) (Answer, bool)
	// Resume makes the tool result from a checked answer, or from the reason why
	// there is none.
	Resume(ctx context.Context, call Call, q Question, c Closing) (Outcome, error)
}
