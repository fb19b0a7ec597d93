package tools

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Call is one tool call of the model.
type Call struct {
	ID        string // unique in its chat
	Name      string // the tool's id
	Arguments string // as the model sent them: any bytes
	Language  string // BCP 47 tag of the chat
	// MaxResult is how many bytes of a result the caller takes; 0: what a model reads
	// (contract 3). Only options of questions are more.
	MaxResult int
	// Unfounded are RFC 6901 pointers to arguments that nobody gave, of a call to be approved.
	Unfounded []string
	// Asked is what an earlier run of this call asked and how that ended, where the call
	// goes on; nil where it begins.
	Asked *Asked
	// Memory keeps words of the person whose chat it is; nil where nothing is kept.
	Memory Memory
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
// {"error":{"code":...,"message":...}}. Message teaches the mend.
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

// Codes of error results (contract 6.3), the same for every tool.
const (
	CodeInvalidClarification = "INVALID_CLARIFICATION_PARAMS"
	CodeLimitReached         = "CLARIFICATION_LIMIT_REACHED"
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
	// Repairs are the kinds of silent repairs made to the arguments (contract 6.2),
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
// approve the call. The error is for the model and says how to mend them.
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

// Kind says what a pause asks for.
type Kind string

// The kinds of a clarification (contract 3 and 5): the model asks, the gateway asks
// before it runs a call, the caller runs a call.
const (
	KindQuestion Kind = "question"
	KindApproval Kind = "approval"
	KindInput    Kind = "input"
)

// InputType is how a part of a question is answered.
type InputType string

// The input types (contract 6.1).
const (
	Text        InputType = "text"
	Select      InputType = "select"
	Multiselect InputType = "multiselect"
	Confirm     InputType = "confirm"
	Number      InputType = "number"
	Date        InputType = "date"
	File        InputType = "file" // answered by the id of a file that was uploaded
)

// The formats of a text, Part.Format.
const (
	FormatEmail    = "email"    // as <input type=email> takes it, and with letters of all scripts (RFC 6531)
	FormatURI      = "uri"      // an absolute address of RFC 3986 or 3987; one of the web has a host
	FormatPhone    = "phone"    // E.164 as people write it: with separators, a trunk 0, an extension
	FormatDuration = "duration" // ISO 8601, or 1h30m
)

// Question is what a tool wants to know: 1..n parts, shown and answered together.
type Question struct {
	Kind  Kind   `json:"kind"`
	Parts []Part `json:"parts"`
	// MaxAnswer is the limit of a text answer in code points in force when asked.
	MaxAnswer int `json:"maxAnswer,omitempty"`
	// Editable says that whoever approves may change the call's arguments.
	Editable bool `json:"editable,omitempty"`
	// Remember says for how long a yes to a call counts for the tool's later calls, too:
	// "chat"; "" for the one call only.
	Remember string `json:"remember,omitempty"`
	// Definition identifies what the call that waits for approval was known as when it was
	// asked about: its tool's id, texts and parameters. Titles are those of the parameters.
	Definition string            `json:"definition,omitempty"`
	Titles     map[string]string `json:"titles,omitempty"`
	// Sources are where options of parts come from; no part has two.
	Sources []OptionSource `json:"sources,omitempty"`
	// AskedBy is who asks; nil: not yet known, or the model, in questions from before all had one.
	AskedBy *Asker `json:"askedBy,omitempty"`
	// Again says that the question is to be asked though it has an answer already.
	Again bool `json:"again,omitempty"`
	// Values identify what templates were filled with, part by part: "" where nothing was.
	Values []string `json:"values,omitempty"`
	// Waiting are the ids of calls of the same step that ask the same. They get this one's result.
	Waiting []string `json:"waiting,omitempty"`
	// Unfounded are RFC 6901 pointers to those arguments of the call that waits for approval
	// which nobody gave: the model filled them in.
	Unfounded []string `json:"unfounded,omitempty"`
	// For is the role whose holders decide about the call, "": the owner of the chat does. It is
	// stored beside the question.
	For string `json:"-"`
	// Warning is what the person should know before answering.
	Warning string `json:"warning,omitempty"`
	// ExpiresIn is how long the question waits at most, 0: as long as the app lets it. What
	// comes of it is stored beside the question.
	ExpiresIn time.Duration `json:"-"`
	// State is what the tool needs to go on. Where there is one, an answer makes no
	// result: the call is run again, with the question in Call.Asked.
	State json.RawMessage `json:"state,omitempty"`
}

// OptionSource says where the options of a part come from: what a template of the tool
// that asks names, called with these arguments.
type OptionSource struct {
	Part      int    `json:"part"` // index
	Template  string `json:"template"`
	Arguments string `json:"arguments"` // a JSON object
}

// Source is where the options of a part come from; ok is false where the question itself
// has all of them.
func (q Question) Source(part int) (s OptionSource, ok bool) {
	for _, s := range q.Sources {
		if s.Part == part {
			return s, true
		}
	}
	return s, false
}

// GoesOn says that the call is run again when the question has ended like this.
func (q Question) GoesOn(state State) bool {
	return q.State != nil && (state == StateAnswered || state == StateSkipped || state == StateDeclined)
}

// AnswerTo is the answer to one part of the question, out of a, the answer to all of it; nil:
// there is none.
func (q Question) AnswerTo(a *Answer, part int) *Answer {
	switch {
	case a == nil || a.Skipped || a.Declined:
	case part < len(a.Answers):
		return &a.Answers[part]
	case len(q.Parts) == 1:
		return a
	}
	return nil
}

// InputType is the type for metrics: the only part's, or "form"; "input" for what no
// person answers.
func (q Question) InputType() string {
	if q.Kind == KindInput {
		return string(KindInput)
	}
	if len(q.Parts) == 1 {
		return string(q.Parts[0].InputType)
	}
	return "form"
}

// Part is one question of a clarification. Its JSON is the wire form of the
// clarification event.
type Part struct {
	// ID names the part among those of its question, see IsPartID. What was stored before parts
	// had ids gets them as it is read, by Identify.
	ID string `json:"id"`
	// Key names what is asked, whatever the words: the same in all chats. See IsKey.
	Key       string    `json:"key,omitempty"`
	Question  string    `json:"question"`
	Header    string    `json:"header,omitempty"`
	InputType InputType `json:"input_type"`
	Options   []Option  `json:"options,omitempty"`
	// OptionsTotal is how many options there were when it was asked, where Options are
	// only the first of them; the others are found by searching.
	OptionsTotal int         `json:"optionsTotal,omitempty"`
	Searchable   bool        `json:"searchable,omitempty"`
	AllowOther   bool        `json:"allow_other"`
	AllowSkip    bool        `json:"allow_skip"`
	Placeholder  string      `json:"placeholder,omitempty"`
	Validation   *Validation `json:"validation,omitempty"`
	Context      string      `json:"context,omitempty"`
	// Secret is the kind of secret that the part seems to ask for, where the reader is to
	// be warned of that: password, pin, code, card, key, identity.
	Secret string `json:"secret,omitempty"`
	// Default is offered as the answer, as an answer sends it in value or values. It counts
	// only if the person sends it.
	Default json.RawMessage `json:"default,omitempty"`
	// Format is what a text must be, FormatEmail and the others; "" for any.
	Format string `json:"format,omitempty"`
	// When says on which answer the part hangs; nil: it is always asked.
	When *When `json:"when,omitempty"`
	// Link is a page that the person is asked to visit, http or https. Nobody else opens it.
	Link string `json:"link,omitempty"`
	// Kept says that the answer is kept of the person beyond the chat: KeptOffered or KeptUnasked.
	Kept string `json:"kept,omitempty"`
	// Earlier is what the person answered to the same before, to be sent again with one click.
	Earlier *Earlier `json:"earlier,omitempty"`
	// Template is the name of the template that the part came from, "" for none.
	Template string `json:"template,omitempty"`
	// Accept and MaxBytes say which files answer the part, see Accepts; of type File alone.
	Accept   []string `json:"accept,omitempty"`
	MaxBytes int64    `json:"maxBytes,omitempty"`
}

// Earlier is an answer to a part from before that part was asked: one that fits it still.
type Earlier struct {
	Value  json.RawMessage `json:"value,omitempty"`  // as in Answer
	Values []string        `json:"values,omitempty"` // as in Answer
	Other  string          `json:"other,omitempty"`  // as in Answer
	// Label is the answer as a person reads it; of a text, the beginning.
	Label      string `json:"label"`
	AnsweredAt Time   `json:"answeredAt"`
	// Memory says that it is from what is remembered of the person, and not from this chat.
	Memory bool `json:"memory,omitempty"`
}

// The values of Part.Kept: the answer is offered in later chats, or may be used there without
// asking besides, if the person says so (Answer.DontAskAgain).
const (
	KeptOffered = "offered"
	KeptUnasked = "unasked"
)

// Option is one choice of a part.
type Option struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Recommended bool   `json:"recommended,omitempty"`
	// Preview is Markdown that shows what the option stands for.
	Preview string `json:"preview,omitempty"`
}

// Validation narrows what counts as an answer.
type Validation struct {
	Pattern string  `json:"pattern,omitempty"`
	Flags   *string `json:"flags,omitempty"` // set, "u" or "", where Pattern is
	Min     *Bound  `json:"min,omitempty"`
	Max     *Bound  `json:"max,omitempty"`
	Integer bool    `json:"integer,omitempty"`
	Message string  `json:"message,omitempty"`
}

// Bound is one end of a range: a finite number, or an ISO date where Date is set.
type Bound struct {
	Number float64
	Date   string
}

// MarshalJSON writes the date as a string, else the number.
func (b Bound) MarshalJSON() ([]byte, error) {
	if b.Date != "" {
		return json.Marshal(b.Date)
	}
	return json.Marshal(b.Number)
}

// UnmarshalJSON reads a number or a string.
func (b *Bound) UnmarshalJSON(data []byte) error {
	*b = Bound{}
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &b.Date)
	}
	return json.Unmarshal(data, &b.Number)
}

// Answer is what a person answered, in the contract's wire form (section 4).
type Answer struct {
	Value    json.RawMessage `json:"value,omitempty"` // string, number or boolean
	Values   []string        `json:"values,omitempty"`
	Other    string          `json:"other,omitempty"`
	Note     string          `json:"note,omitempty"`
	Skipped  bool            `json:"skipped,omitempty"`
	Declined bool            `json:"declined,omitempty"`
	Answers  []Answer        `json:"answers,omitempty"` // one per part of a form
	// DontAskAgain: the answer may be used without asking, where the admin allows that.
	DontAskAgain bool `json:"dontAskAgain,omitempty"`
	// Options are those among the chosen that are not in the question. They come
	// from the source, never from the caller.
	Options []Option `json:"options,omitempty"`
	// File is what is known of the file that Value names. It comes from the store, never from
	// the caller.
	File *Attachment `json:"file,omitempty"`
	// Of KindInput: what the caller's tool came to, any JSON, or why it failed.
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
	// Of KindApproval, where the question is Editable: the call's arguments as the person
	// wants them, a JSON object in place of the model's.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Of KindApproval, where a yes would be remembered: this one counts for its call alone.
	Once bool `json:"once,omitempty"`
}

// State of a clarification. Everything but StatePending is final.
type State string

// The states (contract 1).
const (
	StatePending    State = "pending"
	StateAnswered   State = "answered"
	StateSkipped    State = "skipped"
	StateDeclined   State = "declined"
	StateExpired    State = "expired"
	StateSuperseded State = "superseded"
	StateCancelled  State = "cancelled"
	// StateRemembered is that of a question that was answered out of what the person had answered
	// before, without asking.
	StateRemembered State = "remembered"
)

// Replied says that a person has said something to the question, be it that they will not, or
// had said it before.
func (s State) Replied() bool {
	switch s {
	case StateAnswered, StateSkipped, StateDeclined, StateRemembered:
		return true
	}
	return false
}

// Outcome is the state that a person's answer leads to.
func (a Answer) Outcome() State {
	switch {
	case a.Declined:
		return StateDeclined
	case a.Skipped:
		return StateSkipped
	default:
		return StateAnswered
	}
}

// UsesOther says that none of the options was what the person meant, in a part at least.
func (a Answer) UsesOther() bool {
	return a.Other != "" || slices.ContainsFunc(a.Answers, Answer.UsesOther)
}

// HasNote says that there is a note to it, or to a part.
func (a Answer) HasNote() bool { return a.Note != "" || slices.ContainsFunc(a.Answers, Answer.HasNote) }

// Allows says that a checked answer is the yes to an approval.
func (a Answer) Allows() bool { return string(a.Value) == `"yes"` }

// Closing is how a question ended: its final state, and the answer where a
// person gave one.
type Closing struct {
	State  State
	Answer *Answer
}

// FieldError is one fault of an answer. Code and Params choose the message in
// the reader's language; Message, if set, is the asker's own and wins.
type FieldError struct {
	Question int            // index of the part
	Field    string         // value, values, other, note, skipped, answers; of a question: its path
	Code     string         // e.g. required, pattern, min, max, too_long, option, type
	Params   map[string]any // what the message names, e.g. {"Min": 3}
	Message  string
}

// StaleError refuses an answer that names options which their source no longer has; the
// question stays pending.
type StaleError struct {
	Question int      // index of the part
	Gone     []string // the values
	Options  []Option // the first that there are now
	Total    int      // how many there are now
}

func (e *StaleError) Error() string { return "an option is gone" }

// AnswerError refuses an answer; the question stays pending.
type AnswerError struct{ Fields []FieldError }

func (e *AnswerError) Error() string {
	if len(e.Fields) == 0 {
		return "invalid answer"
	}
	return "invalid answer: " + e.Fields[0].Field + ": " + e.Fields[0].Code
}
