package tools

import (
	"encoding/json"
	"slices"
	"time"
)

// Kind says what a pause asks for.
type Kind string

// The kinds of a clarification: the model asks, the gateway asks
// before it runs a call, the caller runs a call.
const (
	KindQuestion Kind = "question"
	KindApproval Kind = "approval"
	KindInput    Kind = "input"
)

// InputType is how a part of a question is answered.
type InputType string

// The input types.
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
	// AskedBy is who asks; nil: not yet known.
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
	// Details is a text that the person has to read to its end before the only part, a confirm or
	// a choice with the values yes and no, takes anything but no. All of it can be seen.
	Details string `json:"details,omitempty"`
	// Warning is what the person should know before answering.
	Warning string `json:"warning,omitempty"`
	// ExpiresIn is how long the question waits at most, 0: as long as the app lets it. What
	// comes of it is stored beside the question.
	ExpiresIn time.Duration `json:"-"`
	// Matches keeps what the patterns said to texts; nil: nothing is kept.
	Matches Matches `json:"-"`
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

// Matches keeps what patterns said to texts. Matching may take seconds: where nothing may wait that long, Check and Read
// of a Resumer are first called elsewhere, with an empty Matches. It is not safe for concurrent use.
type Matches map[Matched]string // the code of the fault, "" for a text that matches

// Matched is a text that was compared with a pattern.
type Matched struct{ Pattern, Flags, Text string }

// HasPattern reports whether a text answer is compared with a pattern.
func (q Question) HasPattern() bool {
	return slices.ContainsFunc(q.Parts, func(p Part) bool { return p.Validation != nil && p.Validation.Pattern != "" })
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

// Decides says that the question is one whether to allow something: a confirm, or one choice with
// the values yes and no among others.
func (q Question) Decides() bool {
	return len(q.Parts) == 1 && (q.Parts[0].InputType == Confirm || q.Parts[0].InputType == Select && q.Parts[0].offers("yes") && q.Parts[0].offers("no"))
}

func (p *Part) offers(value string) bool {
	return slices.ContainsFunc(p.Options, func(o Option) bool { return o.Value == value })
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
	// ID names the part among those of its question, see IsPartID and Identify.
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
